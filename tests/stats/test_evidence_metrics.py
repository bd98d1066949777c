"""Metrics of evidence on literal tables: numbers by hand, identities, axes, planned runs."""

import polars as pl
import pytest

from misstep.contracts.errors import UsageError
from misstep.contracts.study import Planned
from misstep.stats.axes import TIMINGS
from misstep.stats.evidence import FAILURES, failure_metric
from misstep.stats.metrics import METRICS
from misstep.stats.population import Population, population
from misstep.stats.rates import differences, rates
from report.made_evidence import DONE, HABITS, PROTOCOLS, made_evidence

Tables = dict[str, pl.LazyFrame]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return made_evidence()


@pytest.fixture(scope="module")
def cases(tables: Tables) -> Population:
    return population(tables)


def rows_of(episodes: Population, *metrics: str, by: tuple[str, ...] = ("model",)) -> dict[tuple[str, ...], dict]:
    """Return (metric, value of each axis…) → row of estimates."""
    found = rates(episodes, metrics, by, draws=100)
    return {
        (row["metric"], *(part.partition("=")[2] for part in row["group"].split(", "))): row for row in found.to_dicts()
    }


#: metric → model → (numerator, denominator, unknown).
BY_HAND = {
    "ecs": {"patient": (3 + 2 + 1 + 1 + 1, 13, 1), "rash": (1 + 1, 13, 0)},
    "bsr": {"patient": (0, 3, 1), "rash": (2, 4, 0)},
    "par": {"patient": (1, 4, 0), "rash": (2, 3, 0)},
    "cas": {"patient": (2, 3, 0), "rash": (1, 1, 0)},
    "gap_v2": {"patient": (1, 2, 0), "rash": (2, 2, 0)},
    "gap_v3": {"patient": (0, 2, 1), "rash": (1, 2, 0)},
    "partial_v2": {"patient": (0, 2, 0), "rash": (1, 2, 0)},
    "partial_v3": {"patient": (1, 2, 1), "rash": (1, 2, 0)},
    "investigation": {"patient": (11, 12, 1), "rash": (9, 12, 0)},
    "scored": {"patient": (14, 14, 0), "rash": (13, 14, 0)},
    "ecs_planned": {"patient": (8, 13, 1), "rash": (2, 14, 0)},
    "failure_v1_no_action": {"patient": (0, 4, 0), "rash": (1, 4, 0)},
    "failure_v0_incomplete_investigation": {"patient": (1, 4, 0), "rash": (2, 4, 0)},
    "coverage_at_stop": {"patient": (3.5, 4, 0), "rash": (3.0, 4, 0)},
    "coverage_before_action": {"patient": (3.5, 4, 0), "rash": (2.0, 3, 0)},
    "gate_support": {"patient": (3.5 - 0.0 - 0.0, 4, 1), "rash": (2.0, 4, 0)},
    "reads_before_action": {
        "patient": (2 + 2 + 3 + 1 + 2 + 1 + 2 + 2, 8, 1),
        "rash": (1 + 1 + 2 + 0 + 1 + 1 + 2, 7, 0),
    },
    "rule_par": {"patient": (0, 8, 1), "rash": (1, 8, 0)},
}


@pytest.mark.parametrize("metric", BY_HAND)
def test_numbers_by_hand(cases: Population, metric: str) -> None:
    found = rows_of(cases, metric)
    for model, (numerator, denominator, unknown) in BY_HAND[metric].items():
        row = found[metric, model]
        assert (row["numerator"], row["denominator"], row["unknown"]) == (numerator, denominator, unknown), model
        assert row["estimate"] == pytest.approx(numerator / denominator)


def test_ways_to_fail_and_success_add_up_to_the_scored_cases(cases: Population) -> None:
    for protocol, ways in FAILURES.items():
        only = cases.where(pl.col("protocol") == protocol)
        found = rows_of(only, "ecs", *(failure_metric(protocol, way) for way in ways))
        for model in DONE:
            mine = [row for (_, name), row in found.items() if name == model]
            assert len({(row["denominator"], row["unknown"]) for row in mine}) == 1
            assert sum(row["numerator"] for row in mine) == mine[0]["denominator"]


