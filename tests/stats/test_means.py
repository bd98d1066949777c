"""Means of numbers and means over parts: totals by hand, bounds, intervals, and what changes nothing."""

import numpy as np
import polars as pl
import pytest

from misstep.stats.contrasts import contrast, sentence
from misstep.stats.draws import weights
from misstep.stats.estimates import estimate
from misstep.stats.matrices import cluster_order, matrices
from misstep.stats.ratios import standard_errors
from misstep.stats.sums import cluster_sums


def frame(rows: list[tuple[str, str, int | None, str | None, float | None, bool | None]]) -> pl.DataFrame:
    """Return labels from (group, cluster, replicate, part, value, member)."""
    schema = {"group": pl.String, "cluster": pl.String, "replicate": pl.Int64, "part": pl.String, "value": pl.Float64,
              "member": pl.Boolean}  # fmt: skip
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return made.with_columns(episode=pl.Series([f"e{number:04}" for number in range(made.height)], dtype=pl.String))


def means(values: dict[str, list[float | None]], group: str = "m") -> pl.DataFrame:
    """Return labels of one group from the values of each cluster."""
    return frame([(group, cluster, None, None, value, True) for cluster, all_ in values.items() for value in all_])


def random_parts(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for cluster in range(9):
        for replicate in (1, 2, 3):
            for _ in range(rng.integers(1, 4)):
                part = str(rng.choice(["p", "q", "r"]))
                rows.append(("m", f"c{cluster}", replicate, part, float(rng.random()), bool(rng.random() < 0.8)))
    return frame(rows)  # type: ignore[arg-type]


def test_a_mean_is_the_sum_of_values_by_episodes() -> None:
    row = estimate(means({"A": [0.5, 1.0], "B": [0.0], "C": [None]}), "m", draws=500).row(0, named=True)
    assert (row["numerator"], row["denominator"], row["unknown"], row["estimate"]) == (1.5, 3, 1, 0.5)
    assert (row["floor"], row["ceiling"]) == pytest.approx((1.5 / 4, 2.5 / 4))
    assert row["method"] == "percentile" and row["low"] < 0.5 < row["high"]


def test_a_number_without_a_bound_has_a_ceiling_only_where_nothing_is_unknown() -> None:
    known = {"A": [3.0, 1.0], "B": [2.0]}
    row = estimate(means(known), "m", draws=500, bounded=False).row(0, named=True)
    assert (row["estimate"], row["floor"], row["ceiling"]) == (2.0, 2.0, 2.0)
    row = estimate(means(known | {"C": [None]}), "m", draws=500, bounded=False).row(0, named=True)
    assert (row["estimate"], row["floor"], row["ceiling"]) == (2.0, 1.5, None)


@pytest.mark.parametrize(("value", "bounded", "method"), [
    (0.0, False, "no_spread"), (2.0, False, "no_spread"), (0.0, True, "exact_clusters"), (0.5, True, "exact_clusters"),
    (1.0, True, "exact_clusters"),
])  # fmt: skip
def test_a_mean_without_spread_claims_no_certainty(value: float, bounded: bool, method: str) -> None:
    labels = means({name: [value, value] for name in "ABCDE"})
    row = estimate(labels, "m", draws=500, bounded=bounded).row(0, named=True)
    assert (row["estimate"], row["method"]) == (value, method)
    if bounded:
        assert row["low"] <= value <= row["high"] and row["high"] - row["low"] > 0.3
    else:
        assert row["low"] is None and row["high"] is None


@pytest.mark.parametrize("method", ["percentile", "bca", "studentized"])
def test_intervals_of_numbers_may_exceed_one(method: str) -> None:
    rng = np.random.default_rng(1)
    labels = means({f"c{number}": [float(value) for value in rng.gamma(2, 2, 3)] for number in range(20)})
    row = estimate(labels, "m", draws=2_000, method=method, bounded=False).row(0, named=True)  # type: ignore[arg-type]
    assert 1 < row["low"] < row["estimate"] < row["high"] and row["method"] == method


def test_labels_as_numbers_give_the_same_rates() -> None:
    numbers = random_parts(0).with_columns(value=(pl.col("value") > 0.4).cast(pl.Float64))
    labels = numbers.with_columns(pl.col("value").cast(pl.Boolean))
    assert estimate(numbers, "m", draws=300).equals(estimate(labels, "m", draws=300))


def test_a_mean_over_parts_weighs_them_alike() -> None:
    rows = [("m", "A", 1, "p", 1.0, True), *[("m", "B", 1, "q", 0.0, True)] * 3]
    row = estimate(frame(rows), "m", draws=500).row(0, named=True)
    assert (row["estimate"], row["numerator"], row["denominator"]) == (0.5, 1.0, 4)


def test_parts_are_averaged_within_a_replicate_first() -> None:
    rows = [("m", "A", 1, "p", 1.0, True), ("m", "A", 1, "q", 0.0, True), ("m", "B", 2, "p", 0.0, True)]
    row = estimate(frame(rows), "m", draws=500).row(0, named=True)
    assert row["estimate"] == 0.25  # not (1 + 0 + 0) / 3
    assert row["replicates"] == 2


@pytest.mark.parametrize("seed", range(3))
def test_a_mean_over_parts_agrees_with_a_slow_loop(seed: int) -> None:
    labels = random_parts(seed)
    order = sorted(set(labels["cluster"]))
    rows = labels.filter("member").rows(named=True)

    def mean(times: dict[str, float]) -> float | None:
        of_replicates = []
        for replicate in (1, 2, 3):
            of_parts = []
            for part in "pqr":
                mine = [row for row in rows if row["replicate"] == replicate and row["part"] == part]
                below = sum(times[row["cluster"]] for row in mine)
                if below:
                    of_parts.append(sum(times[row["cluster"]] * row["value"] for row in mine) / below)
            if of_parts:
                of_replicates.append(sum(of_parts) / len(of_parts))
        return sum(of_replicates) / len(of_replicates) if of_replicates else None

    drawn = [mean(dict(zip(order, weight, strict=True))) for part in weights(len(order), 200, 4) for weight in part]
    low, high = np.quantile([value for value in drawn if value is not None], [0.025, 0.975])
    row = estimate(labels, "m", draws=200, seed=4).row(0, named=True)
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx((mean(dict.fromkeys(order, 1.0)), low, high))


def test_the_error_of_a_mean_over_parts_is_that_of_its_linearization() -> None:
    labels = random_parts(5)
    sums = matrices(cluster_sums(labels, "m"), cluster_order(labels))
    whole = np.ones((1, 9))
    [error] = standard_errors(sums, whole)[0]

    def mean(weight: np.ndarray) -> float:
        from misstep.stats.ratios import rates

        return float(rates(weight @ sums.numerator.T, weight @ sums.denominator.T, sums)[0])

    step = 1e-6
    influence = [(mean(np.ones(9) + step * np.eye(9)[place]) - mean(np.ones(9))) / step for place in range(9)]
    assert error == pytest.approx(np.sqrt(np.sum(np.square(influence))), rel=1e-4)


def test_order_and_names_of_episodes_change_nothing() -> None:
    labels = random_parts(6)
    other = labels.sample(fraction=1, shuffle=True, seed=3)
    assert estimate(labels, "m", draws=300).equals(estimate(other, "m", draws=300))


def test_doubled_replicates_change_no_rate() -> None:
    labels = random_parts(7)
    again = labels.with_columns(pl.col("replicate") + 3, pl.format("again {}", "episode").alias("episode"))
    one, two = (estimate(part, "m", draws=300).row(0, named=True) for part in (labels, pl.concat([labels, again])))
    for name in ("estimate", "low", "high", "floor", "ceiling"):
        assert two[name] == pytest.approx(one[name])
    assert (two["numerator"], two["denominator"]) == pytest.approx((2 * one["numerator"], 2 * one["denominator"]))


def test_conditional_rates_are_taken_within_a_replicate() -> None:
    rows = [("m", "A", 1, None, 1.0, True), ("m", "B", 1, None, None, False)]
    rows += [("m", "A", 2, None, 0.0, True), ("m", "B", 2, None, 0.0, True)]
    row = estimate(frame(rows), "m", draws=500).row(0, named=True)
    assert (row["estimate"], row["numerator"], row["denominator"]) == (0.5, 1.0, 3)


def test_means_are_compared() -> None:
    values = {"A": [3.0, 1.0], "B": [2.0, 5.0], "C": [1.0, 1.0]}
    both = pl.concat([means(values, "a"), means({name: [v + 1 for v in all_] for name, all_ in values.items()}, "b")])
    labels = both.with_columns(episode=pl.Series([f"x{number}" for number in range(both.height)]))
    row = contrast(labels, "m", "a", "b", draws=500, bounded=False).row(0, named=True)
    assert row["difference"] == pytest.approx(-1.0) and row["method"] == "no_spread" and row["only_a"] is None
    assert "a minus b: -1.00, no interval" in sentence(row, shares=False)


def test_means_over_parts_are_compared() -> None:
    rows = [("a", "A", 1, "p", 1.0, True), *[("a", f"{n}", 1, "q", 0.0, True) for n in "BCD"]]
    rows += [("b", "A", 1, "p", 0.0, True), *[("b", f"{n}", 1, "q", 1.0, True) for n in "BCD"]]
    row = contrast(frame(rows), "m", "a", "b", draws=500).row(0, named=True)
    assert (row["estimate_a"], row["estimate_b"], row["difference"]) == (0.5, 0.5, 0.0)


def test_disagreement_counts_both_ways() -> None:
    marks = {"a": "11100", "b": "01001"}
    rows = [(side, f"t{n}", 1, mark == "1", True) for side, text in marks.items() for n, mark in enumerate(text)]
    labels = pl.DataFrame(rows, schema=["group", "cluster", "replicate", "value", "member"], orient="row")
    labels = labels.with_columns(episode=pl.Series([f"e{number}" for number in range(10)]))
    row = contrast(labels, "m", "a", "b", draws=500).row(0, named=True)
    assert (row["only_a"], row["only_b"], row["difference"]) == (2, 1, pytest.approx(0.2))
    back = contrast(labels, "m", "b", "a", draws=500).row(0, named=True)
    assert (back["only_a"], back["only_b"]) == (1, 2)
    assert "2 runs have it on the first side alone, 1 on the second" in sentence(row)
