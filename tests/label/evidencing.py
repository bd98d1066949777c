"""Evidence in tiny tables: what the one task of the suite asks for, written as literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from label.building import ENTITY, Row, call, labelled, leaves, message, tables, write
from misstep.contracts.values import canonical

TASK = {"suite": "s", "task_id": "t"}
RULE = {"suite": "s", "task_id": ""}
CLOSE, GET = "tickets.close", "tickets.get"
#: A condition: its parts, without the key of the table.
Condition = list[Row]


def _entity(text: str | None) -> Row:
    kind, _, name = (text or "").partition(":")
    if not name.startswith("{"):
        return {"entity_type": kind or None, "entity_id": name or None}
    return {"entity_type": kind, "entity_argument": name.strip("{}").removeprefix("arguments.")}


def _parts(tests: Mapping[str, Any], identity: Sequence[str] = (), **shared: Any) -> Condition:
    rows = [_test(field, wanted) | {"identity": field in identity} for field, wanted in tests.items()]
    return [{"tools": [], "compare": [], "identity": False} | shared | row for row in rows or [{}]]


def _test(field: str, wanted: Any) -> Row:
    test, value = wanted if isinstance(wanted, tuple) else ("is", wanted)
    row: Row = {"field": field, "test": test}
    if test in ("is", "is_not"):
        row["compare"] = [canonical(one) for one in (value if isinstance(value, list) else [value])]
    if test == "argument":
        row["argument"] = value
    return row | {"value": None if test in ("argument", "any", "present") else canonical(value)}


def record(tests: Mapping[str, Any], entity: str | None = ENTITY, identity: Sequence[str] = ()) -> Condition:
    """Return a condition on one record; a test is a value, or (test, value)."""
    return _parts(tests, identity, source="record", **_entity(entity))


def state(tests: Mapping[str, Any], entity: str = ENTITY) -> Condition:
    """Return a condition on the latest values of an entity."""
    return _parts(tests, source="state", **_entity(entity))


def read(
    tool: str = GET, arguments: Mapping[str, Any] | None = None, entity: str | None = None, identity: Sequence[str] = ()
) -> Condition:
    """Return a condition that a read was made."""
    return _parts(arguments or {}, identity, source="read", tools=[tool], **_entity(entity))


def acting(tests: Mapping[str, Any]) -> Condition:
    """Return a condition on the attempt itself."""
    return _parts(tests, source="action")


def other(source: str, **parts: Any) -> Condition:
    """Return a condition without tests: result_of, confirmation, authentication, told or known."""
    return _parts({}, source=source, **parts)


def yes(entity: str | None = None) -> Condition:
    """Return a condition that the user said yes."""
    return other("confirmation", pattern="(?i)yes", unless="(?i)^no", **_entity(entity))


def conditions(key: Row, name: str, roles: Mapping[str, Sequence[Sequence[Condition]]]) -> list[Row]:
    """Return rows of `conditions`: role → alternatives → conditions."""
    return [
        key
        | {"requirement": name, "role": role, "alternative": number, "condition": index, "part": place}
        | {"reason": f"{role} {number}"}
        | part
        for role, alternatives in roles.items()
        for number, alternative in enumerate(alternatives)
        for index, condition in enumerate(alternative)
        for place, part in enumerate(condition)
    ]


def action(name: str = "close", tool: str = CLOSE, needs: Sequence[str] = ("r",), **parts: Any) -> Row:
    """Return an action of the task: `arguments`, `entity`, `after`, `bound` (path → (action, field)), `needs`."""
    return {"action": name, "tool": tool, "needs": needs, "arguments": {"id": "1"}} | parts


def specified(
    protocol: str | None = "V1",
    *requires: Condition,
    roles: Mapping[str, Sequence[Sequence[Condition]]] | None = None,
    actions: Sequence[Row] | None = None,
    reads: Mapping[str, Mapping[str, Any]] | None = None,
    context: Mapping[str, Mapping[str, Any]] | None = None,
    facts: Sequence[tuple[Mapping[str, Any], str, Mapping[str, Any]]] = (),
    rules: Mapping[str, Sequence[Sequence[Condition]]] | None = None,
    ruled: str = CLOSE,
    when: Sequence[Row] = (),
    **parts: Any,
) -> dict[str, list[Row]]:
    """Return the rows of evidence of the task, whose requirement `r` is that all of `requires` hold (or `roles`).

    `reads`: name → arguments of a read with GET; `facts`: (arguments, entity, fields) that such reads establish;
    `rules`: name → alternatives, of calls of `ruled`.
    """
    made = [action()] if actions is None else list(actions)
    row = {
        **TASK,
        "protocol": protocol,
        "profile": "standard",
        "stop": "DEFER" if protocol == "V0" else None,
        "decision": "DEFER" if protocol == "Legacy" else None,
        "consequential": [CLOSE],
        "information": [GET],
        "reads_before_first": True,
    }
    known = {"supported": [list(requires)]} if roles is None else roles
    told = [(-1, None, {}, entity, fields) for entity, fields in (context or {}).items()]
    told += [(number, GET, arguments, entity, fields) for number, (arguments, entity, fields) in enumerate(facts)]
    needing = [one["action"] for one in made if "r" in one["needs"]]
    return {
        "evidence": [] if protocol is None else [row | parts],
        "required_reads": [
            {**TASK, "read": name, "number": number, "tool": GET, "arguments": leaves(arguments)}
            for number, (name, arguments) in enumerate((reads or {}).items())
        ],
        "read_facts": [
            {**TASK, "source": source, "record": number, "field": field, "tool": tool, "arguments": leaves(arguments)}
            | _entity(entity)
            | {"value": canonical(value), "compare": canonical(value)}
            for number, (source, tool, arguments, entity, fields) in enumerate(told)
            for field, value in fields.items()
        ],
        "requirements": [
            {**TASK, "requirement": "r", "number": 0, "actions": needing, "description": "", "identity": []}
            | {"missing_reason": "not known"}
        ]
        + [
            {**RULE, "requirement": name, "number": 0, "actions": [], "description": "", "identity": []}
            for name in rules or {}
        ],
        "conditions": conditions(TASK, "r", known)
        + [row for name, one in (rules or {}).items() for row in conditions(RULE, name, {"supported": one})],
        "actions": [
            {**TASK, "action": one["action"], "number": number, "tool": one["tool"]}
            | {"arguments": leaves(one["arguments"])}
            | _entity(one.get("entity"))
            for number, one in enumerate(made)
        ],
        "dependencies": [
            {**TASK, "action": one["action"], "after": name} for one in made for name in one.get("after", ())
        ],
        "bindings": [
            {**TASK, "action": one["action"], "path": path, "number": 0, "result_of": name, "field": field}
            for one in made
            for path, (name, field) in one.get("bound", {}).items()
        ],
        "rules": [
            {"suite": "s", "rule": name, "number": 0, "description": "", "tools": [ruled], "when": list(when)}
            for name in rules or {}
        ],
    }


def got(step: int, fields: Mapping[str, Any] | None = None, entity: str = ENTITY, **parts: Any) -> Row:
    """Return a read of a ticket, and what it shows; with `says` null its result is lost."""
    own = {"given": {"id": entity.partition(":")[2]}, "says": ""}
    return call(step, shows={entity: fields} if fields else None, **own | parts)


def closed(step: int = 5, given: Mapping[str, Any] | None = None, **parts: Any) -> Row:
    """Return an attempt to close a ticket."""
    return call(step, **{"tool": CLOSE, "kind": "write", "given": {"id": "1"} if given is None else given} | parts)


def changed(step: int, status: str, **parts: Any) -> Row:
    """Return a write to the ticket's status."""
    return write(step, set={"status": status}, **parts)


def judged(
    evidence: Mapping[str, Sequence[Row]], calls: Sequence[Row] = (), writes: Sequence[Row] = (), **task: Any
) -> Any:
    """Return (labels of the episode, labels of its attempts, labels of requirements by (attempt, name))."""
    made = labelled(tables(writes, calls=calls, evidence=evidence, **task))
    needs = {(row["attempt"], row["requirement"]): row for row in made["requirement_labels"].to_dicts()}
    return made["episode_labels"].to_dicts()[0], made["action_labels"].to_dicts(), needs


def required(evidence: Mapping[str, Sequence[Row]], *arguments: Any, name: str = "r", **task: Any) -> Row:
    """Return the label of the requirement `r` at the first attempt, or at the end where there is none."""
    _, attempts, needs = judged(evidence, *arguments, **task)
    return needs[0 if attempts else -1, name]


def says(step: int, text: str, role: str = "user", **parts: Any) -> Row:
    """Return a message."""
    return message(step, role, actor="user" if role == "user" else "agent", text=text, **parts)
