"""The tables `requirement_labels` and `action_labels`."""

from __future__ import annotations

import polars as pl

from misstep.contracts.tables import LABELS
from misstep.label.evidence.met import place, position_of, step_of

_KEY = ["run", "attempt"]
_CLOSED = (
    *("matched_action", "tool_ok", "target_ok", "arguments_ok", "dependencies_ok", "binding_ok", "supported"),
    *("gap_requirement", "gap_coverage", "gate", "executed", "rule_broken"),
)


def closed(verdicts: pl.LazyFrame, ends: pl.LazyFrame) -> pl.LazyFrame:
    """Return the attempts with `closed`: they came after the end of their episode and are not judged (`why`)."""
    after = (place() > pl.col("last_place")).fill_null(False)
    return verdicts.join(ends.select("run", "last_place", "why"), on="run", how="left").with_columns(
        after.alias("closed")
    )


def action_labels(runs: pl.LazyFrame, closed: pl.LazyFrame) -> pl.LazyFrame:
    """Return the table `action_labels`."""
    shut = pl.col("closed")
    judged = (
        closed.with_columns(
            *(pl.when(~shut).then(name).alias(name) for name in _CLOSED),
            *(pl.when(shut).then(pl.lit(0)).otherwise(name).alias(name) for name in ("covered", "reads")),
            pl.when(shut & pl.col("consequential")).then("why").when(~shut).then("reason").alias("reason"),
        )
        .join(runs.select("run", "episode"), on="run", how="left")
        .sort("episode", "step", "position")
    )
    return _as_table("action_labels", judged)


def coverage_labels(coverage: pl.LazyFrame, end_coverage: pl.LazyFrame, reads: pl.LazyFrame) -> pl.LazyFrame:
    """Return the coverage rows of `requirement_labels`, by run; near a read comes one of its tool, or a later one."""
    rows = pl.concat([coverage, end_coverage]).with_columns(
        pl.when("met").then(place()).alias("place"), pl.lit("read").alias("by")
    )
    missed = rows.filter(~pl.col("met")).select("run", "attempt", "limit", "requirement", "tool")
    others = (
        missed.join(
            reads.filter(pl.col("in_scope") & pl.col("observed")).select("run", "tool", "step", "position"),
            on=["run", "tool"],
            how="inner",
        )
        .filter(pl.col("step") < pl.col("limit"))
        .group_by(*_KEY, "requirement")
        .agg(place().max().alias("other_place"))
    )
    late = end_coverage.filter("met").select(
        "run", "requirement", place().alias("late_place"), pl.lit(True).alias("late")
    )
    status = pl.when("met").then(pl.lit("SUPPORTED")).when(~pl.col("met")).then(pl.lit("MISSING"))
    near = (
        pl.when(pl.col("other_place").is_not_null())
        .then(pl.lit("wrong_entity"))
        .when(pl.col("late").is_not_null())
        .then(pl.lit("later"))
        .otherwise(pl.lit("none"))
    )
    is_missed = ~pl.col("met")
    return (
        rows.join(others, on=[*_KEY, "requirement"], how="left")
        .join(late, on=["run", "requirement"], how="left")
        .select(
            *_KEY,
            pl.lit("coverage").alias("kind"),
            pl.lit("").alias("action"),
            "requirement",
            status.alias("status"),
            pl.lit(None, dtype=pl.String).alias("reason"),
            "place",
            pl.when(pl.col("place").is_not_null()).then("by").alias("by"),
            pl.when(is_missed).then(near).alias("near_miss"),
            pl.when(is_missed).then(pl.coalesce("other_place", "late_place")).alias("near_place"),
        )
    )


def requirement_labels(
    runs: pl.LazyFrame,
    coverage_labels: pl.LazyFrame,
    statuses: pl.LazyFrame,
    nearest: pl.LazyFrame,
    closed: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the table `requirement_labels`: of the attempts that are judged, and of the end."""
    columns = [
        *(
            "run",
            "attempt",
            "kind",
            "action",
            "requirement",
            "status",
            "reason",
            "place",
            "by",
            "near_miss",
            "near_place",
        ),
    ]
    of_requirements = statuses.join(nearest, on="obligation", how="left").with_columns(
        pl.col("by").cast(pl.String), pl.col("attempt").cast(pl.Int64)
    )
    shut = closed.filter("closed").select("run", pl.col("attempt").cast(pl.Int64))
    rows = (
        pl.concat([coverage_labels.select(columns), of_requirements.select(columns)])
        .join(shut, on=_KEY, how="anti")
        .join(runs.select("run", "episode"), on="run", how="left")
        .with_columns(
            step_of("place").alias("established_step"),
            position_of("place").alias("established_position"),
            pl.col("by").alias("established_by"),
            step_of("near_place").alias("near_step"),
            position_of("near_place").alias("near_position"),
        )
        .sort("episode", "attempt", "kind", "action", "requirement")
    )
    return _as_table("requirement_labels", rows)


def _as_table(name: str, rows: pl.LazyFrame) -> pl.LazyFrame:
    columns = LABELS[name].create_empty().schema
    return rows.select(pl.col(column).cast(kind) for column, kind in columns.items())
