"""Rows in the making, turned into sorted Arrow tables when a part is full.

The tables of traces, and two hidden ones that only `ingest` reads: `identity` (what an episode is recognised by) and
`lineage` (the events of episodes that declare where they come from). Rows of an episode carry no key while they are
collected; how many rows it has in each table is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from misstep.contracts.errors import ContractError
from misstep.contracts.trace import Fault, Outcome
from misstep.specs.results import lines_of
from misstep.specs.writes import ArgumentRow

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
#: Tables whose rows are stored once however often they were seen, and the column of their hash.
ONCE = {"results": "result_id", "observations": "observation_id", "arguments": "arguments_id"}
#: Tables whose rows belong to an episode of the part.
BY_EPISODE = ("episodes", "messages", "calls", "writes", "identity", "lineage")
#: Columns that must rise within an episode.
_KEYS = {"messages": ("step", "position"), "calls": ("step", "position"), "writes": ("step", "position", "item")}


#: One record of an observation, by the columns of its rows: the last three are those of `specs.observes.Observed`.
Record = tuple[str, int, str, str | None, list[str], bytes, Sequence[str | None] | None]
_RECORD = ("observation_id", "record", "entity_type", "entity_id", "field", "value", "compare")
_LINE_END = 10
#: Characters of result texts that most units of an input share ("ok", errors). These, and texts that a unit itself has
#: several times, come as a piece of their own, so that storing them once does not mean to write all others again.
OFTEN = 200


class Shown(msgspec.Struct, frozen=True, gc=False):
    """What a call that only reads came to: its outcome, the id of what it showed, and what is to be noted."""

    outcome: Outcome
    observation: str | None
    faults: list[Fault]


class Buffers:
    """The rows of one part, by table, as tuples in the order of the schema without the key of their episode.

    `records` are the rows of `observations`, a record at a time. `keys` are the episodes in the order they were read;
    `counts` holds, for each table that goes by episode, how many rows each of them has. `results`, `observed` and
    `identities` hold what is stored once however often it was seen, `repeated` the results that were seen again,
    `counted` the arguments of writes by tool and text, `arguments` the ids of all arguments by tool and text, and
    `leaves` their rows.
    """

    def __init__(self, schemas: Mapping[str, pa.Schema]) -> None:
        self._schemas = {**schemas, **HIDDEN}
        self.rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in self._schemas if table not in ONCE}
        self.records: list[Record] = []
        self.keys: list[str] = []
        self.counts: dict[str, list[int]] = {table: [] for table in BY_EPISODE}
        self.results: dict[str, str] = {}
        self.repeated: set[str] = set()
        self.observed: dict[tuple[object, ...], Shown] = {}
        self.counted: dict[tuple[str, str], list[ArgumentRow]] = {}
        self.arguments: dict[tuple[str, str | None], str] = {}
        self.leaves: list[tuple[str, str, int, str, str | None, bool]] = []
        self.identities: set[str] = set()

    def clear(self) -> None:
        """Start a new part."""
        for rows in self.rows.values():
            rows.clear()
        for counts in self.counts.values():
            counts.clear()
        self.records.clear()
        self.keys.clear()
        self.results.clear()
        self.repeated.clear()
        self.observed.clear()
        self.counted.clear()
        self.arguments.clear()
        self.leaves.clear()
        self.identities.clear()

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield the tables that have rows, each sorted by its key; one may come in several pieces.

        Raises:
            ContractError: two rows of an episode have one key.
        """
        pieces: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for text, result in self.results.items():
            pieces[len(text) > OFTEN and result not in self.repeated].append((result, text))
        for piece in filter(None, pieces):
            yield "results", pa.table(list(zip(*sorted(piece), strict=True)), schema=self._schemas["results"])
        if self.leaves:  # those of one id stand together, by path
            schema = self._schemas["arguments"]
            leaves = sorted(self.leaves, key=itemgetter(0))
            yield "arguments", pa.Table.from_arrays(_arrays(schema, leaves), schema=schema)
        if self.records:
            yield "observations", _observations(self.records, self._schemas["observations"])
        order = np.array(sorted(range(len(self.keys)), key=self.keys.__getitem__), dtype=np.int64)
        keys = pa.array(self.keys, pa.large_string()).take(pa.array(order))
        for table, rows in self.rows.items():
            if not rows:
                continue
            schema = self._schemas[table]
            if table in BY_EPISODE:
                yield table, self._by_episode(table, order, keys)
            else:
                yield table, pa.Table.from_arrays(_arrays(schema, rows), schema=schema)

    def _by_episode(self, table: str, order: np.ndarray[Any, Any], keys: pa.Array) -> pa.Table:
        rows, schema = self.rows[table], self._schemas[table]
        counts = self.counts[table]
        starts = [0, *accumulate(counts)]
        placed: list[tuple[Any, ...]] = []
        for index in order.tolist():
            placed += rows[starts[index] : starts[index + 1]]
        owner = np.repeat(np.arange(len(order)), np.array(counts, dtype=np.int64)[order])
        at = schema.get_field_index("episode")
        arrays = _arrays(schema.remove(at), placed)
        arrays.insert(at, keys.take(pa.array(owner)).cast(schema.field(at).type))
        made = pa.Table.from_arrays(arrays, schema=schema)
        return made if table not in _KEYS or _rises(made, owner, _KEYS[table]) else _resorted(table, made)


