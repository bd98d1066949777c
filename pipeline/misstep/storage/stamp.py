"""Stamps: short texts that change when something changes that a table depends on."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import polars as pl

import misstep
from misstep.storage.manifest import MANIFEST
from misstep.storage.parquet import STAMP, parts

#: Packages whose code decides what the tables of traces hold.
_INGESTING = ("contracts", "specs", "ingest", "storage")


@cache
def code_stamp(*packages: str) -> str:
    """Return a hash of the sources of `packages` of misstep (default: those that make the tables of traces)."""
    root = Path(misstep.__file__).parent
    hasher = hashlib.sha256(misstep.__version__.encode())
    for package in packages or _INGESTING:
        for path in sorted((root / package).rglob("*.py")):
            hasher.update(path.relative_to(root).as_posix().encode() + b"\0")
            hasher.update(path.read_bytes())
    return hasher.hexdigest()[:32]


def read_stamp(folder: Path, table: str) -> str | None:
    """Return the stamp that `write` was given for a table, or None where the table or the stamp is missing."""
    found = parts(folder, table)
    return pl.read_parquet_metadata(found[0]).get(STAMP) if found else None


def tables_stamp(folder: Path) -> str:
    """Return a hash of what labels are made from: the ingested tables of a folder and the sources of the stages."""
    content = (folder / MANIFEST).read_bytes() if (folder / MANIFEST).is_file() else b""
    return hashlib.sha256(content + code_stamp("contracts", "label").encode()).hexdigest()[:32]
