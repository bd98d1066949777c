"""What a reader of a trace format is, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Literal, Protocol

import msgspec

from misstep.contracts.trace import Episode, Fault
from misstep.ingest.decode import Unreadable
from misstep.ingest.discover import PACKED
from misstep.ingest.records import Record

#: How a file is cut into records: lines of JSON, elements of one JSON array, one JSON document, rows of CSV.
Container = Literal["lines", "array", "document", "rows"]

_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Sample:
    """The start of a file: its container, keys of its first records (columns, for rows), and their `type`s."""

    container: Container
    keys: tuple[frozenset[str], ...]
    head: bytes = b""
    kinds: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Return whether one of the records has all these keys."""
        return any(found.issuperset(names) for found in self.keys)


@dataclass(frozen=True)
class Origin:
    """Where a record comes from and what its file says about all its records.

    `parts` are the folders of the file's full path and, last, its name without extensions; `file` is where it lies.
    `context` is what the reader itself took from the document around the record; `columns` are those of rows.
    """

    path: str
    parts: tuple[str, ...] = ("",)
    model: str | None = None
    strict_json: bool = False
    context: Any = None
    columns: tuple[str, ...] = ()
    file: Path | None = None

    def within(self, context: Any) -> Origin:
        """Return this origin with the document's own context."""
        return replace(self, context=context)


def parts_of(path: PurePath) -> tuple[str, ...]:
    """Return the folders of a path and, last, the file's name without its extensions."""
    return (*path.parts[:-1], stem(path.name))


def stem(name: str) -> str:
    """Return a file's name without the extensions of compression and format."""
    for packing in PACKED:
        name = name.removesuffix(packing)
    for suffix in (".jsonl", ".ndjson", ".json", ".csv"):
        name = name.removesuffix(suffix)
    return name


class Reader(Protocol):
    """Reads one format. Readers hold no state; what they cannot read of an episode goes to its `faults`."""

    name: str

    def detect(self, sample: Sample) -> bool:
        """Return whether a file that starts like this is of the format."""
        ...

    def companions(self, file: Path) -> Sequence[Path]:
        """Return the other files that the episodes of a file are read from, whether they are there or not."""
        ...

    def members(self, document: Record, origin: Origin) -> Sequence[tuple[Record, Origin]]:
        """Return the records in a JSON document, with what the rest of it says about them.

        Raises:
            Unreadable: the document cannot be read at all.
        """
        ...

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episodes of a record.

        Raises:
            Unreadable: the record as a whole has to be set aside.
            InputError: going on would give wrong numbers that look right.
        """
        ...


def itself(document: Record, origin: Origin) -> Sequence[tuple[Record, Origin]]:
    """Return the document as its only record."""
    return ((document, origin),)


def alone(file: Path) -> Sequence[Path]:
    """Return that a file holds all of its episodes."""
    return ()


def elements(data: bytes, raws: list[msgspec.Raw], start: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """Yield number (from 1), offset and bytes of the elements of a decoded array, found in the text it stands in."""
    for number, raw in enumerate(raws, 1):
        text = bytes(raw)
        found = data.find(text, start)
        start = found if found >= 0 else start  # a mended document does not hold the text as it is now
        yield number, start, text
        start += len(text) if found >= 0 else 0


def identity(value: Any) -> tuple[str, bool] | None:
    """Return an id as text and whether it was a number, or None where it is neither text nor number."""
    if isinstance(value, str):
        return (value, False) if value else None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value), True
    if isinstance(value, float):
        return (str(int(value)) if value.is_integer() else repr(value)), True
    return None


def word(value: Any) -> str | None:
    """Return a name as text: text that is not empty, or a number that spells one."""
    if type(value) is str:
        return value or None
    found = identity(value)
    return None if found is None else found[0]


#: A whole number as text; longer ones count nothing.
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


def count(value: Any) -> int | None:
    """Return a counter (trial, epoch, replicate) as an integer, also where it is spelled as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return None


def repetition(value: Any, faults: list[Fault], path: str) -> int | None:
    """Return the number of a repetition (trial, epoch, replicate); None, with a fault, where it is no whole number."""
    found = count(value)
    if found is not None and abs(found) <= _LARGEST:
        return found
    if value is not None and value != "":
        faults.append(Fault("bad-value", f"the {path} {value!r} is no whole number (of 64 bits); left out", path))
    return None


def name_itself(message: str, code: str = "not-an-episode") -> Unreadable:
    """Return the error of a record that is none of the format."""
    return Unreadable(code, message)


def lost_calls(episode: Episode, message: str) -> Episode:
    """Mark an episode whose record lacks calls that were, or may have been, made; return it."""
    episode.calls_lost = True
    episode.faults.append(Fault("lost-calls", message))
    return episode
