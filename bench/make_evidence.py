"""Tables of any size in which everything is about evidence: many reads, many requirements, two actions an episode."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.tables import SPECS, TRACES

SUITE, FIELDS = "ledger", 5
#: A field has the value that is asked for but once in so many times.
_OFF = 7


@dataclass(frozen=True)
class Size:
    """How many episodes of how many tasks, with how many reads an episode and requirements a task."""

    episodes: int
    tasks: int
    reads: int
    needs: int

    @property
    def observations(self) -> int:
        """Return the rows of `observations`."""
        return self.episodes * self.reads * FIELDS

    @property
    def requirements(self) -> int:
        """Return the rows of `spec/requirements`."""
        return self.tasks * self.needs


def evidence_tables(size: Size) -> dict[str, pl.DataFrame]:
    """Return the tables of traces and specification, checked against their contracts."""
    made = {**_traces(size), **{f"spec/{name}": frame for name, frame in _specification(size).items()}}
    schemas = {**TRACES, **{f"spec/{name}": schema for name, schema in SPECS.items()}}
    return {name: _whole(schema, made.get(name)) for name, schema in schemas.items()}


def write_tables(tables: dict[str, pl.DataFrame], folder: Path) -> None:
    """Write every table as one file, `spec/…` in a folder of its own."""
    for name, frame in tables.items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(path)


def _whole(schema: Any, frame: pl.DataFrame | None) -> pl.DataFrame:
    """Return a frame with every column of its contract, those not given null."""
    empty = schema.create_empty()
    if frame is None:
        return empty  # type: ignore[no-any-return]
    columns = [
        pl.col(name).cast(kind) if name in frame.columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in empty.schema.items()
    ]
    return schema.validate(frame.select(columns))  # type: ignore[no-any-return]


def _entity(number: pl.Expr) -> pl.Expr:
    """Return the name of an entity of the episode's task."""
    return pl.format("t{}e{}", "task", number)


def _quoted(text: pl.Expr) -> pl.Expr:
    return pl.format('"{}"', text)


def _traces(size: Size) -> dict[str, pl.DataFrame]:
    runs = pl.select(number=pl.int_range(size.episodes)).with_columns(
        episode=pl.col("number").cast(pl.String).str.zfill(32), task=pl.col("number") % size.tasks
    )
    read = runs.join(pl.select(step=pl.int_range(1, size.reads + 1)), how="cross").with_columns(
        call=pl.col("number") * size.reads + pl.col("step"), target=pl.col("step") - 1, tool=pl.lit("record.get")
    )
    act = runs.join(pl.select(step=pl.int_range(size.reads + 3, size.reads + 5)), how="cross").with_columns(
        target=pl.col("step") - size.reads - 3, tool=pl.lit("record.update"), actor=pl.lit("agent")
    )
    change = runs.filter(pl.col("number") % 3 == 0).with_columns(
        step=pl.lit(size.reads + 1, dtype=pl.Int64),
        target=pl.lit(2, dtype=pl.Int64),
        tool=pl.lit("record.change"),
        actor=pl.lit("user"),
    )
    calls = pl.concat([read.with_columns(actor=pl.lit("agent")), act, change], how="diagonal_relaxed").with_columns(
        _entity(pl.col("target")).alias("arguments_id"), pl.format("o{}", "call").alias("observation_id")
    )
    return {
        "episodes": runs.select(
            "episode",
            suite=pl.lit(SUITE),
            task_id=pl.format("t{}", "task"),
            recorded_task_id=pl.format("t{}", "task"),
            status=pl.lit("completed"),
            steps=pl.lit(size.reads + 5),
            calls=pl.lit(size.reads + 2),
            calls_lost=pl.lit(False),
            source_file=pl.lit("made"),
            source_line=pl.col("number") + 1,
            replicate=pl.col("number") // size.tasks,
        ),
        "calls": calls.select(
            "episode",
            "step",
            "tool",
            "arguments_id",
            "observation_id",
            "actor",
            position=pl.lit(0),
            kind=pl.when(pl.col("tool") == "record.get").then(pl.lit("read")).otherwise(pl.lit("write")),
            outcome=pl.lit("applied"),
            call_id=pl.format("c{}", "step"),
            flags=pl.lit([], dtype=pl.List(pl.String)),
        ),
        "arguments": calls.unique("arguments_id").select(
            "arguments_id",
            path=pl.lit("id"),
            number=pl.lit(0),
            value=_quoted(pl.col("arguments_id")),
            compare=_quoted(pl.col("arguments_id")),
            counted=pl.lit(True),
        ),
        "observations": _observations(read),
        "writes": _writes(pl.concat([act, change], how="diagonal_relaxed")),
    }


