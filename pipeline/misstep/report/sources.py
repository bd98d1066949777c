"""The sources of a study: traces and suites → labelled tables, one folder a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path

import polars as pl

from misstep.contracts.errors import InputError, SpecificationError
from misstep.contracts.study import Study
from misstep.contracts.tables import LABELS, SPECS, TRACES
from misstep.ingest.progress import Progress
from misstep.ingest.report import IngestReport
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.report.traces import trace_paths
from misstep.report.written import StudyFile
from misstep.specs.load import Suite, load_suite
from misstep.storage.parquet import scan, write
from misstep.storage.stamp import read_stamp, tables_stamp

_SPEC_TABLES = tuple(f"spec/{name}" for name in SPECS)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A source whose tables are ready.

    Attributes:
        folder: of its tables.
        suite: that its traces are judged by.
        report: what ingest told.
        first: whether no earlier source has the same suite; only then its `spec/` tables count.
    """

    folder: Path
    suite: Suite
    report: IngestReport
    first: bool

    @property
    def tables(self) -> dict[str, pl.LazyFrame]:
        """Traces, specification and labels, by the names of `contracts.tables`."""
        return {name: scan(self.folder, name) for name in (*TRACES, *_SPEC_TABLES, *LABELS)}


def prepare(file: StudyFile, out: Path, workers: int | None, progress: Progress) -> list[Prepared]:
    """Return the sources of a study, ingested and labelled below `out`; what is there already is kept.

    Raises:
        SpecificationError: a suite is wrong, or two suites have one name.
        InputError: the traces cannot be read, or an episode stands in two sources.
    """
    prepared: list[Prepared] = []
    for place, source in enumerate(file.study.sources):
        folder_of_suite = file.base / source.suite
        suite = load_suite(Path(relpath(folder_of_suite)))
        same = [one for one in prepared if one.suite.file.name == suite.file.name]
        if any(one.suite.folder.resolve() != suite.folder.resolve() for one in same):
            raise SpecificationError(
                f"another source has a suite of the name {suite.file.name!r} too", file.place(f"sources[{place}].suite")
            )
        name = suite.file.name if not same else f"{suite.file.name}-{len(same) + 1}"
        folder = out / "tables" / name
        report = ingest(
            trace_paths(file, place),
            suite,
            folder,
            format=source.format,
            model=source.model,
            workers=workers,
            attempts=source.attempts,
            missing_template=source.missing_template,
            progress=progress,
        )
        _label(folder)
        prepared.append(Prepared(folder, suite, report, first=not same))
    return prepared


def _label(folder: Path) -> None:
    """Label the tables of a folder, unless their labels are there."""
    stamp = tables_stamp(folder)
    if all(read_stamp(folder, name) == stamp for name in LABELS):
        return
    tables = {name: scan(folder, name) for name in (*TRACES, *_SPEC_TABLES)}
    for name, frame in label(tables).items():
        write(folder, name, frame, stamp=stamp)


def together(prepared: Sequence[Prepared]) -> Mapping[str, pl.LazyFrame]:
    """Return the tables of all sources below each other.

    Raises:
        InputError: an episode stands in two sources.
    """
    joined = {}
    for name in (*TRACES, *_SPEC_TABLES, *LABELS):
        counted = [one for one in prepared if one.first or name not in _SPEC_TABLES]
        joined[name] = pl.concat([one.tables[name] for one in counted])
    keys = joined["episodes"].select("episode").collect()["episode"]
    twice = keys.filter(keys.is_duplicated())
    if len(twice):
        raise InputError(f"episode {twice.sort()[0]} stands in two sources of the study")
    return joined


def missing_template(study: Study) -> str:
    """Return what to do with a task without a template; ingest has refused it where its source does."""
    return "own" if any(source.missing_template == "own" for source in study.sources) else "error"
