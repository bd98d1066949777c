"""Tiny tables: one episode `e` of one task `t` of the suite `s`, written as literals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from misstep.contracts.tables import LABELS, SPECS, TRACES
from misstep.contracts.values import canonical
from misstep.label import label

UNKNOWN = object()
Row = dict[str, Any]
Tables = dict[str, pl.DataFrame]
ENTITY = "ticket:1"


def _key(value: Any) -> str | None:
    return None if value is UNKNOWN else canonical(value)


def _split(entity: str | None) -> tuple[str | None, str | None]:
    if entity is None:
        return None, None
    kind, _, name = entity.partition(":")
    return kind, name or None


def _fields(values: Mapping[str, Any], free: Iterable[str], members: bool) -> list[Row]:
    rows = []
    for field, value in values.items():
        for item in value if members else [value]:
            source = item[len("state.") :] if isinstance(item, str) and item.startswith("state.") else None
            key = None if source else _key(item)
            rows.append({"field": field, "value": key, "compare": key, "from_state": source, "free": field in free})
    return rows


def arguments(values: Mapping[str, Any] | None) -> list[Row] | None:
    """Return arguments as the tables hold them."""
    return None if values is None else [{"name": name, "compare": _key(value)} for name, value in values.items()]


def write(step: int = 1, entity: str | None = ENTITY, *, free: Sequence[str] = (), **parts: Any) -> Row:
    """Return a row of `writes`: `set`, `replace`, `add`, `remove` or `create` hold the modified fields."""
    used = [name for name in ("set", "replace", "add", "remove", "create") if name in parts]
    effect = parts.pop("effect", used[0] if used else "touch")
    values = parts.pop(used[0]) if used else {}
    kind, name = _split(entity)
    row = {
        "episode": "e",
        "step": step,
        "position": 0,
        "item": 0,
        "tool": "tickets.update",
        "action": effect,
        "domain": "tickets",
        "entity_type": kind,
        "entity_id": name,
        "effect": effect,
        "fields": _fields(values, free, effect in ("add", "remove")),
        "opaque": False,
        "arguments": arguments(parts.pop("arguments", {})),
        "arguments_known": True,
        "recipients": [],
        "external": False,
        "outcome": "applied",
        "follows": None,
        "actor": "agent",
    }
    return row | parts


def gold(*args: Any, inert: bool = False, **parts: Any) -> Row:
    """Return a row of `reference_writes` of the task."""
    row = write(*args, **parts)
    for name in ("episode", "arguments_known", "outcome"):
        del row[name]
    return row | {"suite": "s", "task_id": "t", "inert": inert}


def pattern(entity: str | Sequence[str] | None = ENTITY, **parts: Any) -> Row:
    """Return a row of `authorizations` of the task; patterns are numbered by `label_tables`."""
    values = parts.pop("values", {})
    row = {
        "suite": "s",
        "task_id": "t",
        "name": None,
        "after_clarification": False,
        "tool": None,
        "domain": "tickets",
        "action": None,
        "entities": [entity] if isinstance(entity, str) else entity and list(entity),
        "created": None,
        "fields": None,
        "values": [
            {"field": field, "compare": [canonical(item) for item in (value if isinstance(value, list) else [value])]}
            for field, value in values.items()
        ],
        "arguments": arguments(parts.pop("arguments", None)),
        "exact_arguments": False,
        "recipients": None,
        "external": False,
        "max": 1,
        "inert": False,
    }
    return row | parts


def condition(
    test: str, value: Any = None, field: str | None = None, entity: str | None = ENTITY, where: Row | None = None
) -> Row:
    """Return a row of `goals` of the task; conditions are numbered by `tables`."""
    kind, name = _split(entity)
    text = None if value is None else canonical(value)
    return {
        "suite": "s",
        "task_id": "t",
        "entity_type": kind,
        "entity_id": name,
        "where": [{"field": key, "compare": canonical(item)} for key, item in (where or {}).items()],
        "field": field,
        "test": test,
        "value": text,
        "compare": text,
    }


def state_rows(entities: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Return entities as rows of `states` or `overrides` without their key; None removes an entity."""
    rows = []
    for entity, fields in entities.items():
        kind, name = _split(entity)
        facts = {"@exists": False} if fields is None else {"@exists": True, **fields}
        rows += [
            {"entity_type": kind, "entity_id": name, "field": field, "value": canonical(v), "compare": canonical(v)}
            for field, v in facts.items()
        ]
    return rows


def call(step: int, *, shows: Mapping[str, Mapping[str, Any]] | None = None, **parts: Any) -> Row:
    """Return a row of `calls`; `shows` are the entities and fields that its result shows, `says` its text."""
    row = {
        "episode": "e",
        "step": step,
        "position": 0,
        "tool": "tickets.get",
        "kind": "read",
        "outcome": "applied",
        "actor": "agent",
        "flags": [],
        "shows": shows,
    }
    return row | parts


def leaves(values: Mapping[str, Any], **parts: Any) -> list[Row]:
    """Return leaves of arguments: path → value, or values of a list without order (UNKNOWN: taken out, `*`: any)."""
    rows = []
    for path, value in values.items():
        for number, item in enumerate(value if isinstance(value, list) else [value]):
            text = canonical("?" if item is UNKNOWN else item)
            key = None if item is UNKNOWN or item == "*" else text
            rows.append({"path": path, "number": number, "value": text, "compare": key, **parts})
    return rows


