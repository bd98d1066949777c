"""`ingest`: traces and a suite → the tables of an output folder."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Literal

import msgspec

from misstep.contracts.tables import TRACES
from misstep.ingest.ahead import Ahead
from misstep.ingest.buffers import HIDDEN
from misstep.ingest.discover import InputFile, discover
from misstep.ingest.files import reading
from misstep.ingest.finish import complete, finish, tidy
from misstep.ingest.parts import Done, read_done
from misstep.ingest.pool import pool, processors
from misstep.ingest.progress import Progress, Silent, shown
from misstep.ingest.records import compression, first_bytes
from misstep.ingest.repeats import Attempts
from misstep.ingest.report import IngestReport
from misstep.ingest.survey import UNPACKED, Asked, Survey
from misstep.ingest.units import UNIT, Unit
from misstep.ingest.work import Job
from misstep.specs.load import Suite
from misstep.specs.tables import spec_tables
from misstep.storage.manifest import read_manifest
from misstep.storage.parquet import arrow_schema, packed

#: Input that is read in this process: starting others would take longer.
SMALL = 8 << 20
_AHEAD = 1024  # units that are cut before anybody asks for them


def ingest(
    paths: Iterable[Path],
    suite: Suite,
    out: Path,
    *,
    format: str | None = None,
    model: str | None = None,
    workers: int | None = None,
    strict: bool = False,
    strict_json: bool = False,
    attempts: Attempts = "all",
    missing_template: Literal["error", "own"] = "error",
    progress: Progress | None = None,
    unit_bytes: int = UNIT,
) -> IngestReport:
    """Return what became of the traces in `paths`, whose tables are in `out` then.

    The tables are the same for any number of workers, any `unit_bytes` and any order of `paths`. A run that was killed
    is taken up where it stopped; the tables of an earlier input stay whole until the new ones are complete.

    Args:
        paths: Files, or folders that are searched for trace files.
        suite: The suite that the traces are judged by.
        out: The output folder.
        format: Reader of all files (default: the suite's, else each file is recognised by its content).
        model: Model of all episodes, whatever their records say.
        workers: Processes (default: one a processor; small input is read in this one).
        strict: Raise the first problem as an error.
        strict_json: Look for objects that name a key twice.
        attempts: Which of several runs of one configuration counts.
        missing_template: Whether a task without a template is an error or its own cluster.
        progress: Told how far the reading is.
        unit_bytes: Bytes of a line file that are read in one go.

    Raises:
        InputError: nothing is recognised, ids collide, too many tools are unknown, or the first problem with `strict`.
        ClusterError: an episode's task has no template, and `missing_template` does not allow that.
        ContractError: counts do not add up; a defect of misstep.
    """
    started = time.perf_counter()
    asked = Asked(format or suite.file.format, model, strict_json, attempts, missing_template)
    found = discover(paths, apart=out)
    survey = Survey(found, suite, asked, unit_bytes)
    previous = None if strict else read_manifest(out)
    if previous is not None and previous.stamp == survey.stamp() and complete(out, previous):
        tidy(out, previous.parts)
        report = msgspec.convert(previous.report, IngestReport)
        report.unchanged, report.folder, report.reused = True, str(out), report.units
        report.seconds = time.perf_counter() - started
        return report
    job = Job(
        out=out,
        suite=suite.file.name,
        actor=suite.file.actor,
        tools=suite.tools,
        tasks=tuple(suite.tasks),
        schemas={table: arrow_schema(table) for table in TRACES if table != "files"},
        reading=survey.options,
        model=model,
        strict=strict,
        part_bytes=unit_bytes,
    )
    total = sum(file.size for file in found.files)
    with (
        pool(job, workers or _workers(found.files)) as place,
        shown(progress or Silent(), total) as told,
    ):
        specs = {f"spec/{name}": packed(f"spec/{name}", frame) for name, frame in spec_tables(suite).items()}
        waiting: list[tuple[Unit, Future[Done]]] = []
        done: dict[str, Done] = {}
        with Ahead(survey.units(), _AHEAD) as units:
            for unit in units:
                known = None if strict else read_done(out, unit.unit, HIDDEN)
                if known is None:
                    waiting.append((unit, place.work(unit)))
                else:
                    done[unit.unit] = known
                    told.advance(unit.size, unit.name)
        reused = len(done)
        for unit, future in waiting:
            done[unit.unit] = future.result()
            told.advance(unit.size, unit.name)
        report = finish(out, suite, asked, survey, done, place, specs, strict=strict)
    report.reused = reused
    report.seconds = time.perf_counter() - started
    return report


def _workers(files: Iterable[InputFile]) -> int:
    """Return how many processes are worth starting for files of this size."""
    total = 0
    for file in files:
        with reading(file.name):
            packed = compression(first_bytes(file.path)) is not None
        total += file.size * (UNPACKED if packed else 1)
        if total >= SMALL:
            return processors()
    return 1
