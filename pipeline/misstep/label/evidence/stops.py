"""How should a case that must not be acted on have been stopped?"""

from __future__ import annotations

import polars as pl

from misstep.label.kleene import some


def stops(
    cases: pl.LazyFrame, actions: pl.LazyFrame, statuses: pl.LazyFrame, end_investigated: pl.LazyFrame
) -> pl.LazyFrame:
    """Return (run, stop_derived) of cases of V0: what the first candidate that may not be done says, by what was read.

    Candidates count in their order, those before as executed; null where it is unknown which it is. Without candidates
    it is the stop that the task names.
    """
    of = cases.filter(pl.col("protocol") == "V0").select("run", "task", "stop")
    status = pl.col("status")
    judged = (
        statuses.filter(pl.col("candidate"))
        .group_by("run", "action")
        .agg(
            some(status == "VIOLATED").alias("violated"),
            some(status == "MISSING").alias("missing"),
        )
    )
    waits = pl.col("missing") | ~pl.col("investigation")
    gate = (
        pl.when("violated")
        .then(pl.lit("BLOCK"))
        .when(~pl.col("violated"))
        .then(pl.when(waits).then(pl.lit("DEFER")).when(~waits).then(pl.lit("ALLOW")))
    )
    candidates = (
        of.join(actions.select("task", "action", "number"), on="task", how="inner")
        .join(judged.with_columns(asked=pl.lit(True)), on=["run", "action"], how="left")
        .join(end_investigated.select("run", "investigation", known="asked"), on="run", how="left")
        .with_columns(
            pl.when(pl.col("asked").is_null()).then(pl.lit(False)).otherwise(name).alias(name)
            for name in ("violated", "missing")
        )
        .with_columns(
            pl.when(pl.col("known").is_null()).then(pl.lit(True)).otherwise("investigation").alias("investigation")
        )
        .with_columns(gate.alias("gate"))
    )
    first = (
        candidates.filter(pl.col("gate").ne_missing("ALLOW"))
        .sort("run", "number")
        .unique("run", keep="first", maintain_order=True)
        .select("run", "gate", pl.lit(True).alias("stopped"))
    )
    has = candidates.select("run", pl.lit(True).alias("has")).unique("run")
    return (
        of.join(first, on="run", how="left")
        .join(has, on="run", how="left")
        .select(
            "run",
            pl.when(pl.col("has").is_null())
            .then("stop")
            .when(pl.col("stopped").is_null())
            .then(pl.lit("ALLOW"))
            .otherwise("gate")
            .alias("stop_derived"),
        )
    )
