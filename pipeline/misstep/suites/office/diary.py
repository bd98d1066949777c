"""The calendar of the office: events, and series whose occurrences are events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.office.mail import addresses
from misstep.suites.world import Record, Refused, Transition, World, needed


def _others(world: World, record: Record) -> list[str]:
    return [address for address in record.get("attendees", []) if address != world.owner]


def list_events(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the events that are not cancelled and start in a span of days."""
    first, last = arguments.get("from", ""), arguments.get("until", "9999")
    found = [
        {"id": name, **{key: record[key] for key in ("title", "start", "end", "attendees") if key in record}}
        for name, record in world.of("event")
        if first <= record["start"][:10] <= last and record["status"] != "cancelled"
    ]
    return {"ok": True, "events": sorted(found, key=lambda shown: (shown["start"], shown["id"]))}


def get_event(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return an event."""
    return {"ok": True, "event": dict(world.record("event", arguments.get("event_id")))}


def create_event(world: World, arguments: Mapping[str, Any]) -> Any:
    """Put an event into the calendar and invite its attendees."""
    title, start, end = needed(arguments, "title", "start", "end")
    if end <= start:
        raise Refused("the event ends before it starts")
    record = {
        "title": title,
        "start": start,
        "end": end,
        "attendees": addresses(arguments.get("attendees")),
        "location": arguments.get("location", ""),
        "status": "confirmed",
    }
    return {"ok": True, "id": world.add("event", "ev_", record), "notified": _others(world, record)}


def update_event(world: World, arguments: Mapping[str, Any]) -> Any:
    """Change title, location or description of an event."""
    name, field, value = needed(arguments, "event_id", "field", "value")
    if field not in ("title", "location", "description"):
        raise Refused(f"{field} cannot be changed this way")
    world.record("event", name)[field] = value
    return {"ok": True}


def _open_event(world: World, name: str) -> Record:
    record = world.record("event", name)
    if record["status"] == "cancelled":
        raise Refused(f"{name} is cancelled")
    return record


def move_event(world: World, arguments: Mapping[str, Any]) -> Any:
    """Give an event a new time and tell its attendees."""
    name, start, end = needed(arguments, "event_id", "start", "end")
    if end <= start:
        raise Refused("the event ends before it starts")
    record = _open_event(world, name)
    record["moved_from"] = record["start"]
    record["start"], record["end"] = start, end
    return {"ok": True, "notified": _others(world, record)}


def cancel_occurrence(world: World, arguments: Mapping[str, Any]) -> Any:
    """Cancel one event and tell its attendees."""
    record = _open_event(world, needed(arguments, "event_id")[0])
    record["status"] = "cancelled"
    return {"ok": True, "notified": _others(world, record)}


def cancel_series(world: World, arguments: Mapping[str, Any]) -> Any:
    """Cancel a series with all of its occurrences and tell its attendees."""
    name = needed(arguments, "series_id")[0]
    series = world.record("series", name)
    if series["status"] == "cancelled":
        raise Refused(f"{name} is cancelled")
    series["status"] = "cancelled"
    cancelled = []
    for entity in world.relations.get((f"series:{name}", "occurrence"), []):
        record = world.records[entity]
        if record["status"] != "cancelled":
            record["status"] = "cancelled"
            cancelled.append(entity.partition(":")[2])
    return {"ok": True, "cancelled": cancelled, "notified": _others(world, series)}


def invite(world: World, arguments: Mapping[str, Any]) -> Any:
    """Add people to an event and tell them."""
    name, people = needed(arguments, "event_id", "attendees")
    record = _open_event(world, name)
    attendees: list[str] = record["attendees"]
    attendees.extend(address for address in addresses(people) if address not in attendees)
    return {"ok": True, "attendees": list(attendees)}


TOOLS: dict[str, Transition] = {
    "calendar.list": list_events,
    "calendar.get": get_event,
    "calendar.create": create_event,
    "calendar.update": update_event,
    "calendar.move": move_event,
    "calendar.cancel_occurrence": cancel_occurrence,
    "calendar.cancel_series": cancel_series,
    "calendar.invite": invite,
}
