"""Looking at tickets: lists, searches, and a ticket with its comments and children."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.pages import holds_words, page
from misstep.suites.sabench.schemas import Arguments, Limit, PageToken, Text
from misstep.suites.world import Record

Status = Literal["open", "in_progress", "waiting", "resolved", "closed"]
Priority = Literal["low", "normal", "high", "urgent"]
_SHOWN = ("title", "status", "priority", "assignee", "requester", "parent")


class ListTickets(Arguments):
    """List tickets by their id; without a status, those that are not closed."""

    status: Status | None = None
    priority: Priority | None = None
    assignee: str | None = Field(None, description="address; empty: nobody's")
    parent: Text | None = Field(None, description="only children of this ticket")
    limit: Limit = 10
    page_token: PageToken = None


class SearchTickets(Arguments):
    """Find tickets whose id, title or description hold every word of the query, by their id."""

    query: Text
    include_closed: bool = False
    limit: Limit = 10
    page_token: PageToken = None


class ReadTicket(Arguments):
    """Show a ticket in full, with its comments and children."""

    ticket_id: Text


def list_tickets(office: Office, asked: ListTickets) -> Record:
    """Return a page of the tickets that have the fields asked for."""
    wanted = asked.model_dump(include={"status", "priority", "assignee", "parent"}, exclude_none=True)
    found = [
        _summary(name, record)
        for name, record in office.of("ticket")
        if all(record[field] == value for field, value in wanted.items())
        and (asked.status is not None or record["status"] != "closed")
    ]
    return page("tickets", found, asked, asked.limit, asked.page_token)


def search_tickets(office: Office, asked: SearchTickets) -> Record:
    """Return a page of the tickets that fit a query."""
    found = [
        _summary(name, record)
        for name, record in office.of("ticket")
        if (asked.include_closed or record["status"] != "closed")
        and holds_words(asked.query, name, record["title"], record["description"])
    ]
    return page("tickets", found, asked, asked.limit, asked.page_token)


def read_ticket(office: Office, asked: ReadTicket) -> Record:
    """Return a ticket, its comments in order, and its children."""
    record = office.record("ticket", asked.ticket_id)
    comments = [
        {"id": name, **comment} for name, comment in office.of("comment") if comment["ticket"] == asked.ticket_id
    ]
    children = [_summary(name, child) for name, child in office.of("ticket") if child["parent"] == asked.ticket_id]
    return {"ticket": {"id": asked.ticket_id, **record}, "comments": comments, "children": children}


def _summary(name: str, record: Record) -> Record:
    return {"id": name, **{key: record[key] for key in _SHOWN}}


TOOLS: list[Tool[Any]] = [
    Tool("tickets.list", ListTickets, list_tickets),
    Tool("tickets.search", SearchTickets, search_tickets),
    Tool("tickets.read", ReadTicket, read_ticket),
]
