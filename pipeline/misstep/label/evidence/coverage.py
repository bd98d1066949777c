"""Which required reads were made, and when?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.cases import LAST
from misstep.label.evidence.equality import equal

MINIMA = {"min_reads": "minimum_reads", "min_read_tools": "minimum_read_tools"}
_PLACE = ["step", "position"]


def covered(
    reads: pl.LazyFrame,
    required_reads: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    texts: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the reads that cover a required one, or may (sure: null): run, read, step, position, sure.

    The tool and all the arguments must be the same. Source: [E], required reads.
    """
    wanted = (
        required_reads.join(codes, on=["suite", "task_id"], how="inner").sort("task", "read").with_row_index("wanted")
    )
    observed = reads.filter(pl.col("in_scope") & pl.col("observed").fill_null(True))
    pairs = observed.join(wanted.select("task", "tool", "read", "wanted"), on=["task", "tool"], how="inner")
    answers = equal_to(pairs, wanted, leaves, texts)
    return (
        pairs.join(answers, on=["arguments_id", "wanted"], how="left")
        .with_columns((pl.col("observed") & pl.col("equal")).alias("sure"))
        .filter(pl.col("sure").fill_null(True))
        .select("run", "read", *_PLACE, "sure")
    )


def equal_to(pairs: pl.LazyFrame, wanted: pl.LazyFrame, leaves: pl.LazyFrame, texts: pl.LazyFrame) -> pl.LazyFrame:
    """Return the distinct pairs (arguments_id, wanted) with `equal`, of wanted reads with their `arguments`."""
    rows = (
        wanted.select("wanted", "arguments")
        .explode("arguments")
        .filter(pl.col("arguments").is_not_null())
        .select(
            "wanted", pl.col("arguments").struct.field("path"), pl.col("arguments").struct.field("compare").alias("key")
        )
    )
    none = rows.select("wanted", "path").clear()
    return equal(pairs.select("arguments_id", "wanted", pl.lit(False).alias("strict")), rows, none, leaves, texts)


def moments(attempts: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, task, attempt, limit) of the attempts of cases: what counts comes in a step before `limit`."""
    return attempts.filter(pl.col("task").is_not_null()).select(
        "run", "task", pl.col("attempt").cast(pl.Int64), pl.col("step").alias("limit")
    )


def at_end(cases: pl.LazyFrame) -> pl.LazyFrame:
    """Return the ends of cases as moments."""
    return cases.select(
        "run", "task", pl.lit(-1, dtype=pl.Int64).alias("attempt"), pl.lit(LAST, dtype=pl.Int64).alias("limit")
    )


def coverage(
    moments: pl.LazyFrame,
    covered: pl.LazyFrame,
    reads: pl.LazyFrame,
    cases: pl.LazyFrame,
    required_reads: pl.LazyFrame,
    codes: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row a (moment, required read or least number of reads): met (null: unknown), step, position.

    Columns: run, attempt, limit, requirement, minimum, tool (of a required read), met, step, position (of the first
    read that made it so). Where calls were lost nothing is certainly missing.
    """
    wanted = required_reads.join(codes, on=["suite", "task_id"], how="inner").select("task", "read", "tool")
    items = pl.concat(
        [
            _reads_met(moments, covered, wanted),
            *(_minimum_met(moments, reads, cases, column, name) for column, name in MINIMA.items()),
        ]
    )
    return items.join(cases.select("run", "lost"), on="run", how="left").with_columns(
        pl.when(pl.col("met") | ~pl.col("lost")).then("met").alias("met")
    )


def _reads_met(moments: pl.LazyFrame, covered: pl.LazyFrame, wanted: pl.LazyFrame) -> pl.LazyFrame:
    asked = moments.join(wanted, on="task", how="inner")
    found = (
        asked.select("run", "attempt", "limit", "read")
        .join(covered.sort("run", *_PLACE), on=["run", "read"], how="inner", maintain_order="right")
        .filter(pl.col("step") < pl.col("limit"))
        .group_by("run", "attempt", "read", maintain_order=True)
        .agg(
            pl.col("sure").fill_null(False).any().alias("surely"),
            *(pl.col(name).filter(pl.col("sure")).first() for name in _PLACE),
        )
    )
    met = (
        pl.when(pl.col("surely"))
        .then(pl.lit(True))
        .when(pl.col("surely").is_null())
        .then(pl.lit(False))
        .otherwise(pl.lit(None, dtype=pl.Boolean))
    )
    return asked.join(found, on=["run", "attempt", "read"], how="left").select(
        *("run", "attempt", "limit"),
        pl.col("read").alias("requirement"),
        pl.lit(False).alias("minimum"),
        "tool",
        met.alias("met"),
        *_PLACE,
    )


def _minimum_met(
    moments: pl.LazyFrame, reads: pl.LazyFrame, cases: pl.LazyFrame, column: str, name: str
) -> pl.LazyFrame:
    least = cases.select("run", pl.col(column).alias("least")).drop_nulls("least")
    asked = moments.join(least, on="run", how="inner")
    counted = reads.filter(pl.col("in_scope")).join(least, on="run", how="semi")
    sure, perhaps = counted.filter("observed"), counted.filter(pl.col("observed").fill_null(True))
    if column == "min_read_tools":
        sure, perhaps = (
            one.sort("call").unique(["run", "tool"], keep="first", maintain_order=True) for one in (sure, perhaps)
        )
    reaching = (
        sure.sort("call")
        .with_columns(pl.int_range(1, pl.len() + 1).over("run").cast(pl.Int64).alias("least"))
        .join(least.with_columns(pl.col("least").clip(lower_bound=1)), on=["run", "least"], how="inner")
        .select("run", *_PLACE)
    )
    reached = pl.col("step") < pl.col("limit")
    enough = (
        pl.when(reached | (pl.col("least") <= 0))
        .then(pl.lit(True))
        .when(pl.col("perhaps").fill_null(0) < pl.col("least"))
        .then(pl.lit(False))
        .otherwise(pl.lit(None, dtype=pl.Boolean))
    )
    before = (
        asked.join(perhaps.select("run", "step"), on="run", how="inner")
        .filter(reached)
        .group_by("run", "attempt")
        .agg(pl.len().cast(pl.Int64).alias("perhaps"))
    )
    return (
        asked.join(before, on=["run", "attempt"], how="left")
        .join(reaching, on="run", how="left")
        .select(
            *("run", "attempt", "limit"),
            pl.lit(name).alias("requirement"),
            pl.lit(True).alias("minimum"),
            pl.lit(None, dtype=pl.String).alias("tool"),
            enough.alias("met"),
            *(pl.when(reached).then(part).alias(part) for part in _PLACE),
        )
    )
