"""What the evidence of a task names that is not there, or in an order in which it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from misstep.contracts.evidence import Action, Evidence, Profile, Requirement
from misstep.specs.argument_faults import TaskFault, argument_faults, unknown_tool
from misstep.specs.bindings import given, result_references
from misstep.specs.condition_faults import Around, alternative_faults, unfit_faults
from misstep.specs.effects import CompiledTools
from misstep.specs.evidence_rows import COVERAGE, anything_of
from misstep.specs.names import declared
from misstep.specs.requirement_rows import owner_of, roles_of
from misstep.specs.scope import consequential, information

#: id of an action → the ids of all that must be executed before it.
Before = Mapping[str, frozenset[str]]


class Asking(NamedTuple):
    """The evidence of a task, the tools of its suite, and what must come before each action."""

    evidence: Evidence
    tools: CompiledTools
    profile: Profile
    before: Before


def asking(evidence: Evidence, tools: CompiledTools, profile: Profile) -> Asking:
    """Return the evidence of a task with what is needed to check it."""
    return Asking(evidence, tools, profile, predecessors(evidence.actions))


def predecessors(actions: list[Action]) -> Before:
    """Return, for each action, all that its `after` leads to; in a circle an action comes before itself."""
    after = {action.id: frozenset(action.after) for action in actions}
    found: dict[str, frozenset[str]] = {}
    for name, first in after.items():
        seen: set[str] = set()
        waiting = list(first)
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += after.get(one, ())
        found[name] = frozenset(seen)
    return found


def named_faults(asked: Asking) -> Iterator[TaskFault]:
    """Yield what the evidence names that is not there, and what stands twice."""
    evidence = asked.evidence
    for part in ("reads", "requirements", "actions"):
        yield from _twice(part, [one.id for one in getattr(evidence, part)])
    for index, read in enumerate(evidence.reads):
        if (read.id or "") in COVERAGE:
            yield f"reads[{index}].id", f"{read.id!r} is the name of a least number of reads"
    for part in ("reads", "read_facts", "actions"):
        for index, one in enumerate(getattr(evidence, part)):
            yield from _tool_faults(f"{part}[{index}]", one.tool, one.arguments, asked.tools)
    for part in ("consequential", "information"):
        for index, name in enumerate(getattr(evidence, part) or []):
            if not declared(name, asked.tools):
                yield f"{part}[{index}]", unknown_tool(name)
    yield from _scope_faults(asked)


def _scope_faults(asked: Asking) -> Iterator[TaskFault]:
    """Yield the reads that could never count as one, and the actions that could never be attempted."""
    evidence, tools = asked.evidence, asked.tools
    scopes = {"reads": information(evidence, tools), "read_facts": information(evidence, tools)}
    scopes["actions"] = consequential(evidence, tools, asked.profile)
    for part, scope in scopes.items():
        for index, one in enumerate(getattr(evidence, part)):
            tool = tools.get(one.tool)
            if tool is not None and tool.name not in scope:
                what = "consequential" if part == "actions" else "among the reads in scope (`information`)"
                yield f"{part}[{index}].tool", f"{tool.name} is not {what}"
    if evidence.max_reads is not None and len(evidence.reads) > evidence.max_reads:
        yield "max_reads", f"{len(evidence.reads)} reads are required"
    if evidence.max_reads is not None and (evidence.min_reads or 0) > evidence.max_reads:
        yield "max_reads", f"at least {evidence.min_reads} reads are asked for"
    if (evidence.min_read_tools or 0) > len(scopes["reads"]):
        yield "min_read_tools", f"there are {len(scopes['reads'])} tools to read with"
    if evidence.max_reads is not None and (evidence.min_read_tools or 0) > evidence.max_reads:
        yield "max_reads", f"reads by at least {evidence.min_read_tools} tools are asked for"


def action_faults(asked: Asking) -> Iterator[TaskFault]:
    """Yield what is wrong with the order of the actions, and with what they take from each other."""
    actions = asked.evidence.actions
    place = {action.id: index for index, action in enumerate(actions)}
    needed = {requirement.id for requirement in asked.evidence.requirements}
    for index, action in enumerate(actions):
        at = f"actions[{index}]"
        circle = action.id in asked.before[action.id]
        if circle:
            yield f"{at}.after", f"{action.id!r} would have to come before itself"
        for number, name in enumerate(action.after):
            if name not in place:
                yield f"{at}.after[{number}]", f"the task has no action {name!r}"
            elif place[name] > index and not circle:
                yield (
                    f"{at}.after[{number}]",
                    f"{name!r} stands later: list actions in a possible order",
                )
        for number, name in enumerate(action.requires):
            if name not in needed:
                yield f"{at}.requires[{number}]", f"the task has no requirement {name!r}"
        yield from ((f"{at}.{field}", message) for field, message in _binding_faults(action, asked))
        if asked.evidence.protocol == "V2" and index and not circle:
            last = actions[index - 1].id
            if last not in asked.before[action.id]:
                yield f"{at}.after", f"protocol V2 is a chain: {action.id!r} must come after {last!r}"


def requirement_faults(asked: Asking) -> Iterator[TaskFault]:
    """Yield what is wrong with requirements: that nothing needs them, and the faults of their conditions."""
    needed = {name for action in asked.evidence.actions for name in action.requires}
    for index, requirement in enumerate(asked.evidence.requirements):
        at = f"requirements[{index}]"
        if requirement.id not in needed:
            yield f"{at}.id", f"no action requires {requirement.id!r}"
        owner = owner_of(asked.tools, asked.profile, asked.evidence, requirement)
        around = Around(owner.acting, asked.tools, list(asked.before))
        for role, alternatives in roles_of(requirement):
            found = list(alternative_faults(f"{at}.{role}_if", alternatives, around))
            if role == "supported" and not requirement.inactive_if and not found:
                found += unfit_faults(f"{at}.supported_if", alternatives, owner.acting)
            yield from found
        yield from _late_results(f"{at}.supported_if", requirement, asked)


def _late_results(field: str, requirement: Requirement, asked: Asking) -> Iterator[TaskFault]:
    """Yield the results that an action requires and need not come after, where nothing else would do."""
    for action in asked.evidence.actions:
        if requirement.id in action.requires:
            after = asked.before[action.id]
            late = [
                [
                    (f"{field}{alternative.place(index)}.result_of", condition.result_of)
                    for index, condition in enumerate(alternative.all)
                    if condition.result_of in asked.before and condition.result_of not in after
                ]
                for alternative in requirement.supported_if
            ]
            for at, result_of in (one for found in late for one in found if all(late)):
                yield at, f"{action.id!r} requires it and does not come after {result_of!r}"


def _twice(part: str, names: Iterable[str | None]) -> Iterator[TaskFault]:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        own = f"{part}[{index}]" if name is None else name
        if own in first:
            yield f"{part}[{index}].id", f"{own!r} is the name of {part}[{first[own]}] as well"
        first.setdefault(own, index)


def _tool_faults(at: str, name: str, arguments: dict[str, Any], tools: CompiledTools) -> Iterator[TaskFault]:
    tool = tools.get(name)
    if tool is None:
        yield f"{at}.tool", unknown_tool(name)
    else:
        yield from argument_faults(f"{at}.arguments", arguments, [tool])


def _binding_faults(action: Action, asked: Asking) -> Iterator[TaskFault]:
    tool = asked.tools.get(action.tool)
    lost = [] if tool is None else given(tool, action.arguments, anything_of(asked.profile)).lost
    for name, value in action.arguments.items():
        if _botched(value):
            yield f"arguments.{name}", 'an earlier result is written {"result_of": ID, "field": NAME}'
        for binding in result_references(value):
            field = f"arguments.{name}"
            if binding.result_of not in asked.before:
                yield field, f"the task has no action {binding.result_of!r}"
            elif binding.result_of not in asked.before[action.id]:
                yield field, f"{action.id!r} takes a result of {binding.result_of!r} and does not come after it"
            elif binding in lost:
                yield field, "an earlier result cannot stand in arguments that are compared as a whole"


def _botched(value: Any) -> bool:
    """Return whether something in a value is meant as an earlier result and is none."""
    if isinstance(value, dict):
        meant = "result_of" in value and not any(True for _ in result_references(value))
        return meant or any(map(_botched, value.values()))
    return isinstance(value, list) and any(map(_botched, value))
