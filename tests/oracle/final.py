"""The state after an episode: the initial state and the effective writes in order (metrics.md §1, "Goal")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from oracle.case import Case, Entity, Write
from oracle.logic import every, some
from oracle.replay import UNSAID, existence_after, initial_existence, list_holds

Value = tuple[str | None, str | None]
UNKNOWN: Value = (None, None)


@dataclass
class Thing:
    """An entity at the end: its fields (value, key), members put in (+) and out (−), and whether it is there."""

    fields: dict[str, Value] = field(default_factory=dict)
    members: dict[str, Counter[str]] = field(default_factory=dict)
    last: dict[tuple[str, str], bool] = field(default_factory=dict)
    unclear: set[tuple[str, str | None]] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    there: bool | str | None = UNSAID
    mentioned: bool | None = False
    created: bool | None = False
    listed: bool = False
    opaque: bool | None = False


@dataclass
class Final:
    """All entities at the end; `astray` are effective (or possibly effective) writes whose entity is not known."""

    things: dict[Entity, Thing]
    astray: list[Write]
    closed: bool


def happened(write: Write) -> bool | None:
    """Return whether the write's values are in the state for certain (None: it may not have been made)."""
    sure = True if write.outcome == "applied" else None
    return sure if write.parent is None else every([sure, write.parent.effective])


def final_state(case: Case, writes: Sequence[Write]) -> Final:
    """Return the state after the writes, which must have been replayed."""
    final = Final({}, [], case.has_state)
    for entity, facts in case.initial.items():
        known = {name: fact for name, fact in facts.items() if name != "@exists"}
        final.things[entity] = Thing(fields=dict(known), there=initial_existence(case, entity), listed=True)
    for write in writes:
        if write.effective is False:
            continue
        if write.entity is None:
            final.astray.append(write)
        else:
            apply(final.things.setdefault(write.entity, Thing()), write)
    return final


def apply(thing: Thing, write: Write) -> None:
    """Change the entity as the write does, or make unknown what it may have changed."""
    sure = happened(write) is True
    thing.there = existence_after(thing.there, write, sure=sure)
    if write.effect != "delete":
        thing.mentioned = some([thing.mentioned, happened(write)])
    if write.effect == "create" and not thing.listed:
        thing.created = some([thing.created, write.effective])
    if write.row["opaque"]:
        thing.opaque = some([thing.opaque, write.effective])
        for name in thing.fields:
            thing.fields[name] = UNKNOWN
        thing.unclear |= {(name, one) for name, counts in thing.members.items() for one in (None, *counts)}
        thing.last.clear()
    entries = {(one.name, one.compare if write.effect in ("add", "remove") else None): one for one in write.fields}
    for entry in sorted(entries.values(), key=lambda one: one.compare is not None):
        if entry.free:
            thing.free.add(entry.name)
        if write.effect in ("add", "remove"):
            change_member(thing, write, entry.name, entry.compare)
            continue
        thing.fields[entry.name] = (entry.value, entry.compare) if sure and entry.compare is not None else UNKNOWN
        thing.members.pop(entry.name, None)
        thing.unclear = {(name, member) for name, member in thing.unclear if name != entry.name}
        for name, member in list(thing.last):
            if name == entry.name:
                del thing.last[(name, member)]


def change_member(thing: Thing, write: Write, name: str, member: str | None) -> None:
    """Put a member in or out; where that is not certain, how often it stands there is unclear."""
    counts = thing.members.setdefault(name, Counter())
    if member is None or write.effective is None:
        thing.unclear.add((name, member))
    else:
        counts[member] += 1 if write.effect == "add" else -1
    if member is None or happened(write) is None:
        thing.last = {key: there for key, there in thing.last.items() if key[0] != name or member not in (None, key[1])}
    else:
        thing.last[(name, member)] = write.effect == "add"


def is_there(final: Final, entity: Entity) -> bool | None:
    """Return whether the entity is there; one that nothing mentions is not, if an initial state is given."""
    thing = final.things.get(entity)
    if thing is not None and thing.there != UNSAID:
        assert not isinstance(thing.there, str)
        return thing.there
    if thing is not None and thing.mentioned is True:
        return True
    if thing is not None and thing.mentioned is None:
        return None
    return False if final.closed else None


def whole_value(thing: Thing | None, name: str) -> Value:
    """Return (value, key) of a field as a whole; unknown where single members were changed since."""
    if thing is None or name in thing.members:
        return UNKNOWN
    return thing.fields.get(name, UNKNOWN)


def holds_member(thing: Thing | None, name: str, member: str | None) -> bool | None:
    """Return whether a collection holds the member: what was last done with it, else the whole list."""
    if thing is None or member is None:
        return None
    if (name, member) in thing.last:
        return thing.last[(name, member)]
    if {(name, None), (name, member)} & thing.unclear:
        return None
    value, compare = thing.fields.get(name, UNKNOWN)
    return None if compare is None else list_holds(value, compare, member)


def net_changed(case: Case, final: Final) -> bool | None:
    """Return whether the final state differs from the initial one (metrics.md §1, the net view)."""
    parts: list[bool | None] = [
        write.effective for write in final.astray if write.row["opaque"] or write.effect != "touch"
    ]
    for entity, thing in final.things.items():
        parts.append(thing.opaque)
        if thing.created is not False:
            parts.append(every([thing.created, is_there(final, entity)]))
            continue
        before, there = (True if one == UNSAID else one for one in (initial_existence(case, entity), thing.there))
        parts.append(None if there is None else there != before)
        parts += [field_changed(case, entity, thing, name) for name in sorted(set(thing.fields) | set(thing.members))]
    return some(parts)


def field_changed(case: Case, entity: Entity, thing: Thing, name: str) -> bool | None:
    """Return whether a field of an entity differs from the initial state; one without initial value was changed."""
    parts = [
        None if (name, member) in thing.unclear else count != 0 for member, count in thing.members.get(name, {}).items()
    ]
    parts += [None for other, _ in thing.unclear if other == name]
    if name in thing.fields:
        _, compare = thing.fields[name]
        initial = case.initial.get(entity, {}).get(name)
        if initial is not None and thing.fields[name] == initial:
            parts.append(False)
        elif compare is None:
            parts.append(None)
        else:
            parts.append(initial is None or initial[1] is None or initial[1] != compare)
    return some(parts)
