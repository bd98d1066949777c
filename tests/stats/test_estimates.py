"""Rates with intervals: against a slow loop, against another library, and where there is no spread."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest
from scipy.stats import bootstrap as scipy_bootstrap

from misstep.contracts.errors import ClusterError, ContractError, LabelVersionError, UsageError
from misstep.contracts.tables.estimates import Estimates
from misstep.stats.draws import weights
from misstep.stats.estimates import SCHEMA, estimate, estimate_sums
from misstep.stats.matrices import cluster_order, matrices
from misstep.stats.ratios import standard_errors
from misstep.stats.sums import cluster_sums
from stats.labels_of import Row, labels_of, simple


def random_labels(
    seed: int, clusters: int = 12, groups: tuple[str, ...] = ("x", "y"), replicates: int = 3
) -> pl.DataFrame:
    """Return labels in which values, membership and knowledge are random and clusters differ in size."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for group in groups:
        for cluster in range(clusters):
            share = rng.beta(1, 3)
            for replicate in range(1, replicates + 1):
                for _ in range(rng.integers(1, 5)):
                    value = None if rng.random() < 0.1 else bool(rng.random() < share)
                    member = None if rng.random() < 0.05 else bool(rng.random() < 0.8)
                    rows.append((group, f"c{cluster:02}", replicate, value, member))
    return labels_of(rows)


def slow(
    labels: pl.DataFrame, group: str, draws: int, seed: int, level: float = 0.95
) -> tuple[float, float, float, int]:
    """Return estimate, low, high and kept draws by loops over draws, replicates and episodes."""
    order = sorted(set(labels["cluster"]))
    rows = [row for row in labels.filter(pl.col("group") == group).iter_rows(named=True)]
    rows = [row for row in rows if row["member"] and row["value"] is not None]
    replicates = sorted({row["replicate"] for row in rows})

    def rate(times: dict[str, float]) -> float | None:
        parts = []
        for replicate in replicates:
            mine = [row for row in rows if row["replicate"] == replicate]
            below = sum(times[row["cluster"]] for row in mine)
            if below:
                parts.append(sum(times[row["cluster"]] for row in mine if row["value"]) / below)
        return sum(parts) / len(parts) if parts else None

    drawn = []
    for part in weights(len(order), draws, seed):
        for weight in part:
            value = rate(dict(zip(order, weight, strict=True)))
            if value is not None:
                drawn.append(value)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    value = rate(dict.fromkeys(order, 1.0))
    assert value is not None
    return value, float(low), float(high), len(drawn)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_a_slow_loop(seed: int) -> None:
    labels = random_labels(seed, clusters=5 + seed)
    result = estimate(labels, "cd", draws=150, seed=seed)
    for row in result.iter_rows(named=True):
        expected = slow(labels, row["group"], 150, seed)
        assert (row["estimate"], row["low"], row["high"], row["draws"]) == pytest.approx(expected)


def unbalanced() -> pl.DataFrame:
    """Return labels whose second replicate stands in one cluster and third in two, so that many draws miss one."""
    marks = {"A": "110", "B": "010", "C": "000", "D": "001", "E": "011", "F": "000"}
    rows: list[Row] = [("m", cluster, 1, mark == "1", True) for cluster, text in marks.items() for mark in text]
    rows += [("m", "A", 2, True, True), ("m", "B", 3, True, True), ("m", "C", 3, False, True)]
    return labels_of(rows)


def test_a_draw_without_some_replicate_is_averaged_over_the_others() -> None:
    row = estimate(unbalanced(), "cd", draws=2_000, seed=3).row(0, named=True)
    assert (row["estimate"], row["low"], row["high"], row["draws"]) == pytest.approx(slow(unbalanced(), "m", 2_000, 3))
    assert row["draws"] == 2_000


def test_the_error_of_a_draw_without_some_replicate_is_that_of_the_others() -> None:
    sums = cluster_sums(unbalanced(), "cd")
    both = matrices(sums, cluster_order(unbalanced(), None))
    first = matrices(sums.filter(pl.col("replicate") == 1), cluster_order(unbalanced(), None))
    without = np.array([[0.0, 0, 0, 2, 3, 1]])
    assert standard_errors(both, without) == pytest.approx(standard_errors(first, without))
    assert np.isnan(
        standard_errors(matrices(sums.filter(pl.col("replicate") == 2), cluster_order(unbalanced(), None)), without)
    ).all()


