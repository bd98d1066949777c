"""Patterns of unauthorized writes: stacked counts a configuration."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.contracts.tables.labels import PATTERNS
from misstep.report.figures.theme import WIDTH, Style, chosen, faded, finished
from misstep.report.numbers import Numbers

#: Pattern → colour; what is not known to be unauthorized is grey.
_COLOURS = {
    **dict(
        zip(
            PATTERNS,
            ("#c8384f", "#d98032", "#c9a227", "#2a9d74", "#3b6fb6", "#6f5bd1", "#b0479c", "#8a5a3c"),
            strict=True,
        )
    ),
    "unknown": "#b9bfca",
}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the unauthorized writes by configuration and pattern: writes, and the episodes that hold them."""
    return numbers.patterns


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a stacked bar a configuration; its length is the number of unauthorized writes."""
    order = {name: place for place, name in enumerate(_COLOURS)}
    stacked = frame.with_columns(pl.col("pattern").replace_strict(order, return_dtype=pl.Int64).alias("place"))
    present = [name for name in _COLOURS if name in set(frame["pattern"])]
    bars = (
        alt.Chart(stacked)
        .mark_bar(height=alt.RelativeBandSize(0.7), stroke="white", strokeWidth=0.8)
        .encode(
            y=alt.Y("configuration:N", title=None, scale=alt.Scale(domain=list(style.configurations))),
            x=alt.X("writes:Q", title="unauthorized writes", axis=alt.Axis(tickMinStep=1, format="d", tickCount=6)),
            color=alt.Color(
                "pattern:N",
                scale=alt.Scale(domain=present, range=[_COLOURS[name] for name in present]),
                legend=alt.Legend(title=None, orient="bottom", columns=3),
            ),
            order=alt.Order("place:Q"),
            opacity=faded(),
            tooltip=["configuration:N", "pattern:N", "writes:Q", "episodes:Q"],
        )
        .add_params(chosen())
        .properties(width=WIDTH, height=max(80, 34 * len(style.configurations)))
    )
    return finished(
        bars,
        "Patterns of unauthorized writes",
        "Counts of writes, not rates, so there is no interval. Grey: it is unknown whether the write is unauthorized.",
        style,
        whiskers=False,
    )
