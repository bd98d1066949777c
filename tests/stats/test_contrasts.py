"""Paired differences: shared tasks, one set of draws, the swap test and families of p-values."""

import numpy as np
import polars as pl
import pytest

from misstep.contracts.errors import ClusterError, ContractError, LabelVersionError, UsageError
from misstep.contracts.tables.estimates import Contrasts
from misstep.stats.contrasts import SCHEMA, all_pairs, contrast, sentence
from misstep.stats.draws import swaps, weights
from misstep.stats.estimates import estimate
from misstep.stats.families import adjusted
from stats.labels_of import Row, labels_of, simple


def with_tasks(rows: list[Row], tasks: list[str]) -> pl.DataFrame:
    return labels_of(rows).with_columns(task_id=pl.Series(tasks))


def noisy(seed: int, clusters: int = 20, effect: float = 0.0, replicates: int = 1) -> pl.DataFrame:
    """Return two configurations on the same clusters, whose difficulty they share."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for cluster in range(clusters):
        share = rng.beta(2, 2) * (1 - effect)
        for group, plus in (("a", effect), ("b", 0.0)):
            for replicate in range(1, replicates + 1):
                for _ in range(3):
                    rows.append((group, f"c{cluster:02}", replicate, bool(rng.random() < share + plus), True))
    return labels_of(rows)


def one(labels: pl.DataFrame, a: str = "a", b: str = "b", **options: object) -> dict[str, object]:
    return contrast(labels, "cd", a, b, **{"draws": 500, **options}).row(0, named=True)  # type: ignore[arg-type]


def test_agrees_with_a_slow_loop() -> None:
    labels = noisy(1, clusters=6)
    order = sorted(set(labels["cluster"]))
    true = {
        key: n
        for *key_, n in labels.group_by("group", "cluster").agg(pl.col("value").sum()).rows()
        for key in [tuple(key_)]
    }

    def difference(times: list[float], swap: list[float]) -> float:
        sums = {"a": 0.0, "b": 0.0}
        for cluster, count, swapped in zip(order, times, swap, strict=True):
            for side, other in (("a", "b"), ("b", "a")):
                sums[side] += count * true[(other if swapped else side), cluster]
        return (sums["a"] - sums["b"]) / (3 * sum(times))

    still = [0.0] * 6
    drawn = [difference(list(w), still) for part in weights(6, 200, 9) for w in part]
    apart = abs(difference([1.0] * 6, still))
    swapped = [abs(difference([1.0] * 6, list(s))) for part in swaps(6, 200, 9) for s in part]
    row = one(labels, draws=200, seed=9)
    assert row["difference"] == pytest.approx(difference([1.0] * 6, still))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert row["p"] == pytest.approx((1 + sum(d >= apart - 1e-9 for d in swapped)) / 201)


def test_the_columns_are_those_of_the_contract() -> None:
    result = contrast(noisy(0), "cd", "a", "b", draws=100)
    assert result.schema == SCHEMA
    assert Contrasts.validate(result, cast=False).height == 1
    assert all_pairs(noisy(0).filter(pl.col("group") == "a"), "cd").schema == SCHEMA


def test_exchanging_the_sides_changes_the_sign_alone() -> None:
    labels = noisy(2, effect=0.2)
    there, back = one(labels), one(labels, "b", "a")
    assert there["difference"] == pytest.approx(-back["difference"])  # type: ignore[operator]
    assert there["low"] == pytest.approx(-back["high"])  # type: ignore[operator]
    assert there["p"] == back["p"]


def test_order_of_rows_changes_nothing() -> None:
    labels = noisy(3)
    assert one(labels) == one(labels.sample(fraction=1, shuffle=True, seed=2))


def test_sides_are_resampled_together() -> None:
    rng = np.random.default_rng(0)
    values = {f"c{i:02}": "".join("1" if rng.random() < (i / 30) else "0" for _ in range(20)) for i in range(30)}
    worse = {c: marks.replace("0", "1", 1) for c, marks in values.items()}
    labels = labels_of(simple("a", worse) + simple("b", values))
    width = estimate(labels, "cd", draws=500).select(pl.col("high") - pl.col("low")).to_series()[0]
    row = one(labels)
    assert row["high"] - row["low"] < width / 4  # type: ignore[operator]
    assert row["low"] > 0  # type: ignore[operator]


def test_fault_82_only_shared_clusters_are_compared_and_the_others_counted() -> None:
    a = simple("a", {f"t{i:02}": "1" if i > 50 else "01" for i in range(1, 61)})
    b = simple("b", {f"t{i:02}": "01" for i in range(1, 51)})
    row = one(labels_of(a + b))
    assert (row["estimate_a"], row["estimate_b"], row["difference"]) == (0.5, 0.5, 0.0)
    assert (row["clusters"], row["pairs"], row["dropped"]) == (50, 50, 10)
    asked = one(labels_of(a + b), paired=False)
    assert asked["difference"] == pytest.approx(60 / 110 - 0.5)
    assert (asked["p"], asked["dropped"], asked["clusters"]) == (None, 0, 60)


def test_fault_82_inside_a_cluster_only_shared_tasks_are_compared() -> None:
    rows = simple("a", {"A": "01", "B": "00"}) + simple("b", {"A": "0", "B": "01"})
    row = one(with_tasks(rows, ["t1", "t2", "t3", "t4", "t1", "t3", "t4"]))
    assert (row["estimate_a"], row["estimate_b"], row["pairs"]) == pytest.approx((0.0, 1 / 3, 3))


def test_tasks_that_the_metric_does_not_ask_about_are_no_pairs() -> None:
    rows: list[Row] = [(group, "c1", 1, True, True) for group in "ab"] + [
        (group, "c2", 1, None, False) for group in "ab"
    ]
    row = one(with_tasks(rows, ["t1", "t1", "t2", "t2"]))
    assert (row["pairs"], row["clusters"], row["dropped"]) == (1, 1, 0)


def test_fault_84_a_pair_with_an_unknown_half_is_no_pair() -> None:
    row = one(labels_of(simple("a", {"A": "1", "B": "0", "C": "?"}) + simple("b", {c: "1" for c in "ABC"})))
    assert (row["clusters"], row["pairs"], row["dropped"]) == (2, 2, 1)
    assert (row["estimate_a"], row["estimate_b"]) == (0.5, 1.0)


def test_replicates_are_averaged_and_matched_by_their_order() -> None:
    rows: list[Row] = [("a", c, 1, True, True) for c in "AABBCC"] + [("a", c, 2, False, True) for c in "ABC"]
    rows += [("b", c, None, c == "A", True) for c in "ABC"]
    row = one(labels_of(rows))
    assert (row["estimate_a"], row["estimate_b"]) == pytest.approx((0.5, 1 / 3))
    shifted = labels_of([(g, c, None if r is None else r + 4, v, m) for g, c, r, v, m in rows])
    assert one(shifted) == row


@pytest.mark.parametrize(
    ("left", "right", "difference"), [("0", "0", 0.0), ("1", "1", 0.0), ("1", "0", 1.0), ("01", "0", 0.5)]
)
def test_fault_79_a_difference_without_spread_keeps_a_width(left: str, right: str, difference: float) -> None:
    names = [f"t{i}" for i in range(60)]
    row = one(labels_of(simple("a", dict.fromkeys(names, left)) + simple("b", dict.fromkeys(names, right))))
    assert row["difference"] == difference
    assert row["low"] <= difference <= row["high"]  # type: ignore[operator]
    assert 0.05 < row["high"] - row["low"] < 0.2  # type: ignore[operator]
    assert row["method"] == "exact_clusters"


def test_one_shared_cluster_or_none_says_so() -> None:
    single = one(labels_of(simple("a", {"A": "1", "B": "1"}) + simple("b", {"A": "0", "C": "1"})))
    assert (single["difference"], single["low"], single["p"], single["method"]) == (1.0, None, None, "one_cluster")
    none = one(labels_of(simple("a", {"A": "1"}) + simple("b", {"B": "0"})))
    assert (none["difference"], none["method"], none["dropped"]) == (None, "zero_denominator", 2)


def test_p_values_are_spread_evenly_where_there_is_no_difference() -> None:
    values = np.array([one(noisy(seed), draws=199, seed=seed)["p"] for seed in range(200)], dtype=float)
    assert (values <= 0.05).mean() <= 0.09
    assert (values <= 0.5).mean() == pytest.approx(0.5, abs=0.12)
    assert values.min() >= 1 / 200


def test_a_real_difference_is_found() -> None:
    row = one(noisy(5, clusters=40, effect=0.3), draws=2_000)
    assert row["p"] < 0.01  # type: ignore[operator]
    assert 0 < row["low"] < row["difference"] < row["high"]  # type: ignore[operator]


def test_all_pairs_is_one_family() -> None:
    labels = pl.concat(
        [noisy(6, effect=0.3), noisy(7).filter(pl.col("group") == "b").with_columns(pl.lit("c").alias("group"))]
    ).with_columns(episode=pl.int_range(pl.len()).cast(pl.String))
    result = all_pairs(labels, "cd", draws=300)
    assert result.select("a", "b").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert result.select("p_adjusted").equals(adjusted(result).select("p_adjusted"))
    assert (result["p_adjusted"] >= result["p"]).all()
    single = contrast(labels, "cd", "a", "b", draws=300)
    assert result.drop("p_adjusted").head(1).equals(single.drop("p_adjusted"))


def test_families_by_hand() -> None:
    frame = pl.DataFrame({"p": [0.04, None, 0.01, 0.03, 0.9]})
    holm = adjusted(frame)["p_adjusted"].to_list()
    assert holm[1] is None
    assert [holm[i] for i in (0, 2, 3, 4)] == pytest.approx([0.09, 0.04, 0.09, 0.9])
    bh = adjusted(frame, "bh")["p_adjusted"].to_list()
    assert [bh[i] for i in (0, 2, 3, 4)] == pytest.approx([0.16 / 3, 0.04, 0.16 / 3, 0.9])
    with pytest.raises(UsageError):
        adjusted(frame, "bonferroni")  # type: ignore[arg-type]
    assert adjusted(pl.DataFrame({"p": pl.Series([None], dtype=pl.Float64)}))["p_adjusted"].to_list() == [None]


def test_benjamini_hochberg_agrees_with_scipy() -> None:
    from scipy.stats import false_discovery_control

    values = np.random.default_rng(0).random(50) ** 3
    ours = adjusted(pl.DataFrame({"p": values}), "bh")["p_adjusted"].to_numpy()
    assert ours == pytest.approx(false_discovery_control(values))


def test_the_sentence_says_whether_zero_is_included() -> None:
    row = {"metric": "cd", "a": "X", "b": "Y", "difference": 0.031, "low": -0.01, "high": 0.072}
    row |= {"p_adjusted": 0.2, "clusters": 24, "pairs": 24, "dropped": 2}
    text = sentence(row)
    assert "cd, X minus Y: +3.1 points" in text
    assert "95 % interval -1.0 to +7.2 includes zero" in text
    assert "24 shared tasks in 24 clusters; 2 clusters dropped" in text
    assert "does not include zero" in sentence(row | {"low": 0.001})
    assert "includes zero" in sentence(row | {"low": 0.0}) and "not" not in sentence(row | {"low": 0.0})
    assert "no interval" in sentence(row | {"low": None, "high": None})
    assert "nothing to compare" in sentence(row | {"difference": None})


def test_fault_75_label_versions_are_not_compared() -> None:
    labels = noisy(0).with_columns(
        label_version=pl.when(pl.col("group") == "a").then(pl.lit("1")).otherwise(pl.lit("2"))
    )
    with pytest.raises(LabelVersionError, match="1, 2"):
        contrast(labels, "cd", "a", "b")
    with pytest.raises(LabelVersionError):
        all_pairs(labels, "cd")


def test_senseless_comparisons_are_refused() -> None:
    with pytest.raises(UsageError, match="itself"):
        one(noisy(0), "a", "a")
    with pytest.raises(ContractError, match="no episode of 'z'"):
        one(noisy(0), "a", "z")
    with pytest.raises(ClusterError):
        one(noisy(0).with_columns(cluster=pl.lit(None, pl.String)))
