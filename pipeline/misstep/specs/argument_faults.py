"""Arguments that specifications name and no tool declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from misstep.specs.effects import CompiledTool

#: Field inside of a task, and what is wrong with it.
TaskFault = tuple[str, str]


def argument_faults(field: str, arguments: Iterable[str], tools: list[CompiledTool]) -> Iterator[TaskFault]:
    """Yield the arguments that none of some tools takes; a tool without declared parameters takes any."""
    for name in arguments:
        if tools and all(tool.undeclared({name: None}) for tool in tools):
            whose = tools[0].name if len(tools) == 1 else "any tool that is meant"
            yield f"{field}.{name}", f"no parameter {name!r} is declared by {whose}"


def unknown_tool(name: Any) -> str:
    """Return what is wrong where a tool is named that is not there."""
    return f"the tools file has no tool {name!r}"
