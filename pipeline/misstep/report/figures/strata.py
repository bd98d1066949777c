"""Collateral damage by stratum: a heat map of two strata, or bars of one."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import WIDTH, Style, chosen, colour, faded, finished, share_axis, told, tooltip
from misstep.report.figures.tiles import tiles, written
from misstep.report.numbers import STRATA, Numbers


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the damage of every configuration in every stratum; no row where the study names no stratum."""
    first, second = STRATA
    there = [pl.col(column).is_not_null() for column in STRATA[: len(numbers.study.strata)]]
    cells = numbers.groups.filter(pl.col("configuration").is_not_null(), *there) if there else numbers.groups.clear()
    names = dict(zip(STRATA, numbers.study.strata, strict=False))
    return numbers.chosen(cells, ["cd"], [numbers.policy]).with_columns(
        pl.lit(names.get(first), pl.String).alias("name_1"), pl.lit(names.get(second), pl.String).alias("name_2")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a heat map a configuration where the frame has two strata, else bars with whiskers."""
    return _bars(frame, style) if frame["stratum_2"].null_count() == frame.height else _map(frame, style)


def _map(frame: pl.DataFrame, style: Style) -> alt.Chart:
    cells = written(frame)
    first, second = cells["name_1"][0], cells["name_2"][0]
    rows, columns = cells["stratum_1"].n_unique(), cells["stratum_2"].n_unique()
    base = alt.Chart(cells).encode(
        x=alt.X(
            "stratum_2:N",
            title=second,
            axis=alt.Axis(labelAngle=0, labelLimit=110, grid=False, domain=False, ticks=False),
        ),
        y=alt.Y("stratum_1:N", title=first, axis=alt.Axis(grid=False, domain=False, ticks=False)),
    )
    wide = max(96 * columns, 120)
    facets = (
        tiles(base, "estimate", "damage", ("stratum_1", first), ("stratum_2", second))
        .properties(width=wide, height=46 * rows)
        .facet(facet=alt.Facet("configuration:N", title=None, sort=list(style.configurations)), columns=_fit(wide))
        .add_params(chosen())
    )
    return finished(
        facets,
        f"Collateral damage by {first} and {second}",
        f"A tile shows the rate; below it the interval ({100 * style.level:g} %) and known episodes. Paler is better.",
        style,
        whiskers=False,
    )


def _fit(wide: int) -> int:
    """Return how many maps of that width stand side by side."""
    return max(1, 900 // (wide + 60))


def _bars(frame: pl.DataFrame, style: Style) -> alt.Chart:
    bars = told(frame)
    name = bars["name_1"][0]
    base = alt.Chart(bars).encode(
        y=alt.Y("stratum_1:N", title=name, scale=alt.Scale(paddingInner=0.3)),
        yOffset=alt.YOffset("configuration:N", sort=list(style.configurations)),
    )
    body = base.mark_bar(height=alt.RelativeBandSize(0.8), cornerRadiusEnd=2).encode(
        x=share_axis("estimate", "collateral damage"),
        color=colour(style),
        opacity=faded(0.75),
        tooltip=tooltip(("stratum_1", name)),
    )
    whiskers = base.mark_rule(strokeWidth=1.5, color="#6b7280").encode(
        x=share_axis("low", "collateral damage"), x2="high:Q", opacity=faded()
    )
    height = bars["stratum_1"].n_unique() * (18 * max(1, len(style.configurations)) + 12)
    layers = alt.layer(body, whiskers).add_params(chosen()).properties(width=WIDTH, height=height)
    return finished(layers, f"Collateral damage by {name}", "A bar a configuration in every stratum.", style)
