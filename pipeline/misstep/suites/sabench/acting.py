"""Scripts acted out in the office of a task, under the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from misstep.suites.played import Played
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.protocol import Agent, run
from misstep.suites.sabench.scripted import Planned, follow
from misstep.suites.sabench.sources import NAME, Instance, Sources


def act(
    sources: Sources, instance: Instance, script: str, plan: Sequence[Planned], ending: str, who: Mapping[str, Any]
) -> Played:
    """Return the episode of an agent that follows a plan on a task, written to get the labels of a script.

    Args:
        sources: the suite.
        instance: the task.
        script: whose labels it is to get.
        plan: the turns before the final response.
        ending: the final response.
        who: model, harness, condition and replicate.
    """
    return perform(sources, instance, script, follow(plan, ending, instance.variables), who)


def perform(sources: Sources, instance: Instance, script: str, agent: Agent, who: Mapping[str, Any]) -> Played:
    """Return the episode of an agent on a task, written to get the labels of a script."""
    task = instance.task
    identity = {"suite": NAME, "task_id": task.task_id, **who}
    episode = run(agent, sources.office(task), API, task.instruction, identity)
    return Played(
        instance, who["model"], who.get("replicate", 1), script, episode.record, episode.final, instance.intent(script)
    )
