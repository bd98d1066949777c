"""What did the agent see of the fields that it wrote?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT


def sightings(
    cells: pl.LazyFrame, deeds: pl.LazyFrame, calls: pl.LazyFrame, observations: pl.LazyFrame
) -> pl.LazyFrame:
    """Return one row a (cell, step) in which an applied call of the agent showed the cell: the last value shown.

    Columns: cell, step, position, key, value. Only cells that the initial state does not list, or whose entity some
    write left in an unknown condition, can need it; others are left out.
    """
    blurred = deeds.filter(pl.col("opaque")).select("entity").unique()
    unlisted = cells.filter(~pl.col("listed"))
    wanted = (
        pl.concat([unlisted, cells.join(blurred, on="entity", how="semi")])
        .unique(subset="cell")
        .join(
            deeds.select(pl.col("deed").alias("entity"), "episode", "entity_type", "entity_id"),
            on="entity",
            how="inner",
        )
        .filter(pl.col("episode").is_not_null())
    )
    things = wanted.select("entity_type", "entity_id", "thing").unique()
    shown = (
        observations.join(things, on=["entity_type", "entity_id"], how="inner")
        .join(wanted.select("thing", "field").unique(), on=["thing", "field"], how="semi")
        .select("observation_id", "record", "thing", "field", pl.coalesce("compare", "value").alias("key"), "value")
    )
    seen = (
        calls.filter((pl.col("actor") == AGENT) & (pl.col("outcome") == "applied"))
        .select("episode", "step", "position", "observation_id")
        .drop_nulls("observation_id")
        .join(wanted.select("episode").unique(), on="episode", how="semi")
    )
    return (
        seen.join(shown, on="observation_id", how="inner")
        .join(wanted.select("episode", "thing", "field", "cell"), on=["episode", "thing", "field"], how="inner")
        .sort("cell", "step", "position", "record")
        .unique(subset=["cell", "step"], keep="last", maintain_order=True)
        .select("cell", "step", "position", "key", "value")
    )
