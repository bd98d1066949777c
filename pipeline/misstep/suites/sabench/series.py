"""Recurring events: a series, and its occurrences, which are events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.sabench.errors import conflict, denied, invalid
from misstep.suites.sabench.office import Office
from misstep.suites.world import Record


def owned(office: Office, kind: str, name: str) -> Record:
    """Return an event or series that the owner organizes.

    Raises:
        ApiError: it is not there, or somebody else's.
    """
    record = office.record(kind, name)
    if record["organizer"].lower() != office.owner.lower():
        raise denied(f"Only the organizer can change this {kind}.")
    return record


def upcoming(office: Office, series: str) -> list[tuple[str, Record]]:
    """Return id and record of the occurrences that are still to come and not cancelled."""
    return [
        (name, record)
        for name, record in office.of("event")
        if record["series"] == series and record["status"] != "cancelled" and record["start"] >= office.now
    ]


def update_series(office: Office, name: str, changes: Mapping[str, Any]) -> Record:
    """Return what a change of a series changed: the series itself, and each occurrence that is different now.

    Of `start` and `end` the time of day counts. The sequence number goes up where anything changed.

    Raises:
        ApiError: the series is cancelled, or the occurrences would not end on their day.
    """
    series = owned(office, "series", name)
    if series["status"] == "cancelled":
        raise conflict(f"Series {name} is cancelled.")
    common = {field: changes[field] for field in ("title", "location", "description") if field in changes}
    times: dict[str, str] = {}
    if "start" in changes:
        if changes["start"][:10] != changes["end"][:10]:
            raise invalid("Invalid argument: end.", ("end", "an occurrence must end on its day"))
        times = {"start": changes["start"][10:], "end": changes["end"][10:]}
    of_series = {**common, **{f"{field}_time": time[1:] for field, time in times.items()}}
    different = any(series[field] != value for field, value in of_series.items())
    updated, people = [], list(series["attendees"])
    for event, record in upcoming(office, name):
        moved = {field: record["start"][:10] + time for field, time in times.items()}
        if any(record[field] != value for field, value in {**common, **moved}.items()):
            record.update(common, **moved)
            people += record["attendees"]
            updated.append({"id": event, **moved})
    series.update(of_series)
    told: list[str] = []
    if different or updated:
        series["sequence"] += 1
        told = office.deliver(f"series:{name}", people)
    shown = {"id": name, "sequence": series["sequence"], **{key: of_series[key] for key in of_series if "_" in key}}
    return {"series": shown, "updated": updated, "notified": told}
