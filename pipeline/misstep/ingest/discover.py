"""Paths that a user gives → the files to read, in an order that does not depend on how they were given."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from misstep.contracts.errors import InputError, Place
from misstep.storage.names import shown_name

#: Names of trace files that a folder is searched for; compressed ones may add .gz or .zst.
ENDINGS = (".jsonl", ".ndjson", ".json", ".csv")
#: Endings that compressed files add.
PACKED = (".gz", ".gzip", ".zst", ".zstd")
#: What lies beside traces and never is one (tables of misstep too): told by folder and kind, not one by one.
_COMPANIONS = (".md", ".rst", ".html", ".pdf", ".ipynb", ".yaml", ".yml", ".toml", ".cff", ".lock", ".py", ".sh", ".js",
               ".css", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp", ".parquet", ".duckdb")  # fmt: skip


class InputFile(NamedTuple):
    """A file to read: its name in the tables, whether the user named it (and not just a folder it is in), its bytes."""

    path: Path
    name: str
    named: bool
    size: int


class Left(NamedTuple):
    """What is not read, and why: the name of a file, or of a folder that holds such files."""

    name: str
    message: str


@dataclass
class Discovered:
    """The files to read and what is left out, each sorted by name."""

    files: list[InputFile] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)


def discover(paths: Iterable[Path], apart: Path | None = None) -> Discovered:
    """Return the files behind `paths`, each once.

    Args:
        paths: Files, or folders that are searched; links to folders are not followed.
        apart: A folder that is not searched where it lies in one of them (it holds tables).

    Raises:
        InputError: a path does not exist, or there is no file at all.
    """
    found: dict[str, InputFile] = {}
    left: dict[str, Left] = {}
    given = list(paths)
    for path in given:
        name = shown_name(path)
        if path.is_dir():
            for one in _search(path, apart):
                if isinstance(one, Left):
                    left[one.name] = one
                else:
                    found.setdefault(one.name, one)
        elif path.is_file():
            found[name] = InputFile(path, name, named=True, size=path.stat().st_size)
        else:
            raise InputError("there is no such file or folder", Place(name))
    if not found:
        named = ", ".join(map(shown_name, given)) or "no path"
        also = f"; left out {', '.join(sorted(left)[:3])}" + (", …" if len(left) > 3 else "") if left else ""
        raise InputError(f"no trace files in {named} (looked for {', '.join(ENDINGS)}, also compressed){also}")
    kept = [left[name] for name in sorted(left) if name not in found]
    return Discovered([found[name] for name in sorted(found)], kept)


def _search(top: Path, apart: Path | None) -> Iterator[InputFile | Left]:
    """Yield what a folder and the folders in it hold."""
    without = None if apart is None else apart.resolve()
    unreadable: list[Left] = []

    def refuse(error: OSError) -> None:
        unreadable.append(Left(shown_name(Path(str(error.filename))), f"the folder cannot be read: {error.strerror}"))

    for folder, folders, names in os.walk(top, onerror=refuse):
        here = Path(folder)
        companions = Counter("hidden" for name in folders if name.startswith("."))
        for name in folders:
            if not name.startswith(".") and (here / name).is_symlink():
                yield Left(shown_name(here / name), "it is a link to a folder, which is not followed")
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and (without is None or (here / name).resolve() != without)
        ]
        for name in names:
            ending = os.path.splitext(name)[1].lower()
            if name.startswith("."):
                companions["hidden"] += 1
            elif ending in _COMPANIONS:
                companions[ending] += 1
            else:
                yield _looked_at(here / name)
        if companions:
            kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(companions.items()))
            yield Left(shown_name(here), f"what is no trace by its name was left out ({kinds})")
    yield from unreadable


def _looked_at(path: Path) -> InputFile | Left:
    """Return a file of a folder, or why it is not read."""
    name = shown_name(path)
    try:
        found = path.stat()
    except OSError as error:
        return Left(name, f"it cannot be read: {error.strerror}")
    if not stat.S_ISREG(found.st_mode):
        return Left(name, "it is no file")
    if not is_trace_name(path.name):
        return Left(name, f"its name has none of the endings {', '.join(ENDINGS)} (also .gz, .zst); name it to read it")
    return InputFile(path, name, named=False, size=found.st_size)


def is_trace_name(name: str) -> bool:
    """Return whether a file in a folder is taken for a trace file by its name."""
    lower = name.lower()
    for packed in PACKED:
        lower = lower.removesuffix(packed)
    return lower.endswith(ENDINGS)
