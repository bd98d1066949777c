"""The work on one unit: records → episodes → rows → parts. Runs in a worker process or in the caller's own."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from misstep.contracts.errors import ContractError, Place
from misstep.contracts.suite import Task
from misstep.contracts.tools import ToolsFile
from misstep.ingest.buffers import HIDDEN
from misstep.ingest.extract import Extractor, Source
from misstep.ingest.files import Options, read
from misstep.ingest.identity import TaskNames
from misstep.ingest.parts import Done, folder_of, write_done, write_part
from misstep.ingest.records import Account
from misstep.ingest.units import Unit
from misstep.specs.effects import CompiledTools


@dataclass(frozen=True)
class Job:
    """What the work on every unit needs to know; sent to each worker once."""

    out: Path
    suite: str
    actor: str
    tools: ToolsFile
    tasks: tuple[Task, ...]
    schemas: Mapping[str, pa.Schema]
    reading: Options
    model: str | None
    strict: bool
    part_bytes: int


class Worker:
    """Works on units one after the other."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._extractor = Extractor(
            CompiledTools(job.tools, job.suite),
            job.suite,
            job.actor,
            TaskNames(job.tasks),
            job.schemas,
            job.model,
            job.strict,
        )

    def run(self, unit: Unit) -> Done:
        """Return what became of a unit, whose parts are on disk then.

        Raises:
            InputError: with `strict`, at the first problem; or where going on would give wrong numbers.
            ContractError: records do not add up.
        """
        started = time.perf_counter()
        job, extractor = self._job, self._extractor
        account = Account()
        name = unit.file.name
        done = Done(unit.unit, name, unit.file.format)
        extractor.start_unit()
        held = reported = 0
        for record, episodes in read(unit.file, account, job.reading, unit.part):
            if reported < len(account.found):
                reported = self._report(account, name, reported)
            source = Source(name, record.line, record.byte)
            for episode in episodes:
                extractor.add(episode, source)
            held += len(record.data)
            if held >= job.part_bytes:
                self._flush(done)
                held = 0
        self._report(account, name, reported)
        self._flush(done)
        if not account.balanced():
            raise ContractError(
                f"records do not add up: {account.records} records, but {account.blank} blank + "
                f"{account.recognised} read + {account.lost} set aside",
                Place(name),
            )
        done.records, done.blank, done.lost = account.records, account.blank, account.lost
        done.incomplete = account.incomplete
        done.kinds = dict(account.kinds)
        done.reason = next((found.fault.message for found in account.found if found.lost), None)
        done.seconds = time.perf_counter() - started
        write_done(job.out, done)
        return done

    def _report(self, account: Account, name: str, reported: int) -> int:
        """Turn what the account took down since the last time into rows of problems."""
        found = account.found
        while reported < len(found):
            line, byte, fault, _ = found[reported]
            self._extractor.problem(Source(name, line, byte), fault)
            reported += 1
        return reported

    def _flush(self, done: Done) -> None:
        """Write the rows collected so far as one part a table."""
        out = self._job.out
        for table, rows in self._extractor.buffers.tables():
            names = done.parts.setdefault(table, [])
            names.append(f"{done.unit}-{len(names):03}.parquet")
            write_part(folder_of(out, table, table in HIDDEN) / names[-1], table, rows)
        self._extractor.start_part()


_worker: Worker | None = None


def start(job: Job) -> None:
    """Prepare this process for `work` (the initializer of a pool)."""
    global _worker
    os.environ["POLARS_MAX_THREADS"] = "1"  # should anything load it
    pa.set_cpu_count(1)
    _worker = Worker(job)
    gc.collect()
    gc.freeze()
    gc.disable()  # rows form no cycles; what little else does is collected after each unit


def work(unit: Unit) -> Done:
    """Return what became of a unit, in a process that `start` prepared."""
    if _worker is None:
        raise RuntimeError("the worker was not started")
    done = _worker.run(unit)
    gc.collect()
    return done
