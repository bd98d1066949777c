"""The status of a requirement, and why something like it does not count (metrics.md §2, "Requirement status")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from oracle.case import Row
from oracle.condition import fits, holds, in_state, so_called
from oracle.coverage import Held, items, reads
from oracle.ledger import CONTEXT, before
from oracle.scene import END, Moment, Scene, place
from oracle.sought import Condition, earliest, latest

SUPPORTED, MISSING, VIOLATED, INACTIVE = "SUPPORTED", "MISSING", "VIOLATED", "INACTIVE"
#: role of alternatives → status where one of them holds, first that fits
ROLES = (("inactive", INACTIVE), ("violated", VIOLATED), ("supported", SUPPORTED))


@dataclass(frozen=True)
class Status:
    """What a requirement is (None: unknown), since when, and the nearest thing that does not count."""

    name: str | None
    held: Held = field(default_factory=lambda: Held(None))
    reason: str | None = None
    near: str | None = None
    near_place: tuple[int, int] | None = None


def alternatives(scene: Scene, key: tuple[str, str], role: str) -> list[list[Condition]]:
    """Return the alternatives of a role."""
    return [list(one) for one in scene.asked.conditions.get(key, {}).get(role, ())]


def holding(scene: Scene, key: tuple[str, str], role: str, moment: Moment) -> list[tuple[Held, str | None]]:
    """Return for every alternative of a role whether it holds, and its name."""
    return [
        (latest([holds(scene, condition, moment) for condition in one]), one[0][0]["reason"])
        for one in alternatives(scene, key, role)
    ]


def status(scene: Scene, key: tuple[str, str], moment: Moment) -> Status:
    """Return the status of a requirement, the first that fits; unknown where an unknown part decides."""
    for role, name in ROLES:
        found = holding(scene, key, role, moment)
        together = earliest([held for held, _ in found])
        if together.holds is None:
            return Status(None)
        if together.holds:
            reason = next(why for held, why in found if held.holds)
            return Status(name, together, reason if name == VIOLATED else None)
    return Status(None) if scene.case.episode["calls_lost"] else Status(MISSING)


def explained(scene: Scene, key: tuple[str, str], moment: Moment, at_end: Moment) -> Status:
    """Return the status with the nearest miss: what is stale, of another entity, or came too late."""
    found = status(scene, key, moment)
    if found.name == VIOLATED:
        return Status(found.name, found.held, found.reason, "none")
    if found.name != MISSING:
        return found
    missing = [
        condition
        for one in alternatives(scene, key, "supported")
        for condition in one
        if holds(scene, condition, moment).holds is False
    ]
    for name, search in NEAR:
        places = [where for one in missing for where in search(scene, one, moment)]
        if places:
            return Status(MISSING, near=name, near_place=max(places))
    for late in (at_end, replace(at_end, fresh=False)):
        later = earliest([held for held, _ in holding(scene, key, "supported", late)])
        if later.holds:
            return Status(MISSING, near="later", near_place=later.place)
    return Status(MISSING, near="none")


def outdated(scene: Scene, condition: Condition, moment: Moment) -> Iterator[tuple[int, int]]:
    """Yield the places where a condition became established that is so no longer."""
    if condition[0]["source"] == "record":
        for one in before(scene, moment.step):
            if fits(scene, condition, one, moment, fresh=False):
                yield one.place
    if condition[0]["source"] == "state":
        found = in_state(scene, condition, moment, fresh=False)
        if found.holds:
            yield found.place or CONTEXT


def of_another(scene: Scene, condition: Condition, moment: Moment) -> Iterator[tuple[int, int]]:
    """Yield the places of records and reads that would do but for what they are about."""
    anything = dict.fromkeys(("entity_type", "entity_id", "entity_argument"))
    kept = [one | anything for one in condition if not one["identity"]]
    if condition[0]["source"] in ("record", "state") and any(one["field"] is not None for one in kept):
        for one in before(scene, moment.step):
            if fits(scene, kept, one, moment):
                yield one.place
    if condition[0]["source"] == "read":
        kept = kept or [condition[0] | anything | {"field": None}]
        for call in scene.calls():
            if so_called(scene, call, kept, moment):
                yield place(call)


NEAR = (("stale", outdated), ("wrong_entity", of_another))


def coverage(scene: Scene, step: float) -> Iterator[tuple[str, Status]]:
    """Yield the status of every required read and least number of reads, with the nearest miss."""
    for name, read, held in items(scene, step):
        if held.holds is not False:
            yield name, Status(SUPPORTED if held.holds else None, held)
        elif scene.case.episode["calls_lost"]:
            yield name, Status(None)
        else:
            yield name, missed(scene, name, read, step)


def missed(scene: Scene, name: str, read: Row | None, step: float) -> Status:
    """Return the status of what is missing: read with other arguments, read later, or not at all."""
    others = [
        place(call)
        for call, sure in reads(scene)
        if sure and read is not None and call["tool"] == read["tool"] and call["step"] < step
    ]
    if others:
        return Status(MISSING, near="wrong_entity", near_place=max(others))
    end = next(held for one, _, held in items(scene, END) if one == name)
    return Status(MISSING, near="later", near_place=end.place) if end.holds else Status(MISSING, near="none")


def row(scene: Scene, attempt: int, kind: str, action: str, name: str, found: Status, missing: str | None) -> Row:
    """Return the row of `requirement_labels`."""
    held = found.held if found.name == SUPPORTED else Held(None)
    step, position = _apart(held.place)
    near_step, near_position = _apart(found.near_place)
    made: dict[str, Any] = {
        "episode": scene.case.episode["episode"],
        "attempt": attempt,
        "kind": kind,
        "action": action,
        "requirement": name,
        "status": found.name,
        "reason": missing if found.name == MISSING else found.reason,
        "established_step": step,
        "established_position": position,
        "established_by": held.by,
        "near_miss": found.near,
        "near_step": near_step,
        "near_position": near_position,
    }
    return made


def _apart(where: tuple[int, int] | None) -> tuple[int | None, int | None]:
    """Return step and position; the context has no position."""
    return (None, None) if where is None else (where[0], None if where == CONTEXT else where[1])
