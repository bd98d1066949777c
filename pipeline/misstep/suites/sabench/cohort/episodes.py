"""The roles of the plan acted out: each configuration does in the office what it was chosen to do."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from misstep.suites.played import Played
from misstep.suites.sabench.acting import act, perform
from misstep.suites.sabench.agents import reads_on
from misstep.suites.sabench.cohort.habits import AGAIN, COURTESIES, HABITS, LOOKING, Habits
from misstep.suites.sabench.cohort.plan import Role
from misstep.suites.sabench.conditions import ORIGINAL, PREVIEWED, Condition
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.preview import PREVIEW
from misstep.suites.sabench.scripted import Planned, turns
from misstep.suites.sabench.sources import Instance, Sources
from misstep.suites.scripts import Move

HARNESS = "constructed"
_LISTS = {"mail": "mail.list", "calendar": "calendar.list", "tickets": "tickets.list"}
#: Reads that fail, by the tool that a task is mostly about.
_SLIPS = {
    "mail": (
        Move(tool="mail.read", arguments={"email_id": "em_399"}),
        Move(tool="mail.list", arguments={"limit": 100}),
        Move(tool="mail.search", arguments={"query": ""}),
    ),
    "calendar": (
        Move(tool="calendar.read", arguments={"event_id": "ev_399"}),
        Move(tool="calendar.list", arguments={"after": "today"}),
        Move(tool="calendar.search", arguments={"query": "review", "limit": 200}),
    ),
    "tickets": (
        Move(tool="tickets.read", arguments={"ticket_id": "TK-399"}),
        Move(tool="tickets.list", arguments={"status": "active"}),
        Move(tool="tickets.read", arguments={"id": "TK-399"}),
    ),
}


def episodes(
    sources: Sources, roles: Sequence[Role], seed: int, condition: Condition = ORIGINAL
) -> Iterator[tuple[Role, Played]]:
    """Yield an episode for each role, in their order."""
    for role in roles:
        yield role, episode(sources, role, seed, condition)


def episode(sources: Sources, role: Role, seed: int, condition: Condition = ORIGINAL) -> Played:
    """Return the episode of a configuration that plays its role in a task."""
    instance, habits = role.instance, HABITS[role.configuration]
    task = instance.task
    draw = random.Random(f"{seed}/{task.task_id}/{role.configuration}/{condition.name}")
    script = instance.scripts[role.script]
    ending = draw.choice(script.says)
    if not role.outcome.asked and draw.random() < habits.courtesy:
        ending = f"{ending} {draw.choice(COURTESIES[habits.voice])}"
    who = {"model": role.configuration, "harness": HARNESS, "replicate": 1}
    if role.outcome.name == "missed" and not script.moves and draw.random() < habits.runs_out:
        part = (role.script, instance.intent(role.script))
        return perform(sources, instance, part, reads_on(instance, draw), who, condition)
    doing = _doing(script.moves, habits, draw)
    planned = [*_looking(instance, habits, draw), *(_previewed(doing) if condition is PREVIEWED else doing)]
    return act(sources, instance, role.script, planned, ending, who, condition)


def _looking(instance: Instance, habits: Habits, draw: random.Random) -> list[Planned]:
    """Return the reads before the first write, as turns."""
    most = min(habits.reads[1], len(instance.look))
    number = draw.randint(min(habits.reads[0], most), most)
    chosen = sorted(draw.sample(range(len(instance.look)), number))
    reads = [instance.look[place] for place in chosen]
    domain = instance.task.strata["domain"]
    if draw.random() < habits.browses:
        reads.insert(0, Move(tool=_LISTS[domain], arguments=draw.choice(({}, {"limit": 5}, {"limit": 20}))))
    if draw.random() < habits.slips:
        reads.insert(draw.randrange(len(reads)), draw.choice(_SLIPS[domain]))
    together = draw.randrange(1, len(reads)) if len(reads) > 1 and draw.random() < habits.together else 0
    if together:
        reads[together] = reads[together].model_copy(update={"parallel": True})
    planned = turns(reads)
    if draw.random() < habits.talks:
        planned[0] = Planned(planned[0].calls, draw.choice(LOOKING[habits.voice]))
    return planned


def _doing(moves: Sequence[Move], habits: Habits, draw: random.Random) -> list[Planned]:
    """Return the calls of a script as turns; now and then the first is tried without an argument that it needs."""
    planned = turns(moves)
    if planned and draw.random() < habits.stumbles:
        first = planned[0].calls[0]
        fields = API.tools[str(first.tool)].arguments.model_fields
        needed = draw.choice([name for name in first.arguments if fields[name].is_required()])
        without = {name: value for name, value in first.arguments.items() if name != needed}
        refused = Planned((first.model_copy(update={"arguments": without, "name": None}),), planned[0].text)
        again = Planned(planned[0].calls, draw.choice(AGAIN[habits.voice]))
        planned = [refused, again, *planned[1:]]
    return planned


def _previewed(doing: Sequence[Planned]) -> Iterator[Planned]:
    """Yield each turn that changes something after one that previews its calls."""
    for planned in doing:
        yield Planned(
            tuple(
                Move(tool=PREVIEW, arguments={"tool": move.tool, "arguments": move.arguments}) for move in planned.calls
            )
        )
        yield planned
