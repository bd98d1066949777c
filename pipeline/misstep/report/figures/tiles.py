"""Tiles of a heat map: a rate, its interval and its episodes written into each."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import SHARE, faded, told, tooltip

_PALE_TO_RED = ["#fdf3ea", "#f0915a", "#9c1c1c"]


def written(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of estimates with the texts of their tiles: rate, range, and those of `told`."""
    return told(frame).with_columns(
        pl.format("{} %", _whole("estimate")).fill_null("–").alias("rate"),
        pl.format("{} to {} · n {}", *(_whole(end) for end in ("low", "high")), "denominator")
        .fill_null(pl.format("no interval · n {}", "denominator"))
        .alias("range"),
    )


def tiles(
    base: alt.Chart, harm: str, title: str, *more: tuple[str, str], legend: bool = True
) -> alt.LayerChart | alt.FacetChart:
    """Return tiles over the positions of `base`, the redder the worse.

    Args:
        base: chart of `written` rows with x and y.
        harm: column of the harm in [0, 1] that colours a tile.
        title: of the legend.
        more: (column, title) of the tooltip.
        legend: whether the colours are explained beside the map.
    """
    colour = alt.Color(
        f"{harm}:Q",
        title=title,
        scale=alt.Scale(domain=[0, 0.5, 1], range=_PALE_TO_RED, interpolate="lab"),
        legend=alt.Legend(format=SHARE, orient="right", gradientLength=120) if legend else None,
    )
    ink = alt.when(f"datum.{harm} > 0.55").then(alt.value("white")).otherwise(alt.value("#1f2430"))
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=2, cornerRadius=3).encode(
            color=colour, opacity=faded(), tooltip=tooltip(*more)
        ),
        base.mark_text(dy=-6, fontSize=12, fontWeight=600).encode(text="rate:N", color=ink, opacity=faded()),
        base.mark_text(dy=9, fontSize=9).encode(text="range:N", color=ink, opacity=faded()),
    )


def _whole(column: str) -> pl.Expr:
    """Return a share as whole per cent."""
    return (100 * pl.col(column)).round(0).cast(pl.Int64)
