"""CSV files that people write: rows with the line that each stands on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.written import Written
from misstep.specs.written import WrittenFault, messages, raise_faults

Model = TypeVar("Model", bound=Written)


class Line(NamedTuple):
    """A row of a CSV file: its place, and the cells that are not empty."""

    place: Place
    cells: dict[str, str]

    def at(self, column: str) -> Place:
        """Return the place of a cell."""
        return Place(self.place.file, self.place.line, column)


class Sheet(NamedTuple):
    """A CSV file: its columns, and its rows."""

    header: list[str]
    lines: list[Line]


def read_lines(path: Path, needed: Collection[str], known: Collection[str]) -> list[Line]:
    """Return the rows of a CSV file whose first line names its columns.

    Raises:
        SpecificationError: the file cannot be read, lacks a needed column, has one that is not known, or a row is too
            long or too short.
    """

    def faults(header: Sequence[str]) -> Iterator[WrittenFault]:
        for name in header:
            if name not in known:
                yield WrittenFault(Place(str(path), 1, name), f"there is no such column; there are {', '.join(known)}")
        for name in needed:
            if name not in header:
                yield WrittenFault(Place(str(path), 1, name), "the column is missing")

    return read_sheet(path, faults).lines


def read_sheet(path: Path, faults: Callable[[Sequence[str]], Iterable[WrittenFault]] = lambda _: ()) -> Sheet:
    """Return a CSV file whose first line names its columns.

    Args:
        path: of the file.
        faults: what is wrong with the names of the columns.

    Raises:
        SpecificationError: the file cannot be read, its columns are wrong, or a row is too long or too short.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise SpecificationError(f"cannot be read ({why})", Place(str(path))) from error
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        header = next(reader, [])
        twice = sorted({name for name in header if header.count(name) > 1})
        raise_faults(
            [
                *faults(header),
                *(WrittenFault(Place(str(path), 1, name), "the column stands here twice") for name in twice),
            ]
        )
        lines = []
        for row in reader:
            place = Place(str(path), reader.line_num)
            if not row:
                continue
            if len(row) != len(header):
                raise SpecificationError(f"{len(row)} cells, but {len(header)} columns", place)
            cells = zip(header, (cell.strip() for cell in row), strict=True)
            lines.append(Line(place, {name: cell for name, cell in cells if cell}))
    except csv.Error as error:
        raise SpecificationError(f"not valid CSV ({error})", Place(str(path), reader.line_num)) from error
    return Sheet(header, lines)


def validated(lines: Collection[Line], model: type[Model], columns: Collection[str]) -> list[Model]:
    """Return rows as models, an empty cell being null.

    Raises:
        SpecificationError: cells are not as the model says, all faults of them.
    """
    found, faults = [], []
    for line in lines:
        value = {name: line.cells.get(name) for name in columns}
        try:
            found.append(model.model_validate(value))
        except ValidationError as error:
            faults += [WrittenFault(line.at(field), message) for field, message in messages(error, value)]
    raise_faults(faults)
    return found
