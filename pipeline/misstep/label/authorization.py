"""Did the user ask for a write?"""

from __future__ import annotations

import polars as pl

from misstep.label.capacities import covered
from misstep.label.kleene import some
from misstep.label.matching import applicable, candidate, with_fits

_AFTER_UNSPECIFIED = "after_clarification_not_specified"


def candidates(subjects: pl.LazyFrame, contents: pl.LazyFrame, patterns: pl.LazyFrame) -> pl.LazyFrame:
    """Return the pairs (deed, rule) of writes and patterns that fit, or may fit, in every respect.

    Columns: deed, rule, name, max, candidate (true or null), effective, episode.
    """
    roots = subjects.filter(pl.col("judged") & pl.col("is_root"))
    pairs = with_fits(applicable(roots, patterns), patterns, contents, misses=0)
    return (
        pairs.with_columns(candidate().alias("candidate"))
        .filter(pl.col("candidate").fill_null(True))
        .select("deed", "rule", "name", "max", "candidate", "effective", pl.col("scope").alias("episode"))
    )


def authorized(subjects: pl.LazyFrame, candidates: pl.LazyFrame, kept: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a judged write: authorized, authorized_by, authorized_reason (why it is null).

    Effective writes are assigned to patterns within `max` (`capacities`); a write of no effect needs only a candidate
    and uses up nothing; what follows a write shares its answer. Source: [S], explicit authorization.
    """
    sure = pl.col("candidate").fill_null(False)
    part = pl.col("effective").fill_null(True)
    matched = covered(
        candidates.filter(sure & part).select(
            "episode", "deed", "rule", "max", pl.col("effective").is_not_null().alias("definite")
        )
    ).join(candidates.select("rule", "name").unique(), on="rule", how="inner")
    judged = subjects.filter("judged")
    options = (
        candidates.sort("deed", "rule")
        .group_by("deed", maintain_order=True)
        .agg(
            sure.any().alias("fits"),
            pl.col("name").filter(sure).first().alias("first_name"),
            pl.col("candidate").is_null().any().alias("may_fit"),
        )
    )
    covers = matched.select("deed", pl.col("name").alias("covered_by"))
    own = (
        judged.filter("is_root")
        .join(options, on="deed", how="left")
        .join(covers, on="deed", how="left")
        .join(kept.select("deed", "after_unknown"), on="deed", how="left")
        .with_columns(pl.col("fits", "may_fit").fill_null(False))
    )
    holds = pl.when(pl.col("effective").fill_null(True)).then(pl.col("covered_by").is_not_null()).otherwise("fits")
    unasked = pl.col("ambiguous") & pl.col("after_clarification").fill_null(True) & ~pl.col("authorized_after")
    answer = (
        pl.when(~pl.col("task_known") | unasked)
        .then(None)
        .when("holds")
        .then(pl.lit(True))
        .when("may_fit")
        .then(None)
        .otherwise(pl.lit(False))
    )
    reason = (
        pl.when(~pl.col("task_known"))
        .then(pl.lit("unknown_task"))
        .when(pl.col("after_clarification").is_null())
        .then(pl.lit("unknown_clarification"))
        .when(unasked)
        .then(pl.lit(_AFTER_UNSPECIFIED))
        .when(pl.col("entity_id").is_null())
        .then(pl.lit("unknown_entity"))
        .when(~pl.col("arguments_known"))
        .then(pl.lit("unknown_arguments"))
        .when("after_unknown")
        .then(pl.lit("unknown_write"))
        .otherwise(pl.lit("unknown_value"))
    )
    by = pl.when(pl.col("effective").fill_null(True)).then("covered_by").otherwise("first_name")
    answers = own.with_columns(holds.alias("holds")).select(
        pl.col("deed").alias("root"),
        answer.alias("authorized"),
        pl.when(answer).then(by).alias("authorized_by"),
        pl.when(answer.is_null()).then(reason).alias("authorized_reason"),
    )
    return judged.select("deed", "root").join(answers, on="root", how="left").drop("root")


def entity_authorized(subjects: pl.LazyFrame, patterns: pl.LazyFrame, authorized: pl.LazyFrame) -> pl.LazyFrame:
    """Return (deed, entity_authorized) of the judged writes: does a pattern that holds name the entity?

    An entity that an authorized write of the episode created counts as named. What follows a write shares its root's
    answer where its own is no. Source: [m], entity policy.
    """
    judged = subjects.filter("judged")
    naming = patterns.filter(pl.col("entities").is_not_null())
    named = (
        applicable(judged, naming)
        .select("deed", "rule", "target", "entity_type", "in_force")
        .join(naming.select("rule", "entities", "p_types"), on="rule", how="inner")
        .with_columns(
            pl.when(pl.col("target").is_not_null())
            .then(pl.col("entities").list.contains(pl.col("target")))
            .when(pl.col("entity_type").is_not_null() & ~pl.col("p_types").list.contains(pl.col("entity_type")))
            .then(pl.lit(False))
            .alias("named")
        )
        .group_by("deed")
        .agg(some(pl.col("named") & pl.col("in_force")).alias("named"))
    )
    made = (
        judged.filter(
            (pl.col("effect") == "create") & pl.col("effective").fill_null(True) & pl.col("entity").is_not_null()
        )
        .join(authorized, on="deed", how="left")
        .group_by("entity")
        .agg(some(pl.col("authorized")).alias("made"))
    )
    maybe_made = (
        judged.filter(pl.col("entity").is_null())
        .select("deed", "scope", pl.col("entity_type").alias("type"))
        .join(
            subjects.select("scope", pl.col("deed").alias("entity"), "entity_type").join(
                made.filter(pl.col("made").fill_null(True)), on="entity", how="inner"
            ),
            on="scope",
            how="inner",
        )
        .filter(pl.col("type").is_null() | (pl.col("type") == pl.col("entity_type")))
        .select("deed", maybe_made=pl.lit(True))
        .unique()
    )
    unknown = ~pl.col("task_known") | (
        pl.col("ambiguous") & pl.col("after_clarification").fill_null(True) & ~pl.col("authorized_after")
    ).fill_null(False)
    no_match = pl.lit(False)
    own = (
        judged.join(named.with_columns(asked=pl.lit(True)), on="deed", how="left")
        .join(made.with_columns(created_here=pl.lit(True)), on="entity", how="left")
        .join(maybe_made, on="deed", how="left")
        .with_columns(
            pl.when(pl.col("asked").is_not_null()).then("named").otherwise(no_match).alias("named"),
            pl.when(pl.col("maybe_made").is_not_null())
            .then(None)
            .when(pl.col("created_here").is_not_null())
            .then("made")
            .otherwise(no_match)
            .alias("made"),
        )
        .select("deed", "root", pl.when(unknown).then(None).otherwise(pl.col("named") | pl.col("made")).alias("own"))
    )
    roots = own.select(pl.col("deed").alias("root"), pl.col("own").alias("of_root"))
    return own.join(roots, on="root", how="left").select(
        "deed", (pl.col("own") | pl.col("of_root")).alias("entity_authorized")
    )
