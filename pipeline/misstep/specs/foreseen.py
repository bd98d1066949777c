"""What can be said of conditions before any run: which records a task holds, and what its tools could show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from misstep.contracts.evidence import Evidence, Profile, Shown
from misstep.contracts.tools import ToolsFile, WriteRule
from misstep.contracts.values import canonical, parse
from misstep.specs.effects import CompiledTools
from misstep.specs.entities import compile_entity, split_entity
from misstep.specs.requirements import Part, record_keys

#: True, False, or None where only a run can tell.
Truth = bool | None


class Fact(NamedTuple):
    """A value that a record shows: canonical JSON, and its key."""

    value: str
    key: str


class Record(NamedTuple):
    """Facts that are shown together, of an entity or of none; `tool` shows them, None: the task's context."""

    type: str | None
    id: str | None
    facts: Mapping[str, Fact]
    tool: str | None
    arguments: dict[str, Any]

    def about(self, kind: str | None, name: str | None) -> bool:
        """Return whether it may be about an entity; a type or id that is None is any."""
        return (kind is None or kind == self.type) and (name is None or name == self.id)


class Shows(NamedTuple):
    """What a rule of the tools file can show or write: of entities of a type, some fields; None is any."""

    tool: str
    type: str | None
    fields: frozenset[str] | None

    def about(self, kind: str | None, fields: Iterable[str]) -> bool:
        """Return whether it may show these fields together of an entity of some type."""
        fits = kind is None or self.type is None or kind == self.type
        return fits and (self.fields is None or self.fields.issuperset(fields))


def records_of(evidence: Evidence, tools: CompiledTools, profile: Profile) -> list[Record]:
    """Return the records that the context and the read facts of a task hold."""

    def record(shown: Shown, tool: str | None, arguments: dict[str, Any]) -> Record:
        kind, name = split_entity(shown.entity) if shown.entity is not None else (None, None)
        facts = {
            field: Fact(canonical(value), record_keys(tools, profile, kind, field, value)[0])
            for field, value in shown.facts.items()
        }
        return Record(kind, name, facts, tool, arguments)

    found = [record(shown, None, {}) for shown in evidence.context]
    for read in evidence.read_facts:
        tool = tools.get(read.tool)
        found += [record(shown, tool.name if tool else read.tool, read.arguments) for shown in read.shows]
    return found


def shown_by(file: ToolsFile) -> list[Shows]:
    """Return what the tools of a file can show or write."""
    found: list[Shows] = []
    for name, tool in file.tools.items():
        for observe in tool.observes:
            found.append(Shows(name, compile_entity(observe.entity).type, _names(observe.facts)))
        for write in tool.writes:
            found.append(Shows(name, compile_entity(write.entity).type, _written(write)))
    return found


def _written(rule: WriteRule) -> frozenset[str] | None:
    if rule.replace is not None:
        return None
    made = [_names(part) for part in (rule.set, rule.add, rule.remove) if part is not None]
    return None if None in made else frozenset().union(*(part for part in made if part is not None))


def _names(fields: Mapping[str, Any] | str) -> frozenset[str] | None:
    if isinstance(fields, str) or any("{" in name for name in fields):
        return None
    return frozenset(fields)


def passes(part: Part, fact: Fact | None, argument: Fact | None = None) -> Truth:
    """Return whether a fact passes a test; `argument` is the argument of the attempt it may have to equal."""
    if fact is None:
        return False
    value = parse(fact.value)
    if part.test == "is":
        return fact.key in part.keys
    if part.test == "is_not":
        return fact.key not in part.keys
    if part.test in ("contains", "not_contains"):
        return _contains(value, parse(part.value or "null")) == (part.test == "contains")
    if part.test == "present":
        return value is not None and (not isinstance(value, str) or bool(value.strip()))
    if part.test == "argument":
        return None if argument is None else fact.key == argument.key or fact.value == argument.value
    return True


def _contains(value: Any, member: Any) -> bool:
    if isinstance(value, str):
        return isinstance(member, str) and member in value
    return isinstance(value, list) and canonical(member) in map(canonical, value)


def every(truths: Iterable[Truth]) -> Truth:
    """Return whether all hold: one that does not decides."""
    found = set(truths)
    return False if False in found else None if None in found else True


def some(truths: Iterable[Truth]) -> Truth:
    """Return whether one holds: one that does decides."""
    found = set(truths)
    return True if True in found else None if None in found else False
