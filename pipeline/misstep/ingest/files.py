"""A trace file from its bytes to its episodes, with the account of every record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import msgspec

from misstep.contracts.errors import InputError, Place
from misstep.contracts.trace import Episode, Fault
from misstep.ingest.containers import SAMPLE, array, document, rows, sample_of
from misstep.ingest.decode import Unreadable
from misstep.ingest.readers import READERS, Sample, choose, looks_like
from misstep.ingest.readers.reader import Container, Origin, Reader, parts_of
from misstep.ingest.records import (
    LIMIT,
    Account,
    Range,
    Record,
    blocks,
    byte_ranges,
    compression,
    excerpt,
    first_bytes,
    lines,
)
from misstep.storage.names import shown_name

#: Steps that tables can hold.
_STEPS = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True)
class Options:
    """How files are read: `format` names a reader, `model` overrides what files say, `limit` is of a line's bytes.

    `fitting`: the named reader reads only what looks like its format.
    """

    format: str | None = None
    fitting: bool = False
    model: str | None = None
    strict_json: bool = False
    limit: int = LIMIT


@dataclass(frozen=True)
class TraceFile:
    """A file and the reader of its format; `name` is the path as it was given. Can be sent to another process."""

    path: Path
    name: str
    format: str
    container: Container

    def parts(self, size: int) -> list[Range | None]:
        """Return what can be read apart from each other: ranges of about `size` bytes, or [None] for the whole."""
        if self.container != "lines" or compression(first_bytes(self.path)) is not None:
            return [None]
        if self.path.stat().st_size <= size:
            return [None]
        return list(byte_ranges(self.path, size))


def open_trace(path: Path, name: str, options: Options) -> tuple[TraceFile | None, Account]:
    """Return a file with its reader, and an account that says why where there is none (empty, or not recognised).

    Raises:
        InputError: the file is UTF-16.
        UsageError: the options name no reader.
    """
    account = Account()
    sample = sample_of(path)
    if sample is None:
        for _ in blocks(path, account):
            pass  # what is compressed may be damaged before anything can be read
        if not account.incomplete:
            account.note("empty-file", "the file holds no record")
        return None, account
    reader = choose(sample, options.format, fitting=options.fitting)
    if reader is None:
        account.kinds.update(sample.kinds)
        unknown = ("unknown-format", f"no reader recognises the file: it {looks_like(sample)}")
        account.note(*(_damage(sample) or unknown))
        return None, account
    return TraceFile(path, name, reader.name, sample.container), account


def _damage(sample: Sample) -> tuple[str, str] | None:
    """Return code and message where nothing that a file starts with is JSON, although it was meant to be."""
    text = sample.head.strip(b" \t\r\n")
    if not text.strip(b"\0"):
        return "nul-bytes", f"the file holds {len(text):,} NUL bytes and no record"
    if text[:1] not in (b"{", b"["):
        return None
    if len(sample.head) >= SAMPLE or any(map(_is_json, (text, *text.split(b"\n")))):
        return None
    if sample.head.endswith(b"\n"):
        return "bad-json", "the file holds no line that is JSON"
    return "torn-tail", "the file is cut off before its first record ends"


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Read a file of the input; the name is told where that fails.

    Raises:
        InputError: the file is gone or cannot be read any more.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", Place(name)) from error


def read(
    file: TraceFile, account: Account, options: Options, part: Range | None = None
) -> Iterator[tuple[Record, list[Episode]]]:
    """Yield the records of a file, or of a range of it, that hold episodes, with these.

    What is read fills the account: afterwards `records = blank + recognised + lost`.

    Raises:
        InputError: going on would give wrong numbers that look right (a newer schema, UTF-16).
    """
    reader = READERS[file.format]
    parts = parts_of(PurePath(shown_name(file.path.resolve())))
    origin = Origin(file.name, parts, options.model, options.strict_json, file=file.path)
    with reading(file.name):
        for record, within in _records(file, reader, account, origin, options.limit, part):
            try:
                found = list(reader.read(record, within))
                _check_steps(found)
            except Unreadable as problem:
                _set_aside(record, problem, account)
                continue
            if found:
                account.recognised += 1
                for episode in found:
                    if episode.faults:
                        kinds = (fault.raw for fault in episode.faults if fault.code == "unknown-record-kind")
                        account.kinds.update(kind for kind in kinds if kind)
                yield record, found
            else:
                _set_aside(record, Unreadable("not-an-episode", "the record holds no episode"), account)


def _check_steps(episodes: Iterable[Episode]) -> None:
    """Raise where steps are larger than the tables can hold; they rise, so that the last are the largest.

    Raises:
        Unreadable: one is.
    """
    for episode in episodes:
        steps = [one.step for one in episode.messages[-1:]] + [one.step for one in episode.calls[-1:]]
        steps.append(episode.steps)
        if any(step not in _STEPS for step in steps):
            raise Unreadable("not-an-episode", "a step is out of range: a number has at most 64 bits")


def _records(
    file: TraceFile, reader: Reader, account: Account, origin: Origin, limit: int, part: Range | None
) -> Iterator[tuple[Record, Origin]]:
    if file.container in ("lines", "array"):
        found = lines(file.path, account, part, limit=limit) if file.container == "lines" else array(file.path, account)
        for record in found:
            for member, within in _members(record, reader, account, origin):
                yield (member if within is origin else member._replace(line=record.line)), within
    elif file.container == "rows":
        for columns, record in rows(file.path, account):
            yield record, replace(origin, columns=columns)
    else:
        account.records += 1
        yield from _members(document(file.path, account), reader, account, origin)


def _members(record: Record, reader: Reader, account: Account, origin: Origin) -> Iterable[tuple[Record, Origin]]:
    """Return the members of a record, which count instead of it; most have but themselves."""
    try:
        members = reader.members(record, origin)
    except Unreadable as problem:
        _set_aside(record, problem, account)
        return []
    account.records += len(members) - 1
    return members


def _set_aside(record: Record, problem: Unreadable, account: Account) -> None:
    code, message = problem.code, problem.message
    account.kinds.update(problem.kinds)
    if code == "bad-json" and not record.ended:
        account.incomplete = True
        code, message = "torn-tail", f"the last line is cut off: {message}"
    offset = problem.offset or 0
    there = record._replace(byte=record.byte + offset)
    account.lose(code, message, there, excerpt(record.data[max(offset - 40, 0) :]))


def nothing_recognised(name: str, account: Account, seen: Fault | None = None) -> InputError:
    """Return the error of input in which no episode is recognised, naming what was seen instead."""
    reasons = [found.fault.message for found in account.found if found.lost or found.fault.code == "unknown-format"]
    if seen is not None:
        reasons.append(seen.message)
    why = reasons[0] if reasons else "it holds no record"
    return InputError(f"no episode is recognised in {account.records:,} records: {why}", Place(name))
