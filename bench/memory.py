"""Peak memory of a process and everything it started, by looking at it while it runs (Linux)."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

_EVERY = 0.02


def run(command: list[str]) -> tuple[str, int]:
    """Return what a command printed, and the most memory (sum of resident sets, bytes) that it had with its children.

    Raises:
        CalledProcessError: the command failed.
    """
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            peak = max(peak, sum(_resident(pid) for pid in _family(process.pid)))
            time.sleep(_EVERY)
        assert process.stdout is not None
        output = process.stdout.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return output, peak


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = children.read_text().split()
        except OSError:
            continue
        for child in found:
            yield from _family(int(child))


def _resident(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
