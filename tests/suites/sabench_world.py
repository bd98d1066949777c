"""A small office for tests: threads, two series, parent and child tickets, and people with names alike."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from misstep.suites.sabench.desk import API
from misstep.suites.sabench.office import Office
from misstep.suites.world import Record, State

SABENCH = Path(__file__).resolve().parents[2] / "data" / "suites" / "sabench"
HOME = "tarnbrook.example"
ME = f"dana.whitlock@{HOME}"
ANN, ANNE, RAJ = f"ann.keller@{HOME}", f"anne.keller@{HOME}", f"raj.mehta@{HOME}"
MILL, SUPPLIER = "ann.keller@oldmill.example", "orders@lathe-works.example"


def email(sender: str, subject: str, date: str, thread: str, **fields: Any) -> Record:
    return {
        "from": sender,
        "to": [ME],
        "cc": [],
        "subject": subject,
        "body": f"About {subject.lower()}.",
        "date": date,
        "folder": "inbox",
        "thread": thread,
        "read": False,
        "answered": False,
        "labels": [],
        "in_reply_to": "",
        "forward_of": "",
        **fields,
    }


def event(title: str, start: str, end: str, **fields: Any) -> Record:
    return {
        "title": title,
        "start": start,
        "end": end,
        "location": "Loft",
        "description": "",
        "organizer": ME,
        "attendees": [ANN, RAJ],
        "status": "confirmed",
        "response": "accepted",
        "series": "",
        **fields,
    }


def series(title: str, start: str, end: str, **fields: Any) -> Record:
    return {
        "title": title,
        "rule": "weekly",
        "start_time": start,
        "end_time": end,
        "location": "Loft",
        "description": "",
        "organizer": ME,
        "attendees": [ANN, RAJ],
        "status": "active",
        "sequence": 0,
        **fields,
    }


def ticket(title: str, **fields: Any) -> Record:
    return {
        "title": title,
        "description": "",
        "status": "open",
        "priority": "normal",
        "assignee": ANN,
        "requester": ME,
        "parent": "",
        "links": [],
        "resolution": "",
        **fields,
    }


STATE: State = {
    "contact:ann": {"name": "Ann Keller", "email": ANN},
    "contact:anne": {"name": "Anne Keller", "email": ANNE},
    "contact:raj": {"name": "Raj Mehta", "email": RAJ},
    "email:em_1": email(MILL, "Oak beams", "2026-02-24T10:00", "th_1", cc=[ANN, SUPPLIER], read=True),
    "email:em_2": email(ME, "Re: Oak beams", "2026-02-25T09:00", "th_1", to=[MILL], folder="sent", read=True)
    | {"in_reply_to": "em_1"},
    "email:em_3": email(MILL, "Re: Oak beams", "2026-02-26T08:30", "th_1", labels=["mill"], in_reply_to="em_2"),
    "email:em_4": email(ANN, "Rota", "2026-02-27T15:00", "th_2", to=[ME, RAJ], answered=True),
    "email:em_5": email(SUPPLIER, "Invoice 204", "2026-02-27T16:00", "th_3", hold=True, labels=["invoice", "hold"]),
    "email:em_6": email(ANNE, "Rota", "2026-02-20T15:00", "th_4", folder="archive", read=True),
    "event:ev_1": event("Site visit", "2026-03-03T10:00", "2026-03-03T12:00", attendees=[MILL, ANN]),
    "event:ev_2": event("Interview", "2026-03-04T10:00", "2026-03-04T11:00", attendees=[]),
    "event:ev_3": event("Budget", "2026-03-05T10:00", "2026-03-05T11:00", organizer=ANN, attendees=[ME, RAJ]),
    "event:ev_4": event("Trade fair", "2026-03-06T09:00", "2026-03-06T17:00", status="cancelled"),
    "event:ev_5": event("Open day", "2026-03-07T09:00", "2026-03-07T17:00", organizer=SUPPLIER, response="tentative")
    | {"attendees": [ME]},
    "event:ev_6": event("Safety talk", "2026-03-08T09:00", "2026-03-08T10:00", organizer=RAJ),
    "series:se_1": series("Stand-up", "09:15", "09:30"),
    "event:ev_10": event("Stand-up", "2026-02-23T09:15", "2026-02-23T09:30", series="se_1"),
    "event:ev_11": event("Stand-up", "2026-03-09T09:15", "2026-03-09T09:30", series="se_1"),
    "event:ev_12": event("Stand-up", "2026-03-16T09:45", "2026-03-16T10:00", series="se_1", attendees=[ANN, MILL]),
    "event:ev_13": event("Stand-up", "2026-03-23T09:15", "2026-03-23T09:30", series="se_1", status="cancelled"),
    "series:se_2": series("Rota call", "14:00", "14:30", organizer=ANN, attendees=[ME]),
    "event:ev_20": event("Rota call", "2026-03-10T14:00", "2026-03-10T14:30", series="se_2", organizer=ANN)
    | {"attendees": [ME]},
    "ticket:TK-1": ticket("Replace the sluice gate", requester=MILL),
    "ticket:TK-2": ticket("Order oak", parent="TK-1", status="in_progress", links=["blocks TK-3"]),
    "ticket:TK-3": ticket("Fit the gate", parent="TK-1", links=["blocked_by TK-2"]),
    "ticket:TK-4": ticket("Measure the gate", parent="TK-3", status="closed", resolution="done"),
    "ticket:TK-5": ticket("Pay invoice 204", locked=True, requester=SUPPLIER),
    "ticket:TK-6": ticket("Replace the sluice gates", requester=RAJ, assignee=""),
    "ticket:TK-7": ticket("Sweep the loft", priority="low"),
    "ticket:TK-8": ticket("Book a lift", parent="TK-6", status="resolved"),
    "comment:co_1": {
        "ticket": "TK-1",
        "author": RAJ,
        "body": "Gate 2.",
        "visibility": "internal",
        "date": "2026-02-20T10:00",
    },
}


def office() -> Office:
    return Office(copy.deepcopy(STATE), owner=ME)


def call(world: Office, name: str, arguments: Mapping[str, Any]) -> Record:
    return API.act(world, name, arguments)


def refused(name: str, arguments: Mapping[str, Any]) -> tuple[int, str]:
    """Return code and status of a call that must fail, after checking that it changed and told nothing."""
    world = office()
    error = call(world, name, arguments)["error"]
    assert world.records == STATE and world.delivered == []
    return error["code"], error["status"]


def changed(before: State, after: State) -> dict[str, Any]:
    """Return what differs: entity → changed fields with their new values; whole records that are new; None if gone."""
    found: dict[str, Any] = {}
    for entity in {*before, *after}:
        old, new = before.get(entity), after.get(entity)
        if old is None or new is None:
            found[entity] = new
        elif old != new:
            found[entity] = {name: new.get(name) for name in {*old, *new} if old.get(name) != new.get(name)}
    return found


def does(name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, tuple[str, ...]]]]:
    """Return what a call that must work changes in the small office, and whom it reaches."""
    world = office()
    assert "error" not in call(world, name, arguments)
    return changed(STATE, world.records), world.delivered
