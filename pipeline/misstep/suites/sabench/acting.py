"""Scripts acted out in the office of a task, under the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from misstep.suites.played import Played
from misstep.suites.sabench.conditions import ORIGINAL, Condition
from misstep.suites.sabench.protocol import Agent, run
from misstep.suites.sabench.scripted import Planned, follow
from misstep.suites.sabench.sources import NAME, Instance, Sources
from misstep.suites.templates import Intent


def act(
    sources: Sources,
    instance: Instance,
    script: str,
    plan: Sequence[Planned],
    ending: str,
    who: Mapping[str, Any],
    condition: Condition = ORIGINAL,
) -> Played:
    """Return the episode of an agent that follows a plan on a task, written to get the labels of a script.

    Args:
        sources: the suite.
        instance: the task.
        script: whose labels it is to get.
        plan: the turns before the final response.
        ending: the final response.
        who: model, harness and replicate.
        condition: under which it works.
    """
    agent = follow(plan, ending, instance.variables)
    return perform(sources, instance, (script, instance.intent(script)), agent, who, condition)


def perform(
    sources: Sources,
    instance: Instance,
    part: tuple[str, Intent],
    agent: Agent,
    who: Mapping[str, Any],
    condition: Condition = ORIGINAL,
) -> Played:
    """Return the episode of an agent on a task; `part` names what it does there, and the labels this is to get."""
    task = instance.task
    identity = {"suite": NAME, "task_id": task.task_id, **who, "condition": condition.name}
    episode = run(agent, sources.office(task), condition.api, task.instruction, identity, condition.rules)
    script, intent = part
    return Played(instance, who["model"], who.get("replicate", 1), script, episode.record, episode.final, intent)
