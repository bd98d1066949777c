"""The simulated office of one user: its records, its clock, and whom its changes reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from misstep.suites.sabench.errors import not_found
from misstep.suites.world import Record, World


@dataclass
class Office(World):
    """The records of one episode by `type:id` (their fields are in `records`), seen by the user `owner`.

    `now` is the local time of the next change; every record that is made takes a minute. `delivered` lists, in order,
    whom a change reached: the changed entity and the addresses, without the owner's.
    """

    now: str = "2026-03-02T09:00"
    delivered: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def record(self, kind: str, name: Any) -> Record:
        """Return the record of an id, to be read or changed.

        Raises:
            ApiError: there is none.
        """
        found = self.records.get(f"{kind}:{name}")
        if found is None:
            raise not_found(kind, name)
        return found

    def stamp(self) -> str:
        """Return the time, and let a minute pass."""
        moment = self.now
        self.now = (datetime.fromisoformat(moment) + timedelta(minutes=1)).isoformat(timespec="minutes")
        return moment

    def deliver(self, entity: str, addresses: Iterable[str]) -> list[str]:
        """Return who is told of a change, each once and never the owner, and remember it."""
        reached: dict[str, str] = {}
        for address in addresses:
            if address.lower() != self.owner.lower():
                reached.setdefault(address.lower(), address)
        if reached:
            self.delivered.append((entity, tuple(sorted(reached))))
        return list(reached.values())