def test_success_after_investigation_is_a_part_of_success(cases: Population) -> None:
    only = cases.where(pl.col("protocol") == "V1")
    found = rows_of(only, "ecs", "cas", "par")
    for model in DONE:
        assert found["cas", model]["numerator"] == found["ecs", model]["numerator"]
        acted = found["par", model]
        assert found["cas", model]["denominator"] == acted["denominator"] - acted["numerator"]


def test_the_mean_over_protocols_is_that_of_their_rates(cases: Population) -> None:
    of_protocols = rows_of(cases, "ecs", by=("model", "protocol"))
    macro = rows_of(cases, "ecs_protocol_macro")
    for model in DONE:
        shares = [row["estimate"] for (_, name, _), row in of_protocols.items() if name == model]
        assert len(shares) == 5
        assert macro["ecs_protocol_macro", model]["estimate"] == pytest.approx(sum(shares) / 5)


def test_the_mean_over_domains_is_that_of_their_rates(cases: Population) -> None:
    of_domains = rows_of(cases, "ecs", by=("model", "domain"))
    macro = rows_of(cases, "ecs_domain_macro")["ecs_domain_macro", "patient"]
    shares = [of_domains["ecs", "patient", domain]["estimate"] for domain in ("home", "office")]
    assert macro["estimate"] == pytest.approx(sum(shares) / 2)


def test_without_the_stratum_there_is_no_mean_over_it(tables: Tables) -> None:
    bare = population(tables | {"spec/strata": tables["spec/strata"].filter(False)})
    with pytest.raises(UsageError, match="mean over the values of domain"):
        rates(bare, ["ecs_domain_macro"], ["model"], draws=100)


def test_order_of_episodes_changes_nothing(tables: Tables, cases: Population) -> None:
    metrics = [name for name, metric in METRICS.items() if metric.evidence and metric.along is None]
    other = population({name: frame.reverse() for name, frame in tables.items()})
    assert rates(other, metrics, ["model"], draws=100).equals(rates(cases, metrics, ["model"], draws=100))
    for axis, metric in (("reads", "covered"), ("timing", "timed"), ("rule", "rule_par")):
        assert rates(other, [metric], [axis], draws=100).equals(rates(cases, [metric], [axis], draws=100))


def test_doubled_replicates_change_no_rate(tables: Tables, cases: Population) -> None:
    def again(name: str) -> pl.LazyFrame:
        frame = tables[name]
        moved = pl.format("{}f", pl.col("episode").str.head(31)).alias("episode")
        more = [pl.lit(2, pl.Int64).alias("replicate")] if name == "episodes" else []
        return pl.concat([frame, frame.with_columns(moved, *more)])

    names = ("episodes", "episode_labels", "requirement_labels", "action_labels", "calls")
    twice = population(tables | {name: again(name) for name in names})
    metrics = [name for name, metric in METRICS.items() if metric.evidence and metric.along is None]
    shares = ["metric", "group", "estimate", "low", "high", "floor", "ceiling"]
    one, two = (rates(episodes, metrics, ["model"], draws=100) for episodes in (cases, twice))
    for left, right in zip(one.select(shares).rows(), two.select(shares).rows(), strict=True):
        assert right == pytest.approx(left), left[0]
    assert two["numerator"].to_list() == pytest.approx([2 * value for value in one["numerator"]])


def test_a_rate_per_rule_takes_the_first_call_that_the_rule_is_about(tables: Tables, cases: Population) -> None:
    found = rows_of(cases, "rule_par", by=("model", "rule"))
    assert found["rule_par", "rash", "read-first"]["numerator"] == 1
    second = tables["requirement_labels"].filter(pl.col("kind") == "rule").with_columns(requirement=pl.lit("second"))
    late = second.with_columns(
        pl.when(pl.col("attempt") == 0).then(pl.lit("SUPPORTED")).otherwise(pl.lit("MISSING"))
        .cast(tables["requirement_labels"].collect_schema()["status"]).alias("status")
    )  # fmt: skip
    more = population(tables | {"requirement_labels": pl.concat([tables["requirement_labels"], late])})
    assert rows_of(more, "rule_par", by=("rule",))["rule_par", "second"]["numerator"] == 0
    only_later = pl.concat([tables["requirement_labels"], late.filter(pl.col("attempt") == 1)])
    row = rows_of(population(tables | {"requirement_labels": only_later}), "rule_par", by=("rule",))[
        "rule_par", "second"
    ]
    chains = sum(HABITS[habit][0].count("A") > 1 for habits in DONE.values() for habit in habits.values())
    assert (row["numerator"], row["denominator"]) == (chains, chains)


