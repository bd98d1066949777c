"""What came nearest to a missing requirement: stale, of another entity, or too late?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.cases import LAST
from misstep.label.evidence.met import all_parts, latest_values, met, place
from misstep.label.evidence.reads_sought import read_hits
from misstep.label.evidence.records import all_record_hits
from misstep.label.evidence.statuses import roles
from misstep.label.facts import EXISTS


def missing(demands: pl.LazyFrame, met: pl.LazyFrame, statuses: pl.LazyFrame, queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return the demands of all conditions that would support a missing requirement, with `query` and `failed`."""
    wanted = statuses.filter(pl.col("status") == "MISSING").select("obligation")
    return (
        demands.filter(pl.col("role") == "supported")
        .join(wanted, on="obligation", how="semi")
        .join(met.select("demand", (~pl.col("holds")).fill_null(False).alias("failed")), on="demand", how="left")
        .join(queries.select("run", "clause", "of", "query"), on=["run", "clause", "of"], how="left")
    )


def stale(missing: pl.LazyFrame, hits: pl.LazyFrame, states: pl.LazyFrame) -> pl.LazyFrame:
    """Return (obligation, place) of the last record or value that would do if it were not stale."""
    failed = missing.filter("failed").select("obligation", "demand", "query", "limit")
    records = (
        failed.join(hits.filter("ok"), on="query", how="inner")
        .filter((pl.col("step") < pl.col("limit")) & pl.col("doubt_from").is_not_null())
        .select("obligation", place().alias("place"))
    )
    values = all_parts(latest_values(failed.select("demand", "query", "limit"), states, stale=True))
    of_states = failed.join(values.filter("holds"), on="demand", how="inner").select("obligation", "place")
    return pl.concat([records, of_states]).group_by("obligation").agg(pl.col("place").max())


def of_another(
    missing: pl.LazyFrame,
    queries: pl.LazyFrame,
    parts: pl.LazyFrame,
    ledger: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    given: pl.LazyFrame,
    observations: pl.LazyFrame,
    lost: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (obligation, place) of the last record or read that would do but for which entity it is about."""
    failed = missing.filter("failed").select("obligation", "query", "limit")
    anything = {
        "entity_type": pl.lit(None, dtype=pl.String),
        "entity_ids": pl.lit(None, dtype=pl.List(pl.String)),
        "vague": pl.lit(False),
        "nothing": pl.lit(False),
    }
    asked = queries.join(failed.select("query").unique(), on="query", how="semi").with_columns(**anything)
    kept = parts.filter(~pl.col("identity") & (pl.col("field") != EXISTS))
    testing = asked.join(kept.select("query").unique(), on="query", how="semi")
    of_records = testing.filter(pl.col("source").is_in(["record", "state"])).with_columns(source=pl.lit("record"))
    reads = asked.filter(pl.col("source") == "read")
    found = pl.concat(
        [
            all_record_hits(of_records, kept, ledger),
            read_hits(reads, kept, agent_calls, given, ledger, observations, lost),
        ]
    )
    fresh = ~(pl.col("limit") >= pl.col("doubt_from")).fill_null(False)
    return (
        failed.join(found.filter("ok"), on="query", how="inner")
        .filter((pl.col("step") < pl.col("limit")) & fresh)
        .group_by("obligation")
        .agg(place().max().alias("place"))
    )


def late(missing: pl.LazyFrame) -> pl.LazyFrame:
    """Return the demands of missing requirements as if they were asked for at the end of the episode."""
    return missing.drop("failed", "query").with_columns(pl.lit(LAST, dtype=pl.Int64).alias("limit"))


def later(
    late: pl.LazyFrame,
    queries: pl.LazyFrame,
    hits: pl.LazyFrame,
    states: pl.LazyFrame,
    confirmed: pl.LazyFrame,
    unseen: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (obligation, place) of what is established at the end of the episode, and where it became so.

    Else of what would be, if nothing that was shown had been superseded since, often by the attempt itself.
    """
    at_end = roles(late, met(late, queries, hits, states, confirmed, unseen)).filter("holds")
    rest = late.join(at_end, on="obligation", how="anti")
    never = pl.lit(None, dtype=pl.Int64)
    shown, valued = (one.with_columns(stale_from=never, doubt_from=never) for one in (hits, states))
    once = roles(rest, met(rest, queries, shown, valued, confirmed, unseen)).filter("holds")
    return pl.concat([one.select("obligation", "place") for one in (at_end, once)])


def nearest(statuses: pl.LazyFrame, stale: pl.LazyFrame, of_another: pl.LazyFrame, later: pl.LazyFrame) -> pl.LazyFrame:
    """Return (obligation, near_miss, near_place) of the requirements that are missing or violated."""
    near = statuses.select("obligation", "status")
    names = {"stale": stale, "wrong_entity": of_another, "later": later}
    for name, frame in names.items():
        near = near.join(
            frame.select("obligation", pl.col("place").alias(f"{name}_place"), pl.lit(name).alias(name)),
            on="obligation",
            how="left",
        )
    return near.filter(pl.col("status").is_in(["MISSING", "VIOLATED"])).select(
        "obligation",
        pl.when(pl.col("status") == "VIOLATED")
        .then(pl.lit("none"))
        .otherwise(pl.coalesce(*names, pl.lit("none")))
        .alias("near_miss"),
        pl.when(pl.col("status") == "MISSING")
        .then(
            pl.when(pl.col("stale").is_not_null())
            .then("stale_place")
            .when(pl.col("wrong_entity").is_not_null())
            .then("wrong_entity_place")
            .otherwise("later_place")
        )
        .alias("near_place"),
    )
