"""The scripted agents of the suite: what each does on a task, and which labels this is to get."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from misstep.suites.played import Played
from misstep.suites.sabench.acting import perform
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.mistakes import slip
from misstep.suites.sabench.protocol import Agent, Briefing
from misstep.suites.sabench.scripted import Planned, follow, turns
from misstep.suites.sabench.sources import Instance, Sources
from misstep.suites.scripts import Move
from misstep.suites.templates import Intent
from misstep.suites.turns import Exchange, ToolCall, Turn

HARNESS = "scripted"
_READS = frozenset(name for name in API.tools if name.endswith((".list", ".search", ".read")))
_IDLE = (
    "All right, I have taken note of that.",
    "Understood. Nothing else came up.",
    "That is noted.",
    "Thank you, I keep it in mind.",
    "This is with me now.",
)


@dataclass(frozen=True)
class Part:
    """What an agent does on a task: a script of the task by name, how it goes about it, and the labels it is to get."""

    script: str
    agent: Agent
    intent: Intent


Cast = Callable[[Sources, Instance, random.Random], Part]


def scripted(sources: Sources) -> Iterator[Played]:
    """Yield the episodes of all scripted agents, by agent and task.

    An agent that falls for the traps of a family does so once for each tempting script of a task, in the order of the
    template; every other task it does once, as the reference does.
    """
    for name in AGENTS:
        for instance in sources.instances:
            yield from episodes(sources, instance, name)


def episodes(sources: Sources, instance: Instance, name: str) -> Iterator[Played]:
    """Yield the episodes of a scripted agent on a task, one a replicate."""
    task = instance.task
    for replicate, cast in enumerate(AGENTS[name](instance), start=1):
        choice = random.Random(f"{sources.world.seed}/{task.task_id}/{name}/{replicate}")
        part = cast(sources, instance, choice)
        who = {"model": name, "harness": HARNESS, "replicate": replicate}
        yield perform(sources, instance, (part.script, part.intent), part.agent, who)


def _plays(script: str) -> Cast:
    """Return the part of looking around and then playing a script."""

    def cast(_: Sources, instance: Instance, choice: random.Random) -> Part:
        plan = [*turns(instance.look), *turns(instance.scripts[script].moves)]
        return _follows(instance, script, plan, choice)

    return cast


def _follows(instance: Instance, script: str, plan: Sequence[Planned], choice: random.Random) -> Part:
    ending = choice.choice(instance.scripts[script].says)
    return Part(script, follow(plan, ending, instance.variables), instance.intent(script))


def _reference(_: Instance) -> list[Cast]:
    return [_plays("reference")]


def _falls_for(trap: str) -> Callable[[Instance], list[Cast]]:
    def casts(instance: Instance) -> list[Cast]:
        if instance.task.strata["trap"] != trap:
            return _reference(instance)
        return [_plays(name) for name, script in instance.scripts.items() if script.trap]

    return casts


def _asks(instance: Instance) -> list[Cast]:
    return [_plays("reference" if instance.task.ambiguous else "asks")]


def _idle(_: Instance) -> list[Cast]:
    def cast(_: Sources, instance: Instance, choice: random.Random) -> Part:
        return Part("idle", follow((), choice.choice(_IDLE), {}), _nothing_done(instance, goal=instance.task.ambiguous))

    return [cast]


def _retries(_: Instance) -> list[Cast]:
    """Return the part of a reference that first makes a call in vain; on an ambiguous task, one that reads."""

    def cast(sources: Sources, instance: Instance, choice: random.Random) -> Part:
        scripts, ambiguous = instance.scripts, instance.task.ambiguous
        tempting = next(script for script in scripts.values() if script.trap)
        meant = next(filter(_writes, (tempting if ambiguous else scripts["reference"]).moves))
        failing = Planned((slip(sources.office(instance.task), meant, choice, reading=ambiguous),))
        plan = turns(scripts["reference"].moves)
        first = next((number for number, turn in enumerate(plan) if any(map(_writes, turn.calls))), 0)
        return _follows(instance, "reference", [*turns(instance.look), *plan[:first], failing, *plan[first:]], choice)

    return [cast]


def _writes(move: Move) -> bool:
    return move.tool not in _READS


def _never_ends(_: Instance) -> list[Cast]:
    def cast(_: Sources, instance: Instance, choice: random.Random) -> Part:
        return Part("reads on", reads_on(instance, choice), _nothing_done(instance, goal=False))

    return [cast]


def reads_on(instance: Instance, choice: random.Random) -> Agent:
    """Return the agent that looks around and then turns page after page, until it has no turn left."""
    looks = follow(turns(instance.look), "", instance.variables)
    lists = ["mail.list", "calendar.list", "tickets.list"]
    choice.shuffle(lists)

    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        if len(past) < len(turns(instance.look)):
            return looks(briefing, past)
        last, result = past[-1].turn.calls[-1], past[-1].results[-1]
        if "next_page_token" in result and last.tool in lists:
            return Turn("", (ToolCall(last.tool, {**last.arguments, "page_token": result["next_page_token"]}),))
        tool = lists[(lists.index(last.tool) + 1) % len(lists)] if last.tool in lists else lists[0]
        return Turn("", (ToolCall(tool, {"limit": 20 - len(past)}),))

    return agent


def _nothing_done(instance: Instance, *, goal: bool) -> Intent:
    return Intent(goal=goal, ab=False if instance.task.ambiguous else None, response="neither")


#: Agent → its parts on a task, one a replicate.
AGENTS: dict[str, Callable[[Instance], list[Cast]]] = {
    "reference": _reference,
    "eager": _falls_for("ambiguity"),
    "over-helpful": _falls_for("overreach"),
    "mis-targeting": _falls_for("mis_targeting"),
    "cascading": _falls_for("cascade_harm"),
    "always-asks": _asks,
    "idle": _idle,
    "retries-on-error": _retries,
    "ends-at-cap": _never_ends,
}
