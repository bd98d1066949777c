"""What was superseded, by whose writes, and when?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.met import place
from misstep.label.facts import EXISTS

_ENTITY = ["run", "entity_type", "entity_id"]


def changes(runs: pl.LazyFrame, deeds: pl.LazyFrame, facts: pl.LazyFrame, effects: pl.LazyFrame) -> pl.LazyFrame:
    """Return what anybody's writes changed, or may have: run, entity_type, entity_id, field (null: all of them).

    Further columns: change_step, change_position, to (the new key; null: not known), always (whatever it was before),
    effective (null: unknown). Where it is not known which entity was written, its id is null, and its type where that
    is not known either; what was created is none of those that were shown before. The evaluator of SafeActBench knows
    no change.
    """
    known = pl.col("entity_id").is_not_null() & pl.col("entity_type").is_not_null()
    took = (
        deeds.filter((known | (pl.col("effect") != "create")) & ~pl.col("reference"))
        .join(runs.filter(pl.col("profile") == "standard").select("run", "episode"), on="episode", how="inner")
        .join(effects.filter(pl.col("effective").fill_null(True)).select("deed", "effective"), on="deed", how="inner")
        .select(
            *("deed", "run", "entity_type", "effective"),
            pl.when(known).then("entity_id").alias("entity_id"),
            (pl.col("opaque") | (pl.col("effect") == "delete") | (~known & ~pl.col("arguments_known"))).alias("whole"),
            pl.col("step").alias("change_step"),
            pl.col("position").alias("change_position"),
        )
    )
    of_fields = facts.filter(pl.col("field") != EXISTS).select(
        "deed", "field", pl.col("key").alias("to"), (pl.col("kind") != "base").alias("always")
    )
    columns = [*_ENTITY, "field", "change_step", "change_position", "to", "always", "effective"]
    return pl.concat(
        [
            took.filter(~pl.col("whole")).join(of_fields, on="deed", how="inner").select(columns),
            took.filter("whole")
            .with_columns(
                pl.lit(None, dtype=pl.String).alias("field"),
                pl.lit(None, dtype=pl.String).alias("to"),
                pl.lit(True).alias("always"),
            )
            .select(columns),
        ]
    )


def superseded(rows: pl.LazyFrame, changes: pl.LazyFrame) -> pl.LazyFrame:
    """Return (row, stale_from, doubt_from) of the rows that a later change of their field makes stale, or may."""
    there = rows.filter(pl.col("entity_id").is_not_null() & (pl.col("field") != EXISTS)).select(
        *_ENTITY, "field", "row", "step", "position", "key"
    )
    known = changes.filter(pl.col("entity_id").is_not_null())
    one = known.filter(pl.col("field").is_not_null()).rename({"field": "changed"})
    whole = known.filter(pl.col("field").is_null()).drop("field", "to")
    found = pl.concat(
        [
            there.join(one, left_on=[*_ENTITY, "field"], right_on=[*_ENTITY, "changed"], how="inner"),
            there.join(whole, on=_ENTITY, how="inner"),
        ],
        how="diagonal",
    )
    surely = _differs() & pl.col("effective")
    of_known = found.filter(_later() & surely.fill_null(True)).select("row", "change_step", surely.alias("surely"))
    return (
        pl.concat([of_known, _in_doubt(there, changes.filter(pl.col("entity_id").is_null()))])
        .group_by("row")
        .agg(
            pl.col("change_step").filter(pl.col("surely").fill_null(False)).min().alias("stale_from") + 1,
            pl.col("change_step").min().alias("doubt_from") + 1,
        )
    )


def _in_doubt(there: pl.LazyFrame, vague: pl.LazyFrame) -> pl.LazyFrame:
    """Return (row, change_step, surely: null) of the rows whose field a later write of an unknown entity may change.

    It may be any entity of its type, or any at all where the type is not known. Of writes that may have changed
    everything the next one is enough.
    """
    rows = there.join(vague.select("run").unique(), on="run", how="semi").with_columns(place().alias("place"))
    found = []
    for typed, by in ((True, ["run", "entity_type"]), (False, ["run"])):
        some = vague.filter(pl.col("entity_type").is_not_null() == typed).select(
            *by, "field", "change_step", "change_position", "to", "always"
        )
        of_field = rows.join(some.filter(pl.col("field").is_not_null()), on=[*by, "field"], how="inner")
        whole = some.filter(pl.col("field").is_null()).select(
            *by, "change_step", place("change_step", "change_position").alias("place")
        )
        following = rows.sort("place").join_asof(
            whole.sort("place"),
            on="place",
            by=by,
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        found += [
            of_field.filter(_later() & _differs().fill_null(True)).select("row", "change_step"),
            following.filter(pl.col("change_step").is_not_null()).select("row", "change_step"),
        ]
    return pl.concat(found).with_columns(pl.lit(None, dtype=pl.Boolean).alias("surely"))


def _differs() -> pl.Expr:
    """Return whether a change leaves the field at another value than was shown; null where that is not known."""
    return pl.col("always") | (pl.col("to") != pl.col("key"))


def _later() -> pl.Expr:
    return (pl.col("change_step") > pl.col("step")) | (
        (pl.col("change_step") == pl.col("step")) & (pl.col("change_position") > pl.col("position"))
    )
