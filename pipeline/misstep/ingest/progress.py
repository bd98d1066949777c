"""How far an ingest is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Protocol


class Progress(Protocol):
    """What `ingest` tells while it works."""

    def start(self, total: int) -> None:
        """Begin; there are about `total` bytes to read."""
        ...

    def advance(self, amount: int, file: str) -> None:
        """Say that `amount` more bytes of `file` are done."""
        ...

    def stop(self) -> None:
        """End, whether all went well or not."""
        ...


class Silent:
    """Tells nothing."""

    def start(self, total: int) -> None:
        """Do nothing."""

    def advance(self, amount: int, file: str) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class Bar:
    """A bar on standard error."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("reading traces", total=None)

    def start(self, total: int) -> None:
        """Show the bar."""
        self._bar.update(self._task, total=total)
        self._bar.start()

    def advance(self, amount: int, file: str) -> None:
        """Move the bar on."""
        self._bar.update(self._task, advance=amount, description=f"reading {file[-40:]}")

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()


class _Shown:
    """Runs a progress as a context."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total

    def __enter__(self) -> Progress:
        self._progress.start(self._total)
        return self._progress

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


def shown(progress: Progress, total: int) -> _Shown:
    """Return a context in which `progress` runs, and that stops it at the end."""
    return _Shown(progress, total)


def on_terminal(quiet: bool = False) -> Progress:
    """Return a bar where standard error is a terminal, else a progress that tells nothing."""
    return Bar() if sys.stderr.isatty() and not quiet else Silent()
