"""The input of an ingest: every file recognised, hashed and put into units, and what the tables depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from misstep.contracts.errors import InputError, Place
from misstep.contracts.trace import Fault
from misstep.ingest.discover import Discovered, InputFile
from misstep.ingest.files import Options, TraceFile, open_trace, reading
from misstep.ingest.records import compression, first_bytes
from misstep.ingest.repeats import Attempts
from misstep.ingest.units import TOGETHER, Slice, Unit, pieces, slice_of, unit_of
from misstep.specs.load import Suite
from misstep.storage.stamp import code_stamp

#: How many times its size a compressed file is taken for.
UNPACKED = 8


@dataclass(frozen=True)
class Asked:
    """What an ingest was asked for, as far as the tables depend on it."""

    format: str | None
    model: str | None
    strict_json: bool
    attempts: Attempts
    missing_template: Literal["error", "own"]


@dataclass
class Surveyed:
    """An input file: how it is read, its size and hash; `faults` say why it is not read at all.

    `ranges` says that it can be read from any of its lines on.
    """

    name: str
    trace: TraceFile | None
    bytes: int = 0
    sha256: str = ""
    ranges: bool = False
    faults: list[Fault] = field(default_factory=list)


class Survey:
    """The input. Files are looked at when `units` comes to them, and only once."""

    def __init__(self, found: Discovered, suite: Suite, asked: Asked, unit_bytes: int) -> None:
        self.options = Options(format=asked.format, model=asked.model, strict_json=asked.strict_json)
        self.files: list[Surveyed] = []
        self.left = found.left
        self.suite_stamp = suite_stamp(suite)
        self._asked = asked
        self._unit_bytes = unit_bytes
        told = [self.suite_stamp, code_stamp(), asked.model, asked.strict_json]
        self._stamp = hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:32]
        self._coming = self._look(found.files)
        self._units: list[Unit] = []

    def units(self) -> Iterator[Unit]:
        """Yield all units in the order of the files, each as soon as it is cut."""
        yield from self._units
        for unit in self._coming:
            self._units.append(unit)
            yield unit

    def stamp(self) -> str:
        """Return a hash of everything that the tables depend on, having looked at all files."""
        for _ in self.units():
            pass
        told = [self._stamp, self._asked.attempts, self._asked.missing_template]
        inputs = [(file.name, file.trace and file.trace.format, file.sha256) for file in self.files]
        return hashlib.sha256(msgspec.json.encode([told, inputs, self.left])).hexdigest()[:32]

    def _look(self, files: Sequence[InputFile]) -> Iterator[Unit]:
        """Yield the units of files; small files that follow each other make up one."""
        held: list[Slice] = []
        most = min(self._unit_bytes, TOGETHER)
        size = 0
        for file in files:
            for one, weight in self._slices(file):
                if held and size + weight > most:
                    yield unit_of(held)
                    held, size = [], 0
                held.append(one)
                size += weight
        if held:
            yield unit_of(held)

    def _slices(self, file: InputFile) -> Iterator[tuple[Slice, int]]:
        """Yield what a file is cut into, with its size when unpacked, roughly."""
        with reading(file.name):
            trace, faults = self._open(file)
            surveyed = Surveyed(file.name, trace, faults=faults)
            self.files.append(surveyed)
            packed = compression(first_bytes(file.path)) is not None
            surveyed.ranges = trace is not None and trace.container == "lines" and not packed
            for piece in pieces(file.path, self._unit_bytes if surveyed.ranges else None):
                surveyed.bytes, surveyed.sha256 = piece.part.end, piece.sha256
                if trace is not None:
                    one = slice_of(trace, piece, self._stamp, whole=not surveyed.ranges)
                    yield one, one.size * (UNPACKED if packed else 1)

    def _open(self, file: InputFile) -> tuple[TraceFile | None, list[Fault]]:
        """Return a file with its reader, or why there is none.

        A file that the user named must be of the format asked for. One of a folder is looked at for what it is: folders
        hold other things than traces.

        Raises:
            InputError: no reader recognises a file that the user named.
        """
        options = replace(self.options, fitting=not file.named)
        trace, account = open_trace(file.path, file.name, options)
        faults = [found.fault for found in account.found]
        if trace is None:
            if file.named and any(fault.code == "unknown-format" for fault in faults):
                raise InputError(faults[-1].message, Place(file.name))
            return None, faults
        wanted = (self.options.format or trace.format).replace("-", "_")
        if trace.format != wanted:
            return None, [Fault("unknown-format", f"the file is of the format {trace.format}, not {wanted}")]
        return trace, []


def suite_stamp(suite: Suite) -> str:
    """Return a hash of the files of a suite: tables made under another one have to be made again."""
    hasher = hashlib.sha256()
    paths: list[Path] = [*suite.files, *(suite.state_path(name) for name in suite.state_names)]
    for path in paths:
        hasher.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return hasher.hexdigest()[:32]
