"""Parts of tables as files: written whole or not at all, and the small file that says a unit is done."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from misstep.storage.atomic import replacing, write_bytes

#: Hidden folder of what only `ingest` reads: `<unit>.json`, and the parts of the hidden tables.
UNITS = ".units"
#: Columns that hardly repeat: a dictionary of them is a waste.
_DISTINCT = {"results": ("result_id", "text")}
#: Columns of long text, which are compressed. Of the others the dictionary is all that takes room; packing it as well
#: would take a third longer.
_LONG = {"results": ("text",), "messages": ("text",)}
#: Columns by which rows are looked for.
_KEYS = ("episode", "result_id", "observation_id", "arguments_id")


class Told(msgspec.Struct):
    """What became of the records of a file, or of a range of it.

    `damaged` counts those of the lost records that are no whole JSON text; `reason` is why the first one is lost.
    """

    name: str
    format: str | None
    records: int = 0
    blank: int = 0
    lost: int = 0
    damaged: int = 0
    incomplete: bool = False
    seconds: float = 0.0
    kinds: dict[str, int] = {}
    reason: str | None = None


class Done(msgspec.Struct):
    """What became of a unit, file by file; written when all its parts are there."""

    unit: str
    files: list[Told] = []
    parts: dict[str, list[str]] = {}


class Rewrite(NamedTuple):
    """A part to be written again as `target`, without the rows whose `column` is one of `gone`."""

    source: Path
    target: Path
    table: str
    column: str
    gone: list[str]


def folder_of(out: Path, table: str, hidden: bool) -> Path:
    """Return the folder of a table's parts."""
    return out / UNITS / table if hidden else out / table


def write_part(path: Path, table: str, rows: pa.Table) -> None:
    """Put the rows of a table at `path`."""
    distinct, long = _DISTINCT.get(table, ()), _LONG.get(table, ())
    with replacing(path) as temporary:
        pq.write_table(
            rows,
            temporary,
            compression=dict.fromkeys(long, "zstd"),
            compression_level=dict.fromkeys(long, 1),
            use_dictionary=[name for name in rows.schema.names if name not in distinct] if distinct else True,
            write_statistics=[name for name in rows.schema.names if name in _KEYS],
        )


def write_done(out: Path, done: Done) -> None:
    """Say that a unit is done."""
    write_bytes(out / UNITS / f"{done.unit}.json", msgspec.json.encode(done, order="sorted"))


def read_done(out: Path, unit: str, hidden: Container[str]) -> Done | None:
    """Return what became of a unit if all its parts are there, else None."""
    try:
        done = msgspec.json.decode((out / UNITS / f"{unit}.json").read_bytes(), type=Done)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    for table, names in done.parts.items():
        folder = folder_of(out, table, table in hidden)
        if not all((folder / name).is_file() for name in names):
            return None
    return done


def rewrite(work: Rewrite) -> None:
    """Write a part again without some of its rows."""
    rows = pq.read_table(work.source)
    gone = pa.array(work.gone, rows.schema.field(work.column).type)
    write_part(work.target, work.table, rows.filter(pc.invert(pc.is_in(rows.column(work.column), value_set=gone))))
