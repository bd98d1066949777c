"""The tools of the office as one interface: a name and arguments in, a result or an error out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from misstep.suites.sabench.errors import ApiError, unknown_tool
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.schemas import A, parsed, schema
from misstep.suites.world import Record


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool: `act` makes the change, or raises an ApiError before it has changed anything."""

    name: str
    arguments: type[A]
    act: Callable[[Office, A], Record]

    def call(self, office: Office, arguments: Mapping[str, Any]) -> Record:
        """Return the result of a call.

        Raises:
            ApiError: it cannot be done; nothing has changed.
        """
        return self.act(office, parsed(self.arguments, copy.deepcopy(dict(arguments))))


class Api:
    """Several tools by name."""

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self.tools: dict[str, Tool[Any]] = {tool.name: tool for tool in tools}

    def schemas(self) -> list[Record]:
        """Return what a caller is told of every tool, in order."""
        told: list[Record] = json.loads(self._schemas)
        return told

    @cached_property
    def _schemas(self) -> str:
        return json.dumps([schema(tool.name, tool.arguments) for tool in self.tools.values()])

    def act(self, office: Office, name: str, arguments: Mapping[str, Any]) -> Record:
        """Return what a call gives, errors included; the office keeps no part of it."""
        try:
            if name not in self.tools:
                raise unknown_tool(name)
            return copy.deepcopy(self.tools[name].call(office, arguments))
        except ApiError as error:
            return error.shown()
