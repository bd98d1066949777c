"""`misstep schema`: contracts, formats and the dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from misstep.cli.output import Json, Quiet, print_json, print_table


def command(
    name: Annotated[str | None, typer.Argument(help="A table or a format; without it, all are listed.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the generated files below --root.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit 2 where a generated file is stale.")] = False,
    root: Annotated[Path, typer.Option(help="Repository that holds docs/.")] = Path("."),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the columns of a table or the JSON Schema of a file format.

    Example: misstep schema writes
    """
    from misstep.cli.reference import generated
    from misstep.contracts.errors import UsageError
    from misstep.contracts.publish import FORMATS, format_schema, table_columns
    from misstep.contracts.tables import ALL

    if write or check:
        stale = []
        for path, text in generated().items():
            target = root / path
            if target.is_file() and target.read_text(encoding="utf-8") == text:
                continue
            stale.append(path)
            if write:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
        if check and stale:
            raise UsageError(f"stale: {', '.join(stale)}; run `misstep schema --write`")
        if not quiet:
            print(f"{len(stale)} generated files written" if write else "generated files are fresh")
        return
    if name is None:
        shown: Any = [
            *({"name": table, "is": "table", "about": (ALL[table].__doc__ or "").strip()} for table in ALL),
            *({"name": kind, "is": "format", "about": (FORMATS[kind].__doc__ or "").strip()} for kind in FORMATS),
        ]
        title = None
    elif name in FORMATS:
        shown, title, json = format_schema(name), None, True
    elif name in ALL:
        shown, title = table_columns(name), f"{name}: {(ALL[name].__doc__ or '').strip()}"
    else:
        raise UsageError(f"no table or format is called {name}; there are {', '.join([*ALL, *FORMATS])}")
    if not quiet:
        print_json(shown) if json else print_table(shown, title)
