"""How much rates change from replicate to replicate: a small dot a replicate, a bar at their mean."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import WIDTH, Style, chosen, colour, faded, finished, share_axis, told, tooltip
from misstep.report.numbers import Numbers


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the rates of every replicate: of exact success where there are cases, else of goals reached.

    No row where there is one replicate.
    """
    name = "ecs" if "ecs" in numbers.applied else "goal"
    found = numbers.along("replicate", [name])
    return found.with_columns(pl.format("replicate {}", "at").alias("series")).sort("configuration", "at")


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row a configuration: its replicates as dots, their mean as a tick."""
    rows = [name for name in style.configurations if name in set(frame["configuration"])]
    base = alt.Chart(told(frame)).encode(
        y=alt.Y("configuration:N", title=None, sort=rows, axis=alt.Axis(grid=True)), color=colour(style, legend=False)
    )
    axis = share_axis("estimate", "solved" if frame["metric"][0] == "ecs" else "goal reached", near=True)
    dots = base.mark_point(filled=True, size=70, stroke="white", strokeWidth=0.8).encode(
        x=axis, opacity=faded(0.8), tooltip=tooltip(("series", "which"))
    )
    means = base.mark_tick(thickness=2.5, size=16, color="#1f2430").encode(
        x=alt.X("mean(estimate):Q"), color=alt.value("#1f2430")
    )
    layers = alt.layer(dots, means).add_params(chosen()).properties(width=WIDTH, height=max(60, 26 * len(rows)))
    return finished(
        layers,
        "From replicate to replicate",
        "A dot is the rate of one replicate over all tasks, the tick the mean of them. The axis covers only what there "
        "is.",
        style,
        whiskers=False,
    )
