"""Paths that a user gives → the files to read, in an order that does not depend on how they were given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from misstep.contracts.errors import InputError, Place

#: Names of trace files that a folder is searched for; compressed ones may add .gz or .zst.
ENDINGS = (".jsonl", ".ndjson", ".json", ".csv")
_PACKED = (".gz", ".gzip", ".zst", ".zstd")


class InputFile(NamedTuple):
    """A file to read: its name in the tables, and whether the user named it (and not just a folder it is in)."""

    path: Path
    name: str
    named: bool


def discover(paths: Iterable[Path]) -> list[InputFile]:
    """Return the files behind `paths`, sorted by name, each once; hidden files of folders are left out.

    Raises:
        InputError: a path does not exist, or there is no file at all.
    """
    found: dict[str, InputFile] = {}
    given = list(paths)
    for path in given:
        if path.is_dir():
            for inner in path.rglob("*"):
                visible = not any(part.startswith(".") for part in inner.relative_to(path).parts)
                if visible and is_trace_name(inner.name) and inner.is_file():
                    found.setdefault(inner.as_posix(), InputFile(inner, inner.as_posix(), named=False))
        elif path.is_file():
            found[path.as_posix()] = InputFile(path, path.as_posix(), named=True)
        else:
            raise InputError("there is no such file or folder", Place(str(path)))
    if not found:
        named = ", ".join(map(str, given)) or "no path"
        raise InputError(f"no trace files in {named} (looked for {', '.join(ENDINGS)}, also compressed)")
    return [found[name] for name in sorted(found)]


def is_trace_name(name: str) -> bool:
    """Return whether a file in a folder is taken for a trace file by its name."""
    lower = name.lower()
    for packed in _PACKED:
        lower = lower.removesuffix(packed)
    return lower.endswith(ENDINGS)
