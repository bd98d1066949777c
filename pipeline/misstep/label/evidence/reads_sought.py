"""Which calls are the reads that a condition looks for?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.field_tests import with_truth
from misstep.label.evidence.hits import BY, HIT
from misstep.label.facts import EXISTS
from misstep.label.kleene import every, some


def read_hits(
    queries: pl.LazyFrame,
    parts: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    given: pl.LazyFrame,
    ledger: pl.LazyFrame,
    observations: pl.LazyFrame,
    lost: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the calls that a query for a read, or for an authentication, looks for.

    A read is applied, has arguments that pass the tests (others are free), and showed the entity, where one is named:
    perhaps, where its result is lost.
    An authentication is applied, and something came back; where nothing is recorded of what came back, it may have.
    """
    asked = queries.filter(pl.col("source").is_in(["read", "authentication"])).select(
        "query", "run", "source", "tools", "entity_type", "entity_ids", "vague", "nothing"
    )
    shows = observations.select("observation_id", pl.lit(True).alias("shows")).unique()
    outcome = pl.when(pl.col("outcome") == "applied").then(pl.lit(True)).alias("applied")
    called = (
        asked.explode("tools")
        .rename({"tools": "tool"})
        .join(
            agent_calls.filter(pl.col("outcome").is_in(["applied", "unknown"])).drop("kind", "call_id"),
            on=["run", "tool"],
            how="inner",
        )
        .with_columns(outcome)
    )
    told = (
        called.filter(pl.col("source") == "authentication")
        .join(shows, on="observation_id", how="left")
        .filter(pl.col("applied").is_null() | pl.col("result_id").is_not_null() | pl.col("shows").is_not_null())
        .with_columns(pl.col("applied").alias("ok"))
    )
    reads = called.filter(pl.col("source") == "read")
    found = _as_wanted(reads, parts, given, ledger, lost)
    never = pl.lit(None, dtype=pl.Int64)
    return (
        pl.concat([one.select("query", "step", "position", "ok") for one in (told, found)])
        .with_columns(pl.lit("read").cast(BY).alias("by"), never.alias("stale_from"), never.alias("doubt_from"))
        .select(HIT)
    )


def _as_wanted(
    reads: pl.LazyFrame, parts: pl.LazyFrame, given: pl.LazyFrame, ledger: pl.LazyFrame, lost: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the reads whose arguments pass all tests and that showed the entity, with `ok`."""
    tested = reads.select("query", "call", pl.col("arguments_id").alias("given")).join(parts, on="query", how="inner")
    leaves = tested.join(given, left_on=["given", "field"], right_on=["given", "path"], how="inner")
    truths = (
        with_truth(leaves)
        .group_by("query", "call", "part")
        .agg(some(pl.col("truth")).alias("truth"), pl.lit(True).alias("there"))
    )
    truth = pl.when(pl.col("given").is_not_null()).then(
        pl.when(pl.col("there").is_null()).then(pl.lit(False)).otherwise("truth")
    )
    fits = (
        tested.select("query", "call", "part", "given")
        .join(truths, on=["query", "call", "part"], how="left")
        .group_by("query", "call")
        .agg(every(truth).alias("fits"), pl.lit(True).alias("tested"))
    )
    place = ["run", "step", "position"]
    records = ledger.filter((pl.col("field") == EXISTS) & pl.col("by").cast(pl.String).is_in(["read", "observation"]))
    shown = (
        records.filter(~pl.col("unbound"))
        .group_by(*place, "entity_type", "entity_id")
        .agg(some(pl.col("sure")).alias("shown"))
    )
    of_entity = reads.filter(pl.col("entity_type").is_not_null() & ~pl.col("nothing"))
    same = pl.col("entity_ids").is_null() | pl.col("entity_ids").list.contains(pl.col("entity_id"))
    certain = pl.when(~pl.col("vague")).then(pl.lit(True))
    unbound = of_entity.join(
        records.filter("unbound").select(*place, pl.col("entity_type").alias("shown_type")), on=place, how="inner"
    ).filter(pl.col("shown_type").is_null() | (pl.col("shown_type") == pl.col("entity_type")))
    unseen = of_entity.join(lost.select("call"), on="call", how="semi")
    about = (
        pl.concat(
            [
                of_entity.join(shown, on=[*place, "entity_type"], how="inner")
                .filter(same)
                .select("query", "call", (pl.col("shown") & certain).alias("shown")),
                *(
                    one.select("query", "call", pl.lit(None, dtype=pl.Boolean).alias("shown"))
                    for one in (unbound, unseen)
                ),
            ]
        )
        .group_by("query", "call")
        .agg(some(pl.col("shown")).alias("shown"))
    )
    return (
        reads.join(fits, on=["query", "call"], how="left")
        .join(about, on=["query", "call"], how="left")
        .with_columns(
            pl.when(pl.col("tested").is_null()).then(pl.lit(True)).otherwise("fits").alias("fits"),
        )
        .join(about.select("query", "call", pl.lit(True).alias("about")), on=["query", "call"], how="left")
        .filter(pl.col("entity_type").is_null() | pl.col("about").is_not_null())
        .with_columns(
            (
                pl.col("applied")
                & pl.col("fits")
                & pl.when(pl.col("entity_type").is_null()).then(pl.lit(True)).otherwise("shown")
            ).alias("ok")
        )
        .filter(pl.col("ok").fill_null(True))
    )
