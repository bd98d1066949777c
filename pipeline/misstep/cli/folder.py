"""Output folders as commands meet them: the tables of a folder, with a clear word where a step is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import polars as pl

    from misstep.stats.population import Population

Folder = Annotated[Path, typer.Argument(help="Folder that `misstep ingest --out` filled.")]


def ingested(folder: Path) -> dict[str, pl.LazyFrame]:
    """Return the tables of traces and of the suite, as `label` takes them.

    Raises:
        UsageError: the folder was not filled by ingest.
    """
    from misstep.contracts.errors import UsageError
    from misstep.contracts.tables import SPECS, TRACES
    from misstep.storage.manifest import read_manifest
    from misstep.storage.parquet import scan

    if read_manifest(folder) is None:
        raise UsageError(f"{folder} holds no tables; first run: misstep ingest PATH… --suite DIR --out {folder}")
    return {name: scan(folder, name) for name in (*TRACES, *(f"spec/{spec}" for spec in SPECS))}


def labelled(folder: Path) -> dict[str, pl.LazyFrame]:
    """Return all tables of a folder, the labels too.

    Raises:
        UsageError: the folder was not labelled, or its traces were ingested again since.
    """
    from misstep.contracts.errors import UsageError
    from misstep.contracts.tables import LABELS
    from misstep.storage.parquet import parts, scan
    from misstep.storage.stamp import read_stamp, tables_stamp

    tables = ingested(folder)
    if not parts(folder, "episode_labels"):
        raise UsageError(f"{folder} has no labels yet; first run: misstep label {folder}")
    if read_stamp(folder, "episode_labels") != tables_stamp(folder):
        raise UsageError(
            f"the labels of {folder} belong to other tables or another misstep; run again: misstep label {folder}"
        )
    return tables | {name: scan(folder, name) for name in LABELS}


def population_of(
    folder: Path, missing_template: str, completed_only: bool = False, planned: bool = False
) -> Population:
    """Return the episodes of a labelled folder that rates are taken over.

    Args:
        folder: filled by ingest and label.
        missing_template: error or own.
        completed_only: leave out what did not complete, and what is missing.
        planned: every task that some configuration ran was planned for each of them, as often as the one with most.
    """
    import polars as pl

    from misstep.contracts.errors import UsageError
    from misstep.contracts.study import Planned
    from misstep.stats.population import population

    if missing_template not in ("error", "own"):
        raise UsageError(f"--missing-template is error or own, not {missing_template}")
    if planned and completed_only:
        raise UsageError("--planned counts runs that are missing, --completed leaves them out: choose one")
    runs = Planned.model_validate({"tasks": "run"}) if planned else None
    whole = population(labelled(folder), "own" if missing_template == "own" else "error", runs)
    return whole.where(pl.col("status") == "completed") if completed_only else whole
