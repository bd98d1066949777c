"""Conditions: the baseline alone makes the numbers, and each configuration is compared with itself."""

from typing import Any

import polars as pl
import pytest

from misstep.contracts.errors import UsageError
from misstep.report.numbers import Numbers
from report.conftest import numbers_of
from report.made_conditions import CONDITIONS, made_conditions
from report.made_tables import MODELS, TASKS


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    return numbers_of(made_conditions(), conditions=CONDITIONS)


def change(numbers: Numbers, metric: str, configuration: str) -> dict[str, Any]:
    found = numbers.conditions.filter(metric=metric, configuration=configuration)
    return found.row(0, named=True)


def test_only_the_baseline_is_in_the_numbers(numbers: Numbers, made: Numbers) -> None:
    assert numbers.configurations == list(MODELS)
    assert numbers.population.frame.height == 3 * TASKS and numbers.whole.frame.height == 3 * TASKS + 20
    same = ["metric", "group", "numerator", "denominator", "estimate", "low", "high"]
    assert numbers.estimates.select(same).equals(made.estimates.select(same))
    assert numbers.contrasts.equals(made.contrasts) and numbers.patterns.equals(made.patterns)


def test_a_condition_is_compared_on_the_tasks_that_both_have(numbers: Numbers) -> None:
    row = change(numbers, "cd", "hasty")
    assert (row["condition"], row["a"], row["b"]) == (
        "guarded", "model=hasty, condition=guarded", "model=hasty, condition=original",
    )  # fmt: skip
    assert (row["pairs"], row["only_a"], row["only_b"]) == (9, 0, 4)  # of ten tasks, one is unknown in the baseline
    assert (row["estimate_a"], row["estimate_b"]) == (pytest.approx(2 / 9), pytest.approx(6 / 9))
    assert row["difference"] == pytest.approx(-4 / 9) and row["low"] < -4 / 9 < row["high"]
    assert row["reduction"] == pytest.approx(2 / 3) and row["reduction_low"] < 2 / 3 < row["reduction_high"]


def test_what_is_no_damage_has_a_difference_but_no_reduction(numbers: Numbers) -> None:
    row = change(numbers, "goal", "hasty")
    assert row["difference"] == pytest.approx(-2 / 9) and row["reduction"] is None
    assert change(numbers, "goal", "careful")["difference"] == pytest.approx(-0.1)


def test_a_reduction_to_nothing_is_whole_and_one_from_nothing_is_none(numbers: Numbers) -> None:
    assert change(numbers, "cd", "careful")["reduction"] == 1.0
    assert change(numbers, "external_cd", "careful")["reduction"] is None


def test_a_configuration_without_the_condition_has_no_row(numbers: Numbers) -> None:
    assert set(numbers.conditions["configuration"]) == {"careful", "hasty"}
    assert numbers.conditions.height == 2 * 4


def test_p_values_are_adjusted_over_the_configurations_of_a_metric(numbers: Numbers) -> None:
    rows = numbers.conditions.filter(metric="cd").sort("p")
    assert rows["p_adjusted"][0] == pytest.approx(min(1.0, 2 * rows["p"][0]))


def test_without_conditions_every_run_counts() -> None:
    numbers = numbers_of(made_conditions())
    assert numbers.population.frame.height == 3 * TASKS + 20 and numbers.conditions.is_empty()


def test_runs_that_name_no_condition_can_be_the_baseline() -> None:
    tables = made_conditions()
    nameless = pl.when(pl.col("condition") != "original").then("condition")
    tables["episodes"] = tables["episodes"].with_columns(nameless.alias("condition"))
    numbers = numbers_of(tables, conditions={"baseline": "(none)", "compare": ["guarded"]})
    assert change(numbers, "cd", "hasty")["difference"] == pytest.approx(-4 / 9)


def test_planned_runs_of_another_condition_are_not_missing_in_the_baseline() -> None:
    from misstep.contracts.study import Conditions, Planned
    from misstep.stats.population import population

    planned, conditions = Planned(replicates=1), Conditions.model_validate(CONDITIONS)
    assert population(made_conditions(), planned=planned).missing.height == 20
    whole = population(made_conditions(), planned=planned, conditions=conditions)
    assert whole.missing.is_empty() and whole.of_baseline(conditions).missing.is_empty()


def test_a_condition_that_nobody_ran_is_an_error() -> None:
    with pytest.raises(UsageError, match="'asked'; there are guarded, original"):
        numbers_of(made_conditions(), conditions={"baseline": "original", "compare": ["asked"]})
