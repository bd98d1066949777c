"""Published files as they are written: rules, and the rows of what papers print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from misstep.contracts.errors import SpecificationError
from misstep.contracts.published import Claims, PublishedFile, Rule
from misstep.report.cells import Line, read_lines
from misstep.specs.written import WrittenFault, YamlFile, raise_faults

#: Columns of a row that hold numbers.
NUMBERS = ("numerator", "denominator", "percent", "low", "high")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")  # the printed digits say how exact a number is
_COLUMNS = ("quantity", *NUMBERS, "basis", "unit", "note")


@dataclass(frozen=True, slots=True)
class Printed:
    """A published file with the rows of its CSV files.

    Attributes:
        yaml: the file, for the places of its fields.
        file: what it says.
        paths: its CSV files.
        lines: their rows; each has a rule.
    """

    yaml: YamlFile
    file: PublishedFile
    paths: Sequence[Path]
    lines: Sequence[Line]

    def rule(self, line: Line) -> Rule:
        """Return how the quantity of a row is rebuilt."""
        return self.file.quantities[line.cells["quantity"]]


def read_published(path: Path) -> Printed:
    """Return a published file.

    Raises:
        SpecificationError: it or one of its CSV files is wrong, a quantity has no rule, or a rule no quantity; all
            faults, with file, line and field.
    """
    yaml = YamlFile(path)
    file = yaml.validate(PublishedFile)
    paths = [path.parent / name for name in file.files]
    for number, csv in enumerate(paths):
        if not csv.is_file():
            raise SpecificationError(f"there is no file {csv.name!r}", yaml.place(f"files[{number}]"))
    lines = [line for csv in paths for line in read_lines(csv, ["quantity"], _COLUMNS)]
    raise_faults([*_line_faults(lines, file), *_rule_faults(lines, yaml, file)])
    return Printed(yaml, file, paths, lines)


def _line_faults(lines: Sequence[Line], file: PublishedFile) -> Iterator[WrittenFault]:
    seen: set[str] = set()
    for line in lines:
        quantity = line.cells.get("quantity")
        if quantity is None:
            yield WrittenFault(line.at("quantity"), "the quantity has no name")
            continue
        if quantity in seen:
            yield WrittenFault(line.at("quantity"), f"{quantity!r} is printed twice")
        seen.add(quantity)
        if quantity not in file.quantities:
            yield WrittenFault(line.at("quantity"), f"nothing says how {quantity!r} is rebuilt")
            continue
        for name in NUMBERS:
            if name in line.cells and not _NUMBER.fullmatch(line.cells[name]):
                yield WrittenFault(line.at(name), f"{line.cells[name]!r} is no number")
        if isinstance(file.quantities[quantity], Claims) == any(name in line.cells for name in NUMBERS):
            yield WrittenFault(line.at("quantity"), "a row without numbers is for claims, and claims are for such rows")


def _rule_faults(lines: Sequence[Line], yaml: YamlFile, file: PublishedFile) -> Iterator[WrittenFault]:
    printed = {line.cells.get("quantity") for line in lines}
    for quantity in file.quantities:
        if quantity not in printed:
            yield WrittenFault(yaml.place(f"quantities.{quantity}"), f"no file prints {quantity!r}")
