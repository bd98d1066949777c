"""How early the first attempt came: reads before it, as a share of the required ones."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers
from misstep.stats.axes import TIMINGS

_COVERED = "coverage before (V1, mean)"


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the distribution of first attempts of every configuration, and what was covered before them."""
    found = numbers.along("timing", ["timed"])
    if found.is_empty():
        return found.with_columns(pl.lit(None, pl.String).alias("series"))
    covered = numbers.of(["coverage_before_action"], ["standard"]).filter(pl.col("denominator") + pl.col("unknown") > 0)
    order = pl.col("at").replace_strict(TIMINGS, range(len(TIMINGS)), return_dtype=pl.Int64)
    return pl.concat(
        [
            found.with_columns(pl.col("at").alias("series")).sort(order, "configuration"),
            covered.with_columns(pl.lit(_COVERED).alias("series")),
        ]
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row of dots with whiskers a range, and one for the coverage."""
    series = [name for name in (*TIMINGS, _COVERED) if name in set(frame["series"])]
    return finished(
        dots_and_whiskers(told(frame), style, series, "share of episodes with an attempt"),
        "When the first attempt came",
        "How many reads came before the first attempt, as a share of the number that is required; the ranges add up to "
        "all episodes with an attempt. Last: the share of the required reads themselves that was covered.",
        style,
    )
