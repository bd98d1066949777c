"""`run_study`: a study file → a report, or the word that there is nothing to do."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from os.path import relpath
from pathlib import Path
from typing import Any, Protocol

from misstep.ingest.discover import discover
from misstep.ingest.progress import Progress, Silent
from misstep.report import fresh
from misstep.report.traces import trace_paths
from misstep.report.written import StudyFile, load_study

INDEX = "index.html"


class Steps(Protocol):
    """What `run_study` tells while it works."""

    def step(self, text: str) -> None:
        """Say what is done next."""
        ...

    def reading(self) -> Progress:
        """Return what is told how far the reading of traces is."""
        ...


class Unseen:
    """Tells nothing."""

    def step(self, text: str) -> None:
        """Do nothing."""

    def reading(self) -> Progress:
        """Return a progress that tells nothing."""
        return Silent()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a study.

    Attributes:
        study: its name.
        folder: of the report.
        unchanged: whether there was nothing to do.
        told: counts and notes, as plain values.
        seconds: how long each step took.
    """

    study: str
    folder: Path
    unchanged: bool
    told: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def index(self) -> Path:
        """The page."""
        return self.folder / INDEX

    def lines(self) -> list[str]:
        """Return the result as lines of text."""
        if self.unchanged:
            return [f"{self.folder}: nothing to do, the report is that of this input"]
        lines = list(self.told["files"])
        lines += [f"note: {note}" for note in self.told["notes"]]
        spent = ", ".join(f"{name} {taken:.1f} s" for name, taken in self.seconds.items())
        told = self.told
        lines.append(
            f"{self.folder}: {told['episodes']:,} episodes of {told['configurations']} configurations, "
            f"{told['figures']} figures, {told['tables']} tables ({spent})"
        )
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "study": self.study,
            "folder": str(self.folder),
            "index": str(self.index),
            "unchanged": self.unchanged,
            "seconds": {name: round(taken, 3) for name, taken in self.seconds.items()},
            **self.told,
        }


def default_folder(file: StudyFile) -> Path:
    """Return where the report of a study goes: `reports/<name>` beside the `data/` that it lies in."""
    return Path(relpath(file.root / "reports" / file.study.name))


def run_study(
    path: Path, out: Path | None = None, *, progress: Steps | None = None, workers: int | None = None
) -> Result:
    """Return what became of a study: its report is in `out` then.

    Files are put in place one by one, each complete; the stamp that calls the report fresh comes last. A run that was
    killed is made good by the next one.

    Args:
        path: of the study file.
        out: folder of the report (default: `default_folder`).
        progress: told what is done.
        workers: processes for reading traces.

    Raises:
        SpecificationError: the study or a suite is wrong.
        InputError: the traces cannot be read.
    """
    file = load_study(path)
    folder = out if out is not None else default_folder(file)
    made_of = fresh.key({"study": file.study.model_dump(mode="json"), "traces": _trace_files(file)})
    known = fresh.read_stamp(folder)
    if fresh.is_fresh(folder, known, made_of) and known is not None:
        return Result(file.study.name, folder, unchanged=True, told=known.told)

    from misstep.report.make import make  # heavy, and not needed where there is nothing to do

    (folder / fresh.STAMP).unlink(missing_ok=True)
    started = time.perf_counter()
    made = make(file, folder, progress or Unseen(), workers)
    for name in sorted(
        set(known.outputs if known is not None else {}) - {relpath(one, folder) for one in made.outputs}
    ):
        (folder / name).unlink(missing_ok=True)
    fresh.write_stamp(folder, made_of, made.inputs, made.outputs, made.told)
    return Result(
        file.study.name, folder, unchanged=False, told=made.told,
        seconds=made.seconds | {"in all": time.perf_counter() - started},
    )  # fmt: skip


def _trace_files(file: StudyFile) -> list[list[str]]:
    """Return the trace files of every source, as they are seen from the study."""
    return [
        [Path(relpath(found.path, file.base)).as_posix() for found in discover(trace_paths(file, place)).files]
        for place in range(len(file.study.sources))
    ]