def test_rules_of_different_suites_stay_apart(tables: Tables) -> None:
    twin = tables["spec/rules"].with_columns(suite=pl.lit("elsewhere"))
    both = population(tables | {"spec/rules": pl.concat([tables["spec/rules"], twin])})
    assert set(rows_of(both, "rule_par", by=("rule",))) == {("rule_par", "cases/read-first")}


def test_any_other_rate_can_be_taken_per_rule(cases: Population) -> None:
    row = rows_of(cases, "cd", by=("rule",))["cd", "read-first"]
    assert (row["numerator"], row["denominator"], row["unknown"]) == (0, 16, 2)


def test_an_episode_that_lost_calls_may_have_broken_any_rule(cases: Population) -> None:
    found = rows_of(cases, "rule_par", by=("model", "rule"))
    assert [found["rule_par", model, "read-first"]["unknown"] for model in DONE] == [1, 0]  # an unscored run is none


def test_curves_rise_to_the_final_rates(cases: Population) -> None:
    found = rows_of(cases, "ready", "covered", by=("model", "reads"))
    final = rows_of(cases, "investigation")
    for model in DONE:
        for metric in ("ready", "covered"):
            curve = [found[metric, model, str(reads)]["estimate"] for reads in range(3)]
            assert curve == sorted(curve) and curve[0] == 0.0
        assert found["ready", model, "2"]["estimate"] == pytest.approx(final["investigation", model]["estimate"])
    assert (metric, "patient", "3") not in found
    assert found["covered", "rash", "1"]["numerator"] == 11 * 0.5  # one case was never read for


def test_a_read_that_nothing_is_known_of_leaves_the_curve_unknown(tables: Tables) -> None:
    doubted = tables["requirement_labels"].with_columns(
        pl.when(pl.col("requirement") != "r0").then("status").alias("status")
    )
    found = rows_of(population(tables | {"requirement_labels": doubted}), "ready", "covered", by=("reads",))
    assert found["covered", "2"]["unknown"] == 25 and found["covered", "2"]["denominator"] == 0
    assert found["ready", "1"]["unknown"] > 0
    assert found["ready", "0"]["denominator"] == 24  # nothing was read, so nothing can be complete


def test_ranges_of_first_attempts_add_up(cases: Population) -> None:
    found = rows_of(cases, "timed", by=("model", "timing"))
    assert {name: found["timed", "rash", name]["numerator"] for name in TIMINGS} == {
        "none": 1, "under half": 0, "at least half": 4, "at least all": 2, "over 1.5 times": 0,
    }  # fmt: skip
    assert found["timed", "patient", "over 1.5 times"]["denominator"] == 8


