"""How do requirements stand once it is known where the episodes end?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.met import met
from misstep.label.evidence.statuses import roles, statuses


def final_met(
    demands: pl.LazyFrame,
    queries: pl.LazyFrame,
    kept_hits: pl.LazyFrame,
    kept_states: pl.LazyFrame,
    kept_confirmed: pl.LazyFrame,
    unseen: pl.LazyFrame,
    found: pl.LazyFrame,
    ends: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return `met`, made anew for the episodes that end before their last call."""
    again = of_cut(demands, ends)
    return pl.concat(
        [
            found.join(again, on="demand", how="anti"),
            met(again, queries, kept_hits, kept_states, kept_confirmed, unseen),
        ]
    )


def final_statuses(
    first: pl.LazyFrame,
    obligations: pl.LazyFrame,
    demands: pl.LazyFrame,
    final_met: pl.LazyFrame,
    ends: pl.LazyFrame,
    closed: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the statuses of what is asked for at attempts that are judged, and at the end of actions without any."""
    cut = _cut(ends)
    again = statuses(of_cut(obligations, ends), roles(of_cut(demands, ends), final_met))
    found = pl.concat([first.join(cut, on="run", how="anti"), again])
    shut = closed.filter("closed").select("run", "attempt")
    taken = closed.filter(~pl.col("closed") & pl.col("matched_action").is_not_null()).select(
        "run", pl.col("matched_action").alias("action")
    )
    asked = found.join(shut, on=["run", "attempt"], how="anti")
    last = asked.filter(pl.col("attempt") == -1)
    return pl.concat(
        [
            asked.filter(pl.col("attempt") >= 0),
            last.filter("candidate"),
            last.filter(~pl.col("candidate")).join(taken, on=["run", "action"], how="anti"),
        ]
    )


def of_cut(rows: pl.LazyFrame, ends: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows of the episodes that end before their last call."""
    return rows.join(_cut(ends), on="run", how="semi")


def _cut(ends: pl.LazyFrame) -> pl.LazyFrame:
    return ends.filter(pl.col("last_place").is_not_null()).select("run")
