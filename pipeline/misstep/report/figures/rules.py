"""Standing rules: how often the first call that a rule is about broke it."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the rate of every rule and configuration that made a call it is about."""
    return numbers.along("rule", ["rule_par"]).with_columns(pl.col("at").alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row of dots with whiskers a rule."""
    rules = frame["series"].unique().sort().to_list()
    return finished(
        dots_and_whiskers(told(frame), style, rules, "share of episodes with such a call"),
        "Standing rules broken",
        "The first call that a rule is about: the share of episodes in which it came ahead of what the rule requires.",
        style,
    )
