"""Calls that fail: the slips of an agent that then gets it right."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from misstep.suites.sabench.desk import API
from misstep.suites.sabench.office import Office
from misstep.suites.scripts import Move

_IDS = ("email_id", "event_id", "series_id", "ticket_id")
#: What an argument must not be, though people would say it so.
_LOOSE: dict[str, Any] = {
    "to": ["the sender"],
    "attendees": ["everybody"],
    "start": "tomorrow at ten",
    "assignee": "nobody else",
    "priority": "asap",
    "status": "done",
    "response": "yes",
    "resolution": "solved",
    "visibility": "everybody",
}
#: Tool → what a change needs of a record that this one refuses to change: type, argument, field and its value.
_CANCELLED = ("event", "event_id", "status", "cancelled")
_STUCK = {
    "calendar.update": _CANCELLED,
    "calendar.cancel_occurrence": _CANCELLED,
    "calendar.invite": _CANCELLED,
    "tickets.close": ("ticket", "ticket_id", "status", "closed"),
    "mail.delete": ("email", "email_id", "hold", True),
}

Slip = Callable[[Office, Move], Iterator[Move]]


def slip(office: Office, move: Move, choice: random.Random, *, reading: bool) -> Move:
    """Return a call that fails, near to one that works.

    Args:
        office: the world before anything was done.
        move: the call that works.
        choice: chooses among the slips that fit.
        reading: whether only calls that read are wanted.
    """
    slips = _READING if reading else [*_WRITING, *_READING]
    fitting = [found for one in slips for found in [list(one(office, move))] if found]
    return choice.choice(choice.choice(fitting))


def _wrong_id(_: Office, move: Move) -> Iterator[Move]:
    for name in _IDS:
        if name in move.arguments:
            yield _instead(move, {**move.arguments, name: f"{move.arguments[name]}0"})


def _missing(_: Office, move: Move) -> Iterator[Move]:
    model = API.tools[str(move.tool)].arguments
    for name in move.arguments:
        if model.model_fields[name].is_required():
            yield _instead(move, {key: value for key, value in move.arguments.items() if key != name})


def _half_a_time(_: Office, move: Move) -> Iterator[Move]:
    if move.tool == "calendar.update" and "end" in move.arguments:
        yield _instead(move, {key: value for key, value in move.arguments.items() if key != "end"})


def _loose(_: Office, move: Move) -> Iterator[Move]:
    for name, said in _LOOSE.items():
        if name in move.arguments:
            yield _instead(move, {**move.arguments, name: said})


def _unknown_argument(_: Office, move: Move) -> Iterator[Move]:
    yield _instead(move, {**move.arguments, "silent": True})


def _stuck(office: Office, move: Move) -> Iterator[Move]:
    if str(move.tool) in _STUCK:
        kind, argument, field, value = _STUCK[str(move.tool)]
        for name, record in office.of(kind):
            if record.get(field) == value and record.get("organizer", office.owner) == office.owner:
                yield _instead(move, {**move.arguments, argument: name})


def _somebody_elses(office: Office, move: Move) -> Iterator[Move]:
    if str(move.tool) in ("calendar.update", "calendar.cancel_occurrence", "calendar.invite"):
        for name, record in office.of("event"):
            if record["organizer"] != office.owner:
                yield _instead(move, {**move.arguments, "event_id": name})


def _page_of_something_else(_: Office, move: Move) -> Iterator[Move]:
    yield _read(move, "list", {"page_token": "2"})
    yield _read(move, "list", {"page_token": "00000000-10"})


def _too_many(_: Office, move: Move) -> Iterator[Move]:
    yield _read(move, "list", {"limit": 200})
    yield _read(move, "search", {"query": ""})


def _read_what_is_not_there(_: Office, move: Move) -> Iterator[Move]:
    for argument in _IDS:
        if argument in move.arguments and argument != "series_id":
            yield _read(move, "read", {argument: f"{move.arguments[argument]}0"})


_READING: list[Slip] = [_page_of_something_else, _too_many, _read_what_is_not_there]
_WRITING: list[Slip] = [_wrong_id, _missing, _half_a_time, _loose, _unknown_argument, _stuck, _somebody_elses]


def _read(move: Move, what: str, arguments: dict[str, Any]) -> Move:
    return Move(tool=f"{str(move.tool).partition('.')[0]}.{what}", arguments=arguments)


def _instead(move: Move, arguments: dict[str, Any]) -> Move:
    return Move(tool=move.tool, arguments=arguments)
