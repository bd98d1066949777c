"""The diagnostics of evidence: a row a configuration, a column a way to go ahead of it."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, chosen, finished
from misstep.report.figures.tiles import tiles, written
from misstep.report.numbers import Numbers
from misstep.stats.metrics import METRICS

#: Metric → head of its column, in order.
COLUMNS = {
    "bsr": "BSR (V0)",
    "par": "PAR (V1)",
    "cas": "CAS (V1)",
    "gap_v2": "Gap (V2)",
    "partial_v2": "Partial (V2)",
    "gap_v3": "Gap (V3)",
    "partial_v3": "Partial (V3)",
    "gold_bsr": "BSR (gold reads)",
    "gold_par": "PAR (gold reads)",
    "rule_par": "PAR (rules)",
}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the diagnostics of every configuration, as far as it has episodes of them."""
    found = numbers.of(list(COLUMNS), ["standard"]).filter(pl.col("denominator") + pl.col("unknown") > 0)
    return found.with_columns(pl.col("metric").replace_strict(COLUMNS, return_dtype=pl.String).alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a heat map: configurations downwards, diagnostics to the right."""
    good = [name for name in COLUMNS if METRICS[name].better == "high"]
    estimate = pl.col("estimate")
    harm = pl.when(pl.col("metric").is_in(good)).then(1 - estimate).otherwise(estimate).alias("harm")
    columns = [head for head in COLUMNS.values() if head in set(frame["series"])]
    rows = [name for name in style.configurations if name in set(frame["configuration"])]
    plain = alt.Axis(grid=False, domain=False, ticks=False, labelLimit=200)
    base = alt.Chart(written(frame).with_columns(harm)).encode(
        x=alt.X("series:N", title=None, sort=columns, axis=alt.Axis(labelAngle=0, orient="top", **plain.to_dict())),
        y=alt.Y("configuration:N", title=None, sort=rows, axis=plain),
    )
    map_ = tiles(base, "harm", "harm", ("series", "diagnostic"), legend=False).add_params(chosen())
    return finished(
        map_.properties(width=alt.Step(104), height=alt.Step(46)),
        "Ahead of the evidence",
        f"A tile shows the rate; below it the interval ({100 * style.level:g} %) and known episodes. Paler is better: "
        "CAS shall be high, all others low.",
        style,
        whiskers=False,
    )
