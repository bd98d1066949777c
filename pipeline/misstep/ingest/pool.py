"""Where work is done: in this process, or in a pool of worker processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol, TypeVar

from misstep.contracts.errors import InputError
from misstep.ingest.parts import Done, Rewrite, rewrite
from misstep.ingest.units import Unit
from misstep.ingest.work import Job, Worker, start, work

R = TypeVar("R")


class Pool(Protocol):
    """Does work now or later; the result is taken from the future."""

    def work(self, unit: Unit) -> Future[Done]:
        """Return the future of what becomes of a unit."""
        ...

    def rewrite(self, part: Rewrite) -> Future[None]:
        """Return the future of a part written again."""
        ...


class Here:
    """Does the work in this process, at once."""

    def __init__(self, job: Job) -> None:
        self._worker = Worker(job)

    def work(self, unit: Unit) -> Future[Done]:
        """Return what became of a unit."""
        return _now(lambda: self._worker.run(unit))

    def rewrite(self, part: Rewrite) -> Future[None]:
        """Write a part again."""
        return _now(lambda: rewrite(part))


class Processes:
    """Does the work in other processes."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def work(self, unit: Unit) -> Future[Done]:
        """Return the future of what becomes of a unit."""
        with _no_script():
            return self._executor.submit(work, unit)

    def rewrite(self, part: Rewrite) -> Future[None]:
        """Return the future of a part written again."""
        with _no_script():
            return self._executor.submit(rewrite, part)


@contextmanager
def _no_script() -> Iterator[None]:
    """Keep workers that start now from running the user's script again: nothing of it is theirs to know."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _now(function: Callable[[], R]) -> Future[R]:
    future: Future[R] = Future()
    try:
        future.set_result(function())
    except Exception as error:  # handed on to whoever asks for the result
        future.set_exception(error)
    return future


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def pool(job: Job, workers: int) -> Iterator[Pool]:
    """Yield a pool of `workers` processes, or this process for one; work that was not begun is dropped on an error.

    Workers are forked from a server that has loaded the code and runs no threads.
    """
    if workers == 1:
        yield Here(job)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload(["misstep.ingest.work"])
        from multiprocessing import forkserver  # not there on every system

        forkserver.ensure_running()  # it loads the code while this process looks at the input
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=start, initargs=(job,))
    try:
        yield Processes(executor)
    except BrokenProcessPool as error:
        raise InputError(
            "a worker process was killed, probably for lack of memory; run again with --workers 1 "
            "(what was finished is kept)"
        ) from error
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