def test_the_columns_are_those_of_the_contract() -> None:
    result = estimate(random_labels(0), "cd", policy="strict", draws=100, label_version="1")
    assert result.schema == SCHEMA
    assert Estimates.validate(result, cast=False).height == 2
    assert result.select("metric", "policy", "group").rows() == [("cd", "strict", "x"), ("cd", "strict", "y")]
    assert estimate(labels_of([]), "cd").schema == SCHEMA


def test_pinned_numbers() -> None:
    labels = labels_of(simple("m", {"A": "1100", "B": "0001", "C": "000", "D": "10?", "E": "00"}))
    row = estimate(labels, "cd", draws=10_000, seed=7).row(0, named=True)
    assert (row["numerator"], row["denominator"], row["unknown"]) == (4, 15, 1)
    assert (row["clusters"], row["episodes"], row["replicates"]) == (5, 16, 1)
    assert row["estimate"] == pytest.approx(4 / 15)
    assert (row["floor"], row["ceiling"]) == pytest.approx((4 / 16, 5 / 16))
    assert (row["low"], row["high"]) == pytest.approx(GOLDEN_BOUNDS, abs=1e-12)
    assert (row["method"], row["level"], row["draws"], row["seed"]) == ("percentile", 0.95, 10_000, 7)


def test_order_of_rows_and_names_of_episodes_change_nothing() -> None:
    labels = random_labels(3)
    shuffled = labels.sample(fraction=1, shuffle=True, seed=1).with_columns("z" + pl.col("episode").reverse())
    for method in ("percentile", "bca", "studentized"):
        options = {"draws": 300, "seed": 5, "method": method}
        assert estimate(labels, "cd", **options).equals(estimate(shuffled.lazy(), "cd", **options))


def test_other_groups_and_other_metrics_share_the_draws() -> None:
    labels = random_labels(4)
    both = pl.concat([cluster_sums(labels, "cd"), cluster_sums(labels, "goal")])
    together = estimate_sums(both, draws=300)
    alone = estimate(labels.filter(pl.col("group") == "y"), "goal", draws=300)
    assert together.filter((pl.col("metric") == "goal") & (pl.col("group") == "y")).equals(alone)
    twin = pl.concat([labels, labels.with_columns((pl.lit("copy of ") + pl.col("group")).alias("group"))])
    rows = {row[2]: row[3:] for row in estimate(twin, "cd", draws=300).rows()}
    assert rows["x"] == rows["copy of x"]


def test_taking_groups_in_turns_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = random_labels(5, groups=tuple("abcdefg"))
    whole = estimate(labels, "cd", draws=200)
    monkeypatch.setattr("misstep.stats.estimates.RATES_AT_ONCE", 700)
    assert estimate(labels, "cd", draws=200).equals(whole)


def test_a_wider_choice_of_clusters_can_be_given() -> None:
    labels = random_labels(6)
    universe = pl.Series([*labels["cluster"], "zz"])
    wide = estimate(labels, "cd", draws=400, clusters=universe)
    assert wide["estimate"].equals(estimate(labels, "cd", draws=400)["estimate"])
    assert not wide["low"].equals(estimate(labels, "cd", draws=400)["low"])
    with pytest.raises(ClusterError, match="cluster c00 is not among"):
        estimate(labels, "cd", clusters=pl.Series(["c01"]))


def test_replicates_are_averaged_with_equal_weight() -> None:
    rows: list[Row] = [("m", c, 1, True, True) for c in "AB"] + [("m", c, 2, False, True) for c in "AABB"]
    row = estimate(labels_of(rows), "cd", draws=50).row(0, named=True)
    assert row["estimate"] == pytest.approx(0.5)  # not 2/6
    assert (row["numerator"], row["denominator"], row["replicates"]) == (2, 6, 2)


def test_a_replicate_without_denominator_has_no_rate_to_average() -> None:
    rows: list[Row] = [("m", "A", 1, True, True), ("m", "B", 1, False, True), ("m", "A", 2, None, False)]
    row = estimate(labels_of(rows), "cd", draws=50).row(0, named=True)
    assert (row["estimate"], row["replicates"], row["episodes"]) == (0.5, 1, 3)


def test_fault_84_unknown_labels_are_counted_and_bounded() -> None:
    row = estimate(labels_of(simple("m", {"A": "1", "B": "0", "C": "?"})), "cd", draws=50).row(0, named=True)
    assert (row["numerator"], row["denominator"], row["unknown"], row["estimate"]) == (1, 2, 1, 0.5)
    assert (row["floor"], row["ceiling"]) == pytest.approx((1 / 3, 2 / 3))


