"""Did a write take effect, or was everything already as it left it?"""

from __future__ import annotations

import polars as pl

from misstep.label.deeds import with_ancestors
from misstep.label.facts import EXISTS, FALSE
from misstep.label.kleene import every
from misstep.label.replay import ABSENT, KNOWN, UNKNOWN_VALUE, UNKNOWN_WRITE

_COMPARED = ("set", "replace", "remove", "delete")


def effects(deeds: pl.LazyFrame, facts: pl.LazyFrame, priors: pl.LazyFrame, compared: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a deed: noop, effective, prior_unknown, effect_reason (why effective is null), gone_before.

    An applied write is a no-op when every field already had the value: a field of which nothing earlier is known
    counts as changed (`prior_unknown`), a field that a write of unknown outcome touched makes the answer unknown.
    Additions, creations, touches and opaque replacements are never no-ops. What follows an ineffective write is
    ineffective too. `gone_before`: the entity was known not to exist. Source: [S], write and no-op.
    """
    of_deeds = compared.group_by("deed").agg(
        every(pl.col("same")).alias("same"),
        (pl.col("status") == ABSENT).any().alias("absent"),
        ((pl.col("status") == KNOWN) & ~pl.col("same")).any().alias("differs"),
        (pl.col("status") == UNKNOWN_WRITE).any().alias("unknown_write"),
        (pl.col("status") == UNKNOWN_VALUE).any().alias("unknown_value"),
        ((pl.col("field") != EXISTS) | (pl.col("effect") == "delete")).any().alias("has_fields"),
    )
    gone = priors.join(
        facts.filter(pl.col("field") == EXISTS).select("deed", "cell"), on=["deed", "cell"], how="semi"
    ).select("deed", gone_before=(pl.col("status") == KNOWN) & (pl.col("prior_key") == FALSE))
    applied = pl.col("outcome") == "applied"
    can_be_noop = pl.col("effect").is_in(_COMPARED) & ~pl.col("opaque") & pl.col("has_fields").fill_null(False)
    noop = (
        pl.when(pl.col("outcome") == "unknown")
        .then(None)
        .when(applied & can_be_noop)
        .then("same")
        .otherwise(pl.lit(False))
    )
    effective = (
        pl.when(pl.col("outcome") == "unknown").then(None).when(applied).then(~pl.col("noop")).otherwise(pl.lit(False))
    )
    reason = pl.when(pl.col("own").is_null()).then(
        pl.when(pl.col("outcome") == "unknown")
        .then(pl.lit("unknown_outcome"))
        .when("unknown_write")
        .then(pl.lit("unknown_write"))
        .otherwise(pl.lit("unknown_value"))
    )
    rows = (
        deeds.select("deed", "parent", "outcome", "effect", "opaque")
        .join(of_deeds, on="deed", how="left")
        .join(gone, on="deed", how="left")
        .with_columns(noop.alias("noop"))
        .with_columns(effective.alias("own"), (applied & can_be_noop).alias("counted"))
        .with_columns(reason.alias("reason"), pl.col("own").alias("effective"))
    )
    judged = with_ancestors(rows, effective=pl.Expr.and_)
    above = judged.select(pl.col("deed").alias("parent"), pl.col("reason").alias("reason_above"))
    return judged.join(above, on="parent", how="left").select(
        "deed",
        "noop",
        "effective",
        (
            pl.col("counted")
            & pl.col("absent").fill_null(False)
            & ~pl.col("differs").fill_null(False)
            & pl.col("effective").fill_null(True)
        ).alias("prior_unknown"),
        pl.when(pl.col("effective").is_null())
        .then(pl.coalesce("reason", "reason_above", pl.lit("unknown_write")))
        .alias("effect_reason"),
        pl.col("gone_before").fill_null(False),
    )


def compared(facts: pl.LazyFrame, priors: pl.LazyFrame, member_priors: pl.LazyFrame) -> pl.LazyFrame:
    """Return what becomes of each field or member that a write sets or removes: deed, field, effect, status, same.

    `same`: it had the value already, null where that is unknown, false where nothing earlier is known (`status`
    absent). `@exists` has a row of its own where something is known of it, and of every deletion.
    """
    asked = facts.filter(pl.col("effect").is_in(_COMPARED))
    base = asked.filter((pl.col("kind") == "base") & (pl.col("effect") != "remove")).join(
        priors, on=["deed", "cell"], how="left"
    )
    existence = (pl.col("field") == EXISTS) & (pl.col("effect") != "delete")
    no_say = existence & pl.col("status").is_in([ABSENT, UNKNOWN_VALUE]).fill_null(True)
    status = pl.when(pl.col("key").is_null()).then(pl.lit(UNKNOWN_VALUE)).otherwise(pl.col("status").fill_null(ABSENT))
    whole = base.filter(~no_say).with_columns(
        status.alias("status"), (pl.col("key") == pl.col("prior_key")).alias("same")
    )
    members = (
        asked.filter(pl.col("kind") == "remove")
        .join(member_priors, left_on=["deed", "cell", "key"], right_on=["deed", "cell", "member"], how="left")
        .with_columns(status.alias("status"), (~pl.col("held")).alias("same"))
    )
    columns = ["deed", "field", "effect", "status", "same"]
    same = (
        pl.when(pl.col("status") == KNOWN)
        .then("same")
        .when(pl.col("status") == ABSENT)
        .then(pl.lit(False))
        .otherwise(None)
    )
    return pl.concat([whole.select(columns), members.select(columns)]).with_columns(same.alias("same"))
