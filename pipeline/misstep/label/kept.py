"""Which fields did a write set to the value that they had already? They are not modified."""

from __future__ import annotations

import polars as pl

from misstep.label.facts import EXISTS
from misstep.label.replay import UNKNOWN_WRITE

_SET = ("set", "replace")


def kept(compared: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a write that keeps some field, or may: deed, kept, doubtful, after_unknown.

    `kept` and `doubtful` are the names of the fields that are known to keep their value, and that may; `after_unknown`:
    some are doubtful because of an earlier write of unknown outcome. Of an entity that was gone, none is kept.
    """
    of_sets = compared.filter(pl.col("effect").is_in(_SET))
    existence = pl.col("field") == EXISTS
    there = of_sets.filter(existence & ~pl.col("same").fill_null(False)).select(
        "deed", pl.lit(True).alias("asked"), pl.col("same").alias("there"), pl.col("status").alias("existence")
    )
    unclear = (pl.col("status") == UNKNOWN_WRITE) | (pl.col("existence") == UNKNOWN_WRITE)
    return (
        of_sets.filter(~existence & pl.col("same").fill_null(True))
        .join(there, on="deed", how="left")
        .with_columns(pl.when(pl.col("asked")).then(pl.col("same") & pl.col("there")).otherwise("same").alias("same"))
        .filter(pl.col("same").fill_null(True))
        .group_by("deed")
        .agg(
            pl.col("field").filter(pl.col("same")).sort().alias("kept"),
            pl.col("field").filter(pl.col("same").is_null()).sort().alias("doubtful"),
            (pl.col("same").is_null() & unclear.fill_null(False)).any().alias("after_unknown"),
        )
    )


def without_kept(contents: pl.LazyFrame, kept: pl.LazyFrame) -> pl.LazyFrame:
    """Return the contents of writes less the fields that are kept, and with those that may be (`doubtful`)."""
    some = contents.join(kept.select("deed", "kept", "doubtful"), on="deed", how="inner")
    left = (
        some.select("deed", "fields", "kept")
        .explode("fields")
        .filter(~pl.col("kept").list.contains(pl.col("fields").struct.field("field")))
        .group_by("deed", maintain_order=True)
        .agg(pl.col("fields").alias("left"))
    )
    less = (
        some.join(left, on="deed", how="left")
        .with_columns(pl.coalesce("left", pl.col("fields").list.head(0)).alias("fields"))
        .with_columns(pl.col("fields").list.eval(pl.element().struct.field("field")).alias("names"))
    )
    none = pl.lit([], dtype=pl.List(pl.String)).alias("doubtful")
    others = contents.join(kept, on="deed", how="anti").with_columns(none)
    columns = [*contents.collect_schema().names(), "doubtful"]
    return pl.concat([others.select(columns), less.select(columns)])
