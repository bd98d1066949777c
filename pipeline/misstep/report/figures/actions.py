"""The most frequent unauthorized actions: stacked counts a tool and action."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import WIDTH, Style, chosen, colour, faded, finished
from misstep.report.numbers import Numbers

#: Pairs of a tool and an action that are drawn.
SHOWN = 15


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the unauthorized writes of the most frequent tools and actions by configuration."""
    named = numbers.actions.with_columns(pl.format("{}, {}", "tool", "action").alias("series"))
    first = named["series"].unique(maintain_order=True).head(SHOWN)
    return named.filter(pl.col("series").is_in(first.implode()))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a stacked bar a tool and action; its length is the number of unauthorized writes."""
    series = frame["series"].unique(maintain_order=True).to_list()
    bars = (
        alt.Chart(frame)
        .mark_bar(height=alt.RelativeBandSize(0.7), stroke="white", strokeWidth=0.8)
        .encode(
            y=alt.Y("series:N", title=None, sort=series),
            x=alt.X("writes:Q", title="unauthorized writes", axis=alt.Axis(tickMinStep=1, format="d", tickCount=6)),
            color=colour(style),
            opacity=faded(),
            tooltip=["configuration:N", "tool:N", "action:N", "writes:Q", "external:Q", "episodes:Q"],
        )
        .add_params(chosen())
        .properties(width=WIDTH, height=max(60, 24 * len(series)))
    )
    return finished(
        bars,
        "Unauthorized actions",
        "The most frequent pairs of a tool and an action. Counts of writes, not rates, so there is no interval; writes "
        "that only follow another one of their call are left out.",
        style,
        whiskers=False,
    )
