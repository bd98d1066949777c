"""The printed figures of [E], read from the files of `data/published`."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from misstep.contracts.errors import Place, SpecificationError
from misstep.suites.counts import rounded
from misstep.suites.evidence.cohort.ways import Configuration

Row = dict[str, str]


@dataclass(frozen=True)
class Printed:
    """The folder of the printed figures; a row is of a configuration, of a model, or of both and a category."""

    folder: Path

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a file.

        Raises:
            SpecificationError: there is no such file.
        """
        path = self.folder / f"safeact_{name}.csv"
        if not path.is_file():
            raise SpecificationError("the file of printed figures is not there", Place(str(path)))
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def of(self, table: str, configuration: Configuration) -> Row:
        """Return the row of a configuration in a table that has one of each.

        Raises:
            SpecificationError: it has none.
        """
        for row in self._tables[table]:
            if (row["model"], row["harness"]) == (configuration.model, configuration.harness):
                return row
        path = str(self.folder / f"safeact_{table}.csv")
        raise SpecificationError(f"{configuration.model} in {configuration.harness} has no row", Place(path))

    def shares(self, configuration: Configuration) -> Iterator[tuple[str, str, tuple[float, float]]]:
        """Yield (protocol, category, bounds of the share) of figure 5 for a configuration."""
        for row in self._tables["fig5_failure_modes"]:
            if (row["model"], row["harness"]) == (configuration.model, configuration.harness):
                yield row["protocol"].upper(), row["category"], rounded(row["share"])

    def rollouts(self, configuration: Configuration) -> tuple[Row, Row]:
        """Return the rows of table 12 of a configuration and of its difference from the other: r1, r2, r3, mean, sd."""
        side = "family" if configuration.own else "inspect"
        rows = {row["quantity"]: row for row in self._tables["table12_rollouts"] if row["model"] == configuration.model}
        return rows[side], rows["delta"]

    def investigation(self, configuration: Configuration) -> tuple[float, float]:
        """Return the bounds of the investigation completion of a configuration, table 4, in percent."""
        side = "family" if configuration.own else "inspect"
        row = next(row for row in self._tables["table4_harness_pairs"] if row["model"] == configuration.model)
        return rounded(row[f"{side}_investigation"])

    @cached_property
    def _tables(self) -> dict[str, list[Row]]:
        names = ("table2_ecs", "table3_diagnostics", "table4_harness_pairs", "table12_rollouts", "fig5_failure_modes")
        return {name: self.rows(name) for name in names}
