"""Does a write that may not have been made say anything about whether its entity is there?"""

from __future__ import annotations

import polars as pl

from misstep.label.facts import EXISTS, FALSE, before


def without_idle(facts: pl.LazyFrame, cells: pl.LazyFrame, sure: str, side: tuple[str, ...] = ()) -> pl.LazyFrame:
    """Return the facts less those of `@exists` that change nothing, whether the write was made or not.

    A write that is no creation or deletion leaves an entity there, or brings it back. Where it may not have been made
    (not `sure`), it makes unknown whether an entity is there that was known to be gone, and nothing of any other.
    """
    by = [*side, "cell"]
    existence = facts.filter((pl.col("field") == EXISTS) & (pl.col("kind") == "base"))
    maybe = ~pl.col(sure) & ~pl.col("effect").is_in(["create", "delete"])
    hints = existence.filter(maybe).select(*by, "deed")
    firm = existence.filter(~maybe).join(hints.select("cell").unique(), on="cell", how="semi")
    said = firm.select(*by, "deed", (pl.col(sure) & (pl.col("key") == FALSE)).alias("gone"))
    start = cells.select("cell", (pl.col("initial_key") == FALSE).fill_null(False).alias("gone_at_start"))
    idle = (
        before(hints, said, by)
        .join(start, on="cell", how="left")
        .filter(~pl.coalesce("gone", "gone_at_start"))
        .select(*by, "deed")
    )
    return facts.join(idle, on=[*by, "deed"], how="anti")
