"""One model in two harnesses: stacked counts of runs that both, one or neither solved."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import WIDTH, Style, chosen, finished
from misstep.report.numbers import Numbers

#: Column of counts → words and colour; a bar begins with the first.
WHO = {
    "both": ("both", "#3d8f6a"),
    "only_first": ("only the first", "#3b6fb6"),
    "only_second": ("only the second", "#d1651f"),
    "neither": ("neither", "#b9bfca"),
    "unknown": ("unknown", "#6f5bd1"),
}


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the pairs of harnesses of every model by who solved, or reached the goal; no row without such models."""
    words = {name: told for name, (told, _) in WHO.items()}
    return (
        numbers.harnesses.unpivot(
            on=list(WHO), index=["metric", "model", "first", "second", "pairs"], variable_name="who", value_name="runs"
        )
        .filter(pl.col("runs") > 0)
        .with_columns(
            pl.col("who").replace_strict(list(WHO), range(len(WHO)), return_dtype=pl.Int64).alias("place"),
            pl.col("who").replace_strict(words, return_dtype=pl.String).alias("series"),
            pl.format("{} / {}", "first", "second").alias("pair"),
            pl.col("first").alias("configuration"),
        )
        .sort("model", "first", "second", "place")
    )


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a stacked bar a pair; its parts add up to all pairs of runs."""
    present = [told for told, _ in WHO.values() if told in set(frame["series"])]
    colours = {told: colour for told, colour in WHO.values()}
    bars = (
        alt.Chart(frame)
        .mark_bar(height=alt.RelativeBandSize(0.7), stroke="white", strokeWidth=0.8)
        .encode(
            y=alt.Y("pair:N", title=None, sort=frame["pair"].unique(maintain_order=True).to_list(),
                    axis=alt.Axis(labelLimit=360)),
            x=alt.X("runs:Q", title="pairs of runs", axis=alt.Axis(format="d", tickMinStep=1)),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=present, range=[colours[told] for told in present]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            order=alt.Order("place:Q"),
            tooltip=["first:N", "second:N", alt.Tooltip("series:N", title="who"), "runs:Q", "pairs:Q"],
        )
        .add_params(chosen())
        .properties(width=WIDTH, height=max(60, 34 * frame["pair"].n_unique()))
    )  # fmt: skip
    return finished(
        bars,
        "The same model in two harnesses",
        "Runs of the same task and replicate: who solved it. Counts, not rates, so there is no interval.",
        style,
        whiskers=False,
    )
