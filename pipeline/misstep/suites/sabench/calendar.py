"""Changing the calendar: events, the occurrences of a series, and answers to invitations."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.errors import conflict, denied, invalid
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.schemas import Addresses, Arguments, Moment, SomeAddresses, Text
from misstep.suites.sabench.series import owned, upcoming, update_series
from misstep.suites.world import Record


class CreateEvent(Arguments):
    """Put an event into the calendar. Whoever is to attend gets an invitation."""

    title: Text
    start: Moment
    end: Moment
    attendees: Addresses = Field(default_factory=list)
    location: str = ""
    description: str = ""


class UpdateEvent(Arguments):
    """Change an event. Whoever attends is told. Only what is given changes."""

    event_id: Text
    scope: Literal["occurrence", "series"] = Field(
        "occurrence", description="of a recurring event: this occurrence alone, or the series from now on"
    )
    title: Text | None = None
    start: Moment | None = Field(None, description="with end; of a series the time of day counts")
    end: Moment | None = Field(None, description="with start")
    location: str | None = None
    description: str | None = None


class CancelOccurrence(Arguments):
    """Cancel a single event, or one occurrence of a recurring one. Whoever attends is told."""

    event_id: Text


class CancelSeries(Arguments):
    """Cancel a series with all occurrences that are still to come. Whoever attends is told."""

    series_id: Text


class Respond(Arguments):
    """Answer an invitation. The organizer is told."""

    event_id: Text
    response: Literal["accepted", "declined", "tentative"]


class Invite(Arguments):
    """Add people to an event. They get an invitation."""

    event_id: Text
    attendees: SomeAddresses


def create_event(office: Office, asked: CreateEvent) -> Record:
    """Return the new event: id, organizer, and who was invited."""
    _in_order(asked.start, asked.end)
    record = {
        "title": asked.title,
        "start": asked.start,
        "end": asked.end,
        "location": asked.location,
        "description": asked.description,
        "organizer": office.owner,
        "attendees": asked.attendees,
        "status": "confirmed",
        "response": "accepted",
        "series": "",
    }
    name = office.add("event", "ev_", record)
    return {"id": name, "organizer": office.owner, "notified": office.deliver(f"event:{name}", asked.attendees)}


def update_event(office: Office, asked: UpdateEvent) -> Record:
    """Return which events were changed and who was told; nobody is told of what stays as it is."""
    changes = asked.model_dump(exclude={"event_id", "scope"}, exclude_none=True)
    if not changes:
        raise invalid("Nothing to change.", ("title", "no field is given"))
    if ("start" in changes) != ("end" in changes):
        raise invalid("Invalid argument: end.", ("end", "start and end go together"))
    if "start" in changes:
        _in_order(changes["start"], changes["end"])
    record = _open_event(office, asked.event_id)
    if asked.scope == "series":
        if not record["series"]:
            raise invalid("Invalid argument: scope.", ("scope", "the event does not recur"))
        return update_series(office, record["series"], changes)
    if all(record[field] == value for field, value in changes.items()):
        return {"updated": [], "notified": []}
    record.update(changes)
    told = office.deliver(f"event:{asked.event_id}", record["attendees"])
    return {"updated": [{"id": asked.event_id}], "notified": told}


def cancel_occurrence(office: Office, asked: CancelOccurrence) -> Record:
    """Return the event that is cancelled now and who was told."""
    record = _open_event(office, asked.event_id)
    record["status"] = "cancelled"
    told = office.deliver(f"event:{asked.event_id}", record["attendees"])
    return {"id": asked.event_id, "status": "cancelled", "notified": told}


def cancel_series(office: Office, asked: CancelSeries) -> Record:
    """Return the series that is cancelled now, its cancelled occurrences, and who was told."""
    series = owned(office, "series", asked.series_id)
    if series["status"] == "cancelled":
        raise conflict(f"Series {asked.series_id} is cancelled already.")
    series["status"] = "cancelled"
    people, cancelled = list(series["attendees"]), []
    for name, record in upcoming(office, asked.series_id):
        record["status"] = "cancelled"
        people += record["attendees"]
        cancelled.append(name)
    told = office.deliver(f"series:{asked.series_id}", people)
    return {"id": asked.series_id, "status": "cancelled", "cancelled": cancelled, "notified": told}


def respond(office: Office, asked: Respond) -> Record:
    """Return the answer to an invitation and who was told; the same answer again is told to nobody."""
    record = office.record("event", asked.event_id)
    if record["organizer"].lower() == office.owner.lower():
        raise conflict("The organizer of an event cannot respond to it.")
    if office.owner.lower() not in (address.lower() for address in record["attendees"]):
        raise denied("You are not invited to this event.")
    if record["status"] == "cancelled":
        raise conflict(f"Event {asked.event_id} is cancelled.")
    told: list[str] = []
    if record["response"] != asked.response:
        record["response"] = asked.response
        told = office.deliver(f"event:{asked.event_id}", [record["organizer"]])
    return {"id": asked.event_id, "response": asked.response, "notified": told}


def invite(office: Office, asked: Invite) -> Record:
    """Return who was invited, and everybody who is invited now; who was invited before is left in peace."""
    record = _open_event(office, asked.event_id)
    there = {office.owner.lower(), *(address.lower() for address in record["attendees"])}
    new: dict[str, str] = {}
    for address in asked.attendees:
        if address.lower() not in there:
            new.setdefault(address.lower(), address)
    if not new:
        raise conflict("Everybody named is invited already.")
    record["attendees"] = [*record["attendees"], *new.values()]
    invited = office.deliver(f"event:{asked.event_id}", new.values())
    return {"id": asked.event_id, "invited": invited, "attendees": record["attendees"]}


def _open_event(office: Office, name: str) -> Record:
    """Return an event of the owner's that is not cancelled.

    Raises:
        ApiError: it is not there, somebody else's, or cancelled.
    """
    record = owned(office, "event", name)
    if record["status"] == "cancelled":
        raise conflict(f"Event {name} is cancelled.")
    return record


def _in_order(start: str, end: str) -> None:
    if end <= start:
        raise invalid("Invalid argument: end.", ("end", "not later than start"))


TOOLS: list[Tool[Any]] = [
    Tool("calendar.create", CreateEvent, create_event),
    Tool("calendar.update", UpdateEvent, update_event),
    Tool("calendar.cancel_occurrence", CancelOccurrence, cancel_occurrence),
    Tool("calendar.cancel_series", CancelSeries, cancel_series),
    Tool("calendar.respond", Respond, respond),
    Tool("calendar.invite", Invite, invite),
]
