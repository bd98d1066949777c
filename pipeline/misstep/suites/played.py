"""An episode that was acted out, with what it was written for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from misstep.suites.instances import AnyInstance
from misstep.suites.templates import Intent
from misstep.suites.world import State


@dataclass(frozen=True)
class Played:
    """An episode: its record, what the world holds at its end, and the labels that it is written to get."""

    instance: AnyInstance
    model: str
    replicate: int
    script: str
    record: dict[str, Any]
    final: State
    intent: Intent
