"""What did the user say, and what could the agent know from messages and results?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.hits import BY, HIT
from misstep.label.evidence.queries import at_paths
from misstep.label.evidence.texts import filled, searched, spelled

BEFORE_ALL = -2


def utterances(runs: pl.LazyFrame, messages: pl.LazyFrame, conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the messages in order (run, step, position, role, actor, text), where some condition asks for them."""
    asked = conditions.filter(pl.col("source").cast(pl.String).is_in(["confirmation", "told", "known"]))
    wanted = asked.select("suite").unique()
    return (
        messages.join(runs.join(wanted, on="suite", how="semi").select("run", "episode"), on="episode", how="inner")
        .select("run", "step", "position", "role", "actor", "text")
        .sort("run", "step", "position")
    )


def heard(utterances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, heard) of the episodes in which the user said anything: of others it is not known what was said."""
    return utterances.filter(of_user()).select("run", pl.lit(True).alias("heard")).unique("run")


def told_hits(
    queries: pl.LazyFrame, utterances: pl.LazyFrame, given: pl.LazyFrame, open_paths: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the user's messages that fit the pattern of a query, with the attempt's argument in it, or may."""
    asked = queries.filter(pl.col("source") == "told").select(
        "query", "run", "pattern", "given", "blind", "attempt", pl.col("about").alias("path")
    )
    late = asked.filter(pl.col("attempt") == -1)
    plain = asked.filter((pl.col("attempt") != -1) & pl.col("path").is_null())
    words = at_paths(asked.filter((pl.col("attempt") != -1) & pl.col("path").is_not_null()), given, open_paths)
    pattern = filled(pl.col("pattern"), spelled(pl.col("value")))
    told = utterances.filter(of_user() & (pl.col("text") != ""))
    fits = pl.when(~pl.col("hidden")).then(searched(pl.col("text"), pl.col("pattern"), any_case=True))
    found = (
        pl.concat(
            [
                plain.select("query", "run", "pattern", pl.lit(False).alias("hidden")),
                words.with_columns(pl.when(~pl.col("hidden")).then(pattern).alias("pattern")).select(
                    "query", "run", "pattern", "hidden"
                ),
            ]
        )
        .join(told, on="run", how="inner")
        .with_columns(fits.alias("ok"))
        .filter(pl.col("ok").fill_null(True))
    )
    unheard = asked.join(heard(utterances), on="run", how="anti")
    unknown = pl.concat([late.select("query"), unheard.select("query")])
    return as_hits(pl.concat([found.select("query", "step", "position", "ok"), perhaps(unknown)]), "message")


def of_user() -> pl.Expr:
    """Return whether a message is the user's."""
    return (pl.col("role") == "user") & (pl.col("actor") == "user")


def unanswerable() -> pl.Expr:
    """Return whether a query about what an attempt names can have no answer: unread arguments, or the end."""
    return pl.col("blind") | (pl.col("attempt") == -1)


def perhaps(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return a hit a query of which nothing is known, without `by`."""
    return queries.select(
        "query",
        pl.lit(BEFORE_ALL, dtype=pl.Int64).alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(None, dtype=pl.Boolean).alias("ok"),
    )


def as_hits(rows: pl.LazyFrame, by: str) -> pl.LazyFrame:
    """Return rows (query, step, position, ok) as hits."""
    never = pl.lit(None, dtype=pl.Int64)
    return rows.with_columns(
        pl.lit(by).cast(BY).alias("by"), never.alias("stale_from"), never.alias("doubt_from")
    ).select(HIT)