def message(
    step: int, role: str, *, asks: bool = False, actor: str = "agent", position: int = 0, text: str | None = None
) -> Row:
    """Return a row of `messages`."""
    return {
        "episode": "e",
        "step": step,
        "position": position,
        "role": role,
        "actor": actor,
        "text": text,
        "asks_user": asks,
    }


def _frame(name: str, rows: Iterable[Row]) -> pl.DataFrame:
    schema = {**TRACES, **SPECS}[name]
    empty = schema.create_empty()
    columns = empty.collect_schema()
    texts = {column: pl.String if isinstance(kind, pl.Enum) else kind for column, kind in columns.items()}
    filled = [{column: row.get(column) for column in columns} for row in rows]
    return pl.DataFrame(filled, schema=texts).cast(dict(columns))


def tables(
    writes: Sequence[Row] = (),
    *,
    patterns: Sequence[Row] = (),
    state: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    goals: Sequence[Row] | None = None,
    reference: Sequence[Row] | None = None,
    calls: Sequence[Row] = (),
    messages: Sequence[Row] = (),
    allowances: Sequence[Row] = (),
    links: Sequence[tuple[str, str, str]] = (),
    ambiguous: bool = False,
    authorized_after: bool = False,
    task_known: bool = True,
    status: str = "completed",
    calls_lost: bool = False,
    decision: str | None = None,
    evidence: Mapping[str, Sequence[Row]] | None = None,
) -> Tables:
    """Return all tables that labelling reads; `evidence` has further rows by table (see `evidencing`)."""
    key = {"suite": "s", "task_id": "t"}
    shown = [(f"o{number}", row["shows"]) for number, row in enumerate(calls)]
    observations = [
        {"observation_id": name, "record": record, **fact}
        for name, entities in shown
        for record, (entity, fields) in enumerate((entities or {}).items())
        for fact in state_rows({entity: fields})
        if fact["field"] != "@exists"
    ]
    task = {
        **key,
        "ambiguous": ambiguous,
        "instruction": "",
        "state": "world" if state is not None else None,
        "goal": "reference" if reference is not None else "conditions" if goals is not None else "none",
        "authorized_after": authorized_after,
    }
    episode = {**key, "episode": "e", "recorded_task_id": "t", "status": status, "steps": 9, "calls": len(calls)}
    episode["decision_outcome"] = decision
    rows: dict[str, Sequence[Row]] = {
        "episodes": [episode | {"calls_lost": calls_lost, "source_file": "f", "source_line": 1}],
        "writes": writes,
        "calls": [
            {"arguments_id": None if row.get("given") is None else f"a{number}"}
            | row
            | {"observation_id": name, "result_id": f"r{number}" if row.get("says") is not None else None}
            for number, (row, (name, _)) in enumerate(zip(calls, shown, strict=True))
        ],
        "messages": messages,
        "observations": observations,
        "tasks": [task] if task_known else [],
        "states": [{"suite": "s", "state": "world", **row} for row in state_rows(state or {})],
        "overrides": [key | row for row in state_rows(overrides or {})],
        "authorizations": [
            row | {"pattern": number, "name": row["name"] or f"p{number}"} for number, row in enumerate(patterns)
        ],
        "allowances": [{"suite": "s", **row} for row in allowances],
        "goals": [row | {"condition": number} for number, row in enumerate(goals or [])],
        "reference_writes": reference or [],
        "links": [{**key, "entity": one, "relation": how, "linked": other} for one, how, other in links],
        "arguments": [
            {"arguments_id": f"a{number}"} | leaf
            for number, row in enumerate(calls)
            for leaf in leaves(row.get("given") or {}, counted=True)
        ],
        "results": [
            {"result_id": f"r{number}", "text": row["says"]}
            for number, row in enumerate(calls)
            if row.get("says") is not None
        ],
        **(evidence or {}),
    }
    return {
        ("spec/" if name in SPECS else "") + name: _frame(name, rows.get(name, []))
        for name in (*TRACES, *SPECS)
        if name not in ("files", "problems", "strata")
    }


def labelled(frames: Tables, **options: Any) -> dict[str, pl.DataFrame]:
    """Return the label tables, checked against their contracts."""
    made = label({name: frame.lazy() for name, frame in frames.items()}, **options)
    return {name: LABELS[name].validate(frame.collect()) for name, frame in made.items()}


def labels(writes: Sequence[Row] = (), **task: Any) -> tuple[list[Row], Row]:
    """Return the write labels, in order, and the episode labels of the one episode."""
    made = labelled(tables(writes, **task))
    return made["write_labels"].to_dicts(), made["episode_labels"].to_dicts()[0]


def last(writes: Sequence[Row], **task: Any) -> Row:
    """Return the labels of the last write."""
    return labels(writes, **task)[0][-1]


def episode(writes: Sequence[Row] = (), **task: Any) -> Row:
    """Return the labels of the episode."""
    return labels(writes, **task)[1]
