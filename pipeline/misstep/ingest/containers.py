"""What a file is, by its first bytes: lines of JSON, one JSON array, one JSON document, or rows of CSV."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from misstep.ingest.decode import Decoder, Unreadable
from misstep.ingest.readers.reader import Sample, elements
from misstep.ingest.records import DOCUMENT_LIMIT, Account, Record, blocks, whole

#: Bytes looked at before the format is known, and the most that is read for it.
SAMPLE = 1 << 20
_SAMPLED_RECORDS = 20
_SPACE = b" \t\r\n\0"

_KIND = re.compile(rb'"type"\s*:\s*"([^"\\]{1,80})"')
_KEY = re.compile(rb'"(\w+)"\s*:')

_keys = Decoder(dict[str, msgspec.Raw])
_raws = msgspec.json.Decoder(list[msgspec.Raw])


def sample_of(path: Path) -> Sample | None:
    """Return what a file starts with, None where it holds nothing but white space.

    Raises:
        InputError: the file is UTF-16 or UTF-32.
    """
    head = b""
    whole_file = True
    wanted = SAMPLE
    parts = blocks(path, Account())
    for part in parts:
        head += part
        if len(head) >= wanted:
            found = _sampled(head, complete=False)
            if found is not None or len(head) > DOCUMENT_LIMIT:
                whole_file = False
                break
            wanted = len(head) * 4  # a first record of many megabytes
    if whole_file:
        if not head.strip(_SPACE):
            return None if not head.strip() else Sample("lines", (), head[:SAMPLE])
        return _sampled(head, complete=True)
    return found


def _sampled(head: bytes, *, complete: bool) -> Sample | None:
    """Return the sample that the bytes show, None where more of them are needed."""
    text = head.lstrip(_SPACE)
    if not text:
        return None
    shown = head[:SAMPLE]
    if text[:1] == b"[":
        elements_keys = _array_keys(text, complete)
        return None if elements_keys is None else Sample("array", elements_keys, shown)
    lines = text.split(b"\n")
    if not complete:
        lines.pop()  # may be cut
    keys = [
        found for line in islice((line for line in lines if line.strip()), _SAMPLED_RECORDS) if (found := _of(line))
    ]
    if text[:1] == b"{":
        if not complete and (not lines or (_document(text) and _of(lines[0]) is None)):
            return None
        if not keys or (len(lines) > 1 and _of(lines[0]) is None and _document(text)):
            document = _of(text) if complete else None
            if document is not None:
                return Sample("document", (document,), shown)
            if not keys and _pretty(lines):
                return Sample("document", (_guessed(text),), shown) if complete else None
        return Sample("lines", tuple(keys) or (_guessed(text),), shown, _kinds(shown))
    if keys:
        return Sample("lines", tuple(keys), shown, _kinds(shown))
    return Sample("rows", (_columns(text.split(b"\n", 1)[0]),), shown)


def _columns(line: bytes) -> frozenset[str]:
    """Return the columns that a line names, none where it is no line of a table."""
    try:
        return frozenset(next(csv.reader(io.StringIO(line.decode("utf-8", "replace"))), []))
    except csv.Error:
        return frozenset()


def _of(line: bytes) -> frozenset[str] | None:
    try:
        return frozenset(_keys.decode(line, []))
    except Unreadable:
        return None


def _guessed(text: bytes) -> frozenset[str]:
    """Return what look like keys in text of which nothing is valid JSON."""
    return frozenset(key.decode() for key in _KEY.findall(text[:SAMPLE]))


def _kinds(text: bytes) -> tuple[str, ...]:
    """Return the distinct values of what look like keys called `type`."""
    return tuple(dict.fromkeys(kind.decode("utf-8", "replace") for kind in islice(_KIND.findall(text), 200)))[:12]


def _document(text: bytes) -> bool:
    return text[1:].lstrip(b" \t").startswith((b"\n", b"\r"))


def _pretty(lines: list[bytes]) -> bool:
    """Return whether the lines are those of one pretty-printed object rather than of broken records."""
    return lines[0].strip() == b"{" and not any(line.startswith(b"{") for line in lines[1:])


def _array_keys(text: bytes, complete: bool) -> tuple[frozenset[str], ...] | None:
    """Return the keys of the first elements of an array that may be cut, None where the first is not whole."""
    if complete:
        try:
            raws = _raws.decode(text)
        except (msgspec.MsgspecError, RecursionError):
            raws = []
        if raws:
            return tuple(found for raw in raws[:_SAMPLED_RECORDS] if (found := _of(bytes(raw))))
    first = next(_cut(text), None)
    if first is None:
        return () if complete else None
    keys = _of(first[1])
    return (keys,) if keys else ()


def _cut(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of the whole elements of an array of objects that may be damaged or cut."""
    depth, start, position = 0, -1, text.find(b"[") + 1
    quoted = False
    while position < len(text):
        byte = text[position]
        if quoted:
            if byte == 0x5C:
                position += 1
            elif byte == 0x22:
                quoted = False
            else:
                end = text.find(b'"', position)
                slash = text.find(b"\\", position, end if end >= 0 else len(text))
                position = slash if slash >= 0 else end if end >= 0 else len(text)
                continue
        elif byte == 0x22:
            quoted = True
        elif byte in b"{[":
            start = position if depth == 0 else start
            depth += 1
        elif byte in b"}]":
            depth -= 1
            if depth == 0:
                yield start, text[start : position + 1]
            elif depth < 0:
                return
        position += 1


