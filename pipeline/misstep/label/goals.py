"""Do the goal conditions of a task hold in the final state?"""

from __future__ import annotations

import polars as pl

from misstep.label.containment import contains, holds
from misstep.label.facts import EXISTS, FALSE, TRUE, key_of
from misstep.label.kleene import every
from misstep.label.settings import with_goal

_HELD = ["condition_code", "entity_id"]
_IS, _CONTAINS = "is", "contains"


def conditions(settings: pl.LazyFrame, goals: pl.LazyFrame) -> pl.LazyFrame:
    """Return the conditions of the tasks that episodes are of, with a code (condition_code), state and has_state."""
    tasks = (
        with_goal(settings, "conditions")
        .select("suite", "task_id", "state", "has_state")
        .unique(subset=["suite", "task_id"])
    )
    return (
        goals.sort("suite", "task_id", "condition")
        .with_row_index("condition_code")
        .join(tasks, on=["suite", "task_id"], how="inner")
        .with_columns(pl.col("test").cast(pl.String))
    )


def condition_goals(
    deeds: pl.LazyFrame,
    effects: pl.LazyFrame,
    settings: pl.LazyFrame,
    clouded: pl.LazyFrame,
    ends: pl.LazyFrame,
    end_members: pl.LazyFrame,
    conditions: pl.LazyFrame,
    parts: pl.LazyFrame,
    start: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (episode, reached) for the episodes of tasks with conditions: all of them hold in the final state.

    A condition asks for entities that are there and meet its parts. How many do is known for the initial state once a
    task; an episode changes that only by the entities that it wrote. Source: [S], goal conditions.
    """
    asked = with_goal(settings, "conditions")
    met_at_start = _met(_entities_at_start(conditions, start), parts, start)
    touched = _touched(deeds, effects, conditions)
    met_at_end = _met_at_end(touched.join(clouded, on="entity", how="left"), parts, start, ends, end_members)
    before = met_at_start.group_by("condition_code").agg(*_counts("met", "start"))
    moves = met_at_end.group_by("episode", "condition_code").agg(*_counts("met", "end"))
    gone = (
        met_at_end.select("episode", *_HELD)
        .join(met_at_start, on=_HELD, how="inner")
        .group_by("episode", "condition_code")
        .agg(*_counts("met", "gone"))
    )
    blurred = _blurred(deeds, effects, conditions)
    found = (
        asked.select("episode", "suite", "task_id")
        .join(conditions, on=["suite", "task_id"], how="inner")
        .join(before, on="condition_code", how="left")
        .join(moves, on=["episode", "condition_code"], how="left")
        .join(gone, on=["episode", "condition_code"], how="left")
        .join(blurred, on=["episode", "condition_code"], how="left")
        .with_columns(pl.col("^(true|open)_(start|end|gone)$").fill_null(0))
        .with_columns(
            (pl.col("true_start") + pl.col("true_end") - pl.col("true_gone")).alias("true"),
            (pl.col("open_start") + pl.col("open_end") - pl.col("open_gone")).alias("open"),
            (~pl.col("has_state") & pl.col("entity_id").is_null()).alias("endless"),
        )
        .with_columns(pl.when(pl.col("blurred").is_null()).then(_verdict()).alias("holds"))
    )
    verdicts = found.group_by("episode").agg(every(pl.col("holds")).alias("reached"))
    return (
        asked.select("episode")
        .join(verdicts.with_columns(compared=pl.lit(True)), on="episode", how="left")
        .select(
            "episode", pl.when(pl.col("compared").is_null()).then(pl.lit(True)).otherwise("reached").alias("reached")
        )
    )


def _verdict() -> pl.Expr:
    """Return whether a condition holds, from how many entities surely (`true`) and possibly (`open`) meet its parts."""
    possible = (pl.col("open") > 0) | pl.col("endless")
    some = pl.when(pl.col("true") > 0).then(pl.lit(True)).when(~possible).then(pl.lit(False))
    number = pl.col("value").cast(pl.Float64, strict=False)
    count = (
        pl.when("endless")
        .then(None)
        .when(pl.col("true") > number)
        .then(pl.lit(False))
        .when(pl.col("true") + pl.col("open") < number)
        .then(pl.lit(False))
        .when(~possible)
        .then(pl.lit(True))
    )
    refused = pl.col("test").is_in(["exists", "absent"]) & (pl.col("value").fill_null(TRUE) == FALSE)
    return pl.when(pl.col("test") == "count").then(count).otherwise(some ^ (refused ^ (pl.col("test") == "absent")))


def _counts(met: str, when: str) -> list[pl.Expr]:
    return [
        pl.col(met).fill_null(False).sum().cast(pl.Int64).alias(f"true_{when}"),
        pl.col(met).is_null().sum().cast(pl.Int64).alias(f"open_{when}"),
    ]


def condition_parts(conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a part of a condition: condition_code, field, mode (is, contains), wanted, its value."""
    chosen = (
        conditions.filter(pl.col("where").list.len() > 0)
        .select("condition_code", "where")
        .explode("where")
        .unnest("where")
        .select(
            "condition_code",
            "field",
            pl.lit(_IS).alias("mode"),
            pl.col("compare").alias("wanted"),
            pl.lit(None, dtype=pl.String).alias("wanted_value"),
        )
    )
    tested = conditions.filter(pl.col("field").is_not_null()).select(
        "condition_code",
        "field",
        pl.col("test").alias("mode"),
        pl.col("compare").alias("wanted"),
        pl.col("value").alias("wanted_value"),
    )
    any_value = (pl.col("mode") == _IS) & pl.col("wanted").is_null()
    return pl.concat([chosen, tested]).filter(~any_value).unique()


def condition_start(
    conditions: pl.LazyFrame, parts: pl.LazyFrame, states: pl.LazyFrame, overrides: pl.LazyFrame
) -> pl.LazyFrame:
    """Return what the initial states say of the fields that conditions look at: *_HELD, field, key, value."""
    named = conditions.select(
        "condition_code", "suite", "task_id", "state", "entity_type", pl.col("entity_id").alias("only")
    )
    here = pl.col("only").is_null() | (pl.col("only") == pl.col("entity_id"))
    fields = pl.concat(
        [
            parts.select("condition_code", "field"),
            conditions.select("condition_code", pl.lit(EXISTS).alias("field")),
        ]
    ).unique()
    columns = [*_HELD, "field", key_of().alias("key"), "value"]
    own = (
        named.join(overrides, on=["suite", "task_id", "entity_type"], how="inner")
        .filter(here)
        .select(columns)
        .join(fields, on=["condition_code", "field"], how="semi")
    )
    removed = own.filter((pl.col("field") == EXISTS) & (pl.col("key") == FALSE))
    shared = (
        named.join(states, on=["suite", "state", "entity_type"], how="inner")
        .filter(here)
        .select(columns)
        .join(fields, on=["condition_code", "field"], how="semi")
        .join(removed, on=_HELD, how="anti")
        .join(own, on=[*_HELD, "field"], how="anti")
    )
    return pl.concat([own, shared])


def _entities_at_start(conditions: pl.LazyFrame, start: pl.LazyFrame) -> pl.LazyFrame:
    """Return the entities that a condition may be about before anything is done: *_HELD, there (null: unknown)."""
    listed = start.filter(pl.col("field") == EXISTS).select(*_HELD, (pl.col("key") == TRUE).alias("there"))
    open_ = conditions.filter(~pl.col("has_state") & pl.col("entity_id").is_not_null()).select(
        *_HELD, pl.lit(None, dtype=pl.Boolean).alias("there")
    )
    return pl.concat([listed, open_])


def _met(entities: pl.LazyFrame, parts: pl.LazyFrame, values: pl.LazyFrame) -> pl.LazyFrame:
    """Return the entities (*_HELD, there) with `met`: it is there and meets every part of the condition."""
    looked = (
        entities.join(parts, on="condition_code", how="inner")
        .join(values, on=[*_HELD, "field"], how="left")
        .with_columns(_meets().alias("meets"))
        .group_by(_HELD)
        .agg(every(pl.col("meets")).alias("meets"))
        .with_columns(asked=pl.lit(True))
    )
    return entities.join(looked, on=_HELD, how="left").select(*_HELD, _all_met().alias("met"))


def _all_met() -> pl.Expr:
    return pl.col("there") & pl.when(pl.col("asked").is_null()).then(pl.lit(True)).otherwise("meets")


def _meets() -> pl.Expr:
    held = pl.when(pl.col("mode") == _CONTAINS).then(pl.coalesce("value", "key"))
    return (
        pl.when(pl.col("mode") == _IS)
        .then(pl.col("key") == pl.col("wanted"))
        .otherwise(contains(held, pl.col("key"), pl.col("wanted_value"), pl.col("wanted")))
    )


def _touched(deeds: pl.LazyFrame, effects: pl.LazyFrame, conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the entities that an episode wrote, or may have, by condition: episode, *_HELD, entity, has_state."""
    took = effects.filter(pl.col("effective").fill_null(True)).select("deed")
    return (
        deeds.filter(pl.col("episode").is_not_null() & pl.col("entity").is_not_null())
        .join(conditions, on=["suite", "task_id", "entity_type"], how="semi")
        .join(took, on="deed", how="semi")
        .select("episode", "suite", "task_id", "entity_type", "entity_id", "entity")
        .unique(subset="entity")
        .join(
            conditions.select(
                "suite", "task_id", "entity_type", "condition_code", "has_state", pl.col("entity_id").alias("only")
            ),
            on=["suite", "task_id", "entity_type"],
            how="inner",
        )
        .filter(pl.col("only").is_null() | (pl.col("only") == pl.col("entity_id")))
    )


def _met_at_end(
    touched: pl.LazyFrame, parts: pl.LazyFrame, start: pl.LazyFrame, ends: pl.LazyFrame, end_members: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the touched entities (episode, *_HELD) with `met` in the final state."""
    entities = touched.select("entity").unique()
    members = end_members.join(entities, on="entity", how="semi")
    written = ends.join(entities, on="entity", how="semi").select(
        "entity", "field", pl.col("key").alias("end_key"), pl.col("value").alias("end_value"), written=pl.lit(True)
    )
    moved = members.select("entity", "field").unique().with_columns(moved=pl.lit(True))
    now = pl.col("written").is_not_null()
    clear = pl.col("clouded_in").is_null()
    in_list = holds(pl.coalesce("value", "key"), pl.col("key"), pl.col("wanted_value"), pl.col("wanted"))
    looked = (
        touched.join(parts, on="condition_code", how="inner")
        .join(start, on=[*_HELD, "field"], how="left")
        .join(written, on=["entity", "field"], how="left")
        .join(moved, on=["entity", "field"], how="left")
        .with_columns(
            pl.when(now).then("end_key").when(clear).then("key").alias("key"),
            pl.when(now).then("end_value").when(clear).then("value").alias("value"),
        )
        .join(_members_wanted(members, parts), on=["entity", "field", "wanted", "wanted_value"], how="left")
        .with_columns(
            pl.when(pl.col("moved").is_null())
            .then(_meets())
            .when((pl.col("mode") == _CONTAINS) & pl.col("decided").is_not_null())
            .then("in_it")
            .when(pl.col("mode") == _CONTAINS)
            .then(in_list)
            .alias("meets")
        )
        .group_by("episode", *_HELD)
        .agg(every(pl.col("meets")).alias("meets"))
        .with_columns(asked=pl.lit(True))
    )
    existence = written.filter(pl.col("field") == EXISTS).select("entity", "end_key", "written")
    at_start = start.filter(pl.col("field") == EXISTS).select(*_HELD, "key")
    there = pl.when(now).then(pl.col("end_key") == TRUE).when(pl.col("key").is_not_null()).then(pl.col("key") == TRUE)
    return (
        touched.join(existence, on="entity", how="left")
        .join(at_start, on=_HELD, how="left")
        .with_columns(there.alias("there"))
        .join(looked, on=["episode", *_HELD], how="left")
        .select("episode", *_HELD, _all_met().alias("met"))
    )


def _members_wanted(members: pl.LazyFrame, parts: pl.LazyFrame) -> pl.LazyFrame:
    """Return, for members that conditions look for and writes moved: is the member in the collection at the end?"""
    wanted = parts.filter(pl.col("mode") == _CONTAINS).select("field", "wanted", "wanted_value").unique()
    named = pl.col("member").is_not_null()
    return (
        members.join(wanted, on="field", how="inner")
        .filter(~named | (pl.col("member") == pl.col("wanted")))
        .group_by("entity", "field", "wanted", "wanted_value")
        .agg(pl.col("last").filter(named).first().alias("in_it"))
        .with_columns(decided=pl.lit(True))
    )


def _blurred(deeds: pl.LazyFrame, effects: pl.LazyFrame, conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the (episode, condition_code) that a write on an entity that is not known may have changed."""
    took = effects.filter(pl.col("effective").fill_null(True)).select("deed")
    return (
        deeds.filter(pl.col("episode").is_not_null() & pl.col("entity").is_null())
        .join(took, on="deed", how="semi")
        .select("episode", "suite", "task_id", pl.col("entity_type").alias("type"))
        .join(conditions.select("suite", "task_id", "condition_code", "entity_type"), on=["suite", "task_id"])
        .filter(pl.col("type").is_null() | (pl.col("type") == pl.col("entity_type")))
        .select("episode", "condition_code", blurred=pl.lit(True))
        .unique()
    )
