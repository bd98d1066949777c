"""What was superseded, by whose writes, and when?"""

from __future__ import annotations

import polars as pl

from misstep.label.facts import EXISTS

_ENTITY = ["run", "entity_type", "entity_id"]


def changes(runs: pl.LazyFrame, deeds: pl.LazyFrame, facts: pl.LazyFrame, effects: pl.LazyFrame) -> pl.LazyFrame:
    """Return what anybody's writes changed, or may have: run, entity_type, entity_id, field (null: all of them).

    Further columns: change_step, change_position, to (the new key; null: not known), always (whatever it was before),
    effective (null: unknown). The evaluator of SafeActBench knows no change.
    """
    took = (
        deeds.filter(pl.col("entity_id").is_not_null() & pl.col("entity_type").is_not_null() & ~pl.col("reference"))
        .join(runs.filter(pl.col("profile") == "standard").select("run", "episode"), on="episode", how="inner")
        .join(effects.filter(pl.col("effective").fill_null(True)).select("deed", "effective"), on="deed", how="inner")
        .select(
            *("deed", "run", "entity_type", "entity_id", "effective", "effect", "opaque"),
            pl.col("step").alias("change_step"),
            pl.col("position").alias("change_position"),
        )
    )
    all_of_it = pl.col("opaque") | (pl.col("effect") == "delete")
    of_fields = facts.filter(pl.col("field") != EXISTS).select(
        "deed", "field", pl.col("key").alias("to"), (pl.col("kind") != "base").alias("always")
    )
    columns = [*_ENTITY, "field", "change_step", "change_position", "to", "always", "effective"]
    return pl.concat(
        [
            took.filter(~all_of_it).join(of_fields, on="deed", how="inner").select(columns),
            took.filter(all_of_it)
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
    one = changes.filter(pl.col("field").is_not_null()).rename({"field": "changed"})
    whole = changes.filter(pl.col("field").is_null()).drop("field", "to")
    found = pl.concat(
        [
            there.join(one, left_on=[*_ENTITY, "field"], right_on=[*_ENTITY, "changed"], how="inner").with_columns(
                (pl.col("always") | (pl.col("to") != pl.col("key"))).alias("differs")
            ),
            there.join(whole, on=_ENTITY, how="inner").with_columns(pl.lit(True).alias("differs")),
        ],
        how="diagonal",
    )
    later = (pl.col("change_step") > pl.col("step")) | (
        (pl.col("change_step") == pl.col("step")) & (pl.col("change_position") > pl.col("position"))
    )
    surely = pl.col("differs") & pl.col("effective")
    return (
        found.filter(later & surely.fill_null(True))
        .group_by("row")
        .agg(
            pl.col("change_step").filter(surely.fill_null(False)).min().alias("stale_from") + 1,
            pl.col("change_step").min().alias("doubt_from") + 1,
        )
    )
