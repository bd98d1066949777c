"""Files put into units of work: many small files, a whole file, or a range of whole lines of an uncompressed line file.

Cutting reads a file once, hashing it as it goes. A unit is known by what it holds and where it stands, so that the part
files of a run that was killed are found again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from misstep.ingest.files import TraceFile
from misstep.ingest.readers import READERS
from misstep.ingest.readers.reader import parts_of
from misstep.ingest.records import Range

#: Bytes of a line file that make up a unit.
UNIT = 16 << 20
#: Bytes of small files that are read in one go, so that they do not each become parts of their own.
TOGETHER = 8 << 20
_BLOCK = 1 << 20
_LINE_END = 10


class Slice(NamedTuple):
    """A file, or a range of one; `part` is None for a whole file, `known` a hash of what its rows depend on."""

    file: TraceFile
    part: Range | None
    size: int
    known: str


class Unit(NamedTuple):
    """A piece of the input that is read by one worker in one go."""

    unit: str
    slices: tuple[Slice, ...]

    @property
    def size(self) -> int:
        """Return its bytes on disk."""
        return sum(one.size for one in self.slices)

    @property
    def name(self) -> str:
        """Return the name of its last file."""
        return self.slices[-1].file.name


class Piece(NamedTuple):
    """A range of a file, and the SHA-256 of the file up to its end."""

    part: Range
    sha256: str


def pieces(path: Path, size: int | None) -> Iterator[Piece]:
    """Yield the ranges of about `size` bytes, each a number of whole lines, that a file is made of; at least one.

    Args:
        path: The file.
        size: Bytes of a range; None keeps the file in one piece.
    """
    hasher = hashlib.sha256()
    start = position = 0
    first = number = 1
    with path.open("rb", buffering=0) as file:
        block = bytearray(min(_BLOCK, os.fstat(file.fileno()).st_size + 1))
        view = memoryview(block)
        while count := file.readinto(block):
            at = 0
            while size is not None and position + count - start >= size:
                end = block.find(b"\n", max(start + size - 1 - position, at), count)
                if end < 0:
                    break
                number += _line_ends(view[at : end + 1])
                hasher.update(view[at : end + 1])
                at = end + 1
                yield Piece(Range(start, position + at, first), hasher.hexdigest())
                start, first = position + at, number
            if size is not None:
                number += _line_ends(view[at:count])
            hasher.update(view[at:count])
            position += count
    if position > start or start == 0:
        yield Piece(Range(start, position, first), hasher.hexdigest())


def beside(file: TraceFile) -> list[str]:
    """Return the hashes of the files that the episodes of a file are read from as well; `absent` of one not there."""
    others = READERS[file.format].companions(file.path)
    return [hashlib.sha256(one.read_bytes()).hexdigest() if one.is_file() else "absent" for one in others]


def _line_ends(data: memoryview) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_END))  # five times as fast as `count`


def slice_of(file: TraceFile, piece: Piece, stamp: str, *, whole: bool) -> Slice:
    """Return a piece of a file with what it is known by.

    Args:
        file: the file and its reader.
        piece: the range and its hash.
        stamp: a hash of what rows depend on beside the file.
        whole: the file is not a line file that could be cut.
    """
    part = piece.part
    told = [
        file.name,
        *parts_of(file.path.resolve()),
        file.format,
        file.container,
        stamp,
        str(part.start),
        piece.sha256,
        *beside(file),
    ]
    known = hashlib.sha256("\0".join(told).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return Slice(file, None if whole else part, part.end - part.start, known)


def unit_of(slices: Sequence[Slice]) -> Unit:
    """Return the unit that consists of some slices, at least one."""
    names = [one.known for one in slices]
    name = names[0] if len(names) == 1 else hashlib.sha256("".join(names).encode()).hexdigest()[:32]
    return Unit(name, tuple(slices))
