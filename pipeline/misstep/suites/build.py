"""A bundled suite written to its folder: tasks, states, traces, and what else belongs to it."""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any

from misstep.contracts.errors import UsageError
from misstep.storage.atomic import write_bytes
from misstep.suites import SUITES
from misstep.suites.bundle import Bundle


def build_suite(name: str, out: Path, source: Path | None = None) -> dict[str, int]:
    """Write a bundled suite, the same bytes every time, and return how many there are of what.

    Args:
        name: the suite.
        out: folder that gets `tasks.jsonl`, `states/`, `traces/` and the suite's documents.
        source: folder with `world.yaml` and `templates/` (default: `out`).

    Raises:
        UsageError: no suite of that name is bundled.
        SpecificationError: a template is not well formed.
    """
    made = _bundle(name)(source or out)
    write_lines(out / "tasks.jsonl", made.tasks)
    for state, records in made.states.items():
        entities = [{"entity": entity, "fields": fields} for entity, fields in sorted(records.items())]
        write_lines(out / "states" / f"{state}.jsonl", entities)
    episodes = 0
    for file, group in itertools.groupby(made.traces, key=itemgetter(0)):
        episodes += write_lines(out / "traces" / f"{file}.jsonl", [record for _, record in group])
    for path, text in made.documents.items():
        write_bytes(out / path, text.encode())
    return {
        "tasks": len(made.tasks),
        "templates": len({task["template_id"] for task in made.tasks}),
        "states": len(made.states),
        "episodes": episodes,
    }


def _bundle(name: str) -> Callable[[Path], Bundle]:
    """Return what makes a bundled suite from its folder.

    Raises:
        UsageError: there is no such suite.
    """
    if name not in SUITES:
        raise UsageError(f"no bundled suite is called {name}; there are {', '.join(sorted(SUITES))}")
    bundle: Callable[[Path], Bundle] = importlib.import_module(SUITES[name]).bundle
    return bundle


def write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> int:
    """Write JSON Lines and return how many."""
    texts = [json.dumps(line, ensure_ascii=False) + "\n" for line in lines]
    write_bytes(path, "".join(texts).encode())
    return len(texts)
