"""Files that are either there as a whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Ending of files that are being written; a name that ends so is never read.
UNFINISHED = ".unfinished"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that takes its place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what killed runs left unfinished in a folder and the folders in it; only one run writes there."""
    for path in folder.glob(f"**/.*{UNFINISHED}*"):
        path.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Put `content` at `path`; an older file stays intact until the new one is complete."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
