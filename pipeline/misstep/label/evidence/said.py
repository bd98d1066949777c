"""What did the user say, and what could the agent know from messages and results?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT
from misstep.label.evidence.hits import BY, HIT
from misstep.label.evidence.queries import at_paths
from misstep.label.evidence.texts import filled, searched, spelled, worded
from misstep.label.facts import EXISTS
from misstep.label.kleene import some

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


def heard(utterances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, heard) of the episodes in which the user said anything: of others it is not known what was said."""
    return utterances.filter(_of_user()).select("run", pl.lit(True).alias("heard")).unique("run")


def confirmed(
    demands: pl.LazyFrame,
    clauses: pl.LazyFrame,
    queries: pl.LazyFrame,
    utterances: pl.LazyFrame,
    ledger: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (demand, holds, step, position) of confirmations: the user's latest message says yes to a proposal.

    The latest message before the step must fit the pattern, must not fit what makes it none, and something that the
    agent said must stand before it. Where an entity is named, it must have been shown or spoken of before, too.
    """
    asked = (
        demands.filter(pl.col("source") == "confirmation")
        .join(clauses.select("clause", "pattern", "unless"), on="clause", how="inner")
        .join(
            queries.select("run", "clause", "of", "query", "entity_type", "entity_ids", "vague", "nothing"),
            on=["run", "clause", "of"],
            how="left",
        )
    )
    speaks = (
        (pl.col("role") == "assistant")
        & (pl.col("actor") == AGENT)
        & (pl.col("text").str.strip_chars().str.len_chars() > 0).fill_null(False)
    )
    last = (
        utterances.with_columns(speaks.cum_sum().over("run").alias("proposals"))
        .filter(_of_user())
        .unique(["run", "step"], keep="last", maintain_order=True)
        .select("run", "step", "position", "text", "proposals", pl.col("step").alias("limit"))
        .sort("limit")
    )
    answers = (
        asked.sort("limit")
        .join_asof(last, on="limit", by="run", strategy="backward", allow_exact_matches=False, check_sortedness=False)
        .with_columns(
            (
                searched(pl.col("text"), pl.col("pattern"))
                & ~searched(pl.col("text"), pl.col("unless"))
                & (pl.col("proposals").fill_null(0) > 0)
            ).alias("agreed")
        )
    )
    named = answers.filter(pl.col("agreed") & pl.col("entity_type").is_not_null())
    spoken = (
        pl.concat([_shown_before(named, ledger), _named_before(named, utterances)])
        .group_by("demand")
        .agg(some(pl.col("spoken")).alias("spoken"))
    )
    about = (
        pl.when(pl.col("entity_type").is_null())
        .then(pl.lit(True))
        .when(pl.col("spoken"))
        .then(pl.lit(True))
        .when(pl.col("vague") | pl.col("spoke_perhaps").fill_null(False))
        .then(pl.lit(None, dtype=pl.Boolean))
        .otherwise(pl.lit(False))
    )
    return (
        answers.join(spoken, on="demand", how="left")
        .join(
            spoken.filter(pl.col("spoken").is_null()).select("demand", pl.lit(True).alias("spoke_perhaps")),
            on="demand",
            how="left",
        )
        .join(heard(utterances), on="run", how="left")
        .select(
            "demand",
            pl.when(pl.col("heard").is_not_null()).then(pl.col("agreed") & about).alias("holds"),
            "step",
            "position",
        )
    )


def _shown_before(named: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, spoken) of yeses before which a record of the entity was shown or written (null: perhaps)."""
    records = ledger.filter(pl.col("field") == EXISTS).select(
        "run", "entity_type", "entity_id", pl.col("step").alias("shown_step"), "sure"
    )
    same = pl.col("entity_ids").is_null() | pl.col("entity_ids").list.contains(pl.col("entity_id"))
    return (
        named.filter(~pl.col("nothing"))
        .join(records, on=["run", "entity_type"], how="inner")
        .filter((pl.col("shown_step") < pl.col("step")) & same)
        .select("demand", (pl.col("sure") & pl.when(~pl.col("vague")).then(pl.lit(True))).alias("spoken"))
    )


def _named_before(named: pl.LazyFrame, utterances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, spoken) of yeses before which the user or the agent had named the entity."""
    texts = utterances.filter(pl.col("role").is_in(["user", "assistant"])).select(
        "run", pl.col("step").alias("said_step"), pl.col("text").alias("said")
    )
    return (
        named.select("demand", "run", "step", "entity_ids")
        .explode("entity_ids")
        .filter(pl.col("entity_ids").is_not_null())
        .join(texts, on="run", how="inner")
        .filter(pl.col("said_step") < pl.col("step"))
        .filter(pl.col("said").str.contains(pl.col("entity_ids"), literal=True))
        .filter(worded(pl.col("said"), pl.col("entity_ids")))
        .select("demand", pl.lit(True).alias("spoken"))
        .unique()
    )


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
    told = utterances.filter(_of_user() & (pl.col("text") != ""))
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
    at = (
        (pl.col("path") == pl.col("top"))
        | pl.col("path").str.starts_with(pl.col("top") + ".")
        | (pl.col("path").str.starts_with(pl.col("top") + "["))
    )
    values = (
        sure.join(given, on="given", how="inner")
        .filter(at)
        .with_columns(spelled(pl.col("value")).str.strip_chars().str.to_lowercase().alias("word"))
        .filter(
            pl.col("hidden") | ((pl.col("word") != "") & ~pl.col("value").is_in(["null", "true", "false", "[]", "{}"]))
        )
        .filter(pl.col("hidden") | ~pl.col("known_anyway").list.contains(pl.col("word")))
        .select("query", "run", "word", "hidden")
        .unique()
    )
    calls = agent_calls.filter(pl.col("outcome").is_in(["applied", "unknown"]))
    lost_result = (pl.col("outcome") == "unknown") & pl.col("result_id").is_null()
    texts = pl.concat(
        [
            utterances.filter(_of_user() | (pl.col("role") == "system")).select(
                "run", "step", "position", "text", pl.lit("message").alias("by")
            ),
            calls.join(results, on="result_id", how="inner").select(
                "run", "step", "position", "text", pl.lit("observation").alias("by")
            ),
        ]
    ).join(sure.select("run").unique(), on="run", how="semi")
    lost = calls.filter(lost_result).group_by("run").agg(pl.col("step").min().alias("lost_step"))
    words = values.filter(~pl.col("hidden")).select("run", "word").unique()
    since = (
        words.join(texts.with_columns(pl.col("text").str.to_lowercase()), on="run", how="inner")
        .filter(pl.col("text").str.contains(pl.col("word"), literal=True))
        .filter(worded(pl.col("text"), pl.col("word")))
        .sort("run", "word", "step", "position", "by", descending=[False] * 4 + [True])
        .unique(["run", "word"], keep="first", maintain_order=True)
        .select("run", "word", "step", "position", "by")
    )
    all_of_it = (
        values.join(since, on=["run", "word"], how="left")
        .join(lost, on="run", how="left")
        .join(heard(utterances), on="run", how="left")
        .with_columns(
            pl.when(pl.col("hidden") | pl.col("heard").is_null())
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
            _as_hits(nothing, "context"),
            _as_hits(unsure, "message"),
        ]
    )


def _of_user() -> pl.Expr:
    return (pl.col("role") == "user") & (pl.col("actor") == "user")


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
