"""What somebody else does in the middle of an episode, so that what was read before holds no longer."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from misstep.suites.evidence.acting.moves import Move
from misstep.suites.evidence.acting.prepared import Prepared, Staged
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.world import Record

COLLEAGUE = "colleague"


def changes(prepared: Prepared) -> Iterator[Move]:
    """Yield calls that the world accepts, and that change a field which a requirement of the first action rests on."""
    (first, *_) = prepared.case.evidence["actions"]
    for need in prepared.case.evidence["requirements"]:
        if need["id"] in first["requires"] and len(need["supported_if"]) == 1 and not need.get("inactive_if"):
            for entity, fields in _rests_on(need["supported_if"][0], first["arguments"]):
                yield from _changing(prepared, entity, fields)


def _rests_on(alternative: Any, arguments: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield (entity, fields) of the records of an alternative."""
    if not isinstance(alternative, Mapping):
        return
    for one in alternative.get("all", [alternative]):
        fields, entity = one.get("record"), one.get("entity")
        if isinstance(fields, Mapping) and isinstance(entity, str):
            for name, value in arguments.items():
                entity = entity.replace(f"{{arguments.{name}}}", str(value))
            yield entity, set(fields)


def _changing(prepared: Prepared, entity: str, fields: set[str]) -> Iterator[Move]:
    kind, _, name = entity.partition(":")
    record = prepared.world.records.get(entity, {})
    for tool, act in prepared.domain.acts.items():
        main = act.effects[0]
        if main.on is None or act.args[main.on].id != kind or any(one.given_by for one in act.args.values()):
            continue
        sure = {
            field for field, value in main.set.items() if not str(value).startswith("$") and record.get(field) != value
        }
        if not sure & fields:
            continue
        arguments: Record = {main.on: name}
        for key, one in act.args.items():
            if key != main.on and not one.optional:
                arguments[key] = _value(prepared, key, arguments, act.args)
        move = Move(tool, {key: value for key, value in arguments.items() if value is not None})
        if Staged(prepared).act(move.tool, move.arguments).get("ok"):
            yield move


def _value(prepared: Prepared, name: str, chosen: Record, arguments: Mapping[str, Any]) -> Any:
    one = arguments[name]
    if one.version_of is not None:
        return prepared.world.records.get(f"{arguments[one.version_of].id}:{chosen.get(one.version_of)}", {}).get(
            "version"
        )
    if one.id is not None:
        return next((key.partition(":")[2] for key in prepared.world.records if key.startswith(f"{one.id}:")), None)
    if one.one_of:
        return one.one_of[0]
    return {"flag": True, "number": 1, "integer": 1, "list": []}.get(one.type, "by a colleague")


class Meddled(CaseWorld):
    """A world in which a colleague does something once the agent has made so many calls."""

    def __init__(self, prepared: Prepared, move: Move, after: int) -> None:
        self._inner, self._move, self._after = Staged(prepared), move, after
        self.calls = 0
        self.meddled: Record | None = None

    def act(self, tool: str, arguments: Mapping[str, Any]) -> Record:
        """Return what a call of the agent gives."""
        if self.calls == self._after:
            self.meddled = self._inner.act(self._move.tool, self._move.arguments)
        self.calls += 1
        return self._inner.act(tool, arguments)

    def told(self, record: Record) -> Record:
        """Return the record of the episode with what the colleague did, in a step of its own."""
        events: list[Record] = []
        number, shift = 0, 0
        for event in record["events"]:
            if event["type"] == "call":
                if number == self._after:
                    shift = 1
                    call = {"type": "call", "step": event["step"], "id": "colleague", "actor": COLLEAGUE}
                    called = {**call, "tool": self._move.tool, "arguments": dict(self._move.arguments)}
                    events.append(copy.deepcopy({**called, "result": self.meddled}))
                number += 1
            events.append({**event, "step": event["step"] + shift})
        return {**record, "events": events}
