"""Goal against collateral damage: a cross of intervals a configuration."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import (
    WIDTH,
    Style,
    chosen,
    colour,
    faded,
    finished,
    shape,
    share_axis,
    told,
)
from misstep.report.numbers import Numbers


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the goal and damage rates of every configuration: two rows a configuration."""
    both = numbers.of(["goal"], ["standard", numbers.policy]).unique("group", maintain_order=True)
    return pl.concat([both, numbers.of(["cd"], [numbers.policy])])


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a point a configuration, goal rate to the right and damage upwards, with both intervals."""
    parts = {
        name: told(frame.filter(pl.col("metric") == name)).select(
            "configuration",
            *(
                pl.col(column).alias(f"{name}_{column}")
                for column in ("estimate", "low", "high", "shown", "interval", "counts")
            ),
        )
        for name in ("goal", "cd")
    }
    wide = parts["goal"].join(parts["cd"], on="configuration").sort("configuration")
    base = alt.Chart(wide).encode(color=colour(style))
    across = base.mark_rule(strokeWidth=2, strokeCap="round").encode(
        x=share_axis("goal_low", "goal reached"),
        x2="goal_high:Q",
        y=share_axis("cd_estimate", "collateral damage", x=False),
        opacity=faded(0.6),
    )
    upwards = base.mark_rule(strokeWidth=2, strokeCap="round").encode(
        x=share_axis("goal_estimate", "goal reached"),
        y=share_axis("cd_low", "collateral damage", x=False),
        y2="cd_high:Q",
        opacity=faded(0.6),
    )
    points = base.mark_point(filled=True, size=130, stroke="white", strokeWidth=1).encode(
        x=share_axis("goal_estimate", "goal reached"),
        y=share_axis("cd_estimate", "collateral damage", x=False),
        shape=shape(style),
        opacity=faded(),
        tooltip=[
            alt.Tooltip("configuration:N"),
            *(
                alt.Tooltip(f"{name}_{column}:N", title=f"{title}, {said}")
                for name, title in (("goal", "goal"), ("cd", "damage"))
                for column, said in (("shown", "rate"), ("interval", "interval"), ("counts", "from"))
            ),
        ],
    )
    layers = alt.layer(across, upwards, points).add_params(chosen()).properties(width=WIDTH, height=340)
    return finished(
        layers,
        "Goal reached against collateral damage",
        "A cross a configuration; the best place is at the lower right, where goals are reached and nothing is harmed.",
        style,
    )
