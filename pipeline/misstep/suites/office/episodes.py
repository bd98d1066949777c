"""The scripted episodes of the office."""

from __future__ import annotations

import random
from collections.abc import Iterator

from misstep.suites.filling import fill
from misstep.suites.instances import Instance, Sources
from misstep.suites.office.desk import DESK
from misstep.suites.played import Played
from misstep.suites.scripts import Stage, trace
from misstep.suites.world import World

HARNESS = "scripted"


def play(sources: Sources, suite: str) -> Iterator[Played]:
    """Yield the scripted episodes of a suite: by task, agent and replicate."""
    for instance in sources.instances:
        for model, scripts in instance.runs.items():
            for replicate, script in enumerate(scripts, start=1):
                yield _episode(sources, instance, suite, (model, replicate, script))


def _episode(sources: Sources, instance: Instance, suite: str, part: tuple[str, int, str]) -> Played:
    model, replicate, script = part
    task = instance.task
    relations: dict[tuple[str, str], list[str]] = {}
    for entity, relation, linked in task.links:
        relations.setdefault((entity, relation), []).append(linked)
    world = World(sources.initial(task), relations, sources.world.owner)
    choice = random.Random(f"{sources.world.seed}/{task.task_id}/{model}/{replicate}")
    stage = Stage(world, DESK, {**instance.variables, "today": sources.world.states[str(task.state)].today}, choice)
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
