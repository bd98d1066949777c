"""What an ingest did, as it is told to the user."""

from __future__ import annotations

from typing import Any

import msgspec


class FileReport(msgspec.Struct):
    """The account of an input file: `records = blank + episodes + problems`, `calls = classified + unknown`."""

    file: str
    format: str | None
    bytes: int
    records: int
    blank: int
    episodes: int
    problems: int
    calls: int
    classified: int
    unknown: int
    incomplete: bool
    seconds: float

    @property
    def speed(self) -> float:
        """Return the megabytes of the file that one worker read in a second (0 where none was read)."""
        return self.bytes / self.seconds / 1e6 if self.seconds else 0.0

    def line(self) -> str:
        """Return the account in one line."""
        cut = " (incomplete)" if self.incomplete else ""
        speed = f", {self.speed:.0f} MB/s" if self.seconds else ""
        return (
            f"{self.file}: {self.records:,} records = {self.episodes:,} episodes + {self.problems:,} problems + "
            f"{self.blank:,} blank; {self.calls:,} calls = {self.classified:,} classified + {self.unknown:,} unknown"
            f"{speed}{cut}"
        )


class IngestReport(msgspec.Struct):
    """What became of the input. `codes` counts the rows of `problems`; `reused` units were there from a run before."""

    folder: str
    suite: str
    files: list[FileReport]
    codes: dict[str, int]
    attempts: str
    own_templates: int
    units: int
    reused: int
    seconds: float
    unchanged: bool = False

    @property
    def bytes(self) -> int:
        """Return the size of the input on disk."""
        return sum(file.bytes for file in self.files)

    @property
    def episodes(self) -> int:
        """Return how many records were read as episodes."""
        return sum(file.episodes for file in self.files)

    @property
    def calls(self) -> int:
        """Return how many calls the episodes have."""
        return sum(file.calls for file in self.files)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        if self.unchanged:
            return [f"{self.folder}: nothing to do, the tables are those of this input"]
        beside = [file for file in self.files if file.format is not None and not file.records]
        told = [file.line() for file in self.files if file not in beside]
        if beside:
            told.append(f"{len(beside):,} files beside these belong to their episodes and hold no record of their own")
        if self.codes:
            told.append("noted: " + ", ".join(f"{code} {count:,}" for code, count in sorted(self.codes.items())))
        if self.own_templates:
            told.append(f"{self.own_templates} tasks without a template count as clusters of their own")
        if self.attempts != "all":
            told.append(f"of several attempts the {self.attempts} counts")
        speed = self.bytes / self.seconds / 1e6 if self.seconds else 0.0
        reused = f" ({self.reused} of {self.units} pieces were there already)" if self.reused else ""
        told.append(
            f"{self.folder}: tables of {self.episodes:,} episodes, {self.seconds:.1f} s, {speed:.0f} MB/s{reused}"
        )
        return told

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        made = msgspec.to_builtins(self)
        assert isinstance(made, dict)
        return made
