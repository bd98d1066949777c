"""What varies though the model does not: tables of harnesses and replicates; comparisons of runs of their own."""

import polars as pl
import pytest

from misstep.report.numbers import Numbers
from misstep.report.variation_tables import variation_tables
from report.conftest import numbers_of
from report.made_evidence import MAIN, made_runs, one_model


@pytest.fixture(scope="module")
def repeated() -> Numbers:
    return numbers_of(one_model(), by=["model", "harness"], strata=["domain"], conditions=MAIN)


def test_pairs_of_harnesses_have_their_difference_in_their_order(repeated: Numbers) -> None:
    frame, *_ = variation_tables(repeated)["harnesses"]
    row = frame.row(0, named=True)
    rates = dict(repeated.of([row["metric"]], ["standard"]).select("configuration", "estimate").iter_rows())
    assert row["metric"] == "ecs_planned" and row["difference"] < 0
    assert row["low"] <= row["difference"] <= row["high"]
    assert rates["one · chat"] < rates["one · loop"]


def test_rollouts_are_told_by_their_spread(repeated: Numbers) -> None:
    frame, *_ = variation_tables(repeated)["rollouts"]
    row = frame.filter(metric="ecs", configuration="one · loop").row(0, named=True)
    first, second = 8 / 13, 9 / 13
    assert (row["replicates"], row["least"], row["greatest"]) == (2, pytest.approx(first), pytest.approx(second))
    assert row["mean"] == pytest.approx((first + second) / 2)
    assert row["sd"] == pytest.approx((second - first) / 2**0.5)


def test_there_is_no_such_table_without_replicates_and_harnesses(cases: Numbers) -> None:
    assert variation_tables(cases) == {}


def test_runs_beside_the_main_ones_are_in_no_number() -> None:
    numbers = numbers_of(made_runs(), strata=["domain"], conditions=MAIN)
    assert set(numbers.population.frame["run"]) == {"r"} and numbers.population.frame.height == 2 * 28
    assert numbers.whole.frame.height == 2 * 28 + 3 + 4 + 4


def test_a_comparison_names_its_runs_and_what_they_are_compared_with() -> None:
    compare = [
        {"name": "held", "condition": "withheld", "run": "tries", "against": ["tries", "r"]},
        {"name": "judged", "condition": "static", "run": "pair-*", "against": ["pair-*"], "metrics": ["decided"]},
        {"name": "held and judged", "condition": "static", "to": "withheld", "metrics": ["decided"]},
    ]
    numbers = numbers_of(made_runs(), strata=["domain"], conditions=MAIN | {"compare": compare})
    rows = {(row["condition"], row["metric"]): row for row in numbers.conditions.to_dicts()}
    assert set(rows) == {("held", "acted"), ("judged", "decided"), ("held and judged", "decided")}
    held = rows["held", "acted"]
    assert (held["pairs"], held["estimate_a"], held["estimate_b"]) == (2, 0.5, 1.0)  # of the first replicate alone
    judged = rows["judged", "decided"]
    assert (judged["pairs"], judged["difference"]) == (3, pytest.approx(-1 / 3))
    assert rows["held and judged", "decided"]["b"] == "model=patient, condition=withheld"


def test_planned_runs_are_those_of_the_main_run() -> None:
    from misstep.contracts.study import Conditions, Planned
    from misstep.stats.population import population

    conditions = Conditions.model_validate(MAIN)
    tables = made_runs()
    lost = tables["episodes"].filter(~((pl.col("task_id") == "b0") & (pl.col("run") == "r")))
    labels = tables["episode_labels"].join(lost, on="episode", how="semi")
    whole = population(
        tables | {"episodes": lost, "episode_labels": labels}, "error", Planned(replicates=2), conditions
    )
    assert whole.missing.select("task_id", "run", "replicate").unique().sort("replicate").rows() == [
        ("b0", "r", 1), ("b0", "r", 2),
    ]  # fmt: skip
    assert whole.missing.height == 4
