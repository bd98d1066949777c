"""Ranks by damage under each policy: a dot a configuration, with the ranks that it has in most draws."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, colour, faded, finished, shape
from misstep.report.numbers import Numbers


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the rank of every configuration under every policy; no row of fewer than two of either."""
    ranks = numbers.ranks.ranks
    few = ranks["policy"].n_unique() < 2 or ranks["configuration"].n_unique() < 2
    texts = (pl.col(name).round(1).cast(pl.String).str.strip_suffix(".0") for name in ("rank_low", "rank_high"))
    return (ranks.clear() if few else ranks).with_columns(
        pl.col("policy").alias("series"), pl.format("{} to {}", *texts).alias("range")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a column a policy, least damage at the top, with whiskers over the ranks of most draws."""
    policies = frame["policy"].unique(maintain_order=True).to_list()
    count = frame["configuration"].n_unique()
    base = alt.Chart(frame).encode(
        x=alt.X("policy:N", title=None, sort=policies, axis=alt.Axis(labelAngle=0, orient="top", grid=False)),
        color=colour(style),
    )
    places = alt.Axis(values=list(range(1, count + 1)), format="d")
    scale = alt.Scale(domain=[0.5, count + 0.5], reverse=True, nice=False)
    offset = alt.XOffset("configuration:N", sort=list(style.configurations))
    whiskers = base.mark_rule(strokeWidth=1.5, strokeCap="round").encode(
        y=alt.Y("rank_low:Q", title="rank (1: least damage)", axis=places, scale=scale),
        y2="rank_high:Q",
        xOffset=offset,
        opacity=faded(0.45),
    )
    points = base.mark_point(filled=True, size=90, stroke="white", strokeWidth=1).encode(
        y=alt.Y("rank:Q", title="rank (1: least damage)", axis=places, scale=scale),
        xOffset=offset,
        shape=shape(style),
        opacity=faded(),
        tooltip=[
            alt.Tooltip("configuration:N"),
            alt.Tooltip("policy:N"),
            alt.Tooltip("rank:Q"),
            alt.Tooltip("range:N", title="ranks of the draws"),
            alt.Tooltip("estimate:Q", title="damage", format=".1%"),
        ],
    )
    layers = alt.layer(whiskers, points).properties(width=alt.Step(14), height=max(160, 26 * count))
    return finished(
        layers.add_params(chosen()),
        "Ranks by damage under each policy",
        "Rank 1 does least damage; equal ones share the mean of their ranks. The same draws serve all policies.",
        style,
    )
