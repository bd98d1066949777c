"""Intervals hold what they promise when templates differ, and resampled episodes do not."""

import numpy as np
import polars as pl
import pytest

from misstep.stats.estimates import estimate_sums

TEMPLATES, EPISODES, SIMULATIONS = 60, 100, 300
TRUTH = 0.2


@pytest.fixture(scope="module")
def simulated() -> tuple[np.ndarray, np.ndarray]:
    """Return episodes with the label per (simulation, template), and the intervals of every simulation."""
    rng = np.random.default_rng(11)
    shares = rng.beta(0.8, 3.2, (SIMULATIONS, TEMPLATES))  # mean 0.2
    events = rng.binomial(EPISODES, shares)
    number = np.repeat(np.arange(SIMULATIONS), TEMPLATES)
    sums = pl.DataFrame(
        {
            "metric": ["cd"] * number.size,
            "policy": ["standard"] * number.size,
            "group": [f"{i:03}" for i in number],
            "replicate": pl.Series([None] * number.size, dtype=pl.Int64),
            "part": pl.Series([None] * number.size, dtype=pl.String),
            "cluster": [f"t{i:02}" for i in range(TEMPLATES)] * SIMULATIONS,
            "numerator": events.ravel(),
            "denominator": [EPISODES] * number.size,
            "unknown": [0] * number.size,
            "episodes": [EPISODES] * number.size,
        }
    )
    bounds = {
        method: estimate_sums(sums, draws=2_000, method=method).select("low", "high").to_numpy()
        for method in ("percentile", "bca")
    }
    return events, np.stack([bounds["percentile"], bounds["bca"]])


def share_that_holds(bounds: np.ndarray) -> float:
    return float(((bounds[:, 0] <= TRUTH) & (bounds[:, 1] >= TRUTH)).mean())


@pytest.mark.parametrize("which", [0, 1], ids=["percentile", "bca"])
def test_fault_81_template_intervals_cover_the_truth(simulated: tuple[np.ndarray, np.ndarray], which: int) -> None:
    assert 0.90 <= share_that_holds(simulated[1][which]) <= 0.985


def test_fault_81_resampled_episodes_would_be_far_too_narrow(simulated: tuple[np.ndarray, np.ndarray]) -> None:
    events, (percentile, _) = simulated
    total = TEMPLATES * EPISODES
    observed = events.sum(axis=1) / total
    redrawn = np.random.default_rng(3).binomial(total, observed, (2_000, SIMULATIONS)) / total
    by_rows = np.quantile(redrawn, [0.025, 0.975], axis=0).T
    assert share_that_holds(by_rows) < 0.6
    widths = np.diff(by_rows, axis=1) / np.diff(percentile, axis=1)
    assert np.median(widths) < 0.5
