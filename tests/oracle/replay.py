"""Is a write a no-op, is it effective (metrics.md §1, "Write")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from misstep.contracts.values import canonical, parse
from oracle.case import AGENT, Case, Entity, Field, Write
from oracle.logic import every

KNOWN, ABSENT, UNKNOWN_WRITE, UNKNOWN_VALUE = "known", "absent", "unknown write", "unknown value"
SAME, DIFFERS = "same", "differs"


@dataclass(frozen=True)
class Prior:
    """What is known of a field before a write."""

    kind: str
    value: str | None = None
    compare: str | None = None


def observed(case: Case, write: Write, name: str, after: Write | None) -> Prior:
    """Return the latest value that an applied call of the agent in an earlier step showed (later than `after`)."""
    latest = Prior(ABSENT)
    for call in case.calls:
        if call["actor"] != AGENT or call["outcome"] != "applied" or call["step"] >= write.row["step"]:
            continue
        if after is not None and (call["step"], call["position"]) <= after.call:
            continue
        for row in case.observations.get(call["observation_id"], ()):
            if (row["entity_type"], row["entity_id"]) == write.entity and row["field"] == name:
                key = row["value"] if row["compare"] is None else row["compare"]
                latest = Prior(KNOWN, row["value"], key)
    return latest


def prior(case: Case, earlier: Sequence[Write], write: Write, name: str, *, taken: bool = True) -> Prior:
    """Return the field's value before the write: initial state and applied writes, else what was observed.

    A write of unknown outcome leaves it unknown, as does a value that was taken out (or, without `taken`, one that
    came from the state); an opaque write leaves it open unless observed since, a change of members until it is set.
    """
    if write.entity is None:
        return Prior(ABSENT)
    for other in reversed(earlier):
        if other.entity != write.entity or other.outcome not in ("applied", "unknown"):
            continue
        entries = [entry for entry in other.fields if entry.name == name]
        if not entries and not other.row["opaque"]:
            continue
        if other.outcome == "unknown":
            return Prior(UNKNOWN_WRITE)
        if other.row["opaque"]:
            return observed(case, write, name, other)
        if other.effect in ("add", "remove"):
            return Prior(ABSENT)
        if entries[-1].compare is None or (entries[-1].taken and not taken):
            return Prior(UNKNOWN_VALUE)
        return Prior(KNOWN, entries[-1].value, entries[-1].compare)
    value, compare = case.initial.get(write.entity, {}).get(name, (None, None))
    if compare is not None:
        return Prior(KNOWN, value, compare)
    return observed(case, write, name, None)


def list_holds(value: str | None, keyed: str | None, *members: str | None) -> bool | None:
    """Return whether a canonical JSON list, or the list of the keys of its members, holds one of the members (texts).

    None where the value is no list.
    """
    decoded = None if value is None else parse(value)
    if not isinstance(decoded, list):
        return None
    try:
        keys = parse(keyed) if keyed is not None else []
    except ValueError:  # keys of rows, which do not tell those of their parts
        keys = []
    return any(canonical(item) in members for item in [*decoded, *keys])


def member_prior(case: Case, earlier: Sequence[Write], write: Write, entry: Field) -> str:
    """Return what removing the member does: differs (it is there), same (it is not), or why that is not known."""
    if write.entity is None:
        return ABSENT
    for other in reversed(earlier):
        if other.entity != write.entity or other.outcome not in ("applied", "unknown"):
            continue
        entries = [one for one in other.fields if one.name == entry.name]
        if other.effect in ("add", "remove"):
            entries = [one for one in entries if one.compare == entry.compare]
        if not entries and not other.row["opaque"]:
            continue
        if other.outcome == "unknown":
            return UNKNOWN_WRITE
        if other.row["opaque"]:
            found = observed(case, write, entry.name, other)
            return as_word(list_holds(found.value, found.compare, entry.value, entry.compare))
        if other.effect in ("add", "remove"):
            return DIFFERS if other.effect == "add" else SAME
        if entries[-1].compare is None:
            return UNKNOWN_VALUE
        return as_word(list_holds(entries[-1].value, entries[-1].compare, entry.value, entry.compare))
    value, compare = case.initial.get(write.entity, {}).get(entry.name, (None, None))
    if value is None:
        found = observed(case, write, entry.name, None)
        value, compare = found.value, found.compare
    return as_word(list_holds(value, compare, entry.value, entry.compare))


def as_word(holds: bool | None) -> str:
    """Return what removing a member does, by whether the collection holds it."""
    return ABSENT if holds is None else DIFFERS if holds else SAME


UNSAID = "unsaid"


def existence_after(before: bool | str | None, write: Write, *, sure: bool) -> bool | str | None:
    """Return whether the entity is there after a write: True, False, None (unknown) or UNSAID (never mentioned so).

    An applied write of any kind but delete shows or makes that it is there; one that may not have been made may have
    brought back what was gone, and leaves there what was.
    """
    if write.outcome == "applied" and sure:
        return write.effect != "delete"
    return None if write.effect in ("create", "delete") or before is False else before


def initial_existence(case: Case, entity: Entity) -> bool | str | None:
    """Return whether the initial state says that the entity is there."""
    value, _ = case.initial.get(entity, {}).get("@exists", (None, None))
    return UNSAID if value is None else value == "true"


def existence_before(case: Case, earlier: Sequence[Write], write: Write) -> bool | str | None:
    """Return whether the entity is known to be there before the write."""
    if write.entity is None:
        return UNSAID
    there = initial_existence(case, write.entity)
    for other in earlier:
        if other.entity == write.entity and other.outcome in ("applied", "unknown"):
            there = existence_after(there, other, sure=True)
    return there


def resolve(case: Case, earlier: Sequence[Write], write: Write) -> list[Field]:
    """Return the modified fields, those taken from the state before the call with the value they had there."""
    fields = []
    for row in write.row["fields"]:
        value, compare = row["value"], row["value"] if row["compare"] is None else row["compare"]
        if row["from_state"] is not None:
            found = prior(case, earlier, write, row["from_state"], taken=False)
            value, compare = found.value, found.compare
        fields.append(Field(row["field"], value, compare, row["free"], row["from_state"] is not None))
    return fields


def judge_noop(case: Case, earlier: Sequence[Write], write: Write) -> tuple[bool | None, bool]:
    """Return (no-op, prior unknown): a no-op leaves every field at the value it already had."""
    if write.outcome == "unknown":
        return None, False
    if write.outcome != "applied" or write.effect in ("create", "touch", "add") or write.row["opaque"]:
        return False, False
    there = existence_before(case, earlier, write)
    if write.effect == "delete":
        return (None if there is None else there is False), there == UNSAID
    if not write.fields or (there is False and write.effect != "remove"):
        return False, False
    kinds = set()
    for entry in write.fields:
        before = prior(case, earlier, write, entry.name)
        if entry.compare is None:
            kinds.add(UNKNOWN_VALUE)
        elif write.effect == "remove":
            kinds.add(member_prior(case, earlier, write, entry))
        elif before.kind == KNOWN:
            kinds.add(SAME if before.compare == entry.compare else DIFFERS)
        else:
            kinds.add(before.kind)
    if DIFFERS in kinds:
        return False, False
    if ABSENT in kinds:
        return False, True
    unclear = {UNKNOWN_WRITE, UNKNOWN_VALUE} & kinds or (there is None and write.effect != "remove")
    return (None if unclear else True), False


def keeps(case: Case, earlier: Sequence[Write], write: Write, entry: Field) -> bool | None:
    """Return whether a field keeps its value: it was set, or may have been, to what it is known to have been already.

    Where nothing tells what it was, it does not; nor does any field of an entity that was gone.
    """
    if write.effect not in ("set", "replace") or write.outcome not in ("applied", "unknown"):
        return False
    before = prior(case, earlier, write, entry.name)
    there = existence_before(case, earlier, write)
    if there is False:
        return False
    if entry.compare is None:
        return None
    if before.kind == ABSENT:
        return False
    if before.kind != KNOWN:
        return None
    return False if before.compare != entry.compare else None if there is None else True


def replay(case: Case, writes: Sequence[Write]) -> None:
    """Judge no-op and effect of every write, of all actors, in order (step, position, item).

    A write that follows an ineffective one is ineffective too.
    """
    for index, write in enumerate(writes):
        earlier = writes[:index]
        write.fields = resolve(case, earlier, write)
        write.existed = write.effect != "create" and existence_before(case, earlier, write) is not False
        write.kept = {entry.name: keeps(case, earlier, write, entry) for entry in write.fields}
        write.noop, write.prior_unknown = judge_noop(case, earlier, write)
        if write.outcome == "unknown":
            own: bool | None = None
        elif write.outcome != "applied":
            own = False
        else:
            own = None if write.noop is None else not write.noop
        write.effective = own if write.parent is None else every([write.parent.effective, own])
        write.prior_unknown = write.prior_unknown and write.effective is not False
