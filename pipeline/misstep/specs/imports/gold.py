"""Expected calls of a benchmark → what they authorize, what must be reached, and which could never take effect.

The rule is general: the expected calls are replayed over the initial state. One that names an entity that is not there,
that breaks what its tool `needs`, or that sets what stands there already, changes nothing whoever makes it. It stays
authorized, since the user asked for it, and is left out of the state that must be reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from misstep.contracts.trace import Call
from misstep.contracts.values import parse
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.paths import MISSING
from misstep.specs.writes import WriteRow

Fields = Mapping[str, Any]

#: What an e-mail address or an account number looks like.
_ADDRESS = re.compile(r"^[^@\s]+@[^@\s]+$|^[a-z]{2}\d\w{8,}$", re.IGNORECASE)


class Step(NamedTuple):
    """An expected call; `compare` names the arguments that count (None: all of them)."""

    tool: str
    arguments: dict[str, Any]
    actor: str = "agent"
    compare: list[str] | None = None


class Inert(NamedTuple):
    """An expected write that could never take effect: its place among the expected calls, its tool, and why."""

    position: int
    tool: str
    reason: str


class State:
    """An initial state: entity (`type:id`) → fields. Of a type that it does not hold at all nothing is known."""

    def __init__(self, entities: Mapping[str, Fields] | None = None) -> None:
        self.entities: Mapping[str, Fields] = entities or {}
        self.types = {entity.partition(":")[0] for entity in self.entities}


@dataclass
class Gold:
    """What expected calls amount to, in the terms of `tasks.jsonl`; `undeclared` are tools the suite does not know."""

    authorized: list[dict[str, Any]] = field(default_factory=list)
    reference: list[dict[str, Any]] = field(default_factory=list)
    inert: list[Inert] = field(default_factory=list)
    undeclared: list[str] = field(default_factory=list)


def read_gold(tools: CompiledTools, steps: Iterable[Step], state: State) -> Gold:
    """Return what expected calls authorize, the reference solution that they are, and the writes that do nothing.

    Equal writes become one pattern whose `max` is their number.
    """
    gold, world = Gold(), _World(tools, state)
    patterns: dict[Any, dict[str, Any]] = {}
    for position, step in enumerate(steps):
        tool = tools.get(step.tool)
        if tool is None:
            gold.undeclared.append(step.tool)
            continue
        arguments = {name: value for name, value in step.arguments.items() if value is not None}
        call = Call(position, 0, tool.name, arguments, actor=step.actor)
        reason = world.replay(tool, call)
        made: dict[str, Any] = {"tool": tool.name, "arguments": arguments}
        if step.actor != "agent":
            made["actor"] = step.actor
        if reason is not None:
            made |= {"inert": True, "inert_reason": reason}
            gold.inert.append(Inert(position, tool.name, reason))
        gold.reference.append(made)
        for key, pattern in _patterns(tools, tool, call, step.compare, inert=reason is not None):
            if key in patterns:
                patterns[key]["max"] += 1
            else:
                patterns[key] = pattern
    gold.authorized = list(patterns.values())
    return gold


def _patterns(
    tools: CompiledTools, tool: CompiledTool, call: Call, compare: list[str] | None, *, inert: bool
) -> Iterable[tuple[Any, dict[str, Any]]]:
    """Yield the pattern of each write of a call that follows no other, with what makes two patterns equal.

    A write that can reach somebody is authorized to reach those that the expected call reaches, and nobody else. Where
    the expected call names a party instead of an address (a firm, not its account), whom it reaches is left open.
    """
    rows = [row for row in tool.writes(call, MISSING, "applied") if row.follows is None]
    reaching = {rule.action for rule in tools.file.tools[tool.name].writes if rule.recipients is not None}
    for row, found in zip(rows, tool.pattern_of(call), strict=True):
        exact = compare is None
        counted = [pair for pair in found.key if exact or set(pair[0].split(",")) & set(compare or [])]
        names = {name for pair in counted for name in (pair[0], *pair[0].split(","))}
        pattern: dict[str, Any] = {"tool": found.tool, "action": found.action}
        if found.created is not None:
            pattern["created"] = found.created
        elif found.entity is not None and exact:
            pattern["entity"] = found.entity
        pattern["arguments"] = {name: value for name, value in found.arguments.items() if name in names}
        if exact:
            pattern["exact_arguments"] = True
        if row.action in reaching and all(map(_ADDRESS.search, row.recipients)):
            pattern["recipients"] = row.recipients
        if row.external:
            pattern["external"] = True
        if inert:
            pattern["inert"] = True
        reached = tuple(pattern.get("recipients", ["?"]))
        key = (found.tool, found.action, found.created, pattern.get("entity"), tuple(counted), reached, exact, inert)
        yield key, {**pattern, "max": 1}


class _World:
    """The state while expected calls are replayed; an entity of None was deleted."""

    def __init__(self, tools: CompiledTools, state: State) -> None:
        self._tools = tools
        self._state = state
        self._now: dict[str, dict[str, Any] | None] = {}

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
        if row.entity_type not in self._state.types:
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
        wanted: dict[str, str | None] = {name: self._key(kind, name, value) for name, value in after.items()}
        if row.effect == "set" and not row.opaque:
            wanted |= {one.field: None if one.from_state else one.compare for one in row.fields}
        return bool(wanted) and all(
            key is not None and (value := _at(fields, name)) is not MISSING and self._key(kind, name, value) == key
            for name, key in wanted.items()
        )

    def _key(self, kind: str, name: str, value: Any) -> str | None:
        return self._tools.profile(kind, name).key(value)

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


def _at(fields: dict[str, Any], name: str) -> Any:
    """Return the value of a field, or of a part of it (`address.city`); MISSING where it is not there."""
    first, dot, rest = name.partition(".")
    if name in fields or not dot:
        return fields.get(name, MISSING)
    inner = fields.get(first)
    return _at(inner, rest) if isinstance(inner, dict) else MISSING


def _with(fields: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the fields with another value of one, or of a part of one."""
    first, dot, rest = name.partition(".")
    inner = fields.get(first)
    if name in fields or not dot or not isinstance(inner, dict):
        return fields | {name: value}
    return fields | {first: _with(inner, rest, value)}
