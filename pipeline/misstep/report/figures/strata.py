"""Rates by stratum: a heat map of two strata, or bars of one; of damage, and of acting before asking."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars as pl

from misstep.report.figures.theme import WIDTH, Style, chosen, colour, faded, finished, share_axis, told, tooltip
from misstep.report.figures.tiles import tiles, written
from misstep.report.numbers import STRATA, Numbers
from misstep.stats.metrics import METRICS

#: Name of the map of all episodes together.
EVERYONE = "all configurations"


@dataclass(frozen=True, slots=True)
class ByStratum:
    """The frame and chart of one metric by the strata of a study.

    Attributes:
        metric: its name.
        what: how titles and axes call it.
    """

    metric: str
    what: str

    def frame(self, numbers: Numbers) -> pl.DataFrame:
        """Return the rate of every configuration in every stratum, as far as there are episodes of it.

        No row where the study names no stratum. Where there are two, and several configurations, all episodes together
        are one more configuration.
        """
        first, second = STRATA
        names = dict(zip(STRATA, numbers.study.strata, strict=False))
        there = [pl.col(column).is_not_null() for column in names]
        cells = numbers.groups.filter(*there) if there else numbers.groups.clear()
        if len(names) < 2 or len(numbers.configurations) < 2:
            cells = cells.filter(pl.col("configuration").is_not_null())
        policy = numbers.policy if METRICS[self.metric].by_policy else "standard"
        found = numbers.chosen(cells, [self.metric], [policy]).filter(pl.col("denominator") + pl.col("unknown") > 0)
        return found.with_columns(
            pl.col("configuration").fill_null(EVERYONE),
            pl.lit(names.get(first), pl.String).alias("name_1"),
            pl.lit(names.get(second), pl.String).alias("name_2"),
        )

    def chart(self, frame: pl.DataFrame, style: Style) -> alt.Chart:
        """Return bars with whiskers of one stratum, or heat maps of two: one a configuration, or of all of them.

        One map of all configurations stands for those of each where one stratum has a single value.
        """
        if frame["stratum_2"].null_count() == frame.height:
            return _bars(frame, style, self.what)
        for column, name in (("stratum_1", "name_2"), ("stratum_2", "name_1")):
            if frame[column].n_unique() == 1:
                other = next(one for one in STRATA if one != column)
                return _one_map(frame, style, self.what, other, frame[name][0])
        return _maps(frame, style, self.what)


_NO_LINES = alt.Axis(grid=False, domain=False, ticks=False, labelAngle=0, labelLimit=160)


def _maps(frame: pl.DataFrame, style: Style, what: str) -> alt.Chart:
    cells = written(frame)
    first, second = cells["name_1"][0], cells["name_2"][0]
    rows, columns = cells["stratum_1"].n_unique(), cells["stratum_2"].n_unique()
    base = alt.Chart(cells).encode(
        x=alt.X("stratum_2:N", title=second, axis=_NO_LINES),
        y=alt.Y("stratum_1:N", title=first, axis=_NO_LINES),
    )
    wide = max(96 * columns, 120)
    order = [EVERYONE, *style.configurations]
    facets = (
        tiles(base, "estimate", "share", ("stratum_1", first), ("stratum_2", second))
        .properties(width=wide, height=46 * rows)
        .facet(facet=alt.Facet("configuration:N", title=None, sort=order), columns=_fit(wide))
        .add_params(chosen())
    )
    return finished(facets, f"{what} by {first} and {second}", _reading(style), style, whiskers=False)


def _one_map(frame: pl.DataFrame, style: Style, what: str, column: str, name: str) -> alt.Chart:
    cells = written(frame)
    rows = [one for one in (EVERYONE, *style.configurations) if one in set(cells["configuration"])]
    base = alt.Chart(cells).encode(
        x=alt.X(f"{column}:N", title=name, axis=_NO_LINES),
        y=alt.Y("configuration:N", title=None, sort=rows, axis=_NO_LINES),
    )
    map_ = tiles(base, "estimate", "share", (column, name)).add_params(chosen())
    map_ = map_.properties(width=alt.Step(120), height=alt.Step(46))
    return finished(map_, f"{what} by {name}", _reading(style), style, whiskers=False)


def _reading(style: Style) -> str:
    interval = f"{100 * style.level:g} %"
    return f"A tile shows the rate; below it the interval ({interval}) and known episodes. Paler is better."


def _fit(wide: int) -> int:
    """Return how many maps of that width stand side by side."""
    return max(1, 900 // (wide + 60))


def _bars(frame: pl.DataFrame, style: Style, what: str) -> alt.Chart:
    bars = told(frame)
    name, axis = bars["name_1"][0], what.lower()
    base = alt.Chart(bars).encode(
        y=alt.Y("stratum_1:N", title=name, scale=alt.Scale(paddingInner=0.3)),
        yOffset=alt.YOffset("configuration:N", sort=list(style.configurations)),
    )
    body = base.mark_bar(height=alt.RelativeBandSize(0.8), cornerRadiusEnd=2).encode(
        x=share_axis("estimate", axis),
        color=colour(style),
        opacity=faded(0.75),
        tooltip=tooltip(("stratum_1", name)),
    )
    whiskers = base.mark_rule(strokeWidth=1.5, color="#6b7280").encode(
        x=share_axis("low", axis), x2="high:Q", opacity=faded()
    )
    height = bars["stratum_1"].n_unique() * (18 * max(1, len(style.configurations)) + 12)
    layers = alt.layer(body, whiskers).add_params(chosen()).properties(width=WIDTH, height=height)
    return finished(layers, f"{what} by {name}", "A bar a configuration in every stratum.", style)
