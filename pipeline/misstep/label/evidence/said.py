"""What did the user say, and what could the agent know from messages and results?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT
from misstep.label.evidence.hits import BY, HIT
from misstep.label.evidence.texts import filled, searched, spelled, worded

_HOLE = r"\{(arguments[^{}]*)\}"
_BEFORE_ALL = -2


def utterances(runs: pl.LazyFrame, messages: pl.LazyFrame, conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the messages in order (run, step, position, role, actor, text), where some condition asks for them."""
    asked = conditions.filter(pl.col("source").cast(pl.String).is_in(["confirmation", "told", "known"]))
    wanted = asked.select("suite").unique()
    return (
        messages.join(runs.join(wanted, on="suite", how="semi").select("run", "episode"), on="episode", how="inner")
        .select("run", "step", "position", "role", "actor", "text")
        .sort("run", "step", "position")
    )


def confirmed(demands: pl.LazyFrame, clauses: pl.LazyFrame, utterances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, holds, step, position) of confirmations: the user's latest message says yes to a proposal.

    The latest message before the step must fit the pattern, must not fit what makes it none, and something that the
    agent said must stand before it.
    """
    asked = demands.filter(pl.col("source") == "confirmation").join(
        clauses.select("clause", "pattern", "unless"), on="clause", how="inner"
    )
    of_user = (pl.col("role") == "user") & (pl.col("actor") == "user")
    speaks = (pl.col("role") == "assistant") & (pl.col("actor") == AGENT) & (
        pl.col("text").str.strip_chars().str.len_chars() > 0
    ).fill_null(False)
    talk = utterances.with_columns(speaks.cum_sum().over("run").alias("proposals"))
    last = (
        talk.filter(of_user)
        .unique(["run", "step"], keep="last", maintain_order=True)
        .select("run", "step", "position", "text", "proposals", pl.col("step").alias("limit"))
        .sort("limit")
    )
    agreed = searched(pl.col("text"), pl.col("pattern")) & ~searched(pl.col("text"), pl.col("unless"))
    return (
        asked.select("demand", "run", "limit", "pattern", "unless")
        .sort("limit")
        .join_asof(
            last, on="limit", by="run", strategy="backward", allow_exact_matches=False, check_sortedness=False
        )
        .select(
            "demand",
            (agreed & (pl.col("proposals").fill_null(0) > 0)).alias("holds"),
            "step",
            "position",
        )
    )


def told_hits(queries: pl.LazyFrame, utterances: pl.LazyFrame, given: pl.LazyFrame) -> pl.LazyFrame:
    """Return the user's messages that fit the pattern of a query, with the attempt's arguments in it."""
    asked = queries.filter(pl.col("source") == "told").select("query", "run", "pattern", "given", "blind", "attempt")
    sure = asked.filter(~_unknown())
    holes = (
        sure.select("query", "given", pl.col("pattern").str.extract_all(_HOLE).alias("hole"))
        .explode("hole")
        .filter(pl.col("hole").is_not_null())
        .unique()
        .with_columns(pl.col("hole").str.extract(_HOLE).str.strip_prefix("arguments").str.strip_prefix(".").alias("path"))
        .join(given, on=["given", "path"], how="left")
        .group_by("query", "hole")
        .agg(
            spelled(pl.col("value")).drop_nulls().first().alias("text"),
            pl.col("hidden").fill_null(False).any().alias("hidden"),
        )
        .sort("query", "hole")
        .group_by("query", maintain_order=True)
        .agg(
            pl.struct("hole", "text").alias("texts"),
            pl.col("hidden").any().alias("hidden"),
            (pl.col("text").is_null() & ~pl.col("hidden")).any().alias("absent"),
        )
    )
    ready = sure.join(holes, on="query", how="left").with_columns(pl.col("hidden", "absent").fill_null(False))
    pattern = pl.struct("pattern", "texts").map_elements(filled, return_dtype=pl.String)
    of_user = (pl.col("role") == "user") & (pl.col("actor") == "user") & pl.col("text").is_not_null()
    found = (
        ready.filter(~pl.col("hidden") & ~pl.col("absent"))
        .with_columns(pattern.alias("pattern"))
        .join(utterances.filter(of_user), on="run", how="inner")
        .filter(searched(pl.col("text"), pl.col("pattern")))
        .with_columns(pl.lit(True).alias("ok"))
    )
    unknown = pl.concat(
        [
            asked.filter(_unknown()).select("query"),
            ready.filter(pl.col("hidden") & ~pl.col("absent")).select("query"),
        ]
    )
    return _as_hits(pl.concat([found.select("query", "step", "position", "ok"), _perhaps(unknown)]), "message")


def known_hits(
    queries: pl.LazyFrame,
    utterances: pl.LazyFrame,
    given: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    results: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return since when all values at a path of the attempt's arguments were known, as whole words of some text.

    Texts are those of the user and of the system, and results of the agent's calls. A lost result may have said it.
    """
    asked = queries.filter(pl.col("source") == "known").select(
        "query", "run", "given", "blind", "attempt", pl.col("about").alias("top"), "known_anyway"
    )
    sure = asked.filter(~_unknown())
    at = (pl.col("path") == pl.col("top")) | pl.col("path").str.starts_with(pl.col("top") + ".") | (
        pl.col("path").str.starts_with(pl.col("top") + "[")
    )
    values = (
        sure.join(given, on="given", how="inner")
        .filter(at)
        .with_columns(spelled(pl.col("value")).str.strip_chars().str.to_lowercase().alias("word"))
        .filter(pl.col("hidden") | ((pl.col("word") != "") & ~pl.col("value").is_in(["null", "true", "false", "[]", "{}"])))
        .filter(pl.col("hidden") | ~pl.col("known_anyway").list.contains(pl.col("word")))
        .select("query", "run", "word", "hidden")
        .unique()
    )
    calls = agent_calls.filter(pl.col("outcome").is_in(["applied", "unknown"]))
    texts = pl.concat(
        [
            utterances.filter(
                ((pl.col("role") == "user") & (pl.col("actor") == "user")) | (pl.col("role") == "system")
            ).select("run", "step", "position", "text", pl.lit("message").alias("by")),
            calls.join(results, on="result_id", how="inner").select(
                "run", "step", "position", "text", pl.lit("observation").alias("by")
            ),
        ]
    ).join(sure.select("run").unique(), on="run", how="semi")
    lost = (
        calls.filter(pl.col("result_id").is_null()).group_by("run").agg(pl.col("step").min().alias("lost_step"))
    )
    words = values.filter(~pl.col("hidden")).select("run", "word").unique()
    since = (
        words.join(texts.with_columns(pl.col("text").str.to_lowercase()), on="run", how="inner")
        .filter(pl.col("text").str.contains(pl.col("word"), literal=True))
        .filter(worded(pl.col("text"), pl.col("word")))
        .sort("run", "word", "step", "position", "by")
        .unique(["run", "word"], keep="first", maintain_order=True)
        .select("run", "word", "step", "position", "by")
    )
    all_of_it = (
        values.join(since, on=["run", "word"], how="left")
        .join(lost, on="run", how="left")
        .with_columns(
            pl.when("hidden")
            .then(pl.lit(_BEFORE_ALL, dtype=pl.Int64))
            .otherwise(pl.min_horizontal("step", "lost_step"))
            .alias("maybe_step")
        )
        .sort("step", "position")
        .group_by("query", maintain_order=True)
        .agg(
            pl.when(pl.col("step").is_not_null().all()).then(pl.col("step").last()).alias("step"),
            pl.when(pl.col("step").is_not_null().all()).then(pl.col("position").last()).alias("position"),
            pl.col("by").last(),
            pl.when(pl.col("maybe_step").is_not_null().all()).then(pl.col("maybe_step").max()).alias("maybe_step"),
        )
    )
    nothing = sure.join(values.select("query").unique(), on="query", how="anti").select(
        "query",
        pl.lit(-1, dtype=pl.Int64).alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(True).alias("ok"),
    )
    perhaps = all_of_it.filter(pl.col("maybe_step").is_not_null()).select(
        "query",
        pl.col("maybe_step").alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(None, dtype=pl.Boolean).alias("ok"),
    )
    certain = all_of_it.filter(pl.col("step").is_not_null()).select(
        "query", "step", "position", pl.lit(True).alias("ok"), "by"
    )
    unsure = pl.concat([perhaps, _perhaps(asked.filter(_unknown()).select("query"))])
    return pl.concat(
        [
            _as_hits(certain.filter(pl.col("by") == "message").drop("by"), "message"),
            _as_hits(certain.filter(pl.col("by") == "observation").drop("by"), "observation"),
            _as_hits(nothing, "arguments"),
            _as_hits(unsure, "message"),
        ]
    )


def _unknown() -> pl.Expr:
    """Return whether a query about what an attempt names can have no answer: unread arguments, or the end."""
    return pl.col("blind") | (pl.col("attempt") == -1)


def _perhaps(queries: pl.LazyFrame) -> pl.LazyFrame:
    return queries.select(
        "query",
        pl.lit(_BEFORE_ALL, dtype=pl.Int64).alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(None, dtype=pl.Boolean).alias("ok"),
    )


def _as_hits(rows: pl.LazyFrame, by: str) -> pl.LazyFrame:
    never = pl.lit(None, dtype=pl.Int64)
    return rows.with_columns(
        pl.lit(by).cast(BY).alias("by"), never.alias("stale_from"), never.alias("doubt_from")
    ).select(HIT)
