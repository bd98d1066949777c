"""Everyday records that make a state look lived in, drawn from phrases with a seed."""

from __future__ import annotations

import random
import re
from typing import Any

from misstep.suites.templates import Filler, StateSource, WorldFile
from misstep.suites.world import State

_SLOT = re.compile(r"\{([a-z]+)\}")
_TICKET_STATUSES = ("open", "open", "in progress", "in progress", "waiting", "resolved", "closed")


def everyday(name: str, world: WorldFile) -> State:
    """Return the everyday records of a shared state: mail, events and tickets that no task is about."""
    source, filler = world.states[name], world.filler
    draw = random.Random(f"{world.seed}/{name}")
    people = {key: person for key, person in world.people.items() if person["email"] != world.owner}
    state: State = {}
    for number in range(source.emails):
        state[f"email:em_{100 + number}"] = _email(draw, source, filler, people)
    for number in range(source.events):
        state[f"event:ev_{100 + number}"] = _event(draw, source, filler, people)
    for number in range(source.tickets):
        state[f"ticket:TK-{100 + number}"] = {
            "title": _phrase(draw, filler, draw.choice(filler.tickets)),
            "assignee": draw.choice([key for key, person in people.items() if person["company"] == "Alderway"]),
            "status": draw.choice(_TICKET_STATUSES),
            "priority": draw.choice(("low", "normal", "normal", "high")),
        }
    return state


def _phrase(draw: random.Random, filler: Filler, text: str) -> str:
    return _SLOT.sub(lambda slot: draw.choice(filler.slots[slot[1]]), text)


def _email(draw: random.Random, source: StateSource, filler: Filler, people: dict[str, Any]) -> dict[str, Any]:
    phrase = draw.choice(filler.emails)
    sender = draw.choice(list(people.values()))
    return {
        "from": sender["email"],
        "subject": _phrase(draw, filler, phrase["subject"]),
        "body": _phrase(draw, filler, phrase["body"]) + f" {sender['name'].split()[0]}",
        "date": f"{draw.choice(source.days)}T{draw.randrange(7, 19):02}:{draw.randrange(60):02}",
        "read": draw.random() < 0.7,
        "folder": "archive" if draw.random() < 0.2 else "inbox",
    }


def _event(draw: random.Random, source: StateSource, filler: Filler, people: dict[str, Any]) -> dict[str, Any]:
    day, hour = draw.choice(source.days), draw.randrange(8, 17)
    start, end = (f"{hour:02}:00", f"{hour:02}:45") if draw.random() < 0.5 else (f"{hour:02}:30", f"{hour + 1:02}:00")
    guests = draw.sample(list(people.values()), draw.choice((1, 1, 2, 3)))
    return {
        "title": _phrase(draw, filler, draw.choice(filler.events)),
        "start": f"{day}T{start}",
        "end": f"{day}T{end}",
        "attendees": [guest["email"] for guest in guests],
    }
