"""The tables of public traces, as ingest writes them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from agreement.corpus import CORPORA
from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.specs.imports import import_suite
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan


def traces_of(name: str, corpora: Path, work: Path) -> dict[str, pl.LazyFrame]:
    """Return the trace and specification tables of a suite's public traces; files are written to `work`."""
    folder, pattern = CORPORA[name]
    options = {"database_folder": corpora / "tau-bench"} if folder == "tau2-bench" else {}
    import_suite(name, corpora / folder, work / "suite", **options)
    ingest(sorted((corpora / folder).glob(pattern)), load_suite(work / "suite"), work / "tables")
    return {table: scan(work / "tables", table) for table in (*TRACES, *(f"spec/{table}" for table in SPECS))}
