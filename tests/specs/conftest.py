"""Fixtures for tools files written in a test."""

from collections.abc import Callable
from textwrap import dedent
from typing import NamedTuple

import pytest

from misstep.contracts.tools import ToolsFile
from misstep.contracts.trace import Call
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.plain_yaml import parse_yaml


@pytest.fixture
def tools_of() -> Callable[[str], CompiledTools]:
    """Return a function that compiles the text of a tools file, less its schema, for the suite `office`."""

    def compiled(text: str) -> CompiledTools:
        return CompiledTools(
            ToolsFile.model_validate({"schema": "misstep.tools/1", **parse_yaml(dedent(text))}), "office"
        )

    return compiled


class Fact(NamedTuple):
    """One field of a record that a result shows."""

    record: int
    entity_id: str | None
    field: str
    value: str
    compare: str | None


class Ran:
    """What a tool makes of one call."""

    def __init__(self, tool: CompiledTool, call: Call, outcome: str | None, links) -> None:
        self.notes = []
        self.result = tool.parse_result(call.result, call.structured, self.notes)
        found, noted = tool.outcome(call, self.result)
        self.outcome = outcome or found
        self.notes += noted
        self.writes = tool.writes(call, self.result, self.outcome, links=links, faults=self.notes)
        self.shown = [
            Fact(number, record.entity_id, *fact)
            for number, record in enumerate(tool.observations(call.arguments, self.result, self.notes))
            for fact in zip(record.fields, record.texts(), record.compares or record.texts(), strict=True)
        ]

    @property
    def codes(self) -> list[str]:
        return [note.code for note in self.notes]

    @property
    def entities(self) -> list[str]:
        return [f"{row.entity_type}:{row.entity_id}" for row in self.writes]

    @property
    def fields(self) -> list[dict[str, str | None]]:
        return [{field.field: field.value for field in row.fields} for row in self.writes]


@pytest.fixture
def run() -> Callable[..., Ran]:
    """Return a function that gives what the compiled tools make of a call, with its parts as keywords."""

    def ran(tools: CompiledTools, tool: str, arguments=None, *, links=None, as_outcome=None, **parts) -> Ran:
        call = Call(parts.pop("step", 1), parts.pop("position", 0), tool, arguments, **parts)
        compiled = tools.get(tool)
        assert compiled is not None
        return Ran(compiled, call, as_outcome, links)

    return ran
