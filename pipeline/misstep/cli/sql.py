"""`misstep sql`: DuckDB over the tables of a folder."""

from __future__ import annotations

from typing import Annotated

import typer

from misstep.cli.folder import Folder
from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    folder: Folder,
    query: Annotated[str | None, typer.Argument(help="A SELECT; without it, the tables and views are listed.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    limit: Annotated[int, typer.Option(help="Greatest number of rows to print; 0 prints all.")] = 1000,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask the tables anything; nothing can be written, and no other file can be reached.

    Example: misstep sql out "SELECT pattern, count(*) FROM violations GROUP BY ALL ORDER BY 2 DESC"
    """
    from misstep.report.database import ask, listed

    frame = listed(folder) if query is None else ask(folder, query)
    rows = frame.height
    shown = frame.head(limit) if limit else frame
    if quiet:
        return
    if json:
        print_json(shown.to_dicts())
    elif csv:
        print(shown.write_csv(), end="")
    else:
        print_table(shown.to_dicts())
        if rows > shown.height:
            print(f"{shown.height} of {rows} rows; --limit 0 prints all")
