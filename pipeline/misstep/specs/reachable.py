"""Requirements that nothing could ever establish: a task with one could only give wrong numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from misstep.contracts.evidence import Alternative, EvidenceCondition
from misstep.specs.argument_faults import TaskFault
from misstep.specs.argument_paths import entity_of
from misstep.specs.effects import CompiledTools
from misstep.specs.evidence_faults import Asking
from misstep.specs.foreseen import Record, Shows, passes, records_of
from misstep.specs.requirement_rows import owner_of
from misstep.specs.requirements import Owner, Part, parts_of, read_by

#: Says whether a suite can have an entity of a type.
Known = Callable[[str], bool]


class Sources(NamedTuple):
    """Where conditions find what they look for: the records of the task, and what its tools can show or write."""

    records: list[Record]
    shows: list[Shows]
    tools: CompiledTools

    def types(self) -> set[str | None]:
        """Return the types of the entities that are shown or written; None among them: any."""
        return {one.type for one in self.shows} | {one.type for one in self.records if one.type is not None}


def unreachable_faults(asked: Asking, shows: list[Shows], known: Known) -> Iterator[TaskFault]:
    """Yield the requirements that nothing can establish, and the entities that nothing has.

    In a task that must stop what is required may well be lacking: there only the entities are looked at.
    """
    sources = Sources(records_of(asked.evidence, asked.tools, asked.profile), shows, asked.tools)
    for index, requirement in enumerate(asked.evidence.requirements):
        at = f"requirements[{index}]"
        for role, alternatives in (("supported", requirement.supported_if), ("violated", requirement.violated_if)):
            yield from unknown_types(f"{at}.{role}_if", alternatives, sources, known)
        if asked.evidence.protocol == "V0":
            continue
        owner = owner_of(asked.tools, asked.profile, asked.evidence, requirement)
        inactive = [one for one in requirement.inactive_if if not _failing(one, owner, sources)]
        failing = [_failing(one, owner, sources) for one in requirement.supported_if]
        if not inactive and all(failing):
            field, message = failing[0][0] if failing else ("", "there is no way to establish it")
            yield f"{at}.supported_if{field}", message


def unknown_types(field: str, alternatives: list[Alternative], sources: Sources, known: Known) -> Iterator[TaskFault]:
    """Yield the entities of a type that nothing shows, writes or holds."""
    for alternative in alternatives:
        for index, condition in enumerate(alternative.all):
            kind = entity_of(condition.entity).type
            types = sources.types()
            if kind is not None and None not in types and kind not in types and not known(kind):
                yield (
                    f"{field}{alternative.place(index)}.entity",
                    f"no tool shows or writes an entity of type {kind!r}, and nothing else has one",
                )


def _failing(alternative: Alternative, owner: Owner, sources: Sources) -> list[TaskFault]:
    """Return the conditions of an alternative that nothing can establish, by where they stand."""
    found: list[TaskFault] = []
    for index, condition in enumerate(alternative.all):
        message = why_never(condition, owner, sources)
        if message is not None:
            found.append((f"{alternative.place(index)}.{condition.source}", message))
    return found


def why_never(condition: EvidenceCondition, owner: Owner, sources: Sources) -> str | None:
    """Return why a condition can never hold, None where it can."""
    entity = entity_of(condition.entity)
    if condition.read is not None:
        return _why_no_read(condition, sources) if entity.type is not None else None
    if condition.record is None and condition.state is None:
        return None
    parts = parts_of(condition, owner, sources.tools)
    groups = [parts] if condition.record is not None else [[part] for part in parts]
    about = [record for record in sources.records if record.about(entity.type, entity.id)]
    for group in groups:
        fields = [part.field for part in group if part.field is not None]
        if any(one.about(entity.type, fields) for one in sources.shows):
            continue
        if not any(_may_hold(group, record) for record in about):
            whose = "" if entity.type is None else f" of {condition.entity}"
            return f"nothing can establish {' and '.join(map(repr, fields)) or 'a record'}{whose} as it is asked for"
    return None


def _may_hold(parts: list[Part], record: Record) -> bool:
    return all(part.field is None or passes(part, record.facts.get(part.field)) is not False for part in parts)


def _why_no_read(condition: EvidenceCondition, sources: Sources) -> str | None:
    entity, reading = entity_of(condition.entity), read_by(condition, sources.tools)
    if any(one.tool in reading and one.about(entity.type, ()) for one in sources.shows):
        return None
    if any(one.tool in reading and one.about(entity.type, entity.id) for one in sources.records):
        return None
    return f"no call of {', '.join(reading) or 'these tools'} shows an entity of type {entity.type!r}"
