"""One model in two harnesses: on which runs both, one or neither succeed."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from misstep.stats.metrics import metric, scored
from misstep.stats.population import Population

SCHEMA = pl.Schema(
    {
        **{name: pl.String() for name in ("metric", "model", "first", "second")},
        **{name: pl.Int64() for name in ("pairs", "both", "only_first", "only_second", "neither", "unknown")},
    }
)
_RUN = ("suite", "task_id", "replicate")


def harness_pairs(episodes: Population, name: str) -> pl.DataFrame:
    """Return a row a (model, pair of its harnesses): pairs of runs of a task and replicate, by who has the label.

    A pair counts where both runs belong to the metric; it is unknown where the label of one is. Several runs of one
    task and replicate are paired in the order of their keys.

    Args:
        episodes: whose `configuration` says model and harness, among others.
        name: of a metric of labels.
    """
    known = metric(name)
    labels = scored(episodes.asked(known, []), known, "standard").collect().select("episode", "value", "member")
    runs = (
        pl.concat([episodes.frame, episodes.missing])
        .select("episode", "model", "harness", "configuration", *_RUN)
        .join(labels.filter(pl.col("member").fill_null(value=True)), on="episode")
        .with_columns(
            pl.when("member").then("value").cast(pl.Boolean).alias("value"),
            pl.col("episode").rank("ordinal").over("configuration", *_RUN).alias("turn"),
        )
    )
    rows = []
    for (model,), of_model in sorted(runs.group_by("model"), key=lambda pair: str(pair[0][0])):
        sides = of_model.select("harness", "configuration").unique().sort("harness", "configuration")
        if sides["harness"].n_unique() < 2 or sides.height != sides["harness"].n_unique():
            continue
        for first, second in combinations(sides["configuration"], 2):
            told = _counted(of_model, first, second)
            rows.append({"metric": name, "model": model, "first": first, "second": second, **told})
    return pl.DataFrame(rows, schema=SCHEMA)


def _counted(runs: pl.DataFrame, first: str, second: str) -> dict[str, int]:
    on = [*_RUN, "turn"]
    sides = [runs.filter(configuration=name).select(*on, "value") for name in (first, second)]
    pairs = sides[0].join(sides[1], on=on, nulls_equal=True)
    a, b = pl.col("value"), pl.col("value_right")
    counts = {"both": a & b, "only_first": a & ~b, "only_second": ~a & b, "neither": ~a & ~b}
    found = pairs.select(
        pl.len().alias("pairs"),
        *((a.is_not_null() & b.is_not_null() & holds).sum().alias(name) for name, holds in counts.items()),
        (a.is_null() | b.is_null()).sum().alias("unknown"),
    ).row(0, named=True)
    return {name: int(number or 0) for name, number in found.items()}