def _observations(records: list[Record], schema: pa.Schema) -> pa.Table:
    """Return the rows of records (those of an observation in their order), sorted by observation."""
    records = sorted(records, key=itemgetter(0))
    columns = dict(zip(_RECORD, zip(*records, strict=True), strict=True))
    sizes = np.fromiter(map(len, columns["field"]), np.int64, len(records))
    owner = pa.array(np.repeat(np.arange(len(records)), sizes))
    arrays = {
        name: pa.array(columns[name], schema.field(name).type).take(owner)
        for name in ("observation_id", "record", "entity_type", "entity_id")
    }
    arrays["field"] = pa.array(list(chain.from_iterable(columns["field"])), pa.large_string())
    arrays["value"] = arrays["compare"] = _lines(columns["value"])
    if any(compares is not None for compares in columns["compare"]):
        keys = zip(columns["value"], columns["compare"], strict=True)
        compared = chain.from_iterable(lines_of(values) if own is None else own for values, own in keys)
        arrays["compare"] = pa.array(list(compared), pa.large_string())
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


def _lines(texts: Iterable[bytes]) -> pa.Array:
    """Return the lines of texts, every one of which has its line end, without making any of them a Python object."""
    joined = b"".join(texts)
    ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == _LINE_END)
    offsets = np.zeros(len(ends) + 1, np.int64)
    np.subtract(ends, np.arange(len(ends)), out=offsets[1:])
    data = joined.replace(b"\n", b"")
    return pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(data))


def _arrays(schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> list[pa.Array]:
    """Return the columns of rows as Arrow arrays."""
    arrays: list[pa.Array] = []
    before: tuple[Any, ...] = ()
    for values, field in zip(zip(*rows, strict=True), schema, strict=True):
        if arrays and field.type == arrays[-1].type and values == before:  # as `value` and `compare` mostly are
            arrays.append(arrays[-1])
        else:
            arrays.append(_array(values, field.type))
        before = values
    return arrays


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        seen: dict[str, int] = {}
        codes = [seen.setdefault(value, len(seen)) for value in values]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.uint8()), pa.array(list(seen), kind.value_type))
    if not pa.types.is_large_list(kind):
        return pa.array(values, kind)
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    flat = list(chain.from_iterable(values))
    inner = kind.value_type
    if pa.types.is_struct(inner):
        columns = zip(*flat, strict=True) if flat else [()] * inner.num_fields
        arrays = [_array(column, field.type) for column, field in zip(columns, inner, strict=True)]
        items = pa.StructArray.from_arrays(arrays, fields=list(inner))
    else:
        items = _array(flat, inner)
    return pa.LargeListArray.from_arrays(pa.array(offsets), items, type=kind)


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
