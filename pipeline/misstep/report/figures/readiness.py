"""How far the investigation was after so many reads: curves with bands."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, colour, faded, finished, share_axis, told, tooltip
from misstep.report.numbers import Numbers

_PANELS = {"covered": "required reads covered (mean share)", "ready": "investigation complete (share of episodes)"}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return coverage and readiness of every configuration after 0, 1, … reads."""
    found = numbers.along("reads", list(_PANELS))
    return found.with_columns(
        pl.col("at").cast(pl.Int64).alias("reads"),
        pl.col("metric").replace_strict(_PANELS, return_dtype=pl.String).alias("panel"),
        pl.format("{}, after {}", pl.col("metric").replace_strict(_PANELS, return_dtype=pl.String), "at").alias(
            "series"
        ),
    ).sort("panel", "configuration", "reads")


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return two panels: a line with a band of pointwise intervals a configuration."""
    numbers = frame["reads"].unique().sort().to_list()
    shown = numbers[:: 1 if len(numbers) <= 13 else 2]
    base = alt.Chart(told(frame)).encode(
        x=alt.X("reads:Q", title="reads so far", axis=alt.Axis(format="d", values=shown, grid=False)),
        color=colour(style),
    )
    bands = base.mark_area().encode(y=share_axis("low", "share", x=False), y2="high:Q", opacity=faded(0.16))
    lines = base.mark_line(strokeWidth=2).encode(y=share_axis("estimate", "share", x=False), opacity=faded())
    points = base.mark_point(filled=True, size=36, stroke="white", strokeWidth=0.6).encode(
        y=share_axis("estimate", "share", x=False), opacity=faded(), tooltip=tooltip(("series", "what"))
    )
    panels = (
        alt.layer(lines, bands, points)
        .properties(width=420, height=240)
        .facet(facet=alt.Facet("panel:N", title=None, sort=list(_PANELS.values())), columns=2)
        .add_params(chosen())
    )
    return finished(
        panels,
        "Investigation, read by read",
        f"An episode that read no more stays where it was. Bands: {100 * style.level:g} % intervals, point by point.",
        style,
        whiskers=False,
    )
