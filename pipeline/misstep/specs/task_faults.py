"""What tasks name that nothing else in their suite has: such a task could only give wrong numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from misstep.contracts.evidence import Profile
from misstep.contracts.suite import Pattern, Task
from misstep.specs.argument_faults import TaskFault, argument_faults, unknown_tool
from misstep.specs.derived_stop import stop_faults
from misstep.specs.effects import CompiledTools
from misstep.specs.entities import is_entity, split_entity
from misstep.specs.evidence_faults import action_faults, asking, named_faults, requirement_faults
from misstep.specs.foreseen import Shows, shown_by
from misstep.specs.reachable import unreachable_faults

_UNKNOWN_TYPE = "no tool writes an entity of type {!r}, and no state, override or link has one"


class World(NamedTuple):
    """What the tasks of a suite may name: `held` gives the entity types of the state files, which it reads."""

    suite: str
    tools: CompiledTools
    states: str
    missing_states: Collection[str]
    held: Callable[[], Collection[str]]
    profile: Profile = "standard"


def task_faults(lines: list[tuple[int, Task]], world: World) -> Iterator[tuple[int, str, str]]:
    """Yield line, field and message of what tasks name that is not there."""
    first: dict[str, int] = {}
    written = _written(world.tools)
    known = _known([task for _, task in lines], world, written)
    shows = shown_by(world.tools.file)
    for line, task in lines:
        if task.task_id in first:
            yield line, "task_id", f"{task.task_id!r} is the task of line {first[task.task_id]} as well"
        first.setdefault(task.task_id, line)
        for faults in (
            _own_faults(task, world),
            _pattern_faults(task, world.tools),
            _type_faults(task, written, known),
            _reference_faults(task, world.tools),
            _evidence_faults(task, world, shows, known),
        ):
            for field, message in faults:
                yield line, field, message
    yield from _version_faults(lines)


def _own_faults(task: Task, world: World) -> Iterator[TaskFault]:
    if task.suite is not None and task.suite != world.suite:
        yield "suite", f"{task.suite!r} is not this suite ({world.suite!r})"
    if task.state in world.missing_states:
        yield "state", f"there is no file {task.state}.jsonl in {world.states!r}"
    for entity in task.overrides:
        if not is_entity(entity):
            yield f"overrides.{entity}", f"{entity!r} is no type:id"


def _reference_faults(task: Task, tools: CompiledTools) -> Iterator[TaskFault]:
    if task.goal is not None and task.reference is not None:
        yield "reference", "a task has either goal or reference"
    for index, call in enumerate(task.reference or []):
        tool = tools.get(call.tool)
        if tool is None:
            yield f"reference[{index}].tool", unknown_tool(call.tool)
        else:
            yield from argument_faults(f"reference[{index}].arguments", call.arguments, [tool])


def _pattern_faults(task: Task, tools: CompiledTools) -> Iterator[TaskFault]:
    for field, pattern in _patterns(task):
        for inner, message in _unfit(pattern, tools):
            yield f"{field}.{inner}", message


def _unfit(pattern: Pattern, tools: CompiledTools) -> Iterator[TaskFault]:
    """Yield what no tool has of the tool, action and arguments of a pattern."""
    named = None if pattern.tool is None else tools.get(pattern.tool)
    if pattern.tool is not None and named is None:
        yield "tool", unknown_tool(pattern.tool)
        return
    meant = [tool for tool in tools if tool.writers] if named is None else [named]
    if pattern.action is not None:
        acting = [tool for tool in meant if any(writer.action == pattern.action for writer in tool.writers)]
        if not acting:
            whose = "of a tool" if named is None else f"of {named.name}"
            yield "action", f"no effect {whose} is called {pattern.action!r}"
        meant = acting or meant
    yield from argument_faults("arguments", pattern.arguments or {}, meant)


def _evidence_faults(task: Task, world: World, shows: list[Shows], known: Callable[[str], bool]) -> Iterator[TaskFault]:
    if task.evidence is None:
        return
    asked = asking(task.evidence, world.tools, world.profile)
    found = [*named_faults(asked), *action_faults(asked), *requirement_faults(asked)]
    if not found:  # else what is established cannot be told
        found = [*unreachable_faults(asked, shows, known), *stop_faults(asked, shows)]
    yield from ((f"evidence.{field}", message) for field, message in found)


def _type_faults(task: Task, written: Collection[str] | None, known: Callable[[str], bool]) -> Iterator[TaskFault]:
    for field, pattern in _patterns(task):
        if pattern.created is not None and written is not None and pattern.created not in written:
            yield f"{field}.created", f"no tool writes an entity of type {pattern.created!r}"
        named = [("entity", pattern.entity)] if pattern.entity is not None else []
        named += [(f"entity_in[{index}]", entity) for index, entity in enumerate(pattern.entity_in or [])]
        for inner, entity in named:
            if not known(kind := split_entity(entity or "")[0]):
                yield f"{field}.{inner}", _UNKNOWN_TYPE.format(kind)
    for index, condition in enumerate(task.goal or []):
        where = condition.entity is None
        kind = str((condition.where or {})["type"]) if where else split_entity(condition.entity or "")[0]
        if not known(kind):
            yield f"goal[{index}].{'where.type' if where else 'entity'}", _UNKNOWN_TYPE.format(kind)


def _known(tasks: list[Task], world: World, written: Collection[str] | None) -> Callable[[str], bool]:
    """Return whether something can be of a type; states are read only for a type that nothing else has."""
    named = {split_entity(entity)[0] for task in tasks for entity in task.overrides}
    named |= {split_entity(entity)[0] for task in tasks for link in task.links for entity in (link[0], link[2])}
    held: set[str] = set()

    def known(kind: str) -> bool:
        if written is None or kind in written or kind in named:
            return True
        if not held:
            held.update(world.held(), [""])
        return kind in held

    return known


def _written(tools: CompiledTools) -> Collection[str] | None:
    """Return the entity types that tools write, or None where a type comes from a path."""
    kinds = {kind for tool in tools for kind in tool.entity_types}
    return None if None in kinds else {kind for kind in kinds if kind is not None}


def _version_faults(lines: list[tuple[int, Task]]) -> Iterator[tuple[int, str, str]]:
    """Yield the lines that an episode can never get: of the same recorded task, version and instruction."""
    first: dict[tuple[str, ...], tuple[int, str]] = {}
    for line, task in lines:
        recorded = task.replaces or task.task_id
        keys: list[tuple[str, ...]]
        if task.versions is None:
            keys = [(recorded, "", " ".join(task.instruction.split()))]
        else:
            keys = [(recorded, version) for version in task.versions]
        for key in keys:
            other, name = first.setdefault(key, (line, task.task_id))
            if name != task.task_id:
                yield line, "versions", f"line {other} is for the same versions of {recorded!r}: say which each is for"
                break


def _patterns(task: Task) -> Iterator[tuple[str, Pattern]]:
    for index, pattern in enumerate(task.authorized):
        yield f"authorized[{index}]", pattern
    for index, pattern in enumerate(task.authorized_after_clarification or []):
        yield f"authorized_after_clarification[{index}]", pattern
