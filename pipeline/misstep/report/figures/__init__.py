"""The figures of a report, each a frame taken from the numbers and a chart of that frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import polars as pl

from misstep.report.figures import clarification, external, goal_damage, patterns, policies, strata
from misstep.report.figures.theme import Style
from misstep.report.numbers import Numbers


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure.

    Attributes:
        name: of its files and its place on the page.
        title: heading on the page.
        caption: what it shows and how to read it.
        absent: why there is none, where its frame has no row.
        frame: takes its rows from the numbers.
        chart: draws them; intervals come from the rows alone.
    """

    name: str
    title: str
    caption: str
    absent: str
    frame: Callable[[Numbers], pl.DataFrame]
    chart: Callable[[pl.DataFrame, Style], alt.Chart]


FIGURES = (
    Figure(
        "goal_damage",
        "Goal against damage",
        "Each cross is a configuration: how often it reached its goal, and how often it wrote what nobody had asked "
        "for. The two are independent: an episode may reach its goal and do damage on the way.",
        "There is no episode.",
        goal_damage.frame,
        goal_damage.chart,
    ),
    Figure(
        "strata",
        "Damage by stratum",
        "Where damage happens. A stratum is a named label of the task; few episodes in a tile mean a wide interval.",
        "The study names no stratum.",
        strata.frame,
        strata.chart,
    ),
    Figure(
        "patterns",
        "Patterns of unauthorized writes",
        "What was wrong with each unauthorized write: the first pattern that fits. These are counts of writes; an "
        "episode may hold several.",
        "No write is unauthorized.",
        patterns.frame,
        patterns.chart,
    ),
    Figure(
        "external",
        "External share",
        "Damage that reached somebody outside: a recipient of another domain, or a write that faces outwards.",
        "There is no episode.",
        external.frame,
        external.chart,
    ),
    Figure(
        "policies",
        "Policies",
        "The same writes under other rules of what counts as authorized. Damage under external_only and entity is part "
        "of damage under standard, and that is part of strict.",
        "There is no episode.",
        policies.frame,
        policies.chart,
    ),
    Figure(
        "clarification",
        "Ambiguity tasks",
        "On these tasks nothing is explicitly authorized. An episode asked, wrote (which is damage before an answer), "
        "or did neither.",
        "The suite has no ambiguity task.",
        clarification.frame,
        clarification.chart,
    ),
)
