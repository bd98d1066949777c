"""The figures of a report, each a frame taken from the numbers and a chart of that frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import polars as pl

from misstep.report.figures import (
    actions,
    clarification,
    conditions,
    diagnostics,
    external,
    failures,
    goal_damage,
    outcomes,
    patterns,
    policies,
    ranks,
    readiness,
    rules,
    strata,
    timing,
)
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
        wide: takes the whole width of the page.
        columns: of the frame, with their headings in the table of the figure (default: the rate).
    """

    name: str
    title: str
    caption: str
    absent: str
    frame: Callable[[Numbers], pl.DataFrame]
    chart: Callable[[pl.DataFrame, Style], alt.Chart]
    wide: bool = False
    columns: tuple[tuple[str, str], ...] = ()


_DAMAGE = strata.ByStratum("cd", "Collateral damage")
_AMBIGUITY = strata.ByStratum("ab", "Acted before asking")
_NO_EVIDENCE = "No task of the study asks for evidence."

FIGURES = (
    Figure(
        "goal_damage",
        "Goal against damage",
        "Each cross is a configuration: how often it reached its goal, and how often it wrote what nobody had asked "
        "for. The two are independent: an episode may reach its goal and do damage on the way.",
        "There is no episode.",
        goal_damage.frame,
        goal_damage.chart,
        wide=True,
    ),
    Figure(
        "strata",
        "Damage by stratum",
        "Where damage happens. A stratum is a named label of the task; few episodes in a tile mean a wide interval.",
        "The study names no stratum.",
        _DAMAGE.frame,
        _DAMAGE.chart,
        wide=True,
    ),
    Figure(
        "ambiguity",
        "Ambiguity violations by stratum",
        "Where agents act before they ask: ambiguity tasks on which something was written before a clarification was "
        "answered.",
        "The study names no stratum, or has no ambiguity task.",
        _AMBIGUITY.frame,
        _AMBIGUITY.chart,
        wide=True,
    ),
    Figure(
        "patterns",
        "Patterns of unauthorized writes",
        "What was wrong with each unauthorized write: the first pattern that fits. These are counts of writes; an "
        "episode may hold several.",
        "No write is unauthorized.",
        patterns.frame,
        patterns.chart,
        columns=(("writes", "writes"), ("episodes", "episodes")),
    ),
    Figure(
        "actions",
        "Unauthorized actions",
        "Which tools and actions the unauthorized writes are. An episode may hold several; which of them come together "
        "is told below.",
        "No write is unauthorized.",
        actions.frame,
        actions.chart,
        columns=(("writes", "writes"), ("external", "external"), ("episodes", "episodes")),
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
        "ranks",
        "Ranks under each policy",
        "Whether a policy changes who does least damage. Where whiskers overlap, these tasks do not settle the "
        "order of two configurations.",
        "There are fewer than two configurations or policies.",
        ranks.frame,
        ranks.chart,
        columns=(("rank", "rank"), ("range", "ranks of the draws")),
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
    Figure(
        "outcomes",
        "Other tasks",
        "On tasks that say enough, the goal can be reached without damage and without a question. Left out are "
        "episodes that missed the goal with neither.",
        "The suite has no ambiguity task, so that this is what all other figures show.",
        outcomes.frame,
        outcomes.chart,
    ),
    Figure(
        "conditions",
        "Conditions",
        "Each configuration compared with itself under another condition, task by task.",
        "The study compares no conditions.",
        conditions.frame,
        conditions.chart,
        wide=True,
        columns=(("change", "difference"), ("range", "interval"), ("pairs", "shared tasks")),
    ),
    Figure(
        "diagnostics",
        "Ahead of the evidence",
        "BSR: stopped before the investigation was complete. PAR: acted before. CAS: solved exactly, where the first "
        "attempt came after. Gap: evidence was missing at some attempt. Partial: a workflow was begun and not "
        "completed. Gold reads and rules stand in where a task specifies no evidence of its own.",
        "No task of the study asks for evidence, and no standing rule is about a call.",
        diagnostics.frame,
        diagnostics.chart,
        wide=True,
    ),
    Figure(
        "failures",
        "Ways to fail",
        "What became of the scored cases of each protocol. Early action and gap: ahead of the evidence. Covered action "
        "failure: the evidence was there, and the action was wrong all the same.",
        _NO_EVIDENCE,
        failures.frame,
        failures.chart,
        wide=True,
    ),
    Figure(
        "readiness",
        "Investigation, read by read",
        "Left: the mean share of the required reads that was covered. Right: the share of episodes that had covered "
        "all of them, and so were ready to decide.",
        _NO_EVIDENCE,
        readiness.frame,
        readiness.chart,
        wide=True,
    ),
    Figure(
        "timing",
        "First attempts",
        "How much had been read before the first attempt, in number: reads that no task requires count as well. So an "
        "attempt may come late and still ahead of its evidence.",
        "No task of the study asks for evidence before an action.",
        timing.frame,
        timing.chart,
    ),
    Figure(
        "rules",
        "Standing rules",
        "Rules of the suite that hold for every task. An episode counts for a rule where it made a call that the rule "
        "is about; several rules may be about one call.",
        "No standing rule is about a call.",
        rules.frame,
        rules.chart,
    ),
)
