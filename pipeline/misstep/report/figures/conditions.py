"""What a condition changes: differences to the baseline, a panel a metric."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, colour, faded, finished, shape
from misstep.report.numbers import Numbers
from misstep.stats.metrics import METRICS


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the changes of every configuration, condition and metric that can be compared, with their texts."""
    titles = {name: known.title for name, known in METRICS.items()}
    points = [
        (100 * pl.col(name)).round(1).cast(pl.String).fill_null("–").alias(f"{name}_text")
        for name in ("difference", "low", "high")
    ]
    return (
        numbers.conditions.filter(pl.col("difference").is_not_null())
        .with_columns(points)
        .with_columns(
            pl.col("metric").replace_strict(titles, return_dtype=pl.String).alias("title"),
            pl.format("{} points", "difference_text").alias("change"),
            pl.format("{} to {} ({})", "low_text", "high_text", "method").alias("range"),
        )
        .with_columns(pl.format("{}, {}", "condition", "title").alias("series"))
        .drop("difference_text", "low_text", "high_text")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a panel a metric: a dot with whiskers a condition and configuration, and a line at no change."""
    titles = frame["title"].unique(maintain_order=True).to_list()
    named = frame.with_columns(pl.format("{}: {}", "condition", "configuration").alias("row"))
    conditions = frame["condition"].unique(maintain_order=True).to_list()
    rows = [f"{condition}: {name}" for condition in conditions for name in style.configurations]
    axis = alt.Axis(format="+%", tickCount=5, grid=True)
    base = alt.Chart(named).encode(
        y=alt.Y("row:N", title=None, sort=rows, axis=alt.Axis(grid=True, labelLimit=320)),
        color=colour(style, legend=False),
    )
    whiskers = base.mark_rule(strokeWidth=2, strokeCap="round").encode(
        x=alt.X("low:Q", title="difference", axis=axis), x2="high:Q", opacity=faded(0.75)
    )
    dots = base.mark_point(filled=True, size=70, stroke="white", strokeWidth=0.8).encode(
        x=alt.X("difference:Q", title="difference", axis=axis),
        shape=shape(style, legend=False),
        opacity=faded(),
        tooltip=[
            alt.Tooltip("configuration:N"),
            alt.Tooltip("series:N", title="what"),
            alt.Tooltip("change:N", title="difference"),
            alt.Tooltip("range:N", title="interval"),
            alt.Tooltip("pairs:Q", title="shared tasks"),
            alt.Tooltip("p_adjusted:Q", title="adjusted p", format=".3g"),
        ],
    )
    zero = alt.Chart(named).mark_rule(color="#8b93a3", strokeDash=[3, 3]).encode(x=alt.datum(0))
    panels = (
        alt.layer(zero, whiskers, dots)
        .properties(width=300, height=alt.Step(20))
        .facet(facet=alt.Facet("title:N", title=None, sort=titles), columns=2)
        .resolve_scale(y="independent")
        .add_params(chosen())
    )
    return finished(
        panels,
        "What a condition changes",
        "The rate under the condition minus that of what it is compared with, on the tasks that both have.",
        style,
    )
