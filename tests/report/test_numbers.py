"""The numbers of a study: which there are, and what they are of."""

import polars as pl
import pytest

from misstep.contracts.errors import UsageError
from misstep.contracts.tables import ESTIMATES
from misstep.report.numbers import Numbers, counts
from report.conftest import numbers_of
from report.made_tables import AMBIGUOUS, MODELS, TASKS

Tables = dict[str, pl.LazyFrame]


def rate(numbers: Numbers, metric: str, configuration: str, **more: bool) -> dict[str, object]:
    return numbers.of([metric], ["standard"], **more).row(
        by_predicate=pl.col("configuration") == configuration, named=True
    )


def test_numbers_keep_the_contracts(made: Numbers) -> None:
    assert ESTIMATES["estimates"].is_valid(made.estimates)
    assert ESTIMATES["contrasts"].is_valid(made.contrasts)


def test_every_group_of_an_estimate_is_known_and_named_once(made: Numbers) -> None:
    assert set(made.estimates["group"]) == set(made.groups["group"])
    assert made.groups["group"].is_unique().all()


def test_rates_count_what_the_labels_say(made: Numbers, tables: Tables) -> None:
    labels = tables["episodes"].join(tables["episode_labels"], on="episode").filter(model="hasty").collect()
    row = rate(made, "cd", "hasty")
    assert (row["numerator"], row["denominator"]) == (
        labels["cd"].sum(),
        labels["cd"].len() - labels["cd"].null_count(),
    )
    assert (row["unknown"], row["episodes"], row["clusters"]) == (2, TASKS, 12)


def test_completed_leaves_out_what_was_cut_short(made: Numbers) -> None:
    every, only = rate(made, "goal", "terse"), rate(made, "goal", "terse", completed=True)
    assert (every["episodes"], only["episodes"]) == (20, 18)
    assert every["numerator"] == only["numerator"]


def test_each_stratum_of_each_configuration_has_a_rate(made: Numbers) -> None:
    both = pl.all_horizontal(pl.col("stratum_1", "stratum_2").is_not_null())
    cells = made.groups.filter(pl.col("configuration").is_not_null(), both)
    assert cells.height == len(MODELS) * 2 * 3
    damage = made.chosen(cells, ["cd"], ["standard"])
    total = made.of(["cd"], ["standard"])
    for name in MODELS:
        parts = damage.filter(pl.col("configuration") == name)["numerator"].sum()
        assert parts == total.filter(pl.col("configuration") == name)["numerator"].item()


def test_one_stratum_alone_has_rates_too_and_all_episodes_under_every_policy(made: Numbers) -> None:
    alone = made.groups.filter(pl.col("stratum_1").is_null(), pl.col("stratum_2").is_not_null())
    assert alone["stratum_2"].unique().sort().to_list() == ["none", "similar_name", "thread"]
    whole = made.chosen(alone.filter(pl.col("configuration").is_null()), ["cd"], ["standard", "external_only"])
    assert whole.height == 6 and whole.filter(policy="standard")["denominator"].sum() == 58
    assert made.chosen(alone.drop_nulls("configuration"), ["cd"], ["standard", "external_only"]).height == 9


def test_rates_of_clear_tasks_are_along_the_axis(made: Numbers) -> None:
    row = made.along("ambiguous", ["cd"]).filter(configuration="hasty", at="false").row(0, named=True)
    assert (row["numerator"], row["denominator"], row["unknown"]) == (9, 14, 2)


def test_patterns_count_all_unauthorized_writes(made: Numbers, tables: Tables) -> None:
    assert made.patterns["writes"].sum() == tables["write_labels"].collect()["violation"].sum()


def test_a_write_that_may_be_unauthorized_is_counted_as_unknown(tables: Tables) -> None:
    doubted = pl.when(pl.col("effective").is_null()).then(None).otherwise("violation").alias("violation")
    numbers = numbers_of(tables | {"write_labels": tables["write_labels"].with_columns(doubted)})
    unknown = numbers.patterns.filter(pattern="unknown")
    assert unknown.select("configuration", "writes").rows() == [("terse", 2)]


def test_every_pair_of_configurations_is_compared(made: Numbers) -> None:
    pairs = made.contrasts.filter(metric="cd").select("a", "b").rows()
    assert pairs == [
        ("model=careful", "model=hasty"),
        ("model=careful", "model=terse"),
        ("model=hasty", "model=terse"),
    ]


def test_contrasts_can_be_left_out(tables: Tables) -> None:
    assert numbers_of(tables, contrasts=False).contrasts.is_empty()


def test_the_order_of_rows_changes_nothing(made: Numbers, tables: Tables) -> None:
    shuffled = {name: frame.reverse() for name, frame in tables.items()}
    other = numbers_of(shuffled)
    assert other.estimates.equals(made.estimates) and other.contrasts.equals(made.contrasts)
    assert other.patterns.equals(made.patterns) and other.groups.equals(made.groups)


def test_several_columns_make_a_configuration(tables: Tables) -> None:
    numbers = numbers_of(tables, by=["model", "condition"])
    assert numbers.configurations == [f"{name} · (none)" for name in MODELS]
    assert rate(numbers, "cd", "hasty · (none)")["episodes"] == TASKS


def test_a_policy_that_the_study_does_not_have_is_not_estimated(tables: Tables) -> None:
    numbers = numbers_of(tables, policies=["strict"])
    assert set(numbers.estimates.filter(metric="cd")["policy"]) == {"strict"}
    assert numbers.policy == "strict"


def test_an_unknown_stratum_is_an_error(tables: Tables) -> None:
    with pytest.raises(UsageError, match="colour"):
        numbers_of(tables, strata=["colour"])


def test_counts_add_up(made: Numbers, tables: Tables) -> None:
    found = counts(made, tables)
    assert found["episodes"].to_list() == [TASKS] * 3
    assert found["ambiguous"].to_list() == [len(AMBIGUOUS)] * 3
    assert found["calls"].sum() == tables["calls"].collect().height