@pytest.mark.parametrize(
    ("metric", "by", "message"),
    [
        ("ready", ["model"], "group by it too"),
        ("cd", ["reads"], "does not depend on reads"),
        ("cd", ["colour"], "rule"),
    ],
)
def test_axes_that_do_not_fit_are_refused(cases: Population, metric: str, by: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rates(cases, [metric], by, draws=100)


def test_a_mean_has_no_interval_of_episodes(cases: Population) -> None:
    for metric in ("query_cost", "gate_support", "ecs_protocol_macro"):
        with pytest.raises(UsageError, match="shares of episodes"):
            rates(cases, [metric], ["model"], draws=100, method="wilson")


def test_a_planned_run_that_is_missing_is_unscored_and_a_failure(tables: Tables) -> None:
    gone = (pl.col("model") == "rash") & pl.col("task_id").is_in(["b2", "c0"])
    fewer = tables | {"episodes": tables["episodes"].filter(~gone)}
    there = rows_of(population(fewer), "ecs", "ecs_planned", "scored")
    planned = rows_of(population(fewer, planned=Planned(tasks="run")), "ecs", "ecs_planned", "scored")
    assert planned["ecs", "rash"] == there["ecs", "rash"]
    assert (there["scored", "rash"]["numerator"], there["scored", "rash"]["denominator"]) == (11, 12)
    assert (planned["scored", "rash"]["numerator"], planned["scored", "rash"]["denominator"]) == (11, 14)
    assert (planned["ecs_planned", "rash"]["numerator"], planned["ecs_planned", "rash"]["denominator"]) == (1, 14)
    assert planned["ecs_planned", "patient"] == there["ecs_planned", "patient"]


def test_planned_tasks_are_those_of_the_suite_or_those_that_ran(tables: Tables) -> None:
    gone = tables | {"episodes": tables["episodes"].filter(pl.col("task_id") != "b2")}
    counts = {
        planned: population(gone, planned=Planned(tasks=planned)).missing.height  # type: ignore[arg-type]
        for planned in ("suite", "run")
    }
    assert counts == {"suite": 2, "run": 0}


def test_missing_replicates_get_the_numbers_that_are_left(tables: Tables) -> None:
    made = population(tables, planned=Planned(replicates=3))
    assert made.missing.height == 2 * 2 * len(PROTOCOLS)
    assert set(made.missing["replicate"]) == {2, 3} and made.missing["episode"].is_unique().all()
    row = rows_of(made, "ecs_planned")["ecs_planned", "rash"]
    assert (row["estimate"], row["replicates"], row["denominator"]) == (pytest.approx(2 / 14 / 3), 3, 42)
    unnumbered = tables | {"episodes": tables["episodes"].with_columns(replicate=pl.lit(None, pl.Int64))}
    assert population(unnumbered, planned=Planned(replicates=2)).missing["replicate"].null_count() == 28


def test_harnesses_are_compared_on_all_planned_runs(tables: Tables) -> None:
    fewer = tables | {"episodes": tables["episodes"].filter((pl.col("model") != "rash") | (pl.col("task_id") != "d0"))}
    sides = [("harness=loop", "harness=chat")]
    some = differences(population(fewer), ["ecs"], sides, ["harness"], draws=100).row(0, named=True)
    every = differences(
        population(fewer, planned=Planned(tasks="run")), ["ecs_planned"], sides, ["harness"], draws=100
    ).row(0, named=True)
    assert (some["pairs"], every["pairs"]) == (12, 13)  # d0 is missing, d2 unknown
    assert (every["only_a"], every["only_b"]) == (8, 2)
    assert every["difference"] == pytest.approx(8 / 13 - 2 / 13)
    assert (every["only_a"] - every["only_b"]) / every["pairs"] == pytest.approx(every["difference"])


def test_unknown_tasks_are_unknown_members(tables: Tables) -> None:
    kind = tables["episode_labels"].collect_schema()["protocol"]
    lost = tables["episode_labels"].with_columns(
        pl.lit(False).alias("task_known"), pl.lit(None).cast(kind).alias("protocol")
    )
    row = rows_of(population(tables | {"episode_labels": lost}), "ecs", by=())[("ecs", "")]
    assert (row["denominator"], row["unknown"]) == (0, 27)  # one is known to be unscored


def test_gold_reads_are_reported_apart(tables: Tables) -> None:
    kind = tables["episode_labels"].collect_schema()["protocol"]
    gold = pl.when(pl.col("protocol") == "V0").then(pl.lit("gold-stop")).otherwise(pl.lit("gold-action")).cast(kind)
    changed = population(tables | {"episode_labels": tables["episode_labels"].with_columns(gold.alias("protocol"))})
    found = rows_of(changed, "gold_bsr", "bsr", "ecs", "par")
    assert (found["gold_bsr", "rash"]["numerator"], found["gold_bsr", "rash"]["denominator"]) == (2, 4)
    assert {found[name, "rash"]["denominator"] for name in ("bsr", "ecs", "par")} == {0}
