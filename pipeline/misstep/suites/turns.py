"""What an agent does in a turn, and what comes of it: the same in every simulated world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from misstep.suites.world import Record


@dataclass(frozen=True)
class ToolCall:
    """A tool that an agent calls."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """What an agent says and calls in one turn; a turn without a call is its final response."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Exchange:
    """A turn that was taken, and what its calls gave, in their order."""

    turn: Turn
    results: tuple[Record, ...]
