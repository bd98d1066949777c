"""A bundled suite written to its folder: tasks, states and the traces of its scripted agents."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from misstep.contracts.errors import UsageError
from misstep.storage.atomic import write_bytes
from misstep.suites import SUITES
from misstep.suites.filling import fill
from misstep.suites.instances import Instance, Sources, read_sources
from misstep.suites.scripts import Stage, trace
from misstep.suites.templates import Intent
from misstep.suites.world import Desk, State, World

HARNESS = "scripted"


@dataclass(frozen=True)
class Played:
    """A scripted episode: its record, what the world holds at its end, and the labels that it is written to get."""

    instance: Instance
    model: str
    replicate: int
    script: str
    record: dict[str, Any]
    final: State
    intent: Intent


def build_suite(name: str, out: Path, source: Path | None = None) -> dict[str, int]:
    """Write tasks, states and traces of a bundled suite, the same bytes every time, and return how many of each.

    Args:
        name: the suite.
        out: folder that gets `tasks.jsonl`, `states/` and `traces/`.
        source: folder with `world.yaml` and `templates/` (default: `out`).

    Raises:
        UsageError: no suite of that name is bundled.
        SpecificationError: a template is not well formed.
    """
    desk = desk_of(name)
    sources = read_sources(source or out, name)
    tasks = [instance.written for instance in sources.instances]
    _write_lines(out / "tasks.jsonl", tasks)
    for state, records in sources.states.items():
        entities = [{"entity": entity, "fields": fields} for entity, fields in sorted(records.items())]
        _write_lines(out / "states" / f"{state}.jsonl", entities)
    by_model: dict[str, list[dict[str, Any]]] = {}
    for played in play(sources, desk, name):
        by_model.setdefault(played.model, []).append(played.record)
    for model, records_of_model in by_model.items():
        _write_lines(out / "traces" / f"{model}.jsonl", records_of_model)
    return {
        "tasks": len(tasks),
        "templates": len({instance.task.template_id for instance in sources.instances}),
        "states": len(sources.states),
        "episodes": sum(map(len, by_model.values())),
    }


def desk_of(name: str) -> Desk:
    """Return what the tools of a bundled suite do.

    Raises:
        UsageError: there is no such suite.
    """
    if name not in SUITES:
        raise UsageError(f"no bundled suite is called {name}; there are {', '.join(sorted(SUITES))}")
    desk: Desk = importlib.import_module(SUITES[name]).DESK
    return desk


def play(sources: Sources, desk: Desk, suite: str) -> Iterator[Played]:
    """Yield the scripted episodes of a suite: by task, agent and replicate."""
    for instance in sources.instances:
        for model, scripts in instance.runs.items():
            for replicate, script in enumerate(scripts, start=1):
                yield _episode(sources, instance, desk, suite, (model, replicate, script))


def _episode(sources: Sources, instance: Instance, desk: Desk, suite: str, part: tuple[str, int, str]) -> Played:
    model, replicate, script = part
    task = instance.task
    relations: dict[tuple[str, str], list[str]] = {}
    for entity, relation, linked in task.links:
        relations.setdefault((entity, relation), []).append(linked)
    world = World(sources.initial(task), relations, sources.world.owner)
    choice = random.Random(f"{sources.world.seed}/{task.task_id}/{model}/{replicate}")
    stage = Stage(world, desk, {**instance.variables, "today": sources.world.states[str(task.state)].today}, choice)
    stage.say("system", sources.world.system)
    stage.say("user", task.instruction, same_turn=True)
    played = instance.scripts[script]
    stage.play(played.moves)
    identity = {
        "suite": suite,
        "task_id": task.task_id,
        "model": model,
        "harness": HARNESS,
        "replicate": replicate,
    }
    record = trace(identity, played.status, stage.events, fill(played.decision, instance.variables))
    return Played(instance, model, replicate, script, record, world.records, instance.intent(script))


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_bytes(path, text.encode())
