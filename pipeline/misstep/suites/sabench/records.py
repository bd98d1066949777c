"""What the records of the office hold, and whether they fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from misstep.suites.world import Record, State

#: Fields that every record of a type has.
FIELDS: dict[str, frozenset[str]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "contact": "name email",
        "email": "from to cc subject body date folder thread read answered labels in_reply_to forward_of",
        "event": "title start end location description organizer attendees status response series",
        "series": "title rule start_time end_time location description organizer attendees status sequence",
        "ticket": "title description status priority assignee requester parent links resolution",
        "comment": "ticket author body visibility date",
    }.items()
}
#: Fields that a record may have besides: more of a contact, who got a message unseen, what is kept or locked.
FURTHER: dict[str, frozenset[str]] = {
    "contact": frozenset({"company", "role"}),
    "email": frozenset({"bcc", "hold"}),
    "ticket": frozenset({"locked"}),
}
#: What a link of a ticket says, and what the other ticket says then.
INVERSE = {
    "blocks": "blocked_by",
    "blocked_by": "blocks",
    "duplicates": "duplicated_by",
    "duplicated_by": "duplicates",
    "relates_to": "relates_to",
}


def faults(records: State) -> list[str]:
    """Return what is wrong with the records of an office, in words: fields, and what they say of other records."""
    found = []
    for entity, record in sorted(records.items()):
        kind = entity.partition(":")[0]
        if kind not in FIELDS:
            found.append(f"{entity}: no such type")
            continue
        further = FURTHER.get(kind, frozenset())
        found += [f"{entity}: {name} is missing" for name in sorted(FIELDS[kind] - set(record))]
        found += [f"{entity}: {name} is not known" for name in sorted(set(record) - FIELDS[kind] - further)]
        if kind in _CHECKS and set(record) >= FIELDS[kind]:
            found += [f"{entity}: {wrong}" for wrong in _CHECKS[kind](entity, record, records)]
    return found


def _event(entity: str, record: Record, records: State) -> Iterator[str]:
    if record["end"] <= record["start"]:
        yield "it ends before it starts"
    series = records.get(f"series:{record['series']}")
    if record["series"] and series is None:
        yield f"there is no series {record['series']}"
    if series is not None and series["organizer"] != record["organizer"]:
        yield "its series has another organizer"


def _ticket(entity: str, record: Record, records: State) -> Iterator[str]:
    name = entity.partition(":")[2]
    if record["parent"] and f"ticket:{record['parent']}" not in records:
        yield f"there is no parent {record['parent']}"
    if (record["status"] == "closed") != bool(record["resolution"]):
        yield f"it is {record['status']}, with the resolution {record['resolution']!r}"
    for link in record["links"]:
        relation, _, other = link.partition(" ")
        if relation not in INVERSE:
            yield f"there is no relation {relation}"
            continue
        back = f"{INVERSE[relation]} {name}"
        if back not in records.get(f"ticket:{other}", {}).get("links", []):
            yield f"{other} does not say {back!r}"


def _comment(entity: str, record: Record, records: State) -> Iterator[str]:
    if f"ticket:{record['ticket']}" not in records:
        yield f"there is no ticket {record['ticket']}"


_CHECKS: dict[str, Callable[[str, Record, State], Iterator[str]]] = {
    "event": _event,
    "ticket": _ticket,
    "comment": _comment,
}
