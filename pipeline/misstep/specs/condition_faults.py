"""What is wrong with the conditions of requirements and of standing rules, each taken by itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import polars as pl

from misstep.contracts.evidence import Alternative, EvidenceCondition, FieldTest
from misstep.specs.argument_faults import TaskFault, argument_faults, unknown_tool
from misstep.specs.argument_paths import argument_path
from misstep.specs.argument_uses import parameters_of, uses_of
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.names import declared
from misstep.specs.requirements import ANY

#: Kinds of tools that a call of cannot be a read.
NO_READ = ("write", "none", "ask")
_HOLE = re.compile(r"\{arguments[^{}]*\}")


class Around(NamedTuple):
    """What stands around conditions: the tools of the attempts they are about, and the ids of the task's actions.

    `actions` is None where there are no actions: in a standing rule.
    """

    acting: list[CompiledTool]
    tools: CompiledTools
    actions: Collection[str] | None


def alternative_faults(field: str, alternatives: list[Alternative], around: Around) -> Iterator[TaskFault]:
    """Yield the faults of the conditions of some alternatives."""
    for alternative in alternatives:
        for index, condition in enumerate(alternative.all):
            at = field + alternative.place(index)
            for inner, message in _condition_faults(condition, around):
                yield f"{at}.{inner}", message


def unfit_faults(field: str, alternatives: list[Alternative], acting: list[CompiledTool]) -> Iterator[TaskFault]:
    """Yield the tools of which no attempt could fulfil any alternative, since each speaks of what they do not take."""
    asked = [set().union(*map(parameters_of, alternative.all)) for alternative in alternatives]
    for tool in acting:
        lacking = [tool.undeclared(dict.fromkeys(sorted(parameters))) for parameters in asked]
        if lacking and all(lacking):
            yield field, f"{tool.name} declares no parameter {lacking[0][0]!r}: nothing could be enough before it"


def pattern_fault(pattern: str) -> str | None:
    """Return why something is no regular expression that labelling can use, None where it is one."""
    try:
        pl.Series([""]).str.contains(pattern)
        re.compile(pattern)
    except (pl.exceptions.PolarsError, re.error) as error:
        told = [line.removeprefix("error: ") for line in str(error).splitlines() if line.startswith("error: ")]
        return f"{pattern!r} is no pattern ({(told or [str(error)])[0]})"
    return None


def _condition_faults(condition: EvidenceCondition, around: Around) -> Iterator[TaskFault]:
    for use in uses_of(condition):
        try:
            paths = use.paths()
        except ValueError as error:
            yield use.field, str(error)
            continue
        for path in paths:
            yield from ((use.field, message) for _, message in argument_faults("", [path.parameter], around.acting))
    if condition.action is not None and "tool" in condition.action:
        yield from _tool_faults(condition.action["tool"], around.tools)
    yield from _read_faults(condition, around)
    if condition.authentication is not None:
        yield from _named_faults("authentication", condition.authentication, around.tools)
    if condition.result_of is not None:
        yield from _result_faults(condition.result_of, around)
    if isinstance(condition.confirmation, str) and (wrong := pattern_fault(condition.confirmation)):
        yield "confirmation", wrong
    if condition.told is not None and (wrong := pattern_fault(_HOLE.sub("x", condition.told))):
        yield "told", wrong


def _tool_faults(wanted: Any, tools: CompiledTools) -> Iterator[TaskFault]:
    """Yield what is wrong with a test of the attempt's tool."""
    if isinstance(wanted, FieldTest):
        names = wanted.in_ if wanted.in_ is not None else [] if wanted.is_not is None else [wanted.is_not]
    else:
        names = [] if wanted == ANY else [wanted]
    for name in names:
        if not isinstance(name, str) or tools.get(name) is None:
            yield "action.tool", unknown_tool(name)


def _read_faults(condition: EvidenceCondition, around: Around) -> Iterator[TaskFault]:
    if condition.read is None:
        return
    yield from _named_faults("read", condition.read, around.tools)
    reading = [tool for name in declared(condition.read, around.tools) if (tool := around.tools.get(name))]
    if reading and all(tool.kind in NO_READ for tool in reading):
        yield "read", f"{reading[0].name} is a tool of kind {reading[0].kind}: a call of it is no read"
    for path in condition.arguments or {}:
        try:
            written = argument_path(path)
        except ValueError as error:
            yield f"arguments.{path}", str(error)
            continue
        for _, message in argument_faults("", [written.parameter], reading):
            yield f"arguments.{path}", message


def _named_faults(field: str, written: str | list[str], tools: CompiledTools) -> Iterator[TaskFault]:
    for index, name in enumerate([written] if isinstance(written, str) else written):
        if not declared(name, tools):
            yield field if isinstance(written, str) else f"{field}[{index}]", unknown_tool(name)
    if written == []:
        yield field, "no tool is named"


def _result_faults(result_of: str, around: Around) -> Iterator[TaskFault]:
    if around.actions is None:
        yield "result_of", "a standing rule knows no actions"
    elif result_of not in around.actions:
        yield "result_of", f"the task has no action {result_of!r}"
