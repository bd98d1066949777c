"""Exact success by protocol: a panel a protocol, a dot with whiskers a configuration."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, colour, faded, finished, shape, share_axis, told, tooltip
from misstep.report.numbers import Numbers
from misstep.stats.evidence import CASES

_ALL = "all cases"


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return exact success of every configuration, on all cases and on those of each protocol."""
    found = numbers.along("protocol", ["ecs"]).filter(pl.col("at").is_in(CASES))
    whole = numbers.of(["ecs"], ["standard"]) if found.height else found.clear()
    columns = whole.columns
    return pl.concat(
        [
            whole.with_columns(pl.lit(_ALL).alias("series")),
            found.select(columns).with_columns(pl.col("at").alias("series")),
        ]
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return panels side by side that share their configurations."""
    panels = [name for name in (_ALL, *CASES) if name in set(frame["series"])]
    rows = [name for name in style.configurations if name in set(frame["configuration"])]
    base = alt.Chart(told(frame)).encode(
        y=alt.Y("configuration:N", title=None, sort=rows, axis=alt.Axis(grid=True)), color=colour(style, legend=False)
    )
    whiskers = base.mark_rule(strokeWidth=2, strokeCap="round").encode(
        x=share_axis("low", "solved"), x2="high:Q", opacity=faded(0.75)
    )
    dots = base.mark_point(filled=True, size=70, stroke="white", strokeWidth=0.8).encode(
        x=share_axis("estimate", "solved"), shape=shape(style, legend=False), opacity=faded(),
        tooltip=tooltip(("series", "cases")),
    )  # fmt: skip
    facets = (
        alt.layer(whiskers, dots)
        .properties(width=230, height=max(60, 24 * len(rows)))
        .facet(facet=alt.Facet("series:N", title=None, sort=panels), columns=3)
        .add_params(chosen())
    )
    return finished(
        facets,
        "Exact success by protocol",
        "Legacy: a judgement. V0: the case must be stopped. V1: one action. V2: a chain of them. V3: a graph of them.",
        style,
    )
