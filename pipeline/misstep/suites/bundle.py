"""A bundled suite as it is made, before it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from misstep.suites.world import State


@dataclass(frozen=True)
class Bundle:
    """Tasks in order, shared states by name, records of episodes, and further files by path.

    Attributes:
        tasks: lines of `tasks.jsonl`.
        states: name → records.
        traces: (path without its ending, record); the records of a file follow one another.
        documents: path → text.
    """

    tasks: list[dict[str, Any]]
    states: Mapping[str, State]
    traces: Iterable[tuple[str, dict[str, Any]]]
    documents: Mapping[str, str] = field(default_factory=dict)
