"""Intervals from draws and from counts, against scipy and values worked by hand."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from misstep.stats import intervals


def test_percentile_takes_the_two_tails() -> None:
    low, high = intervals.percentile(np.arange(101.0), 0.9)
    assert (low, high) == pytest.approx((5.0, 95.0))


def test_wilson_by_hand() -> None:
    assert intervals.wilson(0, 10, 0.95) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert intervals.wilson(10, 10, 0.95) == pytest.approx((0.72247, 1.0), abs=1e-5)
    assert intervals.wilson(1, 10, 0.95) == pytest.approx((0.01788, 0.40415), abs=1e-5)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 60), (3, 60), (59, 60), (60, 60), (500, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_single_proportions_agree_with_scipy(k: int, n: int, level: float) -> None:
    oracle = stats.binomtest(k, n)
    for method, ours in [("wilson", intervals.wilson), ("exact", intervals.clopper_pearson)]:
        expected = oracle.proportion_ci(level, method=method)
        assert ours(k, n, level) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_no_event_in_sixty_clusters() -> None:
    low, high = intervals.exact_clusters(0.0, 60, 0.95)
    assert (low, high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 60)))
    assert intervals.exact_clusters(1.0, 60, 0.95) == pytest.approx((1 - high, 1.0))


def test_equal_shares_in_all_clusters_lie_between_the_whole_numbers() -> None:
    low, high = intervals.exact_clusters(0.5, 5, 0.95)
    assert intervals.clopper_pearson(2, 5, 0.95)[0] < low < 0.5
    assert 0.5 < high < intervals.clopper_pearson(3, 5, 0.95)[1]


def test_bca_without_skew_is_the_percentile_interval() -> None:
    draws = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    result = intervals.bca(draws, 0.0, np.array([-1.0, 0.0, 1.0]), 0.95)
    assert result == pytest.approx(intervals.percentile(draws, 0.95), abs=1e-6)


def test_bca_agrees_with_scipy_on_a_skewed_mean() -> None:
    data = np.random.default_rng(5).exponential(size=40)
    expected = stats.bootstrap((data,), np.mean, n_resamples=20_000, method="BCa", rng=1).confidence_interval
    rng = np.random.default_rng(2)
    draws = data[rng.integers(0, 40, (20_000, 40))].mean(axis=1)
    left_out = (data.sum() - data) / 39
    result = intervals.bca(draws, float(data.mean()), left_out, 0.95)
    assert result == pytest.approx((expected.low, expected.high), abs=0.02)


def test_bca_is_not_defined_when_all_draws_lie_on_one_side() -> None:
    assert intervals.bca(np.array([0.2, 0.3]), 0.1, np.array([0.1, 0.2]), 0.95) is None


def test_studentized_by_hand() -> None:
    draws = np.linspace(-1, 3, 101) * 0.1 + 0.5
    result = intervals.studentized(draws, np.full(101, 0.1), 0.5, 0.1, 0.9)
    assert result == pytest.approx((0.5 - 0.1 * 2.8, 0.5 + 0.1 * 0.8))
    assert intervals.studentized(draws, np.zeros(101), 0.5, 0.1, 0.9) is None


def test_scipy_is_imported_only_for_an_interval_that_needs_it() -> None:
    code = (
        "import sys; from misstep.stats import agreement, contrasts, estimates, intervals;"
        "intervals.exact_clusters(0.0, 60, 0.95); assert 'scipy' not in sys.modules;"
        "intervals.clopper_pearson(1, 60, 0.95); assert 'scipy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
