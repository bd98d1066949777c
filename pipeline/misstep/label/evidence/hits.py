"""What would meet a condition, and in which steps?

Hits have query, step, position, by, ok (null: perhaps), stale_from and doubt_from (null: never).
"""

from __future__ import annotations

import polars as pl

from misstep.contracts.tables.evidence import ESTABLISHED_BY
from misstep.label.evidence.field_tests import with_truth
from misstep.label.evidence.queries import at_paths
from misstep.label.kleene import every, some

BY = pl.Enum(ESTABLISHED_BY)
HIT = ["query", "step", "position", "by", "ok", "stale_from", "doubt_from"]


def result_hits(queries: pl.LazyFrame, matched: pl.LazyFrame, attempts: pl.LazyFrame) -> pl.LazyFrame:
    """Return the attempts that executed the action that a query wants, or may have.

    A gated attempt that was not executed ends the episode: all others were.
    """
    done = (
        matched.select("run", "attempt", pl.col("action").alias("result_of"))
        .join(attempts, on=["run", "attempt"], how="inner")
        .select("run", "result_of", "step", "position", pl.col("done").alias("ok"))
        .filter(pl.col("ok").fill_null(True))
    )
    never = pl.lit(None, dtype=pl.Int64)
    return (
        queries.filter(pl.col("source") == "result_of")
        .select("query", "run", "result_of")
        .join(done, on=["run", "result_of"], how="inner")
        .with_columns(pl.lit("action").cast(BY).alias("by"), never.alias("stale_from"), never.alias("doubt_from"))
        .select(HIT)
    )


def argument_hits(
    queries: pl.LazyFrame, parts: pl.LazyFrame, given: pl.LazyFrame, open_paths: pl.LazyFrame
) -> pl.LazyFrame:
    """Return one hit a query about the attempt itself, where it holds or may; a missing argument fails every test."""
    asked = queries.filter(pl.col("source") == "action").select("query", "given", "tool", "blind")
    tests = asked.join(parts, on="query", how="inner")
    of_tool = tests.filter(pl.col("field") == "tool")
    name = pl.concat_str(pl.lit('"'), "tool", pl.lit('"'))
    leaf = at_paths(
        tests.filter(pl.col("field") != "tool").with_columns(
            pl.col("field").str.strip_prefix("arguments.").alias("path")
        ),
        given,
        open_paths,
    )
    columns = ["query", "part", "test", "wanted", "keys", "values", "vague", "value", "key", "hidden"]
    rows = pl.concat(
        [
            of_tool.with_columns(name.alias("value"), name.alias("key"), pl.lit(False).alias("hidden")).select(columns),
            leaf.select(columns),
        ]
    )
    truths = with_truth(rows).group_by("query", "part").agg(some(pl.col("truth")).alias("truth"))
    never = pl.lit(None, dtype=pl.Int64)
    context = pl.lit(-1, dtype=pl.Int64)
    unreadable = pl.col("blind") & (pl.col("field") != "tool")
    truth = pl.when(pl.col("there").is_null()).then(pl.lit(False)).when(~unreadable).then("truth")
    return (
        tests.select("query", "part", "field", "blind")
        .join(truths, on=["query", "part"], how="left")
        .join(truths.select("query", "part", pl.lit(True).alias("there")), on=["query", "part"], how="left")
        .group_by("query")
        .agg(every(truth).alias("ok"))
        .filter(pl.col("ok").fill_null(True))
        .select(
            "query",
            context.alias("step"),
            context.alias("position"),
            pl.lit("arguments").cast(BY).alias("by"),
            "ok",
            never.alias("stale_from"),
            never.alias("doubt_from"),
        )
    )
