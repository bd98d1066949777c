"""Times of calls: UTC where the record says the zone, nothing where it does not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from misstep.contracts.trace import Episode, Fault


class Clock:
    """Reads the times of one episode; `close` notes once what had to be left out or is out of order."""

    def __init__(self) -> None:
        self.naive = 0
        self.backwards = 0
        self._latest: datetime | None = None

    def utc(self, value: Any) -> str | None:
        """Return a time in UTC, ISO 8601; None (counted) where there is no zone, no unit, or no such time in UTC."""
        if value is None or value == "":
            return None
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else None
            moment = moment.astimezone(UTC) if moment is not None and moment.tzinfo is not None else None
        except (ValueError, OverflowError):  # no time, or one before the year 1 or after 9999
            moment = None
        if moment is None:
            self.naive += 1
            return None
        if self._latest is not None and moment < self._latest:
            self.backwards += 1
        else:
            self._latest = moment
        return moment.isoformat().replace("+00:00", "Z")

    def close(self, episode: Episode) -> None:
        """Append what was noted to the episode."""
        if self.naive:
            message = f"{self.naive} times without a zone (or numbers without a unit, or out of range) were left out"
            episode.faults.append(Fault("naive-time", message))
        if self.backwards:
            message = f"{self.backwards} times are earlier than one before them; the record's order counts"
            episode.faults.append(Fault("time-goes-back", message))
