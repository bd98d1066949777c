"""What was known of a field just before a write: the state at the start, the writes before it, what was observed?

The same replay runs over episodes and over the reference writes of tasks.
"""

from __future__ import annotations

import polars as pl

from misstep.label.containment import holds
from misstep.label.existence import without_idle
from misstep.label.facts import EXISTS, MEMBERS, before

#: A prior is known; or the writes before leave it unknown; or nothing at all says what it was.
KNOWN, UNKNOWN_WRITE, UNKNOWN_VALUE, ABSENT = "known", "unknown_write", "unknown_value", "absent"
_SEEK = "seek"
_EVENT = ("event_in", "event_status", "event_key", "event_value")


def sources(
    looks: pl.LazyFrame, stated: pl.LazyFrame, cells: pl.LazyFrame, deeds: pl.LazyFrame, sightings: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the priors of the fields that values are taken from: deed, field, status, key, value."""
    queries = looks.select("deed", "entity", "field").join(
        cells.select("cell", "entity", "field"), on=["entity", "field"], how="inner"
    )
    told = stated.join(queries.select("cell", "entity", "field").unique(), on=["entity", "field"], how="inner")
    return _priors(before(queries, _events(told), ["cell"]), deeds, cells, sightings).select(
        "deed", "field", "status", "key", "value"
    )


def priors(facts: pl.LazyFrame, cells: pl.LazyFrame, deeds: pl.LazyFrame, sightings: pl.LazyFrame) -> pl.LazyFrame:
    """Return what was known before each set, replacement and deletion, and of `@exists` before any write.

    One row a (deed, cell) of what was applied or may have been: status, prior_key. Members have `member_priors`.
    """
    existence = pl.col("field") == EXISTS
    compared = pl.col("effect").is_in(["set", "replace", "delete"]) | (existence & (pl.col("effect") != "create"))
    asked = compared & (pl.col("kind") == "base")
    located = facts.filter(pl.col("cell").is_not_null())
    aside = existence & ~pl.col("applied")  # such a write may say nothing, and asks all the same
    told = _events(
        without_idle(located, cells, "applied").with_columns((asked & ~aside).alias("asked")), "entity", "asked"
    )
    same_cell = pl.col("cell") == pl.col("cell").shift(1)
    previous = [pl.when(same_cell).then(pl.col(name).shift(1)).alias(name) for name in _EVENT]
    queries = told.sort("cell", "deed").with_columns(previous).filter("asked").drop("asked")
    possible = located.filter(asked & aside).select("deed", "cell", "entity")
    events = told.drop("entity", "asked").join(possible.select("cell").unique(), on="cell", how="semi")
    found = _priors(pl.concat([queries, before(possible, events, ["cell"])], how="diagonal"), deeds, cells, sightings)
    return found.select("deed", "cell", "status", pl.col("key").alias("prior_key"))


def member_priors(
    facts: pl.LazyFrame, cells: pl.LazyFrame, deeds: pl.LazyFrame, sightings: pl.LazyFrame
) -> pl.LazyFrame:
    """Return what was known of each member before it was removed: deed, cell, member, status, held (known: was there).

    The later of the last write on this member and the last value of the whole field decides.
    """
    of_members = facts.filter(pl.col("kind").is_in(MEMBERS) & pl.col("cell").is_not_null())
    queries = of_members.filter(
        pl.col("applied") & (pl.col("effect") == "remove") & pl.col("key").is_not_null()
    ).select("deed", "cell", "entity", pl.col("key").alias("member"), pl.coalesce("value", "key").alias("member_value"))
    moves = of_members.select(
        "deed",
        "cell",
        pl.col("key").alias("member"),
        pl.col("deed").alias("moved_in"),
        pl.when("applied").then(pl.lit(KNOWN)).otherwise(pl.lit(UNKNOWN_WRITE)).alias("move_status"),
        (pl.col("effect") == "add").alias("moved_to"),
    ).filter(pl.col("member").is_not_null())
    whole = facts.filter((pl.col("kind") == "base") & pl.col("cell").is_not_null())
    events = _events(whole.join(queries.select("cell").unique(), on="cell", how="semi"))
    asked = before(before(queries, moves, ["cell", "member"]), events, ["cell"])
    found = _priors(asked, deeds, cells, sightings)
    moved = pl.col("moved_in").is_not_null() & (pl.col("moved_in") > pl.col("as_of").fill_null(-1))
    listed = found.with_columns(
        holds(pl.coalesce("value", "key"), pl.col("key"), pl.col("member_value"), pl.col("member")).alias("_listed")
    )
    return listed.select(
        "deed",
        "cell",
        "member",
        pl.when(moved)
        .then("move_status")
        .when((pl.col("status") == KNOWN) & pl.col("_listed").is_null())
        .then(pl.lit(ABSENT))
        .otherwise("status")
        .alias("status"),
        pl.when(moved).then("moved_to").otherwise("_listed").alias("held"),
    )


def _events(facts: pl.LazyFrame, *kept: str) -> pl.LazyFrame:
    """Return what facts do to their cell (deed, cell, _EVENT): members leave the whole unknown."""
    base = pl.col("kind") == "base"
    status = (
        pl.when(~pl.col("applied"))
        .then(pl.lit(UNKNOWN_WRITE))
        .when(~base)
        .then(pl.lit(ABSENT))
        .when(pl.col("key").is_null())
        .then(pl.lit(UNKNOWN_VALUE))
        .otherwise(pl.lit(KNOWN))
    )
    members = facts.filter(~base).unique(subset=["cell", "deed"])
    return pl.concat([facts.filter(base), members]).select(
        "deed",
        "cell",
        *kept,
        pl.col("deed").alias("event_in"),
        status.alias("event_status"),
        pl.when(base).then("key").alias("event_key"),
        pl.when(base).then("value").alias("event_value"),
    )


def _priors(queries: pl.LazyFrame, deeds: pl.LazyFrame, cells: pl.LazyFrame, sightings: pl.LazyFrame) -> pl.LazyFrame:
    """Return the queries (deed, cell, entity, _EVENT, …) with status, key, value, as_of (the deed that decided)."""
    blurs = deeds.filter(
        pl.col("opaque") & pl.col("entity").is_not_null() & pl.col("outcome").is_in(["applied", "unknown"])
    ).select(
        "deed",
        "entity",
        pl.col("deed").alias("blurred_in"),
        pl.when(pl.col("outcome") == "applied").then(pl.lit(_SEEK)).otherwise(pl.lit(UNKNOWN_WRITE)).alias("blurred"),
        pl.col("step").alias("blur_step"),
        pl.col("position").alias("blur_position"),
    )
    existence = (pl.col("field") == EXISTS).alias("existence")
    later = pl.col("blurred_in").is_not_null() & (pl.col("blurred_in") > pl.col("event_in").fill_null(-1))
    blurry = later & ~pl.col("existence")
    told = pl.col("event_in").is_not_null()
    open_ = (
        _after_blurs(queries, blurs)
        .join(cells.select("cell", "listed", "initial_key", "initial_value", existence), on="cell", how="left")
        .with_columns(
            pl.when(blurry)
            .then("blurred")
            .when(told)
            .then("event_status")
            .when("listed")
            .then(pl.lit(KNOWN))
            .otherwise(pl.lit(_SEEK))
            .alias("status"),
            pl.when(blurry).then(None).when(told).then("event_key").otherwise("initial_key").alias("key"),
            pl.when(blurry).then(None).when(told).then("event_value").otherwise("initial_value").alias("value"),
            pl.max_horizontal("event_in", "blurred_in").cast(pl.Int64).alias("as_of"),
        )
        .drop("^event_.*$", "blurred_in", "blurred", "listed", "^initial_.*$", "existence")
    )
    settled = open_.filter(pl.col("status") != _SEEK).drop("blur_step", "blur_position")
    sought = open_.filter(pl.col("status") == _SEEK)
    return pl.concat([settled, _seen(sought, deeds, sightings).select(settled.collect_schema().names())])


def _after_blurs(queries: pl.LazyFrame, blurs: pl.LazyFrame) -> pl.LazyFrame:
    """Return the queries with the latest opaque write before them on their entity (few entities have any)."""
    blurred = blurs.select("entity").unique()
    found = before(queries.join(blurred, on="entity", how="semi"), blurs, ["entity"])
    return pl.concat([queries.join(blurred, on="entity", how="anti"), found], how="diagonal")


def _seen(queries: pl.LazyFrame, deeds: pl.LazyFrame, sightings: pl.LazyFrame) -> pl.LazyFrame:
    """Return the queries that only an observation can answer, answered by the latest one of an earlier step.

    One from before an opaque write (blur_step, blur_position) shows a condition that is gone.
    """
    shown = sightings.select(
        "cell",
        "step",
        pl.col("step").alias("seen_step"),
        pl.col("position").alias("seen_position"),
        pl.col("key").alias("seen_key"),
        pl.col("value").alias("seen_value"),
    )
    fresh = pl.col("seen_step").is_not_null() & (
        pl.col("blur_step").is_null()
        | (pl.col("seen_step") > pl.col("blur_step"))
        | ((pl.col("seen_step") == pl.col("blur_step")) & (pl.col("seen_position") > pl.col("blur_position")))
    )
    return before(
        queries.join(deeds.select("deed", "step"), on="deed", how="left"), shown, ["cell"], on="step"
    ).with_columns(
        pl.when(fresh).then(pl.lit(KNOWN)).otherwise(pl.lit(ABSENT)).alias("status"),
        pl.when(fresh).then("seen_key").alias("key"),
        pl.when(fresh).then("seen_value").alias("value"),
    )
