"""Rows in the making: one plain list a column, turned into sorted Arrow tables when a part is full.

The tables of traces, and two hidden ones that only `ingest` reads: `identity` (what an episode is recognised by) and
`lineage` (the events of episodes that declare where they come from). List columns are held flat, with a length a row.
Rows of an episode carry no key while they are collected; how many rows it has in each table is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from misstep.contracts.errors import ContractError
from misstep.contracts.trace import Fault

#: What tells episodes apart: `attempt` is the key without the run, `kept` is False for an episode whose key was there
#: already in the same unit (its rows were never collected).
IDENTITY = pa.schema(
    {
        "episode": pa.string(),
        "attempt": pa.string(),
        "source_file": pa.string(),
        "source_line": pa.int64(),
        "source_byte": pa.int64(),
        "run": pa.string(),
        "recorded_task_id": pa.string(),
        "task_id": pa.string(),
        "numeric": pa.bool_(),
        "calls": pa.int64(),
        "unknown": pa.int64(),
        "kept": pa.bool_(),
    }
)
#: `place` is the position of the event in its episode; `within` says that a call was made inside of another call.
LINEAGE = pa.schema(
    {
        "episode": pa.string(),
        "lineage": pa.string(),
        "event": pa.string(),
        "place": pa.int64(),
        "step": pa.int64(),
        "position": pa.int64(),
        "table": pa.string(),
        "within": pa.bool_(),
        "unknown": pa.bool_(),
    }
)
HIDDEN: dict[str, pa.Schema] = {"identity": IDENTITY, "lineage": LINEAGE}
#: Tables whose rows belong to an episode of the part.
BY_EPISODE = ("episodes", "messages", "calls", "writes", "identity", "lineage")
#: Columns that must rise within an episode.
_KEYS = {"messages": ("step", "position"), "calls": ("step", "position"), "writes": ("step", "position", "item")}


class Columns:
    """The lists of one table by column name; `fields.value` names a flat list behind the list column `fields`."""

    __slots__ = ("lengths", "lists", "schema")

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.lists: dict[str, list[Any]] = {}
        self.lengths: dict[str, list[int]] = {}
        for field in schema:
            if pa.types.is_large_list(field.type):
                self.lengths[field.name] = []
                self.lists.update({name: [] for name in _members(field)})
            else:
                self.lists[field.name] = []

    def clear(self) -> None:
        """Forget every row."""
        for values in (*self.lists.values(), *self.lengths.values()):
            values.clear()

    def array(self, field: pa.Field) -> pa.Array:
        """Return one column as an Arrow array."""
        if not pa.types.is_large_list(field.type):
            return _flat(self.lists[field.name], field.type)
        offsets = np.zeros(len(self.lengths[field.name]) + 1, dtype=np.int64)
        np.cumsum(self.lengths[field.name], out=offsets[1:])
        inner = field.type.value_type
        flat = [self.lists[name] for name in _members(field)]
        if pa.types.is_struct(inner):
            arrays = [_flat(values, part.type) for values, part in zip(flat, inner, strict=True)]
            values = pa.StructArray.from_arrays(arrays, fields=list(inner))
        else:
            values = _flat(flat[0], inner)
        return pa.LargeListArray.from_arrays(pa.array(offsets), values, type=field.type)


def _members(field: pa.Field) -> list[str]:
    inner = field.type.value_type
    return [f"{field.name}.{part.name}" for part in inner] if pa.types.is_struct(inner) else [field.name]


def _flat(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_dictionary(kind):
        return pa.array(values, kind)
    seen: dict[str, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.uint8()), pa.array(list(seen), kind.value_type))


class Buffers:
    """The rows of one part: `columns` by table, `keys` the episodes in the order they were read.

    `counts` holds, for each table that goes by episode, how many rows each episode has. `results` and
    `observed` hold what is stored once however often it was seen.
    """

    def __init__(self, schemas: Mapping[str, pa.Schema]) -> None:
        self.columns = {table: Columns(schema) for table, schema in (*schemas.items(), *HIDDEN.items())}
        self.keys: list[str] = []
        self.counts: dict[str, list[int]] = {table: [] for table in BY_EPISODE}
        self.results: dict[str, str] = {}
        self.observed: dict[tuple[str, str | None, str], tuple[str | None, list[Fault]]] = {}

    def clear(self) -> None:
        """Start a new part."""
        for columns in self.columns.values():
            columns.clear()
        for counts in self.counts.values():
            counts.clear()
        self.keys.clear()
        self.results.clear()
        self.observed.clear()

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables that have rows, each sorted by its key.

        Raises:
            ContractError: two rows of an episode have one key.
        """
        order = np.array(sorted(range(len(self.keys)), key=self.keys.__getitem__), dtype=np.int64)
        keys = pa.array(self.keys, pa.large_string())
        made: dict[str, pa.Table] = {}
        for table, columns in self.columns.items():
            if table in BY_EPISODE:
                made[table] = self._by_episode(table, columns, order, keys)
            elif table == "results":
                ids = sorted(self.results, key=self.results.__getitem__)
                made[table] = pa.table([[self.results[text] for text in ids], ids], schema=columns.schema)
            else:
                made[table] = pa.Table.from_arrays([columns.array(f) for f in columns.schema], schema=columns.schema)
        if made["observations"].num_rows:
            made["observations"] = made["observations"].sort_by(
                [(name, "ascending") for name in ("observation_id", "record", "field")]
            )
        return {table: rows for table, rows in made.items() if rows.num_rows}

    def _by_episode(self, table: str, columns: Columns, order: np.ndarray[Any, Any], keys: pa.Array) -> pa.Table:
        counts = np.array(self.counts[table], dtype=np.int64)
        starts = np.cumsum(counts) - counts
        picked = counts[order]
        total = int(picked.sum())
        owner = np.repeat(order, picked)
        inside = np.arange(total) - np.repeat(np.cumsum(picked) - picked, picked)
        rows = np.repeat(starts[order], picked) + inside
        schema = columns.schema
        arrays = [
            keys.take(pa.array(owner)).cast(field.type)
            if field.name == "episode"
            else columns.array(field).take(pa.array(rows))
            for field in schema
        ]
        made = pa.Table.from_arrays(arrays, schema=schema)
        return made if table not in _KEYS or _rises(made, owner, _KEYS[table]) else _resorted(table, made)


def _rises(table: pa.Table, owner: np.ndarray[Any, Any], names: Sequence[str]) -> bool:
    """Return whether the key columns rise strictly within each episode."""
    same = owner[1:] == owner[:-1]
    rising = np.zeros(len(same), dtype=bool)
    for name in names:
        values = table.column(name).to_numpy()
        rising |= same & (values[1:] > values[:-1])
        same &= values[1:] == values[:-1]
    return bool(np.all(rising | (owner[1:] != owner[:-1])))


def _resorted(table: str, rows: pa.Table) -> pa.Table:
    names = ("episode", *_KEYS[table])
    rows = rows.sort_by([(name, "ascending") for name in names])
    keys = list(zip(*(rows.column(name).to_pylist() for name in names), strict=True))
    for one, other in pairwise(keys):
        if one == other:
            raise ContractError(f"table {table} has two rows with the key {one}")
    return rows
