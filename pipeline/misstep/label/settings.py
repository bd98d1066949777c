"""Under which task did an episode run?"""

from __future__ import annotations

import polars as pl


def settings(
    episodes: pl.LazyFrame,
    tasks: pl.LazyFrame,
    overrides: pl.LazyFrame,
    clarification: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row an episode: its task's columns (null where the suite does not know the task) and clarification.

    Columns: run (code of the episode), episode, suite, task_id, status, calls_lost, task_known, ambiguous,
    authorized_after, state, has_state, goal_kind, answered_step, maybe_step, final_asks.
    """
    key = ["suite", "task_id"]
    overridden = overrides.select(key).unique().with_columns(overridden=pl.lit(True))
    of_tasks = tasks.join(overridden, on=key, how="left").select(
        *key,
        "ambiguous",
        "authorized_after",
        "state",
        (pl.col("state").is_not_null() | pl.col("overridden").is_not_null()).alias("has_state"),
        pl.col("goal").cast(pl.String).alias("goal_kind"),
        pl.lit(True).alias("task_known"),
    )
    return (
        episodes.select("episode", *key, pl.col("status").cast(pl.String), "calls_lost")
        .join(of_tasks, on=key, how="left")
        .join(clarification, on="episode", how="left")
        .with_columns(pl.col("task_known").fill_null(False))
        .sort("episode")
        .with_row_index("run")
    )


def with_goal(settings: pl.LazyFrame, kind: str) -> pl.LazyFrame:
    """Return the settings of episodes whose task has a goal of this kind: conditions or reference."""
    return settings.filter((pl.col("goal_kind") == kind) & ~pl.col("ambiguous"))
