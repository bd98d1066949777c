"""The everyday records of a week: an office's mail, events and tickets that no task is about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from misstep.suites.sabench.everyday_stock import Recurring, Stock, Story, read_stock
from misstep.suites.sabench.everyday_stories import Telling
from misstep.suites.sabench.everyday_week import Cast, Draw, Week
from misstep.suites.world import Record, State

__all__ = ["Stock", "everyday", "read_stock"]

_RULES = {1: "weekly", 2: "every two weeks", 4: "every four weeks"}


def everyday(
    seed: int, week: str, now: str, people: Mapping[str, Mapping[str, Any]], owner: str, stock: Stock
) -> State:
    """Return the everyday records of a week, complete; contacts are not among them.

    Raises:
        SpecificationError: a story names somebody or something that does not exist, or is not over yet.
    """
    made, draw = Week(now, people, owner, stock), Draw(f"{seed}/{week}")
    _recur(made, draw, [one for one in stock.series.values() if week in (one.weeks or [week])])
    limits = {"email": 48 + draw.below(9), "event": 39 + draw.below(8), "ticket": 37 + draw.below(6)}
    fitting = {name: story for name, story in stock.stories.items() if week in (story.weeks or [week])}
    groups: set[str] = set()
    for name in _ranked(fitting, draw):
        story = fitting[name]
        if story.group in groups or any(made.count(kind) + more > limits[kind] for kind, more in story.size.items()):
            continue
        groups |= {story.group} - {""}
        Telling(made, name, story, Draw(f"{seed}/{week}/{name}")).tell()
    return made.numbered(draw)


def _ranked(stories: Mapping[str, Story], draw: Draw) -> list[str]:
    """Return the stories as they are tried: first three with children, one locked, one with links, and the season's."""
    names = draw.order(stories)
    parents = [name for name in names if any(job.parent for job in stories[name].tickets)]
    locked = [name for name in names if any(job.locked for job in stories[name].tickets)]
    linked = [name for name in names if any(job.links for job in stories[name].tickets) and name not in parents]
    seasonal = [name for name in names if stories[name].weeks]
    rest = [name for name in names if name not in parents]
    return list(dict.fromkeys([*parents[:3], *locked[:1], *linked[:1], *seasonal, *rest]))


def _recur(made: Week, draw: Draw, among: list[Recurring]) -> None:
    """Add four or five recurring events with their occurrences, of which one is cancelled."""
    series = draw.order(among)
    own = [one for one in series if one.organizer == "me"][:3]
    others = [one for one in series if one.organizer != "me"][: 1 + draw.below(2)]
    to_cancel = own[0].title
    for one in [*own, *others]:
        cast = Cast(made, {})
        shared = {
            "title": one.title,
            "location": one.location,
            "description": one.description,
            "organizer": cast.address(one.organizer),
            "attendees": cast.addresses([*(["me"] if one.organizer != "me" else []), *one.attendees]),
        }
        record = shared | {"rule": _RULES[one.every], "start_time": one.from_, "end_time": one.to, "status": "active"}
        name = made.add("series", one.from_, f"series/{one.title}", record | {"sequence": one.sequence})
        first = made.today - timedelta(days=made.today.weekday() - one.weekday, weeks=4)
        days = [first + timedelta(weeks=one.every * step) for step in range(16)]
        before = [day for day in days if f"{day}T{one.from_}" < made.now and not made.off(day)]
        after = [day for day in days if f"{day}T{one.from_}" >= made.now and not made.off(day)]
        after = after[: 2 if one.every > 1 else 3]
        for day in [*before[-(2 if one.every > 1 else 3) :], *after]:
            gone = one.title == to_cancel and day == after[-2]
            event: Record = shared | {"start": f"{day}T{one.from_}", "end": f"{day}T{one.to}", "series": name}
            event |= {"status": "cancelled" if gone else "confirmed", "response": "accepted"}
            made.add("event", event["start"], f"{name}/{day}", event)
