"""In what state do the effective writes leave things?"""

from __future__ import annotations

import polars as pl

from misstep.label.existence import without_idle
from misstep.label.facts import EXISTS, TRUE


def clouded(deeds: pl.LazyFrame, effects: pl.LazyFrame) -> pl.LazyFrame:
    """Return (entity, clouded_in) of the entities that an opaque write changed or may have: the last such deed.

    What was known of their fields before it is not known any more.
    """
    took = effects.filter(pl.col("effective").fill_null(True)).select("deed")
    return (
        deeds.filter(pl.col("opaque") & pl.col("entity").is_not_null())
        .join(took, on="deed", how="semi")
        .group_by("entity")
        .agg(pl.col("deed").max().alias("clouded_in"))
    )


def lasting(facts: pl.LazyFrame, effects: pl.LazyFrame, deeds: pl.LazyFrame, clouded: pl.LazyFrame) -> pl.LazyFrame:
    """Return the facts of writes that took effect or may have, with `sure`: the fact holds if nothing follows it.

    A write that was applied leaves its values whether it changed them or not; one of unknown outcome, or that follows
    a write of unknown effect, may have left nothing; an opaque one leaves nothing sure of what was before it, but
    whether its entity was there. `effective` is the write's. Unknown entities are left out.
    """
    above = effects.select(pl.col("deed").alias("parent"), pl.col("effective").is_not_null().alias("led"))
    clear = (pl.col("deed") >= pl.col("clouded_in").fill_null(0)) | (pl.col("field") == EXISTS)
    took = (
        effects.filter(pl.col("effective").fill_null(True))
        .join(deeds.select("deed", "parent", "entity"), on="deed", how="left")
        .join(above, on="parent", how="left")
        .join(clouded, on="entity", how="left")
        .select("deed", "effective", "clouded_in", pl.col("led").fill_null(True).alias("led"))
    )
    return (
        facts.filter(pl.col("cell").is_not_null())
        .join(took, on="deed", how="inner")
        .with_columns((pl.col("applied") & pl.col("led") & clear).alias("sure"))
        .select("deed", "cell", "field", "effect", "kind", "key", "value", "free", "effective", "sure")
    )


def final_values(lasting: pl.LazyFrame, cells: pl.LazyFrame, side: tuple[str, ...] = ()) -> pl.LazyFrame:
    """Return one row a (side, cell): the last value that a write gave it: last_deed, key, value (null: unknown), free.

    `value` is null where it is the key.
    """
    by = [pl.col(name) for name in (*side, "cell")]
    ends = pl.any_horizontal(column.ne_missing(column.shift(-1)) for column in by)
    return (
        without_idle(lasting.filter(pl.col("kind") == "base"), cells, "sure", side)
        .sort(*by, "deed")
        .filter(ends)
        .select(
            *by,
            pl.col("deed").alias("last_deed"),
            pl.when("sure").then("key").alias("key"),
            pl.when("sure").then("value").alias("value"),
            "free",
        )
    )


def final_members(lasting: pl.LazyFrame, values: pl.LazyFrame, side: tuple[str, ...] = ()) -> pl.LazyFrame:
    """Return one row a (side, cell, member): additions less removals since the last value of the whole field.

    Columns: member (null: not known which), net (null: unknown), last (added by the last write on it; null: unknown),
    free. What happened to a member that is not known leaves open what is there of others.
    """
    by = [*side, "cell"]
    certain = pl.col("sure") & pl.col("effective").is_not_null() & pl.col("key").is_not_null()
    moves = (
        lasting.filter(pl.col("kind") != "base")
        .join(values.select(*by, "last_deed"), on=by, how="left")
        .filter(pl.col("deed") > pl.col("last_deed").fill_null(-1))
        .with_columns(
            pl.col("deed").filter(pl.col("key").is_null()).max().over(by).alias("blind"),
            (pl.col("kind") == "add").alias("added"),
            certain.alias("certain"),
        )
    )
    return (
        moves.sort("deed")
        .group_by(*by, pl.col("key").alias("member"), maintain_order=True)
        .agg(
            pl.when(pl.col("certain").all()).then(pl.when("added").then(1).otherwise(-1).sum()).alias("net"),
            pl.when("sure").then("added").last().alias("last"),
            (pl.col("blind").last().is_not_null() & (pl.col("deed").last() < pl.col("blind").last())).alias("covered"),
            pl.col("free").any(),
        )
        .with_columns(pl.when(~pl.col("covered")).then("last").alias("last"))
        .drop("covered")
    )


def created(deeds: pl.LazyFrame, effects: pl.LazyFrame, cells: pl.LazyFrame, ends: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row an entity that was created, or may have been: surely, there (at the end; null: unknown).

    An entity that the initial state lists is not created by writing it again.
    """
    new = (
        deeds.filter((pl.col("effect") == "create") & pl.col("entity").is_not_null())
        .join(effects.filter(pl.col("effective").fill_null(True)).select("deed", "effective"), on="deed", how="inner")
        .group_by("entity")
        .agg(pl.col("effective").fill_null(False).any().alias("surely"))
    )
    existence = (
        cells.filter(pl.col("field") == EXISTS)
        .join(new, on="entity", how="inner")
        .filter(pl.col("initial_key").ne_missing(pl.lit(TRUE)))
    )
    return existence.join(ends.select("cell", "key"), on="cell", how="left").select(
        "entity", "surely", (pl.col("key") == TRUE).alias("there")
    )


def ends(lasting: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Return the cells that writes gave a value, with the last one: `final_values` and changed (null: unknown)."""
    return with_change(final_values(lasting, cells), cells)


def end_members(lasting: pl.LazyFrame, ends: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Return the members that came or went, with their cell: `final_members`."""
    return final_members(lasting, ends).join(cells.select("cell", "entity", "thing", "field"), on="cell", how="inner")


def with_change(values: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Return final values with their cell (entity, thing, field) and whether they differ from the start (changed).

    A field that the initial state does not list counts as changed; an entity that is written, not created, was there.
    """
    unlisted_existence = (pl.col("field") == EXISTS) & ~pl.col("listed")
    initial = pl.when(unlisted_existence).then(pl.lit(TRUE)).otherwise("initial_key")
    changed = pl.when(pl.col("key").is_not_null()).then(pl.col("key").ne_missing(initial))
    return (
        values.join(cells, on="cell", how="inner")
        .with_columns(changed.alias("changed"))
        .drop("world", "listed", "initial_key", "initial_value")
    )
