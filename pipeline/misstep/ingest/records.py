"""Bytes to records: line files of any size, cut on 0x0A alone, with everything that cannot be read accounted for."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import zstandard

from misstep.contracts.errors import InputError, Place
from misstep.contracts.trace import Fault

#: Bytes read at once; results never depend on it.
BLOCK = 2 << 20
#: Longest line that is held in memory, and largest file that is read as one document.
LIMIT = 256 << 20
DOCUMENT_LIMIT = 1 << 30

BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
#: Marks of other encodings; that of UTF-32 begins with that of UTF-16.
_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_PACKED = 32 << 10  # compressed bytes fed at once, so that a little input cannot become a lot of memory


class Record(NamedTuple):
    """A record's bytes. `line` counts physical lines, elements or rows from 1, `byte` is the offset of the first byte.

    `ended` is False where the file ends without a line end: if such a record cannot be read, it is torn.
    """

    line: int
    byte: int
    data: bytes
    ended: bool = True


class Found(NamedTuple):
    """A fault and where it stands. `lost` is True where a whole record was set aside because of it."""

    line: int | None
    byte: int | None
    fault: Fault
    lost: bool = False


class Range(NamedTuple):
    """A part of a line file that starts at a line; `line` is the number of its first line."""

    start: int
    end: int
    line: int = 1


@dataclass
class Account:
    """What became of the records of one file or byte range: `records = blank + recognised + lost`.

    `kinds` counts the kinds of records that no rule of the format knows. `incomplete`: the data end inside a record.
    """

    records: int = 0
    blank: int = 0
    recognised: int = 0
    lost: int = 0
    incomplete: bool = False
    found: list[Found] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def note(self, code: str, message: str, line: int | None = None, byte: int | None = None) -> None:
        """Take down a fault that set no record aside."""
        self.found.append(Found(line, byte, Fault(code, message)))

    def lose(self, code: str, message: str, record: Record, raw: str | None = None) -> None:
        """Take down a fault for which the record as a whole was set aside."""
        self.lost += 1
        text = raw if raw is not None else excerpt(record.data)
        self.found.append(Found(record.line, record.byte, Fault(code, message, raw=text), lost=True))

    def balanced(self) -> bool:
        """Return whether the accounting law holds."""
        return self.records == self.blank + self.recognised + self.lost


def excerpt(data: bytes, size: int = 400) -> str:
    """Return the start of some bytes as text that can be shown and stored."""
    return data[:size].decode("utf-8", "backslashreplace").replace("\0", "\\0")


def compression(head: bytes) -> str | None:
    """Return `gzip` or `zstd` by the first bytes of a file (never by its name), else None."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith(_ZSTD) else None


def first_bytes(path: Path, size: int = 4) -> bytes:
    """Return the first bytes of a file as it is on disk."""
    with path.open("rb") as file:
        return file.read(size)


