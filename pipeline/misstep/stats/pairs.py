"""Rules of published files that compare two rates task by task, replicate by replicate, or ask the specification."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from misstep.contracts.asked import Paired, Rate, Specified, Spread
from misstep.contracts.errors import UsageError
from misstep.stats.asked import Episodes, Row, key, labels_of
from misstep.stats.chosen import fits
from misstep.stats.contrasts import contrast, without_halves
from misstep.stats.metrics import metric
from misstep.stats.values import Source, Value

_NONE = "no task that both sides have"


def paired(rule: Paired, source: Source) -> Value:
    """Return what a pair of rates gives, or why there is none.

    Raises:
        UsageError: a side asks for a column or metric that there is not.
    """
    row = contrasted(rule, source)
    if row is None or row["difference"] is None:
        return Value(value=0.0, greatest=0.0) if rule.take == "pairs" else Value(reason=_NONE)
    told = f"{row['pairs']} shared tasks, {row['clusters']} clusters"
    if rule.take == "pairs":
        return Value(value=float(row["pairs"]), greatest=float(row["pairs"]))
    if rule.take in ("low", "high", "apart") and row["low"] is None:
        return Value(reason=f"no interval ({row['method']})")
    if rule.take == "apart":
        interval = f"interval {100 * row['low']:.1f} to {100 * row['high']:.1f}"
        return Value(holds=not row["low"] <= 0 <= row["high"], reason=f"{interval}, {told}")
    names = {"difference": "difference", "first": "estimate_a", "second": "estimate_b", "low": "low", "high": "high"}
    value = float(row[names[rule.take]])
    ends = (row["low"], row["high"]) if rule.take == "difference" else (None, None)
    return Value(value=value, greatest=value, low=ends[0], high=ends[1], share=True, reason=told)


def contrasted(rule: Paired, source: Source) -> Row | None:
    """Return the row of `contrasts` of a pair; null where a side has no episode."""
    first, second = (_side(rate, source.episodes, name) for rate, name in zip(rule.paired, ("a", "b"), strict=True))
    if first.is_empty() or second.is_empty():
        return None
    if rule.complete is not None:
        first, second = _complete(first, second, rule.complete, source.episodes)
        if first.is_empty() or second.is_empty():
            return None
    both = pl.concat([first, second])
    if rule.tasks == "shared":
        both = without_halves(both)
    if both["group"].n_unique() < 2:
        return None
    drawn, bounded = source.statistics, all(metric(rate.rate).bounded for rate in rule.paired)
    found = contrast(
        both, rule.paired[0].rate, "a", "b",
        level=drawn.level, draws=drawn.draws, seed=drawn.seed, clusters=source.episodes.whole.clusters, bounded=bounded,
        paired=rule.tasks == "shared",
    )  # fmt: skip
    return found.row(0, named=True)


def _side(rate: Rate, episodes: Episodes, name: str) -> pl.DataFrame:
    rows = labels_of(rate, episodes)
    return rows.with_columns(pl.lit(name).alias("group"), pl.col("value").cast(pl.Float64))


def _complete(
    first: pl.DataFrame, second: pl.DataFrame, column: str, episodes: Episodes
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of those values of a column of which every task is known on both sides."""
    if column not in episodes.whole.frame.columns:
        raise UsageError(f"episodes have no {column!r}")
    named = episodes.whole.frame.select("episode", pl.col(column).cast(pl.String).alias("value_of"))
    known = (pl.col("member") & pl.col("value").is_not_null()).fill_null(value=False)
    sides = [rows.join(named, on="episode", how="left").with_columns(known.alias("known")) for rows in (first, second)]
    every = pl.concat([rows.select("value_of", "group", "task_id", "known") for rows in sides])
    tasks = every.group_by("value_of", "task_id").agg(
        pl.col("known").all(), (pl.col("group").n_unique() == 2).alias("both")
    )
    whole = tasks.group_by("value_of").agg((pl.col("known") & pl.col("both")).all().alias("whole")).filter("whole")
    kept = (rows.join(whole, on="value_of", how="semi", nulls_equal=True) for rows in sides)
    a, b = (rows.drop("value_of", "known") for rows in kept)
    return a, b


def replicates(rate: Rate, episodes: Episodes) -> Iterator[Rate]:
    """Yield the rate of each replicate."""
    for number in episodes.values("replicate"):
        yield rate.model_copy(update={"where": {**rate.where, "replicate": number}})


def spread(rule: Spread, source: Source) -> Value:
    """Return the standard deviation over replicates, or why there is none.

    Raises:
        UsageError: a rate asks for a column or metric that there is not.
    """
    if len(rule.spread) == 1:
        rows = [source.rates.get(key(rate)) for rate in replicates(rule.spread[0], source.episodes)]
        values = [row["estimate"] for row in rows if row is not None and row["estimate"] is not None]
    else:
        sides = zip(*(replicates(rate, source.episodes) for rate in rule.spread), strict=True)
        pairs = [contrasted(Paired(paired=list(pair), tasks="all"), source) for pair in sides]
        values = [row["difference"] for row in pairs if row is not None and row["difference"] is not None]
    if len(values) < 2:
        return Value(reason="fewer than two replicates")
    value = float(np.std(values, ddof=1))
    return Value(value=value, greatest=value, share=True, reason=f"{len(values)} replicates")


def of_specification(rule: Specified, source: Source) -> Value:
    """Return a number of the tasks that fit.

    Raises:
        UsageError: tasks have no such column.
    """
    frame = source.tasks
    for name, wanted in rule.where.items():
        if name not in frame.columns:
            raise UsageError(f"tasks have no {name!r}; there are {', '.join(frame.columns)}")
        frame = frame.filter(fits(name, wanted))
    if frame.is_empty():
        return Value(reason="no such task")
    column = frame[rule.specified]
    found = {"mean": column.mean, "median": column.median, "most": column.max, "total": column.sum}[rule.take]()
    value = float(found)  # type: ignore[arg-type]
    return Value(value=value, greatest=value, reason=f"{frame.height} tasks")
