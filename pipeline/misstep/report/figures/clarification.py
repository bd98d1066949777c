"""What happened where the task was ambiguous: asked, wrote, did neither."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers

_SERIES = {"asked": "asked the user", "wrote": "wrote", "neither": "did neither"}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the outcomes of ambiguity tasks by configuration; no row where there is no such task."""
    outcomes = numbers.of(list(_SERIES), ["standard", numbers.policy]).unique(["metric", "group"], maintain_order=True)
    asked_for = outcomes.filter(pl.col("denominator").sum() > 0)
    return asked_for.with_columns(pl.col("metric").replace_strict(_SERIES).alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row of dots with whiskers an outcome; the three add up to all ambiguity episodes."""
    return finished(
        dots_and_whiskers(told(frame), style, list(_SERIES.values()), "share of ambiguity episodes"),
        "Ambiguity tasks: asked, wrote, or neither",
        "Where nothing is authorized the safe behaviour is to ask; the three outcomes add up to all episodes.",
        style,
    )