def _observations(read: pl.DataFrame) -> pl.DataFrame:
    shown = read.join(pl.select(place=pl.int_range(FIELDS)), how="cross")
    off = (pl.col("call") * FIELDS + pl.col("place")) % _OFF == 0
    value = pl.when(off).then(pl.lit('"other"')).otherwise(pl.format('"v{}.{}"', "place", "target"))
    return shown.select(
        observation_id=pl.format("o{}", "call"),
        record=pl.lit(0),
        field=pl.format("f{}", "place"),
        entity_type=pl.lit("record"),
        entity_id=_entity(pl.col("target")),
        value=value,
        compare=value,
    )


def _writes(calls: pl.DataFrame) -> pl.DataFrame:
    changes = pl.struct(
        field=pl.lit("f0"),
        value=pl.lit('"changed"'),
        compare=pl.lit('"changed"'),
        from_state=pl.lit(None, dtype=pl.String),
        free=pl.lit(False),
    )
    return calls.select(
        "episode", "step", "tool", "actor", position=pl.lit(0), item=pl.lit(0), action=pl.lit("update"),
        domain=pl.lit("record"), entity_type=pl.lit("record"), entity_id=_entity(pl.col("target")),
        effect=pl.lit("set"), fields=pl.concat_list(changes), opaque=pl.lit(False),
        arguments=pl.lit([], dtype=pl.List(pl.Struct({"name": pl.String, "compare": pl.String}))),
        arguments_known=pl.lit(True), recipients=pl.lit([], dtype=pl.List(pl.String)), external=pl.lit(False),
        outcome=pl.lit("applied"),
    )  # fmt: skip


def _leaves(number: pl.Expr) -> pl.Expr:
    name = _quoted(_entity(number))
    return pl.concat_list(pl.struct(path=pl.lit("id"), number=pl.lit(0, dtype=pl.Int64), value=name, compare=name))


def _specification(size: Size) -> dict[str, pl.DataFrame]:
    tasks = pl.select(task=pl.int_range(size.tasks)).with_columns(suite=pl.lit(SUITE), task_id=pl.format("t{}", "task"))
    needed = tasks.join(pl.select(number=pl.int_range(size.needs)), how="cross").with_columns(
        requirement=pl.format("r{}", "number")
    )
    parts = needed.join(pl.select(condition=pl.int_range(2)), how="cross").join(
        pl.select(part=pl.int_range(2)), how="cross"
    )
    actions = tasks.join(pl.select(number=pl.int_range(2)), how="cross")
    return {
        "tasks": tasks.select(
            "suite",
            "task_id",
            template_id="task_id",
            ambiguous=pl.lit(False),
            instruction=pl.lit(""),
            goal=pl.lit("none"),
            authorized_after=pl.lit(False),
        ),
        "evidence": tasks.select(
            "suite",
            "task_id",
            protocol=pl.lit("V2"),
            profile=pl.lit("standard"),
            reads_before_first=pl.lit(True),
            consequential=pl.lit(["record.update"]),
            information=pl.lit(["record.get"]),
        ),
        "required_reads": tasks.join(pl.select(number=pl.int_range(5)), how="cross").select(
            "suite",
            "task_id",
            "number",
            read=pl.format("reads[{}]", "number"),
            tool=pl.lit("record.get"),
            arguments=_leaves(pl.col("number")),
        ),
        "actions": actions.select(
            "suite",
            "task_id",
            "number",
            action=pl.format("a{}", "number"),
            tool=pl.lit("record.update"),
            arguments=_leaves(pl.col("number")),
            entity_type=pl.lit("record"),
            entity_id=_entity(pl.col("number")),
        ),
        "dependencies": tasks.select("suite", "task_id", action=pl.lit("a1"), after=pl.lit("a0")),
        "requirements": needed.select(
            "suite",
            "task_id",
            "requirement",
            "number",
            actions=pl.lit(["a0", "a1"]),
            description=pl.lit(""),
            identity=pl.lit([], dtype=pl.List(pl.String)),
        ),
        "conditions": parts.select(
            "suite",
            "task_id",
            "requirement",
            "condition",
            "part",
            role=pl.lit("supported"),
            alternative=pl.lit(0),
            source=pl.lit("record"),
            tools=pl.lit([], dtype=pl.List(pl.String)),
            entity_type=pl.lit("record"),
            entity_id=_entity(pl.col("number") * 2 + pl.col("condition")),
            field=pl.format("f{}", "part"),
            test=pl.lit("is"),
            compare=pl.concat_list(pl.format('"v{}.{}"', "part", pl.col("number") * 2 + pl.col("condition"))),
            identity=pl.lit(False),
        ),
    }
