"""What an import yields, before it is written to a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from misstep.specs.imports.gold import Gold
from misstep.specs.imports.world import State


class ImportedTask(NamedTuple):
    """A line of `tasks.jsonl`, and what was found of its expected calls."""

    task: dict[str, Any]
    gold: Gold


@dataclass(frozen=True)
class Refusal:
    """A task that is kept without its evidence: which, the field that is in the way, and why."""

    task_id: str
    field: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """Tasks in order, and states by name.

    `tools` are those that the benchmark's own files name, where the suite does not come with a list of them; `verified`
    counts the cases that were compared with a published hash, `missing` says in words which files are not there,
    `refused` are the tasks whose evidence could not be made.
    """

    tasks: list[ImportedTask]
    states: dict[str, State]
    tools: dict[str, dict[str, Any]] | None = None
    verified: int = 0
    missing: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
