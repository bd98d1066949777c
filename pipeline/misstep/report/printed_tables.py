"""Tables of published files: the rows that papers print, and the rule of each of their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from misstep.contracts.errors import SpecificationError
from misstep.contracts.printed_tables import Cell, PrintedTable, Unit, merged
from misstep.contracts.published import PublishedFile, Rule
from misstep.report.cells import Line, Sheet, read_sheet
from misstep.specs.written import WrittenFault, YamlFile, raise_faults

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """A cell: its row and column, what is printed (blank: nothing), how it is rebuilt, in which unit, and who says so.

    Attributes:
        row: number of the row in its table.
        column: name of the column.
        text: what is printed; blank where nothing is.
        rule: how it is rebuilt.
        unit: of the print.
        field: of the published file, for faults.
    """

    row: int
    column: str
    text: str
    rule: Rule
    unit: Unit
    field: str


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table.

    Attributes:
        path: its CSV file.
        title: what the page calls it.
        heads: columns that say what a row is.
        quantities: columns of cells, in the order of the file.
        lines: rows.
        cells: in the order of rows, then columns.
    """

    path: Path
    title: str
    heads: Sequence[str]
    quantities: Sequence[str]
    lines: Sequence[Line]
    cells: Sequence[PrintedCell]

    def named(self, row: int) -> str:
        """Return what a row is, in words."""
        cells = self.lines[row].cells
        return " · ".join(cells[name] for name in self.heads if name in cells)


def read_tables(yaml: YamlFile, file: PublishedFile) -> list[Table]:
    """Return the tables of a published file.

    Raises:
        SpecificationError: a CSV file is wrong, or a cell has no rule, or two; all faults, with file, line and field.
    """
    entries: dict[str, list[int]] = {}
    for place, entry in enumerate(file.tables):
        if not (yaml.path.parent / entry.file).is_file():
            raise SpecificationError(f"there is no file {entry.file!r}", yaml.place(f"tables[{place}].file"))
        entries.setdefault(entry.file, []).append(place)
    return [_table(yaml, file, places) for places in entries.values()]


def _table(yaml: YamlFile, file: PublishedFile, places: Sequence[int]) -> Table:
    tables = file.tables
    path = yaml.path.parent / tables[places[0]].file
    sheet = read_sheet(path)
    raise_faults([fault for place in places for fault in _entry_faults(yaml, tables[place], place, sheet)])
    cells: dict[tuple[int, str], PrintedCell] = {}
    said: set[tuple[int, str]] = set()
    faults: list[WrittenFault] = []
    for place in places:
        entry = tables[place]
        for row, line in enumerate(sheet.lines):
            if all(line.cells.get(name, "") in values for name, values in entry.rows.items()):
                said |= {(row, name) for name in (*entry.keys, *entry.rows, *entry.ignore)}
                for column in _quantities(entry, sheet):
                    if (row, column) in cells:
                        faults.append(WrittenFault(line.at(column), "two tables say how it is rebuilt"))
                        continue
                    try:
                        cells[row, column] = _cell(file, place, row, line, column)
                    except _Fault as fault:
                        where = line.at(fault.column) if fault.column else yaml.place(_field(entry, place, column))
                        faults.append(WrittenFault(where, str(fault)))
                        said.add((row, column))
    for row, line in enumerate(sheet.lines):
        for column in line.cells:
            if (row, column) not in said and (row, column) not in cells:
                faults.append(WrittenFault(line.at(column), "nothing says how it is rebuilt"))
    raise_faults(list({(str(fault.place), fault.message): fault for fault in faults}.values()))
    title = next((title for place in places if (title := tables[place].title) is not None), path.stem)
    asked = {column for _, column in cells}
    heads = {name for place in places for name in (*tables[place].keys, *tables[place].rows)}
    return Table(
        path,
        title,
        [name for name in sheet.header if name in heads and name not in asked],
        [name for name in sheet.header if name in asked],
        sheet.lines,
        [cells[at] for at in sorted(cells, key=lambda at: (at[0], sheet.header.index(at[1])))],
    )


class _Fault(Exception):
    """What is wrong with a cell; `column` of its row, or blank where the published file is wrong."""

    def __init__(self, message: str, column: str = "") -> None:
        super().__init__(message)
        self.column = column


def _entry_faults(yaml: YamlFile, entry: PrintedTable, place: int, sheet: Sheet) -> Iterator[WrittenFault]:
    named: dict[str, Sequence[str]] = {
        "keys": list(entry.keys), "rows": list(entry.rows), "columns": list(entry.columns or ()),
        "ignore": entry.ignore,
    }  # fmt: skip
    for field, names in named.items():
        for name in names:
            if name not in sheet.header:
                columns = ", ".join(sheet.header)
                at = f"tables[{place}].{field}" + ("" if isinstance(getattr(entry, field), list) else f".{name}")
                yield WrittenFault(yaml.place(at), f"{entry.file} has no column {name!r}; there are {columns}")
    for name, values in entry.rows.items():
        there = {line.cells.get(name, "") for line in sheet.lines}
        for value in values:
            if name in sheet.header and value not in there:
                yield WrittenFault(yaml.place(f"tables[{place}].rows.{name}"), f"no row has {value!r} there")


def _quantities(entry: PrintedTable, sheet: Sheet) -> list[str]:
    if entry.columns is not None:
        return list(entry.columns)
    return [name for name in sheet.header if name not in {*entry.keys, *entry.rows, *entry.ignore}]


def _cell(file: PublishedFile, place: int, row: int, line: Line, column: str) -> PrintedCell:
    entry = file.tables[place]
    parts = [entry.every]
    keys: Mapping[str, dict[str, Cell] | None] = (
        dict.fromkeys(entry.keys) if isinstance(entry.keys, list) else entry.keys
    )
    for name, values in keys.items():
        value = line.cells.get(name, "")
        values = values if values is not None else file.names.get(name)
        if values is None:
            parts.append(Cell(where={name: value}))
        elif value in values:
            parts.append(values[value])
        else:
            raise _Fault(f"nothing says what {value!r} means; there are {', '.join(values)}", name)
    whole = merged(*parts, (entry.columns or {}).get(column, Cell()))
    try:
        rule = whole.rule()
    except ValidationError as error:
        raise _Fault("; ".join(fault["msg"] for fault in error.errors())) from error
    except ValueError as error:
        raise _Fault(str(error)) from error
    text = line.cells.get(column, "")
    if text and whole.take != "apart" and not is_number(text):
        raise _Fault(f"{text!r} is no number", column)
    return PrintedCell(row, column, text, rule, whole.unit_of(), _field(entry, place, column))


def _field(entry: PrintedTable, place: int, column: str) -> str:
    return f"tables[{place}].columns.{column}" if entry.columns else f"tables[{place}].every"


def is_number(text: str) -> bool:
    """Return whether a text is a number whose digits say how exact it is."""
    return _NUMBER.fullmatch(text) is not None
