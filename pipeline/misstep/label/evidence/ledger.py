"""What was established, when, by what, and about which entity?"""

from __future__ import annotations

import polars as pl

from misstep.contracts.tables.evidence import ESTABLISHED_BY
from misstep.label.evidence.shown import COLUMNS
from misstep.label.evidence.superseded import superseded

#: Type of a shown entity that the tools file could not tell.
_UNKNOWN = "unknown"


def ledger(shown: pl.LazyFrame, written: pl.LazyFrame, changes: pl.LazyFrame) -> pl.LazyFrame:
    """Return the Evidence Ledger: one row a (record, field), in order, with the steps from which it is stale.

    Columns: run, record (code; records of a run in order), step, position (-1: context), by, sure, entity_type,
    entity_id, unbound, field, key, value (null: not known), stale_from and doubt_from (null: never; doubt: perhaps).
    What the context and read facts say without an id is of no entity; a result or write without one is `unbound`: of
    an unknown entity, without a type of any. Source: [E], established; staleness is [m].
    """
    by = pl.col("by").cast(pl.Enum(ESTABLISHED_BY))
    place = ["run", "step", "position", "by", "source", "number"]
    nameless = pl.col("entity_id").is_null() | pl.col("entity_type").is_null()
    unbound = nameless & pl.col("by").is_in(["observation", "write"])
    typed = ~nameless | (unbound & (pl.col("entity_type") != _UNKNOWN))
    rows = (
        pl.concat([shown.select(COLUMNS), written.select(COLUMNS)])
        .with_columns(
            by.alias("by"),
            unbound.alias("unbound"),
            pl.when(typed).then("entity_type").alias("entity_type"),
            pl.when(~nameless).then("entity_id").alias("entity_id"),
        )
        .sort(*place, "field")
        .with_columns(
            pl.any_horizontal(pl.col(name) != pl.col(name).shift(1) for name in place)
            .fill_null(True)
            .cum_sum()
            .alias("record")
        )
        .with_row_index("row")
    )
    return rows.join(superseded(rows, changes), on="row", how="left").drop("row", "source", "number")
