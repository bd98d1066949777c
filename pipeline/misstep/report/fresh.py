"""Whether a report is that of its input: sizes and times first, contents only where those differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from os.path import relpath
from pathlib import Path
from typing import Any

import msgspec

import misstep
from misstep.storage.atomic import write_bytes
from misstep.storage.names import path_of, shown_name

STAMP = "stamp.json"
#: Packages whose version may change a report.
PACKAGES = (
    "misstep", "altair", "duckdb", "jinja2", "msgspec", "numpy", "polars", "pyarrow", "pydantic", "scipy",
    "vl-convert-python",
)  # fmt: skip


class FileStamp(msgspec.Struct):
    """A file as it was: size, time of the last change, SHA-256 of its content."""

    size: int
    changed: int
    sha256: str


class Stamp(msgspec.Struct):
    """What a report was made from and what it consists of; paths are relative to its folder."""

    key: str
    inputs: dict[str, FileStamp]
    outputs: dict[str, FileStamp]
    told: dict[str, Any] = {}


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that a report depends on."""
    return {name: version(name) for name in PACKAGES if name != "misstep"} | {"misstep": misstep.__version__}


@cache
def code() -> str:
    """Return a hash of all of misstep's own files: sources and templates."""
    root = Path(misstep.__file__).parent
    hasher = hashlib.sha256()
    for path in sorted(path for ending in ("py", "j2", "css", "js") for path in root.rglob(f"*.{ending}")):
        hasher.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def key(asked: Mapping[str, Any]) -> str:
    """Return a hash of the code, the packages and what was asked for."""
    told = {"code": code(), "versions": versions(), "asked": asked}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def read_stamp(folder: Path) -> Stamp | None:
    """Return the stamp of a report, or None where there is none that can be read."""
    try:
        return msgspec.json.decode((folder / STAMP).read_bytes(), type=Stamp)
    except (OSError, msgspec.DecodeError):
        return None


def write_stamp(
    folder: Path, made_of: str, inputs: Iterable[Path], outputs: Iterable[Path], told: dict[str, Any]
) -> None:
    """Write the stamp of a report, its last file."""
    stamp = Stamp(made_of, _stamps(folder, inputs), _stamps(folder, outputs), told)
    write_bytes(folder / STAMP, msgspec.json.format(msgspec.json.encode(stamp, order="sorted"), indent=1) + b"\n")


def is_fresh(folder: Path, stamp: Stamp | None, made_of: str) -> bool:
    """Return whether code, options, input and output are those of the stamp."""
    if stamp is None or stamp.key != made_of:
        return False
    files = (*stamp.inputs.items(), *stamp.outputs.items())
    return all(_same(path_of(str(folder / name)), known) for name, known in files)


def _same(path: Path, known: FileStamp) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    if found.st_size != known.size:
        return False
    return found.st_mtime_ns == known.changed or sha256(path) == known.sha256


def _stamps(folder: Path, paths: Iterable[Path]) -> dict[str, FileStamp]:
    made = {}
    for path in paths:
        found = path.stat()
        made[shown_name(Path(relpath(path, folder)))] = FileStamp(found.st_size, found.st_mtime_ns, sha256(path))
    return made


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