def test_fault_84_unknown_membership_is_no_absence() -> None:
    rows: list[Row] = [("m", "A", None, True, True), ("m", "B", None, True, None), ("m", "C", None, None, False)]
    rows += [("m", "D", None, False, True), ("m", "E", None, None, None), ("m", "F", None, True, False)]
    row = estimate(labels_of(rows), "cd", draws=50).row(0, named=True)
    assert (row["numerator"], row["denominator"], row["unknown"], row["episodes"]) == (1, 2, 2, 6)
    assert (row["floor"], row["ceiling"]) == (0.25, 0.75)


def test_fault_84_only_unknown_labels_give_no_rate_and_the_widest_bounds() -> None:
    row = estimate(labels_of(simple("m", {"A": "?", "B": "?"})), "cd").row(0, named=True)
    assert (row["estimate"], row["low"], row["high"], row["method"]) == (None, None, None, "zero_denominator")
    assert (row["unknown"], row["floor"], row["ceiling"]) == (2, 0.0, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_floor_estimate_ceiling_are_in_order(seed: int) -> None:
    result = estimate(random_labels(seed, clusters=3), "cd", draws=50)
    assert (result["floor"] <= result["estimate"]).all()
    assert (result["estimate"] <= result["ceiling"]).all()


@pytest.mark.parametrize("method", ["percentile", "bca", "studentized"])
@pytest.mark.parametrize(("mark", "bounds"), [("0", (0.0, 0.05963)), ("1", (0.94037, 1.0))])
def test_fault_79_all_labels_alike_get_an_exact_bound(method: str, mark: str, bounds: tuple[float, float]) -> None:
    labels = labels_of(simple("m", {f"t{i}": mark * 3 for i in range(60)}))
    row = estimate(labels, "cd", method=method).row(0, named=True)  # type: ignore[arg-type]
    assert row["method"] == "exact_clusters"
    assert (row["low"], row["high"]) == pytest.approx(bounds, abs=1e-5)


@pytest.mark.parametrize("method", ["percentile", "bca", "studentized", "wilson", "clopper_pearson"])
def test_fault_79_no_interval_is_ever_without_width(method: str) -> None:
    cases = {
        "same share everywhere": {c: "01" for c in "ABCDE"},
        "none": {c: "00" for c in "ABCDE"},
        "all": {c: "1" for c in "ABCDE"},
        "one event": {"A": "1000", "B": "0", "C": "0"},
        "two clusters": {"A": "1", "B": "0"},
    }
    for name, values in cases.items():
        row = estimate(labels_of(simple(name, values)), "cd", method=method).row(0, named=True)  # type: ignore[arg-type]
        assert row["low"] < row["high"], name
        assert row["low"] <= row["estimate"] <= row["high"], name


@pytest.mark.parametrize("values", ["0101", "0000", "1111"])
def test_one_cluster_has_no_interval(values: str) -> None:
    row = estimate(labels_of(simple("m", {"A": values, "B": "?"})), "cd").row(0, named=True)
    assert (row["low"], row["high"], row["method"], row["clusters"]) == (None, None, "one_cluster", 1)
    assert row["estimate"] is not None


def test_draws_without_a_denominator_are_left_out_and_counted() -> None:
    rows = simple("few", {"A": "01", "B": "11"}) + simple("many", {c: "01" if c < "F" else "11" for c in "ABCDEFGHIJ"})
    result = {row["group"]: row for row in estimate(labels_of(rows), "cd").iter_rows(named=True)}
    assert result["many"]["draws"] == 10_000
    assert result["few"]["draws"] / 10_000 == pytest.approx(1 - 0.8**10, abs=0.02)
    assert result["few"]["low"] == pytest.approx(0.5)


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson"])
def test_single_proportions_take_episodes_as_trials(method: str) -> None:
    row = estimate(labels_of(simple("m", {"A": "1110", "B": "0000"})), "cd", method=method).row(0, named=True)  # type: ignore[arg-type]
    kind = {"wilson": "wilson", "clopper_pearson": "exact"}[method]
    expected = binomtest(3, 8).proportion_ci(0.95, method=kind)
    assert (row["low"], row["high"], row["draws"]) == pytest.approx((expected.low, expected.high, 0))


def test_groups_may_come_from_any_column_and_none_is_lost() -> None:
    labels = labels_of(simple("m", {"A": "1", "B": "0", "C": "0"})).with_columns(trap=pl.Series(["p", None, "p"]))
    assert estimate(labels, "cd", by="trap", draws=50)["group"].to_list() == ["(none)", "p"]
    assert estimate(labels, "cd", by=None, draws=50)["group"].to_list() == ["all"]


def test_an_episode_counts_once_in_a_group_but_in_several_groups() -> None:
    labels = labels_of(simple("m", {"A": "1", "B": "0"}))
    other = labels.with_columns(group=pl.lit("n"))
    assert estimate(pl.concat([labels, other]), "cd", draws=50)["denominator"].to_list() == [2, 2]
    with pytest.raises(ContractError, match="episode e0000 counts twice"):
        estimate(pl.concat([labels, labels]), "cd")


def test_fault_62_labels_without_a_cluster_are_refused() -> None:
    labels = labels_of(simple("m", {"A": "1", " ": "0"}))
    with pytest.raises(ClusterError, match="episode e0001 has no cluster"):
        estimate(labels, "cd")


def test_fault_75_label_versions_are_carried_and_never_mixed() -> None:
    labels = labels_of(simple("m", {"A": "1", "B": "0"}))
    assert estimate(labels, "cd", draws=50)["label_version"][0] == "unversioned"
    old = labels.with_columns(label_version=pl.lit("1"))
    assert estimate(old, "cd", draws=50)["label_version"][0] == "1"
    mixed = labels.with_columns(label_version=pl.Series(["1", "2"]))
    for arguments in [(mixed, None), (old, "2")]:
        with pytest.raises(LabelVersionError, match="1, 2"):
            estimate(arguments[0], "cd", label_version=arguments[1])


def test_senseless_options_are_refused() -> None:
    labels = labels_of(simple("m", {"A": "1", "B": "0"}))
    for options in [
        {"level": 1.0},
        {"level": 95.0},
        {"draws": 0},
        {"draws": 1_000_001},
        {"method": "median"},
        {"seed": -1},
    ]:
        with pytest.raises(UsageError):
            estimate(labels, "cd", **options)  # type: ignore[arg-type]
    with pytest.raises(ContractError, match="no column member"):
        estimate(labels.drop("member"), "cd")
    with pytest.raises(ContractError, match="value must be Boolean or a number"):
        estimate(labels.with_columns(value=pl.lit("yes")), "cd")
    with pytest.raises(ContractError, match="negative"):
        estimate(labels.with_columns(value=pl.lit(-1)), "cd")
    for method in ("wilson", "clopper_pearson"):
        with pytest.raises(UsageError, match="shares of episodes"):
            estimate(labels.with_columns(value=pl.lit(0.5)), "cd", method=method)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_agrees_with_another_bootstrap_library(method: str) -> None:
    labels = random_labels(8, clusters=40, groups=("x",), replicates=1)
    pairs = cluster_sums(labels, "cd").select("numerator", "denominator").to_numpy().astype(float)

    def ratio(numerator: np.ndarray, denominator: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(numerator.sum(axis=axis) / denominator.sum(axis=axis))

    other = scipy_bootstrap(pairs.T, ratio, n_resamples=9_999, paired=True, method=method, rng=1)
    row = estimate(labels, "cd", method=method, draws=20_000).row(0, named=True)  # type: ignore[arg-type]
    assert row["method"] == method
    assert (row["low"], row["high"]) == pytest.approx(tuple(other.confidence_interval), abs=0.006)


def test_studentized_agrees_with_a_slow_loop() -> None:
    labels = random_labels(8, clusters=40, groups=("x",), replicates=1)
    pairs = cluster_sums(labels, "cd").select("numerator", "denominator").to_numpy().astype(float)

    def ratio_and_error(data: np.ndarray) -> tuple[float, float]:
        share = data[:, 0].sum() / data[:, 1].sum()
        return share, float(np.sqrt(((data[:, 0] - share * data[:, 1]) ** 2).sum()) / data[:, 1].sum())

    share, error = ratio_and_error(pairs)
    random = np.random.default_rng(1)
    drawn = [ratio_and_error(pairs[random.integers(0, len(pairs), len(pairs))]) for _ in range(4_000)]
    upper, lower = np.quantile([(one - share) / spread for one, spread in drawn], [0.975, 0.025])
    row = estimate(labels, "cd", method="studentized", draws=20_000).row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx((share - upper * error, share - lower * error), abs=0.012)


GOLDEN_BOUNDS = (0.07142857142857142, 0.4375)
