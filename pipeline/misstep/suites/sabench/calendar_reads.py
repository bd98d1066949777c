"""Looking at the calendar: lists, searches, and an event with its series."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.pages import holds_words, page
from misstep.suites.sabench.schemas import Arguments, Limit, Moment, PageToken, Text
from misstep.suites.world import Record

_SHOWN = ("title", "start", "end", "location", "organizer", "attendees", "status", "response", "series")
After = Annotated[Moment | None, Field(description="only events that start then or later")]
Before = Annotated[Moment | None, Field(description="only events that start earlier")]


class ListEvents(Arguments):
    """List the events of a span of time, earliest first."""

    after: After = None
    before: Before = None
    include_cancelled: bool = False
    limit: Limit = 10
    page_token: PageToken = None


class SearchEvents(Arguments):
    """Find events whose title, description, location or people hold every word of the query, earliest first."""

    query: Text
    after: After = None
    before: Before = None
    include_cancelled: bool = False
    limit: Limit = 10
    page_token: PageToken = None


class ReadEvent(Arguments):
    """Show an event in full; of a recurring one also its series and the other occurrences."""

    event_id: Text


def list_events(office: Office, asked: ListEvents) -> Record:
    """Return a page of the events of a span of time."""
    return page("events", _found(office, asked, ""), asked, asked.limit, asked.page_token)


def search_events(office: Office, asked: SearchEvents) -> Record:
    """Return a page of the events that fit a query."""
    return page("events", _found(office, asked, asked.query), asked, asked.limit, asked.page_token)


def read_event(office: Office, asked: ReadEvent) -> Record:
    """Return an event, with its series where it has one."""
    record = office.record("event", asked.event_id)
    shown: Record = {"event": {"id": asked.event_id, **record}}
    if record["series"]:
        shown["series"] = {"id": record["series"], **office.record("series", record["series"])}
        others = [
            {"id": name, "start": other["start"], "status": other["status"]}
            for name, other in office.of("event")
            if other["series"] == record["series"] and name != asked.event_id
        ]
        shown["occurrences"] = sorted(others, key=lambda other: (other["start"], other["id"]))
    return shown


def _found(office: Office, asked: ListEvents | SearchEvents, query: str) -> list[Record]:
    found = [
        {"id": name, **{key: record[key] for key in _SHOWN}}
        for name, record in office.of("event")
        if (asked.after or "") <= record["start"] < (asked.before or "~")
        and (asked.include_cancelled or record["status"] != "cancelled")
        and holds_words(query, *(record[key] for key in ("title", "description", "location", "organizer", "attendees")))
    ]
    return sorted(found, key=lambda shown: (shown["start"], shown["id"]))


TOOLS: list[Tool[Any]] = [
    Tool("calendar.list", ListEvents, list_events),
    Tool("calendar.search", SearchEvents, search_events),
    Tool("calendar.read", ReadEvent, read_event),
]
