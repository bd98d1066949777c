"""Figures: their intervals are those of the estimates, and nothing else is drawn."""

import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from misstep.report.figures import FIGURES, Figure
from misstep.report.figures.theme import Style
from misstep.report.numbers import Numbers
from misstep.report.render import as_json, as_svg, script, vega_lite
from misstep.stats.axes import TIMINGS
from report.conftest import NOTICE, numbers_of
from report.conftest import drawn as drawn_of
from report.made_conditions import CONDITIONS, made_conditions
from report.made_evidence import MAIN, one_model
from report.made_tables import AMBIGUOUS, MODELS, task_id

Specifications = dict[str, dict[str, Any]]
#: Figures that the study of side effects has; all others are of evidence, or of runs beside each other.
SIDE_EFFECTS = {
    "goal_damage", "strata", "ambiguity", "patterns", "actions", "external", "policies", "ranks", "clarification",
    "outcomes",
}  # fmt: skip
#: Figures of studies with conditions, and of one model in two harnesses with two replicates.
BESIDE = {"conditions", "levels"}
REPEATED = {"rollouts", "harnesses"}
EVIDENCE = [figure for figure in FIGURES if figure.name not in {*SIDE_EFFECTS, *BESIDE, *REPEATED}]
#: Figure → column of what it draws where that is no rate of `estimates`.
DRAWN = {
    "patterns": "writes", "actions": "writes", "ranks": "rank", "conditions": "difference", "levels": "difference",
    "harnesses": "runs",
}  # fmt: skip
every = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)


