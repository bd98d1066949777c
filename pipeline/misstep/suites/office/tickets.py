"""The ticket system of the office."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.world import Record, Refused, Transition, World, needed

STATUSES = ("open", "in progress", "waiting", "resolved", "closed")


def search(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the tickets that hold every word of the query and have the fields asked for."""
    words = arguments.get("query", "").casefold().split()
    asked = {key: arguments[key] for key in ("parent", "status", "assignee") if key in arguments}
    found = [
        {"id": name, **record}
        for name, record in world.of("ticket")
        if all(word in f"{name} {record['title']}".casefold() for word in words)
        and all(record.get(key) == value for key, value in asked.items())
    ]
    return {"ok": True, "tickets": found}


def get(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return a ticket and its comments."""
    name = arguments.get("ticket_id")
    record = world.record("ticket", name)
    comments = [comment["text"] for _, comment in world.of("comment") if comment["ticket"] == name]
    return {"ok": True, "ticket": dict(record), "comments": comments}


def create(world: World, arguments: Mapping[str, Any]) -> Any:
    """Open a ticket; a key that was used before opens none."""
    title = needed(arguments, "title")[0]
    key = arguments.get("key")
    if key in world.keys:
        return {"ok": True, "id": world.keys[key], "note": "this key was used before"}
    parent = arguments.get("parent", "")
    if parent:
        world.record("ticket", parent)
    record = {
        "title": title,
        "assignee": arguments.get("assignee", "nobody"),
        "priority": arguments.get("priority", "normal"),
        "parent": parent,
        "status": "open",
    }
    name = world.add("ticket", "TK-", record)
    if key is not None:
        world.keys[key] = name
    return {"ok": True, "id": name}


def comment(world: World, arguments: Mapping[str, Any]) -> Any:
    """Add a comment to a ticket."""
    name, text = needed(arguments, "ticket_id", "text")
    world.record("ticket", name)
    return {"ok": True, "id": world.add("comment", "co_", {"ticket": name, "text": text})}


def set_status(world: World, arguments: Mapping[str, Any]) -> Any:
    """Give a ticket another status; closing has a tool of its own."""
    name, status = needed(arguments, "ticket_id", "status")
    if status not in STATUSES[:-1]:
        raise Refused(f"{status} is not a status one can set")
    world.record("ticket", name)["status"] = status
    return f"{name} is now {status}."


def assign(world: World, arguments: Mapping[str, Any]) -> Any:
    """Hand a ticket to somebody."""
    name, assignee = needed(arguments, "ticket_id", "assignee")
    record = world.record("ticket", name)
    if f"contact:{assignee}" not in world.records:
        raise Refused(f"nobody is called {assignee}")
    record["assignee"] = assignee
    return f"Assigned {name} to {assignee}."


def update(world: World, arguments: Mapping[str, Any]) -> Any:
    """Change priority, due day or title of a ticket and return the ticket."""
    name = needed(arguments, "ticket_id")[0]
    record = world.record("ticket", name)
    changes = {key: arguments[key] for key in ("priority", "due", "title") if key in arguments}
    if not changes:
        raise Refused("nothing to change")
    record.update(changes)
    return {"ok": True, "ticket": dict(record)}


def _closable(record: Record) -> str | None:
    if record.get("locked"):
        return "locked by finance"
    return "closed already" if record["status"] == "closed" else None


def close(world: World, arguments: Mapping[str, Any]) -> Any:
    """Close a ticket."""
    name = needed(arguments, "ticket_id")[0]
    record = world.record("ticket", name)
    hindrance = _closable(record)
    if hindrance:
        raise Refused(f"{name} is {hindrance}")
    record["status"] = "closed"
    return f"Closed {name}."


def settle(world: World, arguments: Mapping[str, Any]) -> Any:
    """Close a ticket about money with the number of the receipt."""
    name, receipt = needed(arguments, "ticket_id", "receipt")
    record = world.record("ticket", name)
    hindrance = _closable(record)
    if hindrance:
        raise Refused(f"{name} is {hindrance}")
    record["status"], record["receipt"] = "closed", receipt
    return {"ok": True}


def close_many(world: World, arguments: Mapping[str, Any]) -> Any:
    """Close those of several tickets that can be closed; a preview only says which."""
    names = needed(arguments, "ticket_ids")[0]
    closed: list[str] = []
    failed: list[Record] = []
    for name in dict.fromkeys(names):
        record = world.records.get(f"ticket:{name}")
        hindrance = "no ticket of this id" if record is None else _closable(record)
        if hindrance or record is None:
            failed.append({"id": name, "reason": hindrance})
            continue
        closed.append(name)
        if not arguments.get("preview"):
            record["status"] = "closed"
    if arguments.get("preview"):
        return {"ok": True, "preview": True, "would_close": closed, "would_fail": failed}
    return {"ok": True, "closed": closed, "failed": failed}


TOOLS: dict[str, Transition] = {
    "tickets.search": search,
    "tickets.get": get,
    "tickets.create": create,
    "tickets.comment": comment,
    "tickets.set_status": set_status,
    "tickets.assign": assign,
    "tickets.update": update,
    "tickets.close": close,
    "tickets.settle": settle,
    "tickets.close_many": close_many,
}
IN_WORDS = frozenset({"tickets.set_status", "tickets.assign", "tickets.close"})
