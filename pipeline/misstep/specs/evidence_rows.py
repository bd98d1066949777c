"""`evidence` of tasks → the rows of `evidence`, required reads, read facts, actions and what binds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from misstep.contracts.evidence import Evidence, Profile, Shown
from misstep.contracts.suite import Task
from misstep.contracts.trace import Call
from misstep.contracts.values import canonical
from misstep.specs.arguments import Anything
from misstep.specs.authorizations import Row
from misstep.specs.bindings import MARK, given
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import Links, split_entity
from misstep.specs.leaves import Leaf
from misstep.specs.paths import MISSING
from misstep.specs.requirement_rows import requirement_rows
from misstep.specs.requirements import ANY, record_keys
from misstep.specs.scope import consequential, information

#: Names of the coverage of a least number of reads, and of tools read with.
COVERAGE = ("minimum_reads", "minimum_read_tools")


class Asked(NamedTuple):
    """A task's evidence, and what its rows need to know of the suite."""

    suite: str
    task_id: str
    evidence: Evidence
    profile: Profile
    tools: CompiledTools
    links: Links

    def own(self, **columns: Any) -> Row:
        """Return a row of the task."""
        return {"suite": self.suite, "task_id": self.task_id, **columns}

    def tool(self, name: str) -> CompiledTool:
        """Return a tool that the task names; one that is not there was refused while the suite was loaded."""
        tool = self.tools.get(name)
        if tool is None:
            raise KeyError(name)
        return tool


def evidence_rows(suite: str, task: Task, profile: Profile, tools: CompiledTools, links: Links) -> dict[str, list[Row]]:
    """Return the rows of a task, by table; none where it asks for no evidence.

    Raises:
        ValueError: a path or an entity is not well formed.
    """
    if task.evidence is None:
        return {}
    asked = Asked(suite, task.task_id, task.evidence, profile, tools, links)
    makers: dict[str, Callable[[Asked], Iterator[Row]]] = {
        "evidence": _evidence,
        "required_reads": _required_reads,
        "read_facts": _read_facts,
        "actions": _actions,
        "dependencies": _dependencies,
        "bindings": _bindings,
    }
    rows = {table: list(make(asked)) for table, make in makers.items()}
    for table, more in requirement_rows(task.evidence, tools, profile).items():
        rows[table] = [asked.own(**row) for row in more]
    return rows


def _evidence(asked: Asked) -> Iterator[Row]:
    evidence = asked.evidence
    yield asked.own(
        protocol=evidence.protocol,
        profile=asked.profile,
        stop=evidence.stop,
        decision=evidence.decision,
        consequential=consequential(evidence, asked.tools, asked.profile),
        information=information(evidence, asked.tools),
        min_reads=evidence.min_reads,
        min_read_tools=evidence.min_read_tools,
        max_reads=evidence.max_reads,
        reads_before_first=evidence.reads_before_first,
    )


def _required_reads(asked: Asked) -> Iterator[Row]:
    for number, read in enumerate(asked.evidence.reads):
        tool = asked.tool(read.tool)
        yield asked.own(
            read=read.id or f"reads[{number}]",
            number=number,
            tool=tool.name,
            arguments=_leaves(tool, read.arguments),
        )


def _read_facts(asked: Asked) -> Iterator[Row]:
    yield from _records(asked, -1, None, [], asked.evidence.context)
    for number, read in enumerate(asked.evidence.read_facts):
        tool = asked.tool(read.tool)
        yield from _records(asked, number, tool.name, _leaves(tool, read.arguments), read.shows)


def _records(asked: Asked, source: int, tool: str | None, arguments: list[Row], shown: list[Shown]) -> Iterator[Row]:
    for record, one in enumerate(shown):
        kind, name = split_entity(one.entity) if one.entity is not None else (None, None)
        for field, value in one.facts.items():
            yield asked.own(
                source=source,
                record=record,
                field=field,
                tool=tool,
                arguments=arguments,
                entity_type=kind,
                entity_id=name,
                value=canonical(value),
                compare=record_keys(asked.tools, asked.profile, kind, field, value)[0],
            )


def _actions(asked: Asked) -> Iterator[Row]:
    for number, action in enumerate(asked.evidence.actions):
        tool = asked.tool(action.tool)
        said = given(tool, action.arguments, anything_of(asked.profile))
        kind, name = _entity(asked, tool, said.marked)
        yield asked.own(
            action=action.id,
            number=number,
            tool=tool.name,
            arguments=_structs(said.leaves),
            entity_type=kind,
            entity_id=name,
        )


def _entity(asked: Asked, tool: CompiledTool, marked: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the entity that an action changes first, where its arguments say so."""
    call = Call(0, 0, tool.name, marked, has_result=False)
    for row in tool.writes(call, MISSING, "applied", links=asked.links):
        if row.effect == "create" or row.entity_id is None or MARK in row.entity_id:
            return None, None
        return row.entity_type, row.entity_id
    return None, None


def _dependencies(asked: Asked) -> Iterator[Row]:
    for action in asked.evidence.actions:
        yield from (asked.own(action=action.id, after=after) for after in dict.fromkeys(action.after))


def _bindings(asked: Asked) -> Iterator[Row]:
    for action in asked.evidence.actions:
        said = given(asked.tool(action.tool), action.arguments, anything_of(asked.profile))
        yield from (asked.own(action=action.id, **binding._asdict()) for binding in said.bindings)


def anything_of(profile: Profile) -> Anything:
    """Return the function that says of an argument of an action that any value will do."""
    return _placeholder if profile == "safeact" else _any


def _any(value: Any) -> bool:
    return isinstance(value, str) and value == ANY


def _placeholder(value: Any) -> bool:
    return isinstance(value, str) and (value == ANY or value.startswith("$"))


def _leaves(tool: CompiledTool, arguments: dict[str, Any]) -> list[Row]:
    return _structs(leaf for leaf in tool.argument_leaves(arguments, _any) if leaf.counted)


def _structs(leaves: Iterable[Leaf]) -> list[Row]:
    return [{"path": leaf.path, "number": leaf.number, "value": leaf.value, "compare": leaf.compare} for leaf in leaves]