def array(path: Path, account: Account) -> Iterator[Record]:
    """Yield the elements of the one JSON array that a file is; of a damaged or cut one those that are whole."""
    data = whole(path, account)
    account.note("json-array", "the file is one JSON array; its elements are the records", 1, 0)
    try:
        raws = _raws.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        yield from _damaged(data, account)
        return
    for number, offset, text in elements(data, raws):
        account.records += 1
        yield Record(number, offset, text)


def _damaged(data: bytes, account: Account) -> Iterator[Record]:
    number, end = 0, data.find(b"[") + 1
    for start, text in _cut(data):
        number, end = number + 1, start + len(text)
        account.records += 1
        yield Record(number, start, text)
    rest = data[end:].strip(b" \t\r\n,")
    if rest != b"]":
        closed = rest.startswith(b"]")
        torn = not closed and not rest.endswith(b"]")
        account.records += 1
        account.incomplete = account.incomplete or torn
        what = "the array is cut off" if torn else "more text stands" if closed else "the array is damaged"
        account.lose(
            "torn-tail" if torn else "bad-json", f"{what} after {number} elements", Record(number + 1, end, rest)
        )


def document(path: Path, account: Account) -> Record:
    """Return the one JSON document that a file is, as a record; its members are counted where they are read."""
    data = whole(path, account)
    return Record(1, 0, data, ended=data.rstrip().endswith((b"}", b"]")))


def rows(path: Path, account: Account) -> Iterator[tuple[tuple[str, ...], Record]]:
    """Yield the columns and the rows of a CSV file, each row as a JSON list of its cells, numbered from 1.

    A table that is not UTF-8 is set aside as a whole.
    """
    csv.field_size_limit(sys.maxsize)
    data = whole(path, account)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        account.records += 1
        message = f"byte {error.start} of the table is not UTF-8; convert it with iconv"
        account.lose("bad-utf8", message, Record(1, error.start, data[error.start :]))
        return
    table = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = tuple(next(table, []))
    except csv.Error as error:
        account.records += 1
        account.lose("not-an-episode", f"the header of the table cannot be read: {error}", Record(1, 0, data[:400]))
        return
    number = 0
    while True:
        number += 1
        try:
            cells = next(table, None)
        except csv.Error as error:
            account.records += 1
            account.incomplete = account.incomplete or "unexpected end" in str(error)
            message = f"row {number} (physical line {table.line_num}) cannot be read: {error}"
            account.lose("torn-tail" if account.incomplete else "not-an-episode", message, Record(number, 0, b""))
            continue  # the next line begins a row
        if cells is None:
            return
        account.records += 1
        if not any(cells):
            account.blank += 1
        else:
            yield columns, Record(number, 0, msgspec.json.encode(cells))
