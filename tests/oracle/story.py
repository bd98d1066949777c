"""Episodes and tasks of evidence written out by hand in a few words, for tests of the oracle itself."""

from __future__ import annotations

from typing import Any

from misstep.contracts.values import canonical
from oracle import literal
from oracle.case import Case, Row, as_writes
from oracle.given import leaves, wanted
from oracle.inquiry import BLANK
from oracle.judge import Judged, judge
from oracle.scene import Asked
from oracle.specified import nested

Call = dict[str, Any]


def read(step: int, shows: dict[str, Any] | None = None, entity: str = "event:1", **more: Any) -> Call:
    """Return a read of `cal.get` with `id: 1`, and what it showed; without a `result_id` nothing came back."""
    arguments = more.pop("arguments", {"id": "1"})
    call = literal.call(step, **{"result_id": "r"} | more)
    return call | {"given": arguments, "shows": [(entity, shows)] if shows else []}


def act(step: int, arguments: dict[str, Any] | None = None, returns: dict[str, Any] | None = None, **more: Any) -> Call:
    """Return an attempt at `cal.update` with `id: 1`, which changes that event, and what it returned."""
    call = literal.call(step, **({"tool": "cal.update", "kind": "write"} | more))
    return call | {"given": arguments or {"id": "1"}, "shows": [("event:n", returns)] if returns else [], "acts": True}


def change(step: int, fields: dict[str, Any], actor: str = "user", effect: str = "set") -> Call:
    """Return a change of event 1 by a tool that is not consequential."""
    call = literal.call(step, tool="sys.change", kind="write", actor=actor)
    return call | {"given": {"id": "1"}, "shows": [], "changes": literal.write(effect, "event:1", fields, actor=actor)}


def action(
    name: str = "a0", arguments: dict[str, Any] | None = None, after: list[str] | None = None, **more: Any
) -> Call:
    """Return an action of the task; `bound` are its result references as path: (action, field)."""
    row = {"action": name, "tool": "cal.update", "given": arguments or {"id": "1"}, "after": after or [], "bound": {}}
    return row | {"entity_type": "event", "entity_id": "1"} | more


def when(source: str, field: str | None = None, value: Any = None, test: str = "is", **more: Any) -> Row:
    """Return a condition of one part."""
    tested = (
        {}
        if field is None
        else {"field": field, "test": test, "value": canonical(value), "compare": [canonical(value)]}
    )
    return {**BLANK, "source": source, "identity": False, "reason": None} | tested | more


ABOUT = {"entity_type": "event", "entity_id": "1"}


def task(protocol: str, *actions: Call, reads: tuple[str, ...] = ("1",), safeact: bool = False, **more: Any) -> Asked:
    """Return a task that asks for reads of events; roles are given as `supported=[[condition, …], …]` and so on."""
    row = {"protocol": protocol, "profile": "safeact" if safeact else "standard", "stop": "DEFER", "decision": "BLOCK"}
    row |= {"consequential": ["cal.update", "cal.create"], "information": ["cal.get"], "reads_before_first": True}
    row |= {"min_reads": None, "min_read_tools": None, "max_reads": None}
    row |= {name: more[name] for name in row if name in more}
    roles = {role: more[role] for role in ("supported", "violated", "inactive") if role in more}
    return Asked(
        row=row,
        reads=[
            {"read": f"reads[{one}]", "tool": "cal.get", "arguments": wanted({"id": one}, lax=safeact)} for one in reads
        ],
        facts=[
            {"source": -1, "record": 0, "field": name, "tool": None, "arguments": [], "value": canonical(value)}
            | {"compare": canonical(value), **ABOUT}
            for name, value in more.get("context", {}).items()
        ],
        actions=[
            one | {"number": number, "arguments": wanted(one["given"], lax=safeact)}
            for number, one in enumerate(actions)
        ],
        dependencies=[{"action": one["action"], "after": earlier} for one in actions for earlier in one["after"]],
        bindings=[
            {"action": one["action"], "path": path, "result_of": source, "field": field}
            for one in actions
            for path, (source, field) in one["bound"].items()
        ],
        requirements=[
            {"task_id": "t", "requirement": "r", "actions": [one["action"] for one in actions], "missing_reason": "why"}
        ]
        if roles
        else [],
        conditions=nested(_conditions("t", "r", roles)) | nested(_conditions("", "rule", more.get("rule", {}))),
        rules=[{"rule": "rule", "tools": ["cal.update"], "when": more.get("only", [])}] if "rule" in more else [],
    )


def _conditions(task_id: str, name: str, roles: dict[str, Any]) -> list[Row]:
    return [
        part
        | {"task_id": task_id, "requirement": name, "role": role}
        | {"alternative": alternative, "condition": condition, "part": number}
        for role, alternatives in roles.items()
        for alternative, conditions in enumerate(alternatives)
        for condition, one in enumerate(conditions)
        for number, part in enumerate(one if isinstance(one, list) else [one])
    ]


def tell(asked: Asked, *events: Call, **more: Any) -> Judged:
    """Return the judgement of an episode: calls, and messages (of `literal.say`), where they stand."""
    calls = [one for one in events if "tool" in one]
    lax = asked.safeact
    episode = {"episode": "e", "status": "completed", "calls_lost": False, "decision_outcome": None}
    episode |= {"decision_type": None} | {name: more[name] for name in episode if name in more}
    names = {id(one): f"x{number}" for number, one in enumerate(calls)}
    rows = [one | {"arguments_id": names[id(one)], "observation_id": names[id(one)]} for one in calls]
    rows = [one | {"arguments_id": None if one["given"] is None else one["arguments_id"]} for one in rows]
    return judge(
        Case(
            episode=episode,
            messages=[one for one in events if "tool" not in one],
            calls=rows,
            writes=as_writes([write for one in calls for write in _writes(one)]),
            observations={names[id(one)]: _shown(one["shows"]) for one in calls},
            task={"ambiguous": False, "state": None, "goal": "none", "authorized_after": False},
            initial={},
            links=(),
            patterns=(),
            allowances=(),
            goals=(),
            reference=[],
            arguments={names[id(one)]: leaves(one["given"], lax=lax) for one in calls if one["given"] is not None},
        ),
        asked,
    )


def _writes(call: Call) -> list[Row]:
    at = {name: call[name] for name in ("step", "position", "outcome", "actor")}
    if "changes" in call:
        return [call["changes"] | at]
    if "acts" in call:
        entity = f"event:{(call['given'] or {}).get('id', 'new')}"
        return [literal.write("set", entity, {"title": "done"}) | at]
    return []


def _shown(shows: list[Any]) -> list[Row]:
    return [
        {"record": record, "field": name, "value": canonical(value), "compare": canonical(value)}
        | {"entity_type": entity.split(":")[0], "entity_id": entity.partition(":")[2] or None}
        for record, (entity, fields) in enumerate(shows)
        for name, value in fields.items()
    ]
