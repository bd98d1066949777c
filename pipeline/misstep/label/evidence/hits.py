"""What would meet a condition, and in which steps?

Hits have query, step, position, by, ok (null: perhaps), stale_from and doubt_from (null: never).
"""

from __future__ import annotations

import polars as pl

from misstep.contracts.tables.evidence import ESTABLISHED_BY
from misstep.label.evidence.cases import RUN
from misstep.label.evidence.field_tests import with_truth
from misstep.label.evidence.queries import at_paths
from misstep.label.facts import EXISTS
from misstep.label.kleene import every, some

BY = pl.Enum(ESTABLISHED_BY)
HIT = ["query", "step", "position", "by", "ok", "stale_from", "doubt_from"]
_NO_PART = {"field": EXISTS, "test": "any", "wanted": None}


def record_hits(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return the records in which all tests of a query hold, or may: those of its entity, where it names one."""
    rows = _field_rows(queries.filter(pl.col("source") == "record"), parts, ledger)
    return (
        rows.filter(pl.col("truth").fill_null(True))
        .group_by("query", "record")
        .agg(
            pl.col("step", "position", "by", "needed").first(),
            (every(pl.col("truth")) & pl.col("sure").first() & pl.col("certain").first()).alias("ok"),
            pl.col("stale_from", "doubt_from").min(),
            pl.len().alias("found"),
        )
        .filter(pl.col("found") == pl.col("needed"))
        .select(HIT)
    )


def state_rows(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return each value that a field of the entity of a query was known to have, with the truth of its test.

    Columns: query, part, needed (number of parts), record, step, position, by, valid (null: perhaps), truth, stale_from,
    doubt_from.
    """
    rows = _field_rows(queries.filter(pl.col("source") == "state"), parts, ledger)
    return rows.select(
        *("query", "part", "needed", "record", "step", "position", "by", "truth", "stale_from", "doubt_from"),
        (pl.col("sure") & pl.col("certain")).alias("valid"),
    )


def _field_rows(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return the fields of the ledger that the parts of queries test, with `truth`, `needed`, `certain` (null: vague)."""
    counted = parts.group_by("query").agg(pl.len().alias("needed"))
    asked = (
        queries.filter(~pl.col("nothing"))
        .select("query", "run", "entity_type", "entity_ids", "vague")
        .join(counted, on="query", how="left")
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    bare = asked.filter(pl.col("needed").is_null()).with_columns(
        needed=pl.lit(1, dtype=pl.UInt32),
        part=pl.lit(0, dtype=pl.Int64),
        field=pl.lit(EXISTS),
        test=pl.lit("any"),
        wanted=pl.lit(None, dtype=pl.String),
        keys=none,
        values=none,
        vague_right=pl.lit(False),
        identity=pl.lit(False),
    )
    full = asked.drop_nulls("needed").join(parts.rename({"vague": "vague_right"}), on="query", how="inner")
    rows = pl.concat([full, bare.select(full.collect_schema().names())]).with_columns(
        pl.when(~pl.col("vague")).then(pl.lit(True)).alias("certain")
    ).drop("vague").rename({"vague_right": "vague"})
    of_one = ["run", "entity_type", "entity_id", "field"]
    of_type = ["run", "entity_type", "field"]
    of_any = ["run", "field"]
    named, typed = pl.col("entity_ids").is_not_null(), pl.col("entity_type").is_not_null()
    one = rows.filter(named).explode("entity_ids").rename({"entity_ids": "entity_id"})
    found = pl.concat(
        [
            one.join(ledger, on=of_one, how="inner"),
            rows.filter(~named & typed).drop("entity_ids").join(ledger, on=of_type, how="inner"),
            rows.filter(~named & ~typed).drop("entity_ids", "entity_type").join(ledger, on=of_any, how="inner"),
        ],
        how="diagonal",
    )
    return with_truth(found.with_columns(pl.col("key").is_null().alias("hidden")))


def result_hits(queries: pl.LazyFrame, matched: pl.LazyFrame, attempts: pl.LazyFrame) -> pl.LazyFrame:
    """Return the attempts that executed the action that a query wants, or may have.

    Under the rules of SafeActBench an attempt that was not executed ends the episode: of all others it holds.
    """
    gated = (pl.col("profile") == "safeact") & pl.col("protocol").is_in(RUN)
    executed = (
        pl.when(gated).then(pl.lit(True)).when(pl.col("outcome") != "unknown").then(pl.col("outcome") == "applied")
    )
    done = (
        matched.select("run", "attempt", pl.col("action").alias("result_of"))
        .join(attempts, on=["run", "attempt"], how="inner")
        .select("run", "result_of", "step", "position", executed.alias("ok"))
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
    return (
        tests.select("query", "part")
        .join(truths, on=["query", "part"], how="left")
        .join(truths.select("query", "part", pl.lit(True).alias("there")), on=["query", "part"], how="left")
        .group_by("query")
        .agg(every(pl.when(pl.col("there").is_null()).then(pl.lit(False)).otherwise("truth")).alias("ok"))
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
