"""What was done, in order: the writes of episodes, and those of references as if they were episodes of their own."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

#: Doublings of the path to the root of a `follows` chain; enough for chains of 64 writes.
_DOUBLINGS = 6
_OF_EPISODE = ["episode", "step", "position", "item"]
_OF_TASK = ["suite", "task_id", "step", "position", "item"]
_COLUMNS = [
    "reference", "episode", "suite", "task_id", "state", "has_state", "step", "position", "item", "tool", "action",
    "domain", "entity_type", "entity_id", "effect", "opaque", "arguments_known", "external", "outcome", "follows",
    "actor", "after_clarification",
]  # fmt: skip


def deeds(writes: pl.LazyFrame, reference_writes: pl.LazyFrame, settings: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a write, sorted, `deed` counting the rows from 0: order within an episode is the order of `deed`.

    Rows of references (`reference` true, `episode` null, inert writes left out) are replayed exactly as those of
    episodes. Further columns: scope (code of an episode or reference), entity (code of an entity in its scope; null
    where the entity is not known), thing (code of a type and id in any scope), world (code of a task: its initial
    state), parent and root (deeds; a root is its own root), state and has_state of the task, after_clarification.
    What the writes hold in lists is in `contents`.
    """
    done = (
        writes.drop("fields", "arguments", "recipients")
        .join(settings, on="episode", how="inner")
        .with_columns(
            pl.lit(False).alias("reference"),
            _after_clarification().alias("after_clarification"),
            pl.col("effect", "outcome").cast(pl.String),
        )
    )
    wanted = (
        settings.filter(pl.col("goal_kind") == "reference")
        .select("suite", "task_id", "state", "has_state")
        .unique(subset=["suite", "task_id"])
    )
    meant = (
        reference_writes.filter(~pl.col("inert"))
        .drop("fields", "arguments", "recipients")
        .join(wanted, on=["suite", "task_id"], how="inner")
        .with_columns(
            pl.lit(True).alias("reference"),
            pl.lit(None, dtype=pl.String).alias("episode"),
            pl.lit(True).alias("arguments_known"),
            pl.lit("applied").alias("outcome"),
            pl.lit(False).alias("after_clarification"),
            pl.col("effect").cast(pl.String),
        )
    )
    rows = (
        pl.concat([done.select(_COLUMNS), meant.select(_COLUMNS)])
        .sort("reference", "episode", "suite", "task_id", "step", "position", "item")
        .with_row_index("deed")
        .with_columns(_scope())
    )
    return _rooted(_coded(rows)).drop("follows")


def contents(deeds: pl.LazyFrame, writes: pl.LazyFrame, reference_writes: pl.LazyFrame) -> pl.LazyFrame:
    """Return what each write holds in lists: deed, fields, names, arguments, argument_names, recipients."""
    lists = ["fields", "arguments", "recipients"]
    of_episodes = deeds.filter(~pl.col("reference")).select("deed", *_OF_EPISODE)
    of_tasks = deeds.filter("reference").select("deed", *_OF_TASK)
    held = pl.concat(
        [
            writes.select(*_OF_EPISODE, *lists).join(of_episodes, on=_OF_EPISODE, how="inner").select("deed", *lists),
            reference_writes.select(*_OF_TASK, *lists).join(of_tasks, on=_OF_TASK, how="inner").select("deed", *lists),
        ]
    )
    return held.with_columns(
        pl.col("fields").list.eval(pl.element().struct.field("field")).alias("names"),
        pl.col("arguments").list.eval(pl.element().struct.field("name")).alias("argument_names"),
    )


def _after_clarification() -> pl.Expr:
    """Return whether a write came after an answered clarification; null where one may have been answered."""
    return (
        pl.when(pl.col("step") > pl.col("answered_step"))
        .then(pl.lit(True))
        .when(pl.col("maybe_step").is_null() | (pl.col("step") <= pl.col("maybe_step")))
        .then(pl.lit(False))
    )


def _scope() -> pl.Expr:
    """Return a code that counts the runs of rows of one episode or reference (rows are sorted)."""
    parts = [pl.col(name) for name in ("reference", "episode", "suite", "task_id")]
    starts = pl.any_horizontal(part.ne_missing(part.shift(1)) for part in parts)
    return starts.cum_sum().cast(pl.UInt32).alias("scope")


def _coded(rows: pl.LazyFrame) -> pl.LazyFrame:
    # sorted, since a plan that uses codes twice may make them twice
    entity = ["entity_type", "entity_id"]
    things = rows.select(entity).drop_nulls().unique().sort(entity).with_row_index("thing")
    worlds = rows.select("suite", "task_id").unique().sort("suite", "task_id").with_row_index("world")
    coded = rows.join(things, on=["entity_type", "entity_id"], how="left").join(worlds, on=["suite", "task_id"])
    entities = coded.drop_nulls("thing").group_by("scope", "thing").agg(pl.col("deed").min().alias("entity"))
    return coded.join(entities, on=["scope", "thing"], how="left")


def _rooted(rows: pl.LazyFrame) -> pl.LazyFrame:
    parents = rows.select("scope", "step", "position", pl.col("item").alias("follows"), pl.col("deed").alias("parent"))
    led = rows.filter(pl.col("follows") < pl.col("item")).select("deed", "scope", "step", "position", "follows")
    links = led.join(parents, on=["scope", "step", "position", "follows"], how="inner").select("deed", "parent")
    linked = (
        rows.join(links, on="deed", how="left").sort("deed").with_columns(pl.coalesce("parent", "deed").alias("root"))
    )
    for _ in range(_DOUBLINGS):
        linked = linked.with_columns(pl.col("root").gather(pl.col("root")))
    return linked


def with_ancestors(rows: pl.LazyFrame, **labels: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> pl.LazyFrame:
    """Return the rows with labels that take in those of the writes that they follow, and so on to the root.

    Rows are the first deeds, none left out, with `deed` and `parent`; a label is named with the function that joins its
    own value with its parent's, which must not mind a value that is taken in twice.
    """
    linked = rows.sort("deed").with_columns(pl.coalesce("parent", "deed").alias("_above"))
    above = pl.col("_above")
    for _ in range(_DOUBLINGS):
        linked = linked.with_columns(
            *(join(pl.col(name), pl.col(name).gather(above)).alias(name) for name, join in labels.items()),
            above.gather(above),
        )
    return linked.drop("_above")
