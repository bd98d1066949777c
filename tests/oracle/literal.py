"""Episodes written out by hand in a few words, for tests of the oracle itself."""

from __future__ import annotations

from typing import Any

from misstep.contracts.values import canonical
from oracle.case import Case, Row, as_writes
from oracle.judge import Judged, judge

State = dict[str, dict[str, Any]]


def write(effect: str, entity: str | None, fields: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a write row: `fields` as name: value (a list value of add and remove: its members)."""
    kind, name = entity.split(":", 1) if entity else (None, None)
    pairs = [(key, one) for key, value in (fields or {}).items() for one in _members(effect, value)]
    row = {
        "step": 1,
        "position": 0,
        "item": 0,
        "tool": "cal.update",
        "action": {"create": "create", "delete": "cancel"}.get(effect, "update"),
        "domain": more.get("tool", "cal.update").split(".")[0],
        "entity_type": kind,
        "entity_id": name,
        "effect": effect,
        "fields": [_field(key, value) for key, value in pairs],
        "opaque": False,
        "arguments": [],
        "arguments_known": True,
        "recipients": [],
        "external": False,
        "outcome": "applied",
        "follows": None,
        "actor": "agent",
        "inert": False,
    }
    if "arguments" in more:
        more["arguments"] = arguments(more["arguments"])
    return row | more


def _members(effect: str, value: Any) -> list[Any]:
    return value if effect in ("add", "remove") and isinstance(value, list) else [value]


def _field(name: str, value: Any) -> Row:
    """Return a field row: HIDDEN is a value that was taken out, STATE(x) the value of field x before."""
    row = {"field": name, "value": None, "compare": None, "from_state": None, "free": name == "body"}
    if isinstance(value, From):
        return row | {"from_state": value}
    return row if value is HIDDEN else row | {"value": canonical(value), "compare": canonical(value)}


class From(str):
    """The value that the named field had before the call."""


HIDDEN = object()


def arguments(given: dict[str, Any]) -> list[Row]:
    """Return arguments as the tables have them."""
    return [{"name": name, "compare": None if it is HIDDEN else canonical(it)} for name, it in given.items()]


def allow(**more: Any) -> dict[str, Any]:
    """Return a pattern; `values` as field: [accepted values], `arguments` as name: value."""
    row = dict.fromkeys(("tool", "domain", "action", "entities", "created", "fields", "arguments", "recipients"))
    row |= {"pattern": 0, "name": "p", "after_clarification": False, "exact_arguments": False, "external": False}
    row |= {"max": 1, "inert": False, "values": []}
    if "values" in more:
        more["values"] = [
            {"field": name, "compare": [canonical(one) for one in accepted]}
            for name, accepted in more["values"].items()
        ]
    if "arguments" in more:
        more["arguments"] = arguments(more["arguments"])
    return row | more


def want(test: str, entity: str, field: str | None = None, value: Any = True, **where: Any) -> dict[str, Any]:
    """Return a goal condition; an entity without id (`event:`) is chosen by `where`."""
    kind, name = entity.split(":", 1)
    return {
        "entity_type": kind,
        "entity_id": name or None,
        "where": [{"field": key, "compare": canonical(one)} for key, one in where.items()],
        "field": field,
        "test": test,
        "value": canonical(value),
        "compare": canonical(value),
    }


def call(step: int, **more: Any) -> dict[str, Any]:
    """Return a call row: a read of the agent, applied, unless said otherwise."""
    row = {"step": step, "position": 0, "tool": "cal.get", "kind": "read", "actor": "agent", "outcome": "applied"}
    return (
        row | {"episode": "e", "observation_id": None, "arguments_id": None, "result_id": None, "call_id": None} | more
    )


def say(step: int, role: str, asks: bool = False, actor: str = "agent", text: str | None = None) -> dict[str, Any]:
    """Return a message row."""
    return {"step": step, "position": 0, "role": role, "actor": actor, "asks_user": asks, "text": text}


def run(
    *writes: dict[str, Any],
    state: State | None = None,
    patterns: list[dict[str, Any]] | None = None,
    shown: State | None = None,
    after: list[dict[str, Any]] | None = None,
    **more: Any,
) -> Judged:
    """Return the judgement of an episode; writes stand in steps 1, 2, … unless they say where they are.

    `shown` is what call rows with observation_id "o" showed. The task is known and not ambiguous unless said otherwise.
    """
    placed = [one | {"step": one["step"] if one.get("placed") else index + 1} for index, one in enumerate(writes)]
    episode = {"episode": "e", "status": "completed", "calls_lost": False}
    episode |= {name: more[name] for name in ("status", "calls_lost") if name in more}
    task = {"ambiguous": more.get("ambiguous", False), "state": None if state is None else "s"}
    task |= {"goal": more.get("goal", "none"), "authorized_after": after is not None}
    rules = [*(patterns or ()), *(one | {"after_clarification": True} for one in after or ())]
    reference = [one | {"step": index + 1} for index, one in enumerate(more.get("reference", ()))]
    observations = [
        {"record": 0, "entity_type": entity.split(":")[0], "entity_id": entity.split(":")[1], "field": name}
        | {"value": canonical(value), "compare": canonical(value)}
        for entity, fields in (shown or {}).items()
        for name, value in fields.items()
    ]
    return judge(
        Case(
            episode=episode,
            messages=more.get("messages", ()),
            calls=more.get("calls", ()),
            writes=as_writes(placed),
            observations={"o": observations},
            task=task if more.get("known", True) else None,
            initial={
                (entity.split(":")[0], entity.split(":")[1]): {
                    "@exists": ("true", "true"),
                    **{name: (canonical(value), canonical(value)) for name, value in fields.items()},
                }
                for entity, fields in (state or {}).items()
            },
            links=more.get("links", ()),
            patterns=[one | {"pattern": index} for index, one in enumerate(rules)],
            allowances=more.get("allowances", ()),
            goals=more.get("goals", ()),
            reference=as_writes(reference, reference=True),
            has_state=state is not None,
        )
    )


def at(step: int, row: dict[str, Any], position: int = 0, item: int = 0) -> dict[str, Any]:
    """Return the write at a place of its own."""
    return row | {"step": step, "position": position, "item": item, "placed": True}
