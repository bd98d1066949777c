"""How much of the damage reaches external parties."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers

_SERIES = {"cd": "any damage", "external_cd": "external damage"}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return total and external damage of every configuration."""
    total = numbers.of(["cd"], [numbers.policy])
    outside = numbers.of(["external_cd"], ["standard"])
    return pl.concat([total, outside]).with_columns(pl.col("metric").replace_strict(_SERIES).alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return two rows of dots with whiskers: any damage, and damage that reached an external party."""
    dots = dots_and_whiskers(told(frame), style, list(_SERIES.values()), "share of episodes")
    return finished(
        dots,
        "Damage, and damage that reached external parties",
        "External damage is part of any damage; what lies between the two stayed inside.",
        style,
    )
