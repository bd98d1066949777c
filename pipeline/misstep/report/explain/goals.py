"""The goal of an episode, condition by condition, with what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from misstep.report.explain.history import EXISTS, Fact, History, entity_of

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A condition on the final state: what is wanted, what was found, whether it holds (null: unknown)."""

    wanted: str
    found: str
    holds: bool | None


def conditions(goals: Iterable[Row], final: History) -> list[GoalLine]:
    """Return the conditions of a task with what the final state holds."""
    return [_condition(goal, final) for goal in goals]


def reference(writes: Iterable[Row], final: History, initial: History) -> list[GoalLine]:
    """Return the fields that the reference writes change, with what the final state holds of them.

    Args:
        writes: reference writes of the task, in order; those that could never take effect are left out.
        final: state after the episode.
        initial: state before it; it is changed by the reference writes.
    """
    touched: list[tuple[str, str]] = []
    lines: list[GoalLine] = []
    for write in writes:
        entity = entity_of(write)
        if write["inert"]:
            continue
        initial.apply(write, effective=True)
        if entity is None or write["opaque"] or write["entity_id"].startswith("new:"):
            lines.append(GoalLine(f"{write['tool']} on {write['entity_type']}", "compared as a whole", None))
            continue
        names = [EXISTS] if write["effect"] == "delete" else [f["field"] for f in write["fields"] if not f["free"]]
        touched += [(entity, name) for name in names]
    for entity, name in dict.fromkeys(touched):
        wanted, found = initial.value(entity, name), final.value(entity, name)
        holds = wanted.compare == found.compare if wanted.known and found.known else None
        lines.append(GoalLine(f"{entity} {_field(name)} is {wanted.said()}", found.said(), holds))
    return lines


def _condition(goal: Row, final: History) -> GoalLine:
    chosen = _chosen(goal, final)
    who = _subject(goal)
    test, name = goal["test"], goal["field"]
    if test == "count":
        holds = str(len(chosen)) == goal["value"] if chosen is not None else None
        return GoalLine(f"there are {goal['value']} {who}", "unknown" if chosen is None else str(len(chosen)), holds)
    if test in ("exists", "absent") and name is None:
        return _existence(goal, who, chosen, final)
    facts = [final.value(entity, name) for entity in chosen or ()]
    found = ", ".join(dict.fromkeys(fact.said() for fact in facts)) or "no such entity"
    if test == "is":
        return GoalLine(f"{who} {name} is {goal['value']}", found, _some(_equal(fact, goal) for fact in facts))
    if test == "contains":
        return GoalLine(f"{who} {name} contains {goal['value']}", found, _some(_contains(fact, goal) for fact in facts))
    there = _some(fact.value != "null" if fact.known else None for fact in facts)
    return GoalLine(f"{who} {name} {test}", found, there if test == "exists" or there is None else not there)


def _existence(goal: Row, who: str, chosen: list[str] | None, final: History) -> GoalLine:
    if goal["entity_id"] is None:
        there = None if chosen is None else bool(chosen)
        found = "unknown" if chosen is None else ", ".join(chosen) or "none"
    else:
        fact = final.value(f"{goal['entity_type']}:{goal['entity_id']}", EXISTS)
        there = fact.value == "true" if fact.known else None
        found = {True: "it is there", False: "it is not there", None: "unknown"}[there]
    holds = there if goal["test"] == "exists" or there is None else not there
    return GoalLine(f"{who} {'exists' if goal['test'] == 'exists' else 'is absent'}", found, holds)


def _chosen(goal: Row, final: History) -> list[str] | None:
    """Return the entities that a condition is about."""
    if goal["entity_id"] is not None:
        return [f"{goal['entity_type']}:{goal['entity_id']}"]
    return [
        entity
        for entity in final.entities(goal["entity_type"])
        if all(final.value(entity, one["field"]).compare == one["compare"] for one in goal["where"])
    ]


def _subject(goal: Row) -> str:
    if goal["entity_id"] is not None:
        return f"{goal['entity_type']}:{goal['entity_id']}"
    where = " and ".join(f"{one['field']} = {one['compare'] or 'any'}" for one in goal["where"])
    return f"{goal['entity_type']} with {where}" if where else f"{goal['entity_type']}"


def _field(name: str) -> str:
    return "existence" if name == EXISTS else name


def _equal(fact: Fact, goal: Row) -> bool | None:
    if goal["compare"] is None:
        return True
    return fact.compare == goal["compare"] if fact.known else None


def _contains(fact: Fact, goal: Row) -> bool | None:
    if not fact.known or fact.value is None:
        return None
    whole, part = msgspec.json.decode(fact.value), msgspec.json.decode(goal["value"])
    if isinstance(whole, str):
        return isinstance(part, str) and part in whole
    return part in whole if isinstance(whole, list) else False


def _some(parts: Iterable[bool | None]) -> bool | None:
    known = list(parts)
    if any(part is True for part in known):
        return True
    return None if any(part is None for part in known) else False
