"""Is the goal reached (metrics.md §1, "Goal")."""

from __future__ import annotations

from collections.abc import Sequence

from misstep.contracts.values import parse
from oracle.case import Case, Entity, Row
from oracle.final import Final, final_state, holds_member, is_there, whole_value
from oracle.logic import every, negate, some
from oracle.reference import reference_reached


def goal(case: Case) -> bool | None:
    """Return whether the goal was reached; the writes of the case must have been replayed."""
    if case.episode["status"] in ("aborted", "infrastructure_failure", "budget_exhausted"):
        return False
    if case.task is not None and case.task["ambiguous"]:
        return True
    if case.task is None or case.episode["calls_lost"] or case.task["goal"] == "none":
        return None
    final = final_state(case, case.writes)
    if case.task["goal"] == "reference":
        return reference_reached(case, final)
    return every(condition_holds(final, condition) for condition in case.goals)


def condition_holds(final: Final, condition: Row) -> bool | None:
    """Return whether a condition on the final state holds; unknown where a write went to an unknown entity."""
    if any(write.row["entity_type"] in (None, condition["entity_type"]) for write in final.astray):
        return None
    if condition["entity_id"] is not None:
        entities: Sequence[Entity] = [(condition["entity_type"], condition["entity_id"])]
    else:
        entities = [entity for entity in final.things if entity[0] == condition["entity_type"]]
    matches = [(entity, matches_where(final, entity, condition)) for entity in entities]
    beyond = condition["entity_id"] is None and not final.closed
    test = condition["test"]
    if test == "count":
        return right_count([match for _, match in matches], parse(condition["value"]), beyond=beyond)
    if test in ("exists", "absent"):
        there = some([match for _, match in matches] + ([None] if beyond else []))
        wanted = condition["value"] != "false"
        return there if wanted == (test == "exists") else negate(there)
    held = [every([match, field_holds(final, entity, condition)]) for entity, match in matches]
    return some(held + ([None] if beyond else []))


def matches_where(final: Final, entity: Entity, condition: Row) -> bool | None:
    """Return whether the entity is there and all fields of `where` are equal."""
    parts = [is_there(final, entity)]
    for wanted in condition["where"] or ():
        _, compare = whole_value(final.things.get(entity), wanted["field"])
        if wanted["compare"] is not None:
            parts.append(None if compare is None else compare == wanted["compare"])
    return every(parts)


def right_count(matches: Sequence[bool | None], wanted: int, *, beyond: bool) -> bool | None:
    """Return whether the number of matching entities is the wanted one, as far as it is known."""
    sure = sum(match is True for match in matches)
    possible = sum(match is None for match in matches)
    if beyond:
        return None
    if sure > wanted or sure + possible < wanted:
        return False
    return None if possible else True


def field_holds(final: Final, entity: Entity, condition: Row) -> bool | None:
    """Return whether the field is equal (`is`), or its text or collection contains the value (`contains`)."""
    if condition["compare"] is None:
        return True
    thing = final.things.get(entity)
    value, compare = whole_value(thing, condition["field"])
    if condition["test"] == "is":
        return None if compare is None else compare == condition["compare"]
    if value is not None and compare is not None:
        found, wanted = parse(value), parse(condition["value"])
        if isinstance(found, str):
            return isinstance(wanted, str) and wanted in found
        if not isinstance(found, list):
            return False
    return holds_member(thing, condition["field"], condition["compare"])
