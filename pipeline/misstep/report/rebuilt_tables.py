"""Rows of `published_vs_rebuilt`, and printed tables with our values in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from misstep.report.printed_tables import Table
from misstep.stats.values import Value
from misstep.stats.verdicts import NOT_PUBLISHED, cell_verdict, in_unit

SCHEMA = {
    **{name: pl.String for name in ("source", "quantity", "table", "row", "column", "basis", "published", "rebuilt")},
    "numerator": pl.Float64,
    "denominator": pl.Int64,
    **{name: pl.Float64 for name in ("value", "low", "high")},
    **{name: pl.String for name in ("verdict", "reason")},
}


def cell_rows(table: Table, values: Sequence[Value], source: str) -> Iterator[dict[str, Any] | None]:
    """Yield a row a cell; none for a cell that is neither printed nor rebuilt."""
    for cell, value in zip(table.cells, values, strict=True):
        row = table.named(cell.row)
        told = {"table": table.title, "row": row, "column": cell.column, "published": cell.text or None}
        made = row_of(source, f"{table.title}: {row}, {cell.column}", value) | told
        if value.value is not None:
            made["rebuilt"] = _in_words(in_unit(value.value, cell.unit), cell.text)
        if cell.text:
            yield made | cell_verdict(cell.rule, cell.text, cell.unit, value)._asdict()
        else:
            none = value.value is None and value.holds is None
            yield None if none else made | {"verdict": NOT_PUBLISHED, "reason": value.reason}


def rebuilt_table(table: Table, values: Sequence[Value]) -> pl.DataFrame:
    """Return a printed table with our values, in its units; empty where there is none."""
    found = {
        (cell.row, cell.column): None if value.value is None else in_unit(value.value, cell.unit)
        for cell, value in zip(table.cells, values, strict=True)
    }
    holds = {(cell.row, cell.column) for cell, value in zip(table.cells, values, strict=True) if value.holds}
    columns: dict[str, pl.Series] = {
        name: pl.Series([line.cells.get(name) for line in table.lines], dtype=pl.String) for name in table.heads
    }
    for name in table.quantities:
        places = range(len(table.lines))
        if any(
            cell.column == name and value.holds is not None for cell, value in zip(table.cells, values, strict=True)
        ):
            told = [table.lines[row].cells.get(name) if (row, name) in holds else None for row in places]
            columns[name] = pl.Series(told, dtype=pl.String)
        else:
            columns[name] = pl.Series([found.get((row, name)) for row in places], dtype=pl.Float64)
    return pl.DataFrame(columns)


def row_of(source: str, quantity: str, value: Value) -> dict[str, Any]:
    """Return the row of a quantity, without what is printed and the verdict."""
    return {
        "source": source,
        "quantity": quantity,
        "table": None,
        "row": None,
        "column": None,
        "basis": None,
        "published": None,
        "rebuilt": _as_rebuilt(value),
        "numerator": value.numerator,
        "denominator": value.denominator,
        "value": value.value if value.value == value.greatest else None,
        "low": value.low,
        "high": value.high,
    }


def _in_words(value: float, printed: str) -> str:
    """Return a number with one digit more than is printed; whole numbers as they are."""
    digits = len(printed.partition(".")[2]) + 1 if printed else 2
    return f"{value:.0f}" if value == int(value) and "." not in printed else f"{value:.{digits}f}"


def _as_rebuilt(value: Value) -> str | None:
    """Return a value as one reads it, with one digit more than papers print."""
    if value.holds is not None:
        return "holds" if value.holds else "does not hold"
    if value.value is None or value.greatest is None:
        return None
    scale, unit = (100, " %") if value.share else (1, "")
    told = []
    if value.numerator is not None and value.denominator is not None:
        told.append(f"{value.numerator:g} of {value.denominator}")
    if value.value != value.greatest:
        told.append(f"{scale * value.value:.2f} to {scale * value.greatest:.2f}{unit}")
    elif value.share:
        told.append(f"{scale * value.value:.2f} %")
    elif not told:
        told.append(f"{value.value:.10g}" if value.value == int(value.value) else f"{value.value:.2f}")
    return ", ".join(told)