def blocks(path: Path, account: Account, start: int = 0, end: int | None = None, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, or of a byte range of an uncompressed one, without a byte order mark.

    Compressed data that end early or are damaged are noted in the account; what was read before is yielded.

    Raises:
        InputError: the file is UTF-16 or UTF-32.
    """
    packed = compression(first_bytes(path))
    parts = _plain(path, start, end, size) if packed is None else _unpacked(path, packed, account, size)
    first = start == 0
    for part in parts:
        if first:
            first = False
            encoding = next((name for mark, name in _ENCODINGS.items() if part.startswith(mark)), None)
            if encoding is not None:
                message = f"the file is {encoding}; convert it to UTF-8 (iconv -f {encoding} -t UTF-8)"
                raise InputError(message, Place(str(path)))
            if part.startswith(BOM):
                account.note("bom", "a byte order mark at the start of the file was skipped", 1, 0)
                part = part[len(BOM) :]
        yield part


def _plain(path: Path, start: int, end: int | None, size: int) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        left = None if end is None else end - start
        head = max(size, 4) if start == 0 else size  # a mark is never split between two reads
        while left is None or left > 0:
            part = file.read(head if left is None else min(head, left))
            if not part:
                return
            head = size
            if left is not None:
                left -= len(part)
            yield part


def _unpacked(path: Path, packed: str, account: Account, size: int) -> Iterator[bytes]:
    """Yield decompressed blocks of at least `size` bytes (but for the last), member after member."""
    held: list[bytes] = []
    length = 0
    try:
        for part in _gunzipped(path, size) if packed == "gzip" else _unzstd(path):
            held.append(part)
            length += len(part)
            if length >= size:
                yield b"".join(held)
                held, length = [], 0
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        account.incomplete = True
        account.note("bad-compression", f"the {packed} data end early or are damaged ({error}); read up to there")
    if held:
        yield b"".join(held)


def _gunzipped(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        member = zlib.decompressobj(31)
        begun = False
        while data := file.read(_PACKED):
            while data:
                if not begun and not (data := data.lstrip(b"\0")):  # padding between members
                    break
                begun = True
                before = member.copy()
                try:
                    part = member.decompress(data, max(size, _PACKED))
                except zlib.error:
                    yield _until_damaged(before, data)
                    raise
                if part:
                    yield part
                data = member.unconsumed_tail
                if member.eof:
                    data, begun = member.unused_data, False
                    member = zlib.decompressobj(31)
        if begun:
            if rest := member.flush():
                yield rest
            if not member.eof:
                raise EOFError("the end of the stream is missing")


def _until_damaged(member: zlib._Decompress, data: bytes) -> bytes:
    """Return what can be decompressed before the byte that cannot."""
    parts: list[bytes] = []
    try:
        for at in range(len(data)):
            parts.append(member.decompress(data[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(parts)


def _unzstd(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        unpacker = zstandard.ZstdDecompressor()
        frame = unpacker.decompressobj()
        begun = False
        while data := file.read(_PACKED):
            while data:
                begun = True
                if part := frame.decompress(data):
                    yield part
                data = frame.unused_data if frame.eof else b""
                if frame.eof:
                    frame, begun = unpacker.decompressobj(), False
        if begun:
            raise EOFError("the end of the frame is missing")


def lines(
    path: Path,
    account: Account,
    part: Range | None = None,
    *,
    limit: int = LIMIT,
    block: int = BLOCK,
) -> Iterator[Record]:
    """Yield the lines of a file, or of a range of it, that hold more than white space.

    Only 0x0A ends a line; a carriage return before it belongs to the line end, elsewhere it is white space. A line
    longer than `limit` is set aside in the account without being held.
    """
    number = part.line if part else 1
    offset = part.start if part else 0
    held: list[bytes] = []
    length = 0  # bytes of the line begun, held or not
    for data in blocks(path, account, offset, part.end if part else None, block):
        if number == 1 and offset == 0 and account.found and account.found[-1].fault.code == "bom":
            offset = len(BOM)
        start = 0
        while (end := data.find(b"\n", start)) >= 0:  # faster than to split
            piece = data[start:end]
            start = end + 1
            if length:
                length += len(piece)
                if length <= limit:
                    held.append(piece)
                    piece = b"".join(held)
                    held = []
            size = length or len(piece)
            if size > limit:
                _too_long(account, number, offset, size, limit)
                held = []
            else:
                account.records += 1
                if not piece or piece.isspace():
                    account.blank += 1
                else:
                    yield Record(number, offset, piece[:-1] if piece.endswith(b"\r") else piece)
            offset += size + 1
            number += 1
            length = 0
        if last := data[start:]:
            length += len(last)
            if length <= limit:
                held.append(last)
            else:
                held = []
    if length > limit:
        _too_long(account, number, offset, length, limit)
    elif length:
        account.records += 1
        rest = b"".join(held)
        if rest.isspace():
            account.blank += 1
        else:
            yield Record(number, offset, rest, ended=False)


def _too_long(account: Account, number: int, offset: int, size: int, limit: int) -> None:
    account.records += 1
    message = f"the line has {size:,} bytes, more than the limit of {limit:,}; it was not read"
    account.lose("line-too-long", message, Record(number, offset, b""))


def byte_ranges(path: Path, size: int, block: int = BLOCK) -> list[Range]:
    """Return the ranges of about `size` bytes, each a number of whole lines, that make up an uncompressed line file.

    The file is read once to find and count line ends, so that every range knows the number of its first line.
    """
    ranges: list[Range] = []
    start, first = 0, 1
    position, number = 0, 1
    with path.open("rb", buffering=0) as file:
        while data := file.read(block):
            at = 0
            while position + len(data) - start >= size:
                cut = data.find(b"\n", max(start + size - 1 - position, at))
                if cut < 0:
                    break
                number += data.count(b"\n", at, cut + 1)
                at = cut + 1
                ranges.append(Range(start, position + at, first))
                start, first = position + at, number
            number += data.count(b"\n", at)
            position += len(data)
    if position > start:
        ranges.append(Range(start, position, first))
    return ranges


def whole(path: Path, account: Account, limit: int = DOCUMENT_LIMIT) -> bytes:
    """Return all decompressed bytes of a file.

    Raises:
        InputError: they are more than `limit`.
    """
    parts: list[bytes] = []
    length = 0
    for part in blocks(path, account):
        length += len(part)
        if length > limit:
            message = (
                f"one JSON document of more than {limit:,} bytes is not read; write one episode a line (JSON Lines)"
            )
            raise InputError(message, Place(str(path)))
        parts.append(part)
    return b"".join(parts)
