"""What an import yields, before it is written to a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from misstep.specs.imports.gold import Gold, State


class ImportedTask(NamedTuple):
    """A line of `tasks.jsonl`, and what was found of its expected calls."""

    task: dict[str, Any]
    gold: Gold


@dataclass(frozen=True)
class Imported:
    """Tasks in order, and states by name."""

    tasks: list[ImportedTask]
    states: dict[str, State]
