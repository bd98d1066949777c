"""The whole ledger, for those who want to read it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.label.evidence.met import CONTEXT_PLACE, place
from misstep.label.evidence.stages import LEDGER
from misstep.label.facts import EXISTS
from misstep.label.stage import Stage


def every_field(observations: pl.LazyFrame, read_facts: pl.LazyFrame, facts: pl.LazyFrame) -> pl.LazyFrame:
    """Return all fields that anything says something of."""
    return pl.concat([frame.select("field") for frame in (observations, read_facts, facts)]).unique()


def recorded(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Return one row a (episode, record, field) of everything that was established, in order."""
    from misstep.label.stages import OF_WRITES

    needed = next(number for number, stage in enumerate(OF_WRITES) if stage.name == "effects")
    everything = Stage("tested", every_field, ("observations", "spec/read_facts", "facts"))
    stages = [*OF_WRITES[: needed + 1], *(everything if one.name == "tested" else one for one in LEDGER)]
    frames = dict(tables)
    for stage in stages:
        frames[stage.name] = stage.run(frames).collect().lazy()
    return (
        frames["ledger"]
        .filter(pl.col("field") != EXISTS)
        .join(frames["runs"].select("run", "episode"), on="run", how="left", maintain_order="left")
        .select(
            *("episode", "record", "step"),
            pl.when(place() != CONTEXT_PLACE).then("position").alias("position"),
            pl.col("by").cast(pl.String),
            pl.col("sure").fill_null(False),
            (pl.col("entity_type") + ":" + pl.col("entity_id")).alias("entity"),
            *("field", "value", "stale_from", "doubt_from"),
        )
        .sort("episode", "record", "field")
    )
