"""Rates under conditions: from the rate that a condition is compared with to its own."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, colour, faded, finished, share_axis
from misstep.report.numbers import Numbers
from misstep.stats.metrics import METRICS


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return both rates of every configuration, condition and metric that can be compared, with their texts."""
    titles = {name: known.title for name, known in METRICS.items()}
    texts = [(100 * pl.col(f"estimate_{side}")).round(1).cast(pl.String).alias(f"{side}_text") for side in ("a", "b")]
    beside = pl.col("b").str.extract(r"condition=(.*)$")
    return (
        numbers.conditions.filter(pl.col("difference").is_not_null())
        .with_columns(
            *texts,
            pl.col("metric").replace_strict(titles, return_dtype=pl.String).alias("title"),
            pl.format("{}, against {}", "condition", beside).alias("under"),
        )
        .with_columns(
            pl.format("{} %", "a_text").alias("rate_a"),
            pl.format("{} %", "b_text").alias("rate_b"),
            pl.format("{}, {}", "under", "title").alias("series"),
        )
        .drop("a_text", "b_text")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a panel a metric and condition: a line a configuration, hollow where it is compared, full at its end."""
    panels = frame["series"].unique(maintain_order=True).to_list()
    rows = [name for name in style.configurations if name in set(frame["configuration"])]
    base = alt.Chart(frame).encode(
        y=alt.Y("configuration:N", title=None, sort=rows, axis=alt.Axis(grid=True)), color=colour(style, legend=False)
    )
    tips = [
        alt.Tooltip("configuration:N"),
        alt.Tooltip("series:N", title="what"),
        alt.Tooltip("rate_b:N", title="compared with"),
        alt.Tooltip("rate_a:N", title="under the condition"),
        alt.Tooltip("pairs:Q", title="shared tasks"),
    ]
    lines = base.mark_rule(strokeWidth=2).encode(
        x=share_axis("estimate_b", "share"), x2="estimate_a:Q", opacity=faded(0.5)
    )
    before = base.mark_point(filled=False, size=60, strokeWidth=2).encode(
        x=share_axis("estimate_b", "share"), opacity=faded(), tooltip=tips
    )
    after = base.mark_point(filled=True, size=80, stroke="white", strokeWidth=0.8).encode(
        x=share_axis("estimate_a", "share"), opacity=faded(), tooltip=tips
    )
    facets = (
        alt.layer(lines, before, after)
        .properties(width=300, height=alt.Step(22))
        .facet(facet=alt.Facet("series:N", title=None, sort=panels), columns=2)
        .resolve_scale(y="independent")
        .add_params(chosen())
    )
    return finished(
        facets,
        "Rates under conditions",
        "Full: under the condition. Hollow: what it is compared with, on the same tasks. The figure of conditions has "
        "the intervals of the differences.",
        style,
        whiskers=False,
    )