def drawn(specification: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all rows of data in a specification."""
    return [row for rows in specification["datasets"].values() for row in rows]


def ends(rows: list[dict[str, Any]], low: str = "low", high: str = "high") -> set[tuple[float | None, float | None]]:
    return {(row[low], row[high]) for row in rows if low in row}


@pytest.fixture(scope="module")
def experiment() -> Numbers:
    """Return the numbers of a study that compares conditions."""
    return numbers_of(made_conditions(), conditions=CONDITIONS)


@pytest.fixture(scope="module")
def repeated() -> Numbers:
    """Return the numbers of a study of one model in two harnesses, each twice."""
    return numbers_of(one_model(), by=["model", "harness"], strata=["domain"], conditions=MAIN)


@pytest.fixture
def shown(figure: Figure, made: Numbers, cases: Numbers, experiment: Numbers, repeated: Numbers) -> Numbers:
    """Return the numbers of a study that has the figure."""
    if figure.name in BESIDE | REPEATED:
        return experiment if figure.name in BESIDE else repeated
    return made if figure.name in SIDE_EFFECTS else cases


@pytest.fixture
def specification(
    figure: Figure, specifications: Specifications, case_specifications: Specifications, shown: Numbers
) -> dict[str, Any]:
    """Return the Vega-Lite of the figure."""
    if figure.name in BESIDE | REPEATED:
        return drawn_of(shown)[figure.name]
    return (specifications if figure.name in SIDE_EFFECTS else case_specifications)[figure.name]


@every
def test_a_figure_shows_estimates_as_they_are(figure: Figure, shown: Numbers) -> None:
    frame = figure.frame(shown)
    assert frame.height > 0
    if figure.name in DRAWN:
        source = {"patterns": shown.patterns, "actions": shown.actions, "ranks": shown.ranks.ranks}
        whole = source.get(figure.name, shown.conditions)
        if figure.name == "harnesses":
            assert frame["runs"].sum() == frame.unique("pair")["pairs"].sum() == shown.harnesses["pairs"].sum()
            return
        assert frame.select(whole.columns).equals(whole)
        return
    same = ["metric", "policy", "group", "numerator", "denominator", "estimate", "low", "high", "method", "unknown"]
    assert frame.join(shown.estimates, on=same, how="anti", nulls_equal=True).is_empty()
    assert frame.select("metric", "policy", "group").is_unique().all()


@every
def test_what_is_drawn_is_the_frame(figure: Figure, shown: Numbers, specification: dict[str, Any]) -> None:
    frame, rows = figure.frame(shown), drawn(specification)
    assert {row["configuration"] for row in rows} == set(frame["configuration"])
    if figure.name == "goal_damage":
        for name in ("goal", "cd"):
            assert ends(rows, f"{name}_low", f"{name}_high") == ends(frame.filter(metric=name).to_dicts())
    elif figure.name not in DRAWN:
        assert len(rows) == frame.height and ends(rows) == ends(frame.to_dicts())
    else:
        column = DRAWN[figure.name]
        assert sum(row[column] for row in rows if column in row) == pytest.approx(frame[column].sum())


@every
def test_a_figure_is_the_same_twice(figure: Figure, shown: Numbers, specification: dict[str, Any]) -> None:
    again = vega_lite(figure.chart(figure.frame(shown), Style(shown.configurations, shown.study.notice)))
    assert as_json(again) == as_json(specification)
    assert as_svg(again) == as_svg(specification)


@every
def test_a_figure_carries_notice_text_and_selection(figure: Figure, specification: dict[str, Any]) -> None:
    assert NOTICE in specification["description"] and specification["title"]["text"] in specification["description"]
    assert NOTICE in " ".join(specification["title"]["subtitle"])
    assert {"name": "chosen", "value": []} in specification["params"]
    assert NOTICE.split()[0] in as_svg(specification).decode()


@every
def test_a_figure_needs_no_network(figure: Figure, specification: dict[str, Any]) -> None:
    assert "http" not in json.dumps({key: value for key, value in specification.items() if key != "$schema"})


def test_two_strata_make_a_map_and_one_makes_bars(
    tables: dict[str, pl.LazyFrame], specifications: Specifications
) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "strata")
    assert "facet" in specifications["strata"]
    numbers = numbers_of(tables, strata=["trap"])
    bars = vega_lite(figure.chart(figure.frame(numbers), Style(numbers.configurations)))
    assert "facet" not in bars
    assert {row["stratum_1"] for row in drawn(bars)} == {"similar_name", "thread", "none"}


def test_there_is_no_map_without_strata(tables: dict[str, pl.LazyFrame]) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "strata")
    assert figure.frame(numbers_of(tables, strata=[])).is_empty()


@pytest.mark.parametrize("name", ["clarification", "outcomes", "ambiguity"])
def test_there_is_no_clarification_without_ambiguity_tasks(tables: dict[str, pl.LazyFrame], name: str) -> None:
    figure = next(figure for figure in FIGURES if figure.name == name)
    clear = ~pl.col("task_id").is_in([task_id(task) for task in AMBIGUOUS])
    kept = tables["episodes"].filter(clear)
    of_kept = {name: tables[name].join(kept, on="episode", how="semi") for name in ("episode_labels", "write_labels")}
    assert figure.frame(numbers_of(tables | {"episodes": kept} | of_kept)).is_empty()


def test_outcomes_of_ambiguity_tasks_add_up(made: Numbers) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "clarification")
    shares = figure.frame(made).group_by("configuration").agg(pl.col("estimate").sum())
    assert shares["estimate"].to_list() == [pytest.approx(1.0)] * len(MODELS)


def test_damage_under_policies_is_nested(made: Numbers) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "policies")
    wide = figure.frame(made).pivot("policy", index="configuration", values="numerator")
    assert (wide["external_only"] <= wide["standard"]).all() and (wide["entity"] <= wide["standard"]).all()
    assert (wide["standard"] <= wide["strict"]).all()


def test_all_configurations_together_have_a_map(made: Numbers) -> None:
    frame = next(figure for figure in FIGURES if figure.name == "strata").frame(made)
    whole = frame.filter(configuration="all configurations")
    assert whole.height == 6 and whole["denominator"].sum() == 58
    of_each = frame.filter(pl.col("configuration") != "all configurations")
    assert of_each["numerator"].sum() == whole["numerator"].sum()


def test_where_one_stratum_is_the_same_everywhere_one_map_has_all_configurations(
    tables: dict[str, pl.LazyFrame],
) -> None:
    same = pl.when(pl.col("name") == "trap").then(pl.lit("thread")).otherwise("value").alias("value")
    numbers = numbers_of(tables | {"spec/strata": tables["spec/strata"].with_columns(same)})
    figure = next(figure for figure in FIGURES if figure.name == "ambiguity")
    map_ = vega_lite(figure.chart(figure.frame(numbers), Style(numbers.configurations)))
    assert "facet" not in map_ and map_["title"]["text"] == "Acted before asking by domain"
    assert {row["configuration"] for row in drawn(map_)} == {*MODELS, "all configurations"}


def test_only_the_most_frequent_actions_are_drawn(made: Numbers) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "actions")
    many = pl.concat([made.actions.with_columns(tool=pl.lit(f"tool {number:02}")) for number in range(20)])
    assert figure.frame(replace(made, actions=many))["series"].n_unique() == 15


def test_outcomes_of_other_tasks_exclude_each_other(made: Numbers) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "outcomes")
    frame = figure.frame(made)
    assert frame["denominator"].max() == 16 and frame.height == 4 * len(MODELS)
    assert (frame.group_by("configuration").agg(pl.col("estimate").sum())["estimate"] <= 1).all()


def test_there_are_no_ranks_of_one_policy(tables: dict[str, pl.LazyFrame]) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "ranks")
    assert figure.frame(numbers_of(tables, policies=["standard"])).is_empty()


def test_the_script_is_whole_and_cannot_end_its_element() -> None:
    assert "window.vegaEmbed" in script() and "</script" not in script() and "<!--" not in script()


def test_without_evidence_no_figure_of_it_is_drawn(made: Numbers, specifications: Specifications) -> None:
    assert [figure.name for figure in EVIDENCE if not figure.frame(made).is_empty()] == []
    assert set(specifications) == SIDE_EFFECTS and len(EVIDENCE) == 6


def test_diagnostics_have_a_tile_a_configuration_and_metric(
    cases: Numbers, case_specifications: Specifications
) -> None:
    rows = drawn(case_specifications["diagnostics"])
    heads = {row["series"] for row in rows}
    assert heads == {
        "BSR (V0)", "PAR (V1)", "CAS (V1)", "Gap (V2)", "Partial (V2)", "Gap (V3)", "Partial (V3)", "PAR (rules)",
    }  # fmt: skip
    assert len(rows) == 2 * len(heads)
    tile = next(row for row in rows if row["series"] == "CAS (V1)" and row["configuration"] == "patient")
    assert (tile["rate"], tile["shown"], tile["harm"]) == ("67 %", "66.7 % (2 of 3)", pytest.approx(1 / 3))
    assert tile["counts"] == "14 episodes, 3 clusters, 0 unknown"


def test_ways_to_fail_fill_their_bars(cases: Numbers) -> None:
    figure = next(figure for figure in FIGURES if figure.name == "failures")
    sums = figure.frame(cases).group_by("configuration", "protocol").agg(pl.col("estimate").sum())
    assert sums.height == 8 and sums["estimate"].to_list() == [pytest.approx(1.0)] * 8


def test_curves_have_a_point_a_read_and_the_timing_a_row_a_range(cases: Numbers) -> None:
    frames = {figure.name: figure.frame(cases) for figure in EVIDENCE}
    assert frames["readiness"].filter(configuration="rash", metric="ready")["reads"].to_list() == [0, 1, 2]
    assert frames["timing"].filter(configuration="rash")["series"].to_list() == [
        *TIMINGS, "coverage before (V1, mean)"
    ]  # fmt: skip
    assert frames["rules"].select("configuration", "series").rows() == [
        ("patient", "read-first"), ("rash", "read-first"),
    ]  # fmt: skip


def test_success_has_a_panel_a_protocol_and_one_of_all(cases: Numbers) -> None:
    frame = next(figure for figure in FIGURES if figure.name == "protocols").frame(cases)
    rows = {(row["configuration"], row["series"]): row["estimate"] for row in frame.to_dicts()}
    assert rows["patient", "all cases"] == pytest.approx(8 / 13) and rows["rash", "V1"] == pytest.approx(1 / 4)
    assert len(rows) == 2 * 6


def test_one_model_in_two_harnesses_is_counted_run_by_run(repeated: Numbers) -> None:
    row = repeated.harnesses.row(0, named=True)
    # the first alone solves a3 and b2, twice; the second alone eight, then b3 as well; d2 is unknown, and d1 unscored
    assert (row["first"], row["second"]) == ("one · chat", "one · loop")
    counts = {name: row[name] for name in ("pairs", "both", "only_first", "only_second", "neither", "unknown")}
    assert counts == {"pairs": 28, "both": 0, "only_first": 4, "only_second": 17, "neither": 5, "unknown": 2}


def test_a_study_without_replicates_or_harnesses_draws_neither(cases: Numbers) -> None:
    assert all(figure.frame(cases).is_empty() for figure in FIGURES if figure.name in REPEATED)


def test_rates_under_conditions_are_both_sides_of_the_difference(experiment: Numbers) -> None:
    frame = next(figure for figure in FIGURES if figure.name == "levels").frame(experiment)
    row = frame.filter(metric="cd", configuration="hasty").row(0, named=True)
    assert (row["rate_a"], row["rate_b"], row["under"]) == ("22.2 %", "66.7 %", "guarded, against original")
