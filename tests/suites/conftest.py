"""The office suite, built, read and labelled once for all tests of this folder."""

import polars as pl
import pytest

from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan
from misstep.suites.build import build_suite
from suites.office_suite import copy_written_files


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """Return the tables of the scripted episodes, their labels and their specification, by name."""
    folder = copy_written_files(tmp_path_factory.mktemp("office") / "suite")
    build_suite("office", folder)
    out = folder.parent / "out"
    ingest([folder / "traces"], load_suite(folder), out)
    frames = {name: scan(out, name) for name in TRACES} | {f"spec/{name}": scan(out, f"spec/{name}") for name in SPECS}
    made = {name: frame.collect() for name, frame in label(frames).items()}
    return made | {name: frame.collect() for name, frame in frames.items()}
