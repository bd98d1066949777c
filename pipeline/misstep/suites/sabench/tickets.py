"""Changing tickets: their fields, comments, and how they belong together."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from misstep.suites.sabench.api import Tool
from misstep.suites.sabench.errors import conflict, denied, invalid
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.records import INVERSE
from misstep.suites.sabench.schemas import Address, Arguments, Text
from misstep.suites.sabench.ticket_reads import Priority
from misstep.suites.world import Record


class CreateTicket(Arguments):
    """Open a ticket."""

    title: Text
    description: str = ""
    priority: Priority = "normal"
    assignee: Address | None = Field(None, description="address of a colleague; default: nobody")
    requester: Address | None = Field(None, description="who asked for it; default: you")
    parent: Text | None = Field(None, description="the ticket that it is a part of")


class Comment(Arguments):
    """Add a comment to a ticket. A public one is mailed to the requester, an internal one to nobody."""

    ticket_id: Text
    body: Text
    visibility: Literal["internal", "public"] = "internal"


class UpdateTicket(Arguments):
    """Change status, priority or assignee of a ticket, of these what is given. A new status reopens a closed one."""

    ticket_id: Text
    status: Literal["open", "in_progress", "waiting", "resolved"] | None = None
    priority: Priority | None = None
    assignee: Address | Literal[""] | None = Field(None, description="address of a colleague; empty: nobody")


class Link(Arguments):
    """Say how a ticket belongs with another one."""

    ticket_id: Text
    relation: Literal["blocks", "duplicates", "relates_to", "child_of"]
    target_id: Text


class Close(Arguments):
    """Close a ticket. One with open children can only be closed together with them."""

    ticket_id: Text
    resolution: Literal["done", "duplicate", "wont_do"] = "done"
    close_children: bool = Field(False, description="close its open children, and theirs, as well")
    notify_requester: bool = Field(False, description="mail the requester that it is closed")


def create_ticket(office: Office, asked: CreateTicket) -> Record:
    """Return the new ticket: id, status and requester."""
    _colleague(office, asked.assignee)
    if asked.parent is not None and office.record("ticket", asked.parent)["status"] == "closed":
        raise conflict(f"Ticket {asked.parent} is closed.")
    record = {
        "title": asked.title,
        "description": asked.description,
        "status": "open",
        "priority": asked.priority,
        "assignee": asked.assignee or "",
        "requester": asked.requester or office.owner,
        "parent": asked.parent or "",
        "links": [],
        "resolution": "",
    }
    name = office.add("ticket", "TK-", record)
    return {"id": name, "status": "open", "requester": record["requester"]}


def comment(office: Office, asked: Comment) -> Record:
    """Return the new comment: id, author, date, and who was told."""
    ticket = office.record("ticket", asked.ticket_id)
    record = {
        "ticket": asked.ticket_id,
        "author": office.owner,
        "body": asked.body,
        "visibility": asked.visibility,
        "date": office.stamp(),
    }
    name = office.add("comment", "co_", record)
    people = [ticket["requester"]] if asked.visibility == "public" else []
    told = office.deliver(f"comment:{name}", people)
    return {"id": name, "author": office.owner, "date": record["date"], "notified": told}


def update_ticket(office: Office, asked: UpdateTicket) -> Record:
    """Return the fields that a ticket has now, of those that were given or went with them."""
    changes = asked.model_dump(exclude={"ticket_id"}, exclude_none=True)
    if not changes:
        raise invalid("Nothing to change.", ("status", "no field is given"))
    record = _unlocked(office, asked.ticket_id)
    _colleague(office, asked.assignee)
    if record["status"] == "closed":
        if "status" not in changes:
            raise conflict(f"Ticket {asked.ticket_id} is closed; reopen it first.")
        changes["resolution"] = ""
    record.update(changes)
    return {"id": asked.ticket_id, **changes}


def link(office: Office, asked: Link) -> Record:
    """Return the link; the other ticket gets the inverse of it."""
    if asked.ticket_id == asked.target_id:
        raise invalid("Invalid argument: target_id.", ("target_id", "the ticket itself"))
    record, target = _unlocked(office, asked.ticket_id), _unlocked(office, asked.target_id)
    if asked.relation == "child_of":
        if record["parent"]:
            raise conflict(f"Ticket {asked.ticket_id} is a child of {record['parent']} already.")
        if asked.target_id in dict(_descendants(office, asked.ticket_id)):
            raise conflict(f"Ticket {asked.target_id} is itself below {asked.ticket_id}.")
        record["parent"] = asked.target_id
        return {"id": asked.ticket_id, "relation": asked.relation, "target": asked.target_id}
    there = f"{asked.relation} {asked.target_id}"
    back = f"{INVERSE[asked.relation]} {asked.ticket_id}"
    if there in record["links"]:
        raise conflict(f"Ticket {asked.ticket_id} has this link already.")
    record["links"] = [*record["links"], there]
    if back not in target["links"]:
        target["links"] = [*target["links"], back]
    return {"id": asked.ticket_id, "relation": asked.relation, "target": asked.target_id, "inverse": back}


def close(office: Office, asked: Close) -> Record:
    """Return the ticket that is closed now, the children that were closed with it, and who was told."""
    record = _unlocked(office, asked.ticket_id)
    if record["status"] == "closed":
        raise conflict(f"Ticket {asked.ticket_id} is closed already.")
    children = [(name, child) for name, child in _descendants(office, asked.ticket_id) if child["status"] != "closed"]
    if children and not asked.close_children:
        names = ", ".join(name for name, _ in children)
        raise conflict(f"Ticket {asked.ticket_id} has open children: {names}.")
    for name, _ in children:
        _unlocked(office, name)
    for _, one in [(asked.ticket_id, record), *children]:
        one.update(status="closed", resolution=asked.resolution)
    told = office.deliver(f"ticket:{asked.ticket_id}", [record["requester"]] if asked.notify_requester else [])
    return {
        "id": asked.ticket_id,
        "status": "closed",
        "resolution": asked.resolution,
        "closed_children": [name for name, _ in children],
        "notified": told,
    }


def _unlocked(office: Office, name: str) -> Record:
    """Return a ticket that can be changed.

    Raises:
        ApiError: it is not there, or locked.
    """
    record = office.record("ticket", name)
    if record.get("locked"):
        raise denied(f"Ticket {name} is locked.")
    return record


def _colleague(office: Office, address: str | None) -> None:
    """Check that tickets can be given to an address.

    Raises:
        ApiError: nobody in the directory has it.
    """
    if address and all(person["email"] != address for _, person in office.of("contact")):
        raise invalid("Invalid argument: assignee.", ("assignee", f"{address} is not in the directory"))


def _descendants(office: Office, name: str) -> list[tuple[str, Record]]:
    """Return id and record of the children of a ticket, and of theirs; each once."""
    found: dict[str, Record] = {}
    parents = [name]
    while parents:
        parent = parents.pop()
        for child, record in office.of("ticket"):
            if record["parent"] == parent and child not in found:
                found[child] = record
                parents.append(child)
    return sorted(found.items())


TOOLS: list[Tool[Any]] = [
    Tool("tickets.create", CreateTicket, create_ticket),
    Tool("tickets.comment", Comment, comment),
    Tool("tickets.update", UpdateTicket, update_ticket),
    Tool("tickets.link", Link, link),
    Tool("tickets.close", Close, close),
]
