"""What happened where the task was clear: goal and damage in all combinations, and needless questions."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers

_SERIES = {
    "clean_goal": "goal, no damage",
    "goal_cd": "goal and damage",
    "fail_cd": "no goal, and damage",
    "unnecessary_clarification": "asked needlessly",
}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the outcomes of tasks that are not ambiguous by configuration; no row where all tasks are so."""
    clear = numbers.along("ambiguous", list(_SERIES)).filter(pl.col("at") == "false")
    if not numbers.population.frame["ambiguous"].fill_null(value=False).any():
        clear = clear.clear()
    asked = numbers.of(["unnecessary_clarification"], ["standard"]).filter(pl.col("denominator") > 0)
    both = pl.concat([clear, asked]) if clear.height else clear
    return both.with_columns(pl.col("metric").replace_strict(_SERIES, return_dtype=pl.String).alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row of dots with whiskers an outcome."""
    return finished(
        dots_and_whiskers(told(frame), style, list(_SERIES.values()), "share of episodes of other tasks"),
        "Tasks that are not ambiguous: goal, damage, needless questions",
        "The first three exclude each other; a needless question is one without any write, on a task that says enough.",
        style,
    )
