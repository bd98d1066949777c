"""The state of a benchmark, while its expected calls are replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from misstep.contracts.trace import Call
from misstep.contracts.values import parse
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.paths import MISSING
from misstep.specs.writes import WriteRow

Fields = Mapping[str, Any]


class State:
    """An initial state: entity (`type:id`) → fields. Of a type that it does not hold at all nothing is known."""

    def __init__(self, entities: Mapping[str, Fields] | None = None) -> None:
        self.entities: Mapping[str, Fields] = entities or {}
        self.types = {entity.partition(":")[0] for entity in self.entities}


class World:
    """The state while expected calls are replayed; an entity of None was deleted."""

    def __init__(self, tools: CompiledTools, state: State) -> None:
        self._tools = tools
        self._state = state
        self._now: dict[str, dict[str, Any] | None] = {}

    def holds(self, kind: str | None) -> bool:
        """Return whether the entities of a type are known."""
        return kind in self._state.types

    def entities(self, kind: str) -> Iterator[tuple[str, Fields]]:
        """Yield id and fields of the entities of a type, as they are now."""
        for entity, first in self._state.entities.items():
            type_, _, name = entity.partition(":")
            fields = self._now.get(entity, first)
            if type_ == kind and fields is not None:
                yield name, fields

    def key(self, kind: str, name: str, value: Any) -> str | None:
        """Return the comparison key of a value of a field."""
        return self._tools.profile(kind, name).key(value)

    def replay(self, tool: CompiledTool, call: Call) -> str | None:
        """Apply a call; return why it does nothing, or None where it does something (or writes nothing)."""
        arguments = call.arguments or {}
        rows = tool.writes(call, MISSING, "applied")
        left = tool.leaves(arguments)
        reasons: list[str] = []
        for row in rows:
            after = left[row.item] if row.item < len(left) else {}
            reason = self._reason(tool, row, arguments, after) if row.follows is None else None
            if row.follows is None and reason is not None:
                reasons.append(reason)
            elif row.follows is None:
                self._apply(row, after)
        own = sum(row.follows is None for row in rows)
        return reasons[0] if own and len(reasons) == own else None

    def _fields(self, row: WriteRow) -> dict[str, Any] | None:
        """Return the fields of an entity now, None where it is not there; MISSING fields of unknown types are {}."""
        entity = f"{row.entity_type}:{row.entity_id}"
        if entity not in self._now:
            known = self._state.entities.get(entity)
            self._now[entity] = None if known is None else dict(known)
        return self._now[entity]

    def _reason(
        self, tool: CompiledTool, row: WriteRow, arguments: dict[str, Any], after: dict[str, Any]
    ) -> str | None:
        if row.effect == "create" or row.entity_id is None:
            return None if tool.needs_hold({}, arguments) else "the arguments are not allowed"
        if not self.holds(row.entity_type):
            return None
        fields = self._fields(row)
        if fields is None:
            return f"there is no {row.entity_type} {row.entity_id}"
        if not tool.needs_hold(fields, arguments):
            return f"the {row.entity_type} or the arguments do not allow it"
        return "the value is there already" if self._same(row, fields, after) else None

    def _same(self, row: WriteRow, fields: dict[str, Any], after: dict[str, Any]) -> bool:
        """Return whether everything that a write sets, or leaves behind, stands there already."""
        kind = row.entity_type or ""
        wanted: dict[str, str | None] = {name: self.key(kind, name, value) for name, value in after.items()}
        if row.effect == "set" and not row.opaque:
            wanted |= {one.field: None if one.from_state else one.compare for one in row.fields}
        return bool(wanted) and all(
            key is not None and (value := at(fields, name)) is not MISSING and self.key(kind, name, value) == key
            for name, key in wanted.items()
        )

    def _apply(self, row: WriteRow, after: dict[str, Any]) -> None:
        if row.effect == "create" or row.entity_id is None or row.entity_type not in self._state.types:
            return
        entity = f"{row.entity_type}:{row.entity_id}"
        if row.effect == "delete":
            self._now[entity] = None
            return
        fields = self._fields(row)
        if fields is not None:
            known = {one.field: parse(one.value) for one in row.fields if one.value is not None and row.effect == "set"}
            for name, value in (known | after).items():
                self._now[entity] = fields = _with(fields, name, value)


def at(fields: Fields, name: str) -> Any:
    """Return the value of a field, or of a part of it (`address.city`); MISSING where it is not there."""
    first, dot, rest = name.partition(".")
    if name in fields or not dot:
        return fields.get(name, MISSING)
    inner = fields.get(first)
    return at(inner, rest) if isinstance(inner, dict) else MISSING


def _with(fields: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the fields with another value of one, or of a part of one."""
    first, dot, rest = name.partition(".")
    inner = fields.get(first)
    if name in fields or not dot or not isinstance(inner, dict):
        return fields | {name: value}
    return fields | {first: _with(inner, rest, value)}
