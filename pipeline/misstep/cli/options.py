"""Options that several statistical commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Metrics = Annotated[
    list[str], typer.Option("--metric", help="Name of a metric; several joined by commas, or given several times.")
]
Policy = Annotated[str, typer.Option(help="standard, strict, entity or external_only.")]
Level = Annotated[float, typer.Option(help="Coverage of the intervals.")]
Draws = Annotated[int, typer.Option(help="Draws of clusters, at most 1,000,000.")]
Seed = Annotated[int, typer.Option(help="Seed of the draws.")]
MissingTemplate = Annotated[
    str, typer.Option(help="What to do with tasks without a template: error, or own (each is its own cluster).")
]
Completed = Annotated[bool, typer.Option("--completed", help="Leave out episodes that did not complete.")]
Planned = Annotated[
    bool,
    typer.Option(
        "--planned",
        help="Count runs that are missing as unscored: each task that some configuration ran was planned for all.",
    ),
]
Csv = Annotated[Path | None, typer.Option(help="Write the rows to this CSV file too, its dictionary beside it.")]


def named(texts: list[str] | None) -> list[str]:
    """Return the names of an option that may be given several times, and hold several names joined by commas."""
    return [name.strip() for text in texts or [] for name in text.split(",")]
