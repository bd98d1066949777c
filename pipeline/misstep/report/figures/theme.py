"""How figures look and what they share: shares on axes, whiskers, tooltips, colours, fading by selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl

#: Colours that stay apart for colour-blind readers, in the order in which configurations take them.
COLOURS = (
    "#3b6fb6", "#d1651f", "#2a9d74", "#b0479c", "#c9a227", "#5bb0dc", "#8a5a3c", "#777777",
    "#6f5bd1", "#c8384f", "#4e7d2d", "#e08fb5",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
INK, FAINT = "#1f2430", "#8b93a3"
WIDTH = 560
SHARE = "%"
#: Variable of every chart: names of the configurations that stand out; none: all of them.
CHOSEN = "chosen"
_STANDS_OUT = f"length({CHOSEN}) == 0 || indexof({CHOSEN}, datum.configuration) >= 0"


@dataclass(frozen=True, slots=True)
class Style:
    """What a chart needs besides its frame.

    Attributes:
        configurations: all of the study, in the order of their colours.
        notice: words that every figure carries.
        level: coverage of the intervals in (0, 1).
    """

    configurations: Sequence[str]
    notice: str | None = None
    level: float = 0.95


def finished(
    chart: alt.LayerChart | alt.FacetChart | alt.Chart, title: str, help_: str, style: Style, *, whiskers: bool = True
) -> alt.Chart:
    """Return the chart with title, reading help, notice, its text for readers that see no picture, and the theme."""
    lines = wrap(f"{help_} Whiskers: {100 * style.level:g} % intervals." if whiskers else help_, 92)
    lines += wrap(style.notice, 92) if style.notice else []
    made: alt.Chart = (
        chart.properties(title=alt.TitleParams(title, subtitle=lines), description=f"{title}. {' '.join(lines)}")
        .configure(background="white", font="system-ui, Helvetica, Arial, sans-serif", padding=10)
        .configure_view(stroke=None)
        .configure_title(
            anchor="start", fontSize=15, fontWeight=600, subtitleFontSize=11, subtitleColor="#5b6270", offset=12
        )
        .configure_axis(
            labelFontSize=11, titleFontSize=11, titleFontWeight="normal", gridColor="#e7e9ee", domainColor="#b9bfca",
            tickColor="#b9bfca", labelLimit=240,
        )
        .configure_legend(
            labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=320, symbolSize=70
        )
        .configure_header(labelFontSize=12, labelFontWeight=600, title=None, labelAnchor="start")
    )  # fmt: skip
    return made


def chosen() -> alt.Parameter:
    """Return the variable that a page sets to make configurations stand out."""
    return alt.param(name=CHOSEN, value=[])


def faded(full: float = 1.0) -> Any:
    """Return the opacity of a mark: full where its configuration stands out."""
    return alt.when(_STANDS_OUT).then(alt.value(full)).otherwise(alt.value(0.12))


def colour(style: Style, *, legend: bool = True) -> alt.Color:
    """Return the colour of a configuration, the same in every figure; no legend where an axis has the names."""
    names = list(style.configurations)
    scale = alt.Scale(domain=names, range=[COLOURS[place % len(COLOURS)] for place in range(len(names))])
    return alt.Color("configuration:N", scale=scale, legend=_legend(names) if legend else None)


def shape(style: Style, *, legend: bool = True) -> alt.Shape:
    """Return the shape of a configuration, so that colour is not all that tells them apart."""
    names = list(style.configurations)
    scale = alt.Scale(domain=names, range=[SHAPES[place % len(SHAPES)] for place in range(len(names))])
    return alt.Shape("configuration:N", scale=scale, legend=_legend(names) if legend else None)


def _legend(names: Sequence[str]) -> alt.Legend:
    """Return a legend in as many columns as the longest name lets fit."""
    columns = int(WIDTH // (6.5 * max(map(len, names), default=0) + 30))
    return alt.Legend(title=None, orient="bottom", columns=min(max(1, columns), 4))


def share_axis(field: str, title: str, *, x: bool = True, near: bool = False) -> Any:
    """Return a position channel for shares in [0, 1]; `near`: only the part where there are any."""
    channel = alt.X if x else alt.Y
    axis = alt.Axis(format=SHARE, tickCount=5, grid=True)
    scale = alt.Scale(zero=False, nice=True, padding=12) if near else alt.Scale(domain=[0, 1])
    return channel(f"{field}:Q", title=title, scale=scale, axis=axis)


def tooltip(*more: tuple[str, str]) -> list[alt.Tooltip]:
    """Return the tooltip of a rate: whose it is, value, interval and counts; `more` are (field, title) before them."""
    return [
        alt.Tooltip("configuration:N", title="configuration"),
        *(alt.Tooltip(f"{field}:N", title=title) for field, title in more),
        alt.Tooltip("shown:N", title="rate"),
        alt.Tooltip("interval:N", title="interval"),
        alt.Tooltip("counts:N", title="from"),
    ]


def told(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with the texts of its rates: columns shown, interval and counts."""
    percent = [
        (100 * pl.col(name)).round(1).cast(pl.String).fill_null("–").alias(f"{name}_text")
        for name in ("estimate", "low", "high")
    ]
    numerator = pl.col("numerator").round(2).cast(pl.String).str.strip_suffix(".0")
    return (
        frame.with_columns(percent)
        .with_columns(
            pl.when(pl.col("estimate").is_null())
            .then(pl.lit("unknown"))
            .otherwise(pl.format("{} % ({} of {})", "estimate_text", numerator, "denominator"))
            .alias("shown"),
            pl.when(pl.col("low").is_null() | pl.col("high").is_null())
            .then(pl.format("none ({})", "method"))
            .otherwise(pl.format("{} to {} % ({})", "low_text", "high_text", "method"))
            .alias("interval"),
            pl.format("{} episodes, {} clusters, {} unknown", "episodes", "clusters", "unknown").alias("counts"),
        )
        .drop("estimate_text", "low_text", "high_text")
    )


def dots_and_whiskers(
    frame: pl.DataFrame, style: Style, series: Sequence[str], axis: str
) -> alt.LayerChart | alt.FacetChart:
    """Return a row of dots with whiskers a series, one dot a configuration.

    Args:
        frame: rows are (series, configuration) with estimate, low, high and the texts of `told`.
        style: of the study.
        series: values of the column `series`, from top to bottom.
        axis: title of the axis of shares.
    """
    rows = max(1, len(style.configurations))
    base = alt.Chart(frame).encode(
        y=alt.Y("series:N", title=None, sort=list(series), scale=alt.Scale(paddingInner=0.35)),
        yOffset=alt.YOffset("configuration:N", sort=list(style.configurations)),
        color=colour(style),
    )
    whiskers = base.mark_rule(strokeWidth=2, strokeCap="round").encode(
        x=share_axis("low", axis), x2="high:Q", opacity=faded(0.75)
    )
    dots = base.mark_point(filled=True, size=70, stroke="white", strokeWidth=0.8).encode(
        x=share_axis("estimate", axis), shape=shape(style), opacity=faded(), tooltip=tooltip(("series", "what"))
    )
    layers = alt.layer(whiskers, dots).properties(width=WIDTH, height=len(series) * (18 * rows + 14))
    return layers.add_params(chosen())
