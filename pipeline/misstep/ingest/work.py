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
from misstep.contracts.problems import DAMAGE
from misstep.contracts.suite import Task
from misstep.contracts.tools import ToolsFile
from misstep.ingest.buffers import HIDDEN
from misstep.ingest.extract import Extractor, Source
from misstep.ingest.files import Options, read
from misstep.ingest.identity import TaskNames
from misstep.ingest.parts import Done, Told, folder_of, write_done, write_part
from misstep.ingest.records import Account
from misstep.ingest.units import Slice, Unit
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
        done = Done(unit.unit)
        self._extractor.start_unit()
        held = 0
        for one in unit.slices:
            held = self._read(one, done, held)
        started = time.perf_counter()
        self._flush(done)
        pace = (time.perf_counter() - started) / (unit.size or 1)  # seconds a byte
        for told, one in zip(done.files, unit.slices, strict=True):
            told.seconds += pace * one.size
        write_done(self._job.out, done)
        return done

    def _read(self, one: Slice, done: Done, held: int) -> int:
        """Read a slice of a unit; `held`, which is returned, are the bytes whose rows are not written yet."""
        started = time.perf_counter()
        account = Account()
        name = one.file.name
        reported = 0
        for record, episodes in read(one.file, account, self._job.reading, one.part):
            if reported < len(account.found):
                reported = self._report(account, name, reported)
            source = Source(name, record.line, record.byte)
            for episode in episodes:
                self._extractor.add(episode, source)
            held += len(record.data)
            if held >= self._job.part_bytes:
                self._flush(done)
                held = 0
        self._report(account, name, reported)
        if not account.balanced():
            raise ContractError(
                f"records do not add up: {account.records} records, but {account.blank} blank + "
                f"{account.recognised} read + {account.lost} set aside",
                Place(name),
            )
        lost = [found.fault for found in account.found if found.lost]
        done.files.append(
            Told(
                name,
                one.file.format,
                records=account.records,
                blank=account.blank,
                lost=account.lost,
                damaged=sum(fault.code in DAMAGE for fault in lost),
                incomplete=account.incomplete,
                seconds=time.perf_counter() - started,
                kinds=dict(account.kinds),
                reason=lost[0].message if lost else None,
            )
        )
        return held

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
