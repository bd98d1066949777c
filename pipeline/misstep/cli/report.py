"""`misstep report`: a study → figures, tables, page, database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from misstep.cli.output import Json, Quiet, print_json

if TYPE_CHECKING:
    from misstep.ingest.progress import Progress


class Shown:
    """Tells on standard error what is done, where that is a terminal."""

    def __init__(self, quiet: bool) -> None:
        import sys

        self._quiet = quiet or not sys.stderr.isatty()

    def step(self, text: str) -> None:
        """Print what is done next."""
        if not self._quiet:
            typer.echo(f"report: {text}", err=True)

    def reading(self) -> Progress:
        """Return a bar for the reading of traces."""
        from misstep.ingest.progress import on_terminal

        return on_terminal(self._quiet)


def command(
    study: Annotated[Path, typer.Argument(help="Study file.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the report (default: reports/NAME beside data/).")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (default: one a processor).")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Analyse the traces of a study: tables, numbers, figures, page and database.

    Example: misstep report data/studies/office.yaml
    """
    from misstep.report.study import run_study

    result = run_study(study, out, progress=Shown(quiet or json), workers=workers)
    if json:
        print_json(result.as_dict())
    elif not quiet:
        print("\n".join(result.lines()))
