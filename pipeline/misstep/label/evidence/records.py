"""Which records, and which values of a state, does a condition look for?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.field_tests import with_truth
from misstep.label.evidence.hits import HIT
from misstep.label.kleene import every

#: Pairs of a query and a field of the ledger that are looked at together, at most: bounds the memory.
_PAIRS = 100_000_000
_SEEN = ["record", "step", "position", "by", "sure", "stale_from", "doubt_from"]


def record_hits(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return the records in which all tests of a query hold, or may: those of its entity, where it names one.

    Records after one that does and can never become stale add nothing and are left out.
    """
    return all_record_hits(queries, parts, ledger, until_sure=True)


def all_record_hits(
    queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame, *, until_sure: bool = False
) -> pl.LazyFrame:
    """Return the same with all records, unless only those are asked for `until_sure`."""
    asked = queries.filter(pl.col("source") == "record")
    slices = _slices(asked, ledger)
    found = (_divided(asked.filter(pl.col("query") % slices == one), parts, ledger) for one in range(slices))
    return pl.concat([(_until_sure(one) if until_sure else one).collect() for one in found]).lazy()


def _slices(asked: pl.LazyFrame, ledger: pl.LazyFrame) -> int:
    """Return in how many slices to look for records: queries that name no entity may look at all of an episode."""
    heights = ledger.group_by("run").agg(pl.len().cast(pl.Int64).alias("height"))
    vague = asked.filter(pl.col("entity_ids").is_null()).join(heights, on="run", how="inner")
    return int(vague.select(pl.col("height").sum()).collect().item()) // _PAIRS + 1


def _divided(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return the records in which all parts hold, or may."""
    return (
        _tested_fields(queries, parts, ledger, failing=False)
        .filter(pl.col("truth").fill_null(True))
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


def _until_sure(hits: pl.LazyFrame) -> pl.LazyFrame:
    lasting = pl.col("ok").fill_null(False) & pl.col("doubt_from").is_null()
    enough = hits.group_by("query").agg(pl.col("step").filter(lasting).min().alias("enough"))
    return (
        hits.join(enough, on="query", how="left")
        .filter(pl.col("enough").is_null() | (pl.col("step") <= pl.col("enough")))
        .drop("enough")
    )


def state_rows(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return each value that a field of the entity of a query was known to have, with the truth of its test.

    Columns: query, part, needed (number of parts), record, step, position, by, valid (null: perhaps), truth,
    stale_from, doubt_from.
    """
    rows = _tested_fields(queries.filter(pl.col("source") == "state"), parts, ledger, failing=True)
    return rows.select(
        *("query", "part", "needed", "record", "step", "position", "by", "truth", "stale_from", "doubt_from"),
        (pl.col("sure") & pl.col("certain")).alias("valid"),
    )


def _tested_fields(queries: pl.LazyFrame, parts: pl.LazyFrame, ledger: pl.LazyFrame, *, failing: bool) -> pl.LazyFrame:
    """Return the fields of the ledger that the parts of queries test: query, part, needed, certain, truth, _SEEN.

    `needed`: the number of parts; `certain`: null where it is not known which entity is meant, or was shown. Unless
    `failing` ones are asked for, what a test of equality is false of is left out.
    """
    counted = parts.group_by("query").agg(pl.len().alias("needed"))
    rows = (
        queries.filter(~pl.col("nothing"))
        .select(
            *("query", "run", "entity_type", "entity_ids"),
            pl.when(~pl.col("vague")).then(pl.lit(True)).alias("certain"),
        )
        .join(counted, on="query", how="inner")
        .join(parts.drop("identity"), on="query", how="inner")
    )
    named, typed = pl.col("entity_ids").is_not_null(), pl.col("entity_type").is_not_null()
    perhaps = rows.filter(typed).drop("entity_ids").with_columns(pl.lit(None, dtype=pl.Boolean).alias("certain"))
    bound, unbound = ledger.filter(~pl.col("unbound")), ledger.filter("unbound")
    of_any = unbound.filter(pl.col("entity_type").is_null())
    one = rows.filter(named).explode("entity_ids").rename({"entity_ids": "entity_id"})
    some_type = rows.filter(~named & typed).drop("entity_ids")
    anything = rows.filter(~named & ~typed).drop("entity_ids", "entity_type")
    return pl.concat(
        [
            *_tested(one, ledger, ["run", "entity_type", "entity_id", "field"], failing),
            *_tested(some_type, bound, ["run", "entity_type", "field"], failing),
            *_tested(perhaps, unbound, ["run", "entity_type", "field"], failing),
            *_tested(perhaps.drop("entity_type"), of_any, ["run", "field"], failing),
            *_tested(anything, ledger, ["run", "field"], failing),
        ]
    )


def _tested(rows: pl.LazyFrame, ledger: pl.LazyFrame, by: list[str], failing: bool) -> list[pl.LazyFrame]:
    """Return the fields of the ledger for each test, with `truth`: tests of equality are joined by key."""
    equal, known = (pl.col("test") == "is") & ~pl.lit(failing), pl.col("key").is_not_null()
    asked, columns = ["query", "part", "needed", "certain"], [*by, "key", "value", *_SEEN]
    met = (
        rows.filter(equal)
        .select(*asked, *by, pl.col("keys").list.unique().alias("key"))
        .explode("key")
        .join(ledger.filter(known).select(*by, "key", *_SEEN), on=[*by, "key"], how="inner")
        .with_columns(pl.lit(True).alias("truth"))
    )
    others = pl.concat(
        [
            rows.filter(~equal).join(ledger.select(columns), on=by, how="inner"),
            rows.filter(equal).join(ledger.filter(~known).select(columns), on=by, how="inner"),
        ]
    )
    tested = with_truth(others.with_columns(pl.col("key").is_null().alias("hidden")))
    return [one.select(*asked, "truth", *_SEEN) for one in (met, tested)]
