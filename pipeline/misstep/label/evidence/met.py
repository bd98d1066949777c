"""Does a condition hold at its time, and since when?

A `place` is a step and a position in one number, so that the later one is greater.
"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.hits import BY
from misstep.label.kleene import every, some

#: Place of what the context establishes.
CONTEXT_PLACE = 1 << 21
_MOST = 1 << 21


def place(step: str = "step", position: str = "position") -> pl.Expr:
    """Return the place of a step and a position."""
    return (pl.col(step) + 2) * _MOST + pl.col(position).clip(-1, _MOST - 2) + 1


def step_of(place: str) -> pl.Expr:
    """Return the step of a place (-1: the context)."""
    return pl.col(place) // _MOST - 2


def position_of(place: str) -> pl.Expr:
    """Return the position of a place; null for the context."""
    return pl.when(pl.col(place) != CONTEXT_PLACE).then(pl.col(place) % _MOST - 1)


def met(
    demands: pl.LazyFrame,
    queries: pl.LazyFrame,
    hits: pl.LazyFrame,
    states: pl.LazyFrame,
    confirmed: pl.LazyFrame,
    unseen: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (demand, holds, place, by) of all demands: what holds in a step before `limit`, and the first such place.

    A record or value holds while it is not stale. A state holds as its latest values do. What a lost read may have met
    is not surely false.
    """
    asked = demands.join(queries.select("run", "clause", "of", "query"), on=["run", "clause", "of"], how="left")
    timed = asked.select("demand", "query", "limit")
    answers = pl.concat([_found(timed, hits), _in_state(timed, states), _said(confirmed)])
    holds = pl.when("presumed").then(pl.lit(True)).otherwise(pl.col("holds"))
    unasked = pl.col("answered").is_null() & ~pl.col("presumed")
    found = pl.when(unasked).then(pl.lit(False)).otherwise(holds)
    perhaps = (pl.col("lost_step") < pl.col("limit")).fill_null(False)
    return (
        asked.select("demand", "presumed", "query", "limit")
        .join(answers.with_columns(answered=pl.lit(True)), on="demand", how="left")
        .join(unseen, on="query", how="left")
        .select(
            "demand",
            pl.when(found | ~perhaps).then(found).alias("holds"),
            pl.when(~pl.col("presumed")).then("place").alias("place"),
            pl.when("presumed").then(pl.lit("action").cast(BY)).otherwise("by").alias("by"),
        )
    )


def _found(timed: pl.LazyFrame, hits: pl.LazyFrame) -> pl.LazyFrame:
    first = (place() * len(BY.categories) + pl.col("by").to_physical()).filter("truth").min()
    return (
        timed.join(hits, on="query", how="inner")
        .filter((pl.col("step") < pl.col("limit")) & _not_stale())
        .with_columns((pl.col("ok") & _fresh()).alias("truth"))
        .group_by("demand")
        .agg(some(pl.col("truth")).alias("holds"), first.alias("first"))
        .select(
            "demand",
            "holds",
            (pl.col("first") // len(BY.categories)).alias("place"),
            (pl.col("first") % len(BY.categories)).cast(pl.UInt8).cat.to(BY).alias("by"),
        )
    )


def _not_stale() -> pl.Expr:
    return ~(pl.col("limit") >= pl.col("stale_from")).fill_null(False)


def _fresh() -> pl.Expr:
    """Return true, or null where what is not surely stale may be."""
    return pl.when(~(pl.col("limit") >= pl.col("doubt_from")).fill_null(False)).then(pl.lit(True))


def latest_values(timed: pl.LazyFrame, states: pl.LazyFrame, *, stale: bool = False) -> pl.LazyFrame:
    """Return (demand, part, needed, holds, place, by): the test of the latest value, where all that may be it agree.

    With `stale`, values count that are so no longer.
    """
    valid = pl.col("valid") if stale else pl.col("valid") & _fresh()
    there = pl.lit(True) if stale else _not_stale()
    known = (
        timed.join(states, on="query", how="inner")
        .filter((pl.col("step") < pl.col("limit")) & there)
        .with_columns(place().alias("place"), valid.alias("valid"))
    )
    sure = pl.col("valid").fill_null(False)
    at_place = known.group_by("demand", "part", "needed", "place").agg(
        sure.any().alias("sure"),
        some(pl.col("valid") & pl.col("truth")).alias("holds"),
        some(pl.col("truth")).alias("test"),
        pl.col("by").filter(sure & pl.col("truth")).min().alias("by"),
    )
    last_sure = pl.col("place").filter("sure").max()
    decided = at_place.with_columns(last_sure.over("demand", "part").alias("last"))
    base = decided.filter(pl.col("place") == pl.col("last")).select("demand", "part", "holds", "place", "by")
    doubts = (
        decided.filter((pl.col("place") > pl.col("last")) | pl.col("last").is_null())
        .group_by("demand", "part")
        .agg(
            some(pl.col("test")).alias("some_test"),
            every(pl.col("test")).alias("every_test"),
            pl.lit(True).alias("doubted"),
        )
    )
    answer = pl.when(pl.col("last").is_null()).then(pl.lit(False)).otherwise("holds")
    agree = pl.when(answer).then(pl.col("every_test")).otherwise(~pl.col("some_test"))
    return (
        decided.group_by("demand", "part", "needed")
        .agg(pl.col("last").first())
        .join(base, on=["demand", "part"], how="left")
        .join(doubts, on=["demand", "part"], how="left")
        .select(
            "demand",
            "part",
            "needed",
            pl.when(pl.col("doubted").is_null() | agree.fill_null(False)).then(answer).alias("holds"),
            "place",
            "by",
        )
    )


def all_parts(values: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, holds, place, by) of states: all parts hold; the last place of them."""
    last = (pl.col("place") == pl.col("place").max()).fill_null(False)
    known = pl.when(pl.len() < pl.col("needed").first()).then(pl.lit(False)).otherwise(every(pl.col("holds")))
    return (
        values.sort("demand", "part")
        .group_by("demand", maintain_order=True)
        .agg(
            known.alias("holds"),
            pl.col("place").max().alias("place"),
            pl.col("by").filter(last).first().alias("by"),
        )
    )


def _in_state(timed: pl.LazyFrame, states: pl.LazyFrame) -> pl.LazyFrame:
    return all_parts(latest_values(timed, states)).select("demand", "holds", "place", "by")


def _said(confirmed: pl.LazyFrame) -> pl.LazyFrame:
    return confirmed.select("demand", "holds", place().alias("place"), pl.lit("message").cast(BY).alias("by"))
