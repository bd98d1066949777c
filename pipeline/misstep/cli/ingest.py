"""`misstep ingest`: traces into tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from misstep.cli.output import Json, Quiet, print_json


def command(
    paths: Annotated[list[Path], typer.Argument(help="Trace files, or folders of them.")],
    suite: Annotated[Path, typer.Option(help="Folder of the suite that the traces are judged by.")],
    out: Annotated[Path, typer.Option(help="Folder that gets the tables.")],
    format: Annotated[str | None, typer.Option(help="Reader (default: the suite's, else by content).")] = None,
    model: Annotated[str | None, typer.Option(help="Model of all episodes, whatever the records say.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (default: one a processor).")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="The first problem is an error (exit 3).")] = False,
    strict_json: Annotated[bool, typer.Option("--strict-json", help="Look for keys that stand twice.")] = False,
    attempts: Annotated[str, typer.Option(help="Of several runs of one configuration: first, last or all.")] = "all",
    missing_template: Annotated[
        str, typer.Option(help="Tasks without a template: error, or own (each is its own cluster).")
    ] = "error",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read recorded traces into tables; every record, call and problem is accounted for.

    Example: misstep ingest runs/ --suite data/suites/office --out out
    """
    from misstep.contracts.errors import UsageError
    from misstep.ingest.progress import on_terminal
    from misstep.ingest.run import ingest
    from misstep.specs.load import load_suite

    if attempts not in ("first", "last", "all"):
        raise UsageError(f"--attempts is first, last or all, not {attempts}")
    if missing_template not in ("error", "own"):
        raise UsageError(f"--missing-template is error or own, not {missing_template}")
    report = ingest(
        paths,
        load_suite(suite),
        out,
        format=format,
        model=model,
        workers=workers,
        strict=strict,
        strict_json=strict_json,
        attempts=attempts,  # type: ignore[arg-type]  # checked above
        missing_template=missing_template,  # type: ignore[arg-type]
        progress=on_terminal(quiet or json),
    )
    if json:
        print_json(report.as_dict())
    elif not quiet:
        print("\n".join(report.lines()))
