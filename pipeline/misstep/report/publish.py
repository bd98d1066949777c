"""CSV files that open without misstep: rows, and a dictionary of their columns beside them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from misstep.contracts.publish import table_columns
from misstep.contracts.tables import ALL
from misstep.storage.atomic import write_bytes


def publish(frame: pl.DataFrame, path: Path, table: str | None = None, meanings: dict[str, str] | None = None) -> None:
    """Write a frame as CSV at `path`, and `<stem>.dictionary.csv` beside it (column, type, meaning).

    Args:
        frame: rows of plain values; unknown is an empty cell.
        path: of the CSV file.
        table: contract that the columns come from.
        meanings: column → meaning, for columns that no contract knows.
    """
    known = {row["column"]: row["description"] for row in table_columns(table)} if table in ALL and table else {}
    known |= meanings or {}
    rows = [{"column": name, "type": str(kind), "meaning": known.get(name, "")} for name, kind in frame.schema.items()]
    write_bytes(path, frame.write_csv().encode())
    write_bytes(path.with_name(f"{path.stem}.dictionary.csv"), pl.DataFrame(rows).write_csv().encode())
