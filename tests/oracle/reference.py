"""Is the final state that of the reference writes (metrics.md §1, "Goal", `reference`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from oracle.case import Case, Entity, Write
from oracle.final import UNKNOWN, Final, Thing, final_state, is_there
from oracle.logic import every
from oracle.replay import UNSAID, initial_existence, replay

Side = tuple[list[Write], Final]
Kinds = tuple[Counter[str], int]


def reference_reached(case: Case, final: Final) -> bool | None:
    """Return whether the episode's final state equals the one after the reference writes.

    Entities compare by their fields; created ones by their fields without their ids; those whose new values nobody
    knows (opaque) by tool and arguments of what was done to them.
    """
    bare = Case(
        case.episode, (), (), case.reference, {}, case.task, case.initial, case.links, case.patterns, (), (), []
    )
    replay(bare, case.reference)
    sides: list[Side] = [(case.writes, final), (case.reference, final_state(bare, case.reference))]
    created = [{entity for entity, thing in side.things.items() if thing.created is not False} for _, side in sides]
    opaque = {entity for _, side in sides for entity, thing in side.things.items() if thing.opaque is not False}
    anywhere = created[0] | created[1]
    kinds = {entity[0] for entity in opaque & anywhere}
    groups: list[list[set[Entity]]] = [[{entity}, {entity}] for entity in sorted(opaque - anywhere)]
    groups += [[{one for one in made if one[0] == kind} for made in created] for kind in sorted(kinds)]
    compared = [set().union(*(group[index] for group in groups)) for index in (0, 1)]
    pruned = [final_state(case, without_consequences(sides[index][0], compared[index])) for index in (0, 1)]
    parts: list[bool | None] = [None] if any(side.astray for side in pruned) else []
    parts += [same_kinds(calls_on(sides[0][0], group[0]), calls_on(sides[1][0], group[1])) for group in groups]
    for entity in sorted((set(pruned[0].things) | set(pruned[1].things)) - opaque - anywhere):
        things = [side.things.get(entity, Thing(there=initial_existence(case, entity))) for side in pruned]
        parts.append(same_thing(case, entity, things[0], things[1]))
    for kind in sorted({entity[0] for entity in anywhere} - kinds):
        parts.append(same_kinds(creations(kind, pruned[0]), creations(kind, pruned[1])))
    return every(parts)


def without_consequences(writes: Sequence[Write], entities: set[Entity]) -> list[Write]:
    """Return the writes less those that follow a write which is compared by its arguments."""
    return [write for write in writes if write.parent is None or write.root.entity not in entities]


def calls_on(writes: Sequence[Write], entities: set[Entity]) -> Kinds:
    """Return how often each (tool, arguments) was done to the entities, and how many more may have been."""
    counts: Counter[str] = Counter()
    unknown = 0
    for write in writes:
        if write.entity not in entities or write.parent is not None or write.effective is False:
            continue
        arguments = sorted((one["name"], one["compare"] or "") for one in write.row["arguments"])
        unread = any(one["compare"] is None for one in write.row["arguments"]) or not write.arguments_known
        if write.effective is None or unread:
            unknown += 1
        else:
            counts[repr((write.row["tool"], arguments))] += 1
    return counts, unknown


def same_kinds(mine: Kinds, reference: Kinds) -> bool | None:
    """Return whether both sides hold the same, unknown ones being anything or nothing."""
    over = ((mine[0] - reference[0]).total(), (reference[0] - mine[0]).total())
    if over[0] > reference[1] or over[1] > mine[1]:
        return False
    return None if any(over) or mine[1] or reference[1] else True


def same_thing(case: Case, entity: Entity, mine: Thing, reference: Thing) -> bool | None:
    """Return whether an entity ends alike on both sides: there or not, and where it is there its fields and members."""
    there = [True if side.there == UNSAID else side.there for side in (mine, reference)]
    parts: list[bool | None] = [None if None in there else there[0] == there[1]]
    if there == [False, False]:
        return True
    free = mine.free | reference.free
    for name in (set(mine.fields) | set(reference.fields)) - free:
        parts.append(same_field(case, entity, name, mine, reference))
    for name in (set(mine.members) | set(reference.members)) - free:
        counts = [side.members.get(name, Counter[str]()) for side in (mine, reference)]
        unclear = {member for other, member in mine.unclear | reference.unclear if other == name}
        for member in (set(counts[0]) | set(counts[1])) - unclear:
            parts.append(None if None in unclear else counts[0][member] == counts[1][member])
        parts += [None for _ in unclear]
    return every(parts)


def same_field(case: Case, entity: Entity, name: str, mine: Thing, reference: Thing) -> bool | None:
    """Return whether a field ends alike; one that has no initial value and one that got a value differ."""
    initial = case.initial.get(entity, {}).get(name)
    ends = [side.fields.get(name, initial) for side in (mine, reference)]
    if ends[0] == ends[1] == initial:
        return True
    if UNKNOWN in ends:
        return None
    return (ends[0] and ends[0][1]) == (ends[1] and ends[1][1])


def creations(kind: str, side: Final) -> Kinds:
    """Return the created entities of a type that are still there by their fields, ids aside, and unknown ones."""
    records: Counter[str] = Counter()
    unknown = 0
    for entity, thing in side.things.items():
        there = every([thing.created, is_there(side, entity)])
        if entity[0] != kind or there is False:
            continue
        fields = {name: fact[1] for name, fact in thing.fields.items() if name not in thing.free}
        if there is None or None in fields.values() or {name for name, _ in thing.unclear} - thing.free:
            unknown += 1
            continue
        members = {name: counts for name, counts in thing.members.items() if name not in thing.free}
        held = sorted((name, one, n) for name, counts in members.items() for one, n in counts.items() if n)
        records[repr((sorted(fields.items()), held))] += 1
    return records, unknown
