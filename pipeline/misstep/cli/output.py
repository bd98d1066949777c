"""How commands print: tables for people, JSON for programs, nothing when asked to be quiet."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def print_json(value: Any) -> None:
    """Print a value as JSON; a number that is not finite, which only a query can make, is null."""
    json.dump(_finite(value), sys.stdout, ensure_ascii=False, indent=2, default=str, allow_nan=False)
    sys.stdout.write("\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(rows: Sequence[Mapping[str, Any]], title: str | None = None) -> None:
    """Print rows as a table as wide as the terminal; an empty table says so."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 200, emoji=False)  # `notice:new:2` is a name
    if not rows:
        console.print("(no rows)")
        return
    table = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int | float) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell(value)) for value in row.values()))
    console.print(table)


def cell(value: Any) -> str:
    """Return how a value is shown in a table: unknown as `?`, shares with three decimals."""
    if value is None:
        return "?"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) >= 100 else f"{value:.3f}"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
