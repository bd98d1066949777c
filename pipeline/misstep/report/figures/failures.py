"""How cases were solved or failed: a stacked bar a configuration, a panel a protocol."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import SHARE, Style, chosen, faded, finished, told, tooltip
from misstep.report.numbers import Numbers
from misstep.stats.evidence import FAILURES, failure_metric

_SOLVED = "solved"
#: What became of a case → colour; a bar begins with the first.
COLOURS = {
    _SOLVED: "#3d8f6a",
    "incomplete investigation": "#d1651f",
    "early action": "#c8384f",
    "gap only": "#e08a3c",
    "gap and partial": "#9c1c1c",
    "partial only": "#c9a227",
    "covered action failure": "#6f5bd1",
    "no action": "#8b93a3",
    "other": "#b9bfca",
}
_METRICS = {
    failure_metric(protocol, way): (protocol, words)
    for protocol, ways in FAILURES.items()
    for way, words in ways.items()
}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the shares of the scored cases of each protocol that were solved, or failed in each way."""
    failed = numbers.of(list(_METRICS), ["standard"]).with_columns(
        pl.col("metric").replace_strict({name: told[0] for name, told in _METRICS.items()}).alias("protocol"),
        pl.col("metric").replace_strict({name: told[1] for name, told in _METRICS.items()}).alias("became"),
    )
    solved = numbers.along("protocol", ["ecs"]).filter(pl.col("at").is_in(list(FAILURES)))
    solved = solved.with_columns(pl.col("at").alias("protocol"), pl.lit(_SOLVED).alias("became"))
    return (
        pl.concat([solved, failed.select(solved.columns)])
        .filter(pl.col("denominator") > 0)
        .with_columns(pl.format("{} · {}", "protocol", "became").alias("series"))
        .sort("protocol", pl.col("became").replace_strict({n: i for i, n in enumerate(COLOURS)}), "configuration")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return stacked bars whose parts add up to all scored cases of the protocol."""
    order = {name: place for place, name in enumerate(COLOURS)}
    stacked = told(frame).with_columns(pl.col("became").replace_strict(order, return_dtype=pl.Int64).alias("place"))
    present = [name for name in COLOURS if name in set(frame["became"])]
    rows = [name for name in style.configurations if name in set(frame["configuration"])]
    bars = (
        alt.Chart(stacked)
        .mark_bar(height=alt.RelativeBandSize(0.7), stroke="white", strokeWidth=0.8)
        .encode(
            y=alt.Y("configuration:N", title=None, sort=rows),
            x=alt.X(
                "estimate:Q",
                title="share of scored cases",
                axis=alt.Axis(format=SHARE, tickCount=5),
                scale=alt.Scale(domain=[0, 1], clamp=True),
            ),
            color=alt.Color(
                "became:N",
                scale=alt.Scale(domain=present, range=[COLOURS[name] for name in present]),
                legend=alt.Legend(title=None, orient="bottom", columns=4),
            ),
            order=alt.Order("place:Q"),
            opacity=faded(),
            tooltip=tooltip(("series", "what became")),
        )
        .properties(width=380, height=max(40, 26 * len(rows)))
        .facet(facet=alt.Facet("protocol:N", title=None), columns=2)
        .add_params(chosen())
    )
    return finished(
        bars,
        "Solved, or failed, and how",
        "The parts of a bar add up to the scored cases of the protocol; tooltips and the figure's table have their "
        "intervals.",
        style,
        whiskers=False,
    )
