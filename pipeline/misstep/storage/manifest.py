"""`manifest.json`: which parts make up the tables of a folder, and what they were made from.

It is written last. A folder whose manifest is there holds complete tables, whatever other files lie beside them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from misstep.contracts.errors import InputError, Place
from misstep.storage.atomic import write_bytes

MANIFEST = "manifest.json"
SCHEMA = "misstep.tables/1"


class Manifest(msgspec.Struct, rename={"schema_": "schema"}):
    """What `ingest` made of its input.

    `stamp` stands for everything the tables depend on: input, suite, options and code. `parts` are file names by
    table. `report` is what `ingest` told the user, so that a run with nothing to do can tell it again.
    """

    stamp: str
    suite: str
    suite_stamp: str
    version: str
    options: dict[str, Any] = {}
    parts: dict[str, list[str]] = {}
    report: dict[str, Any] = {}
    schema_: str = SCHEMA


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder, or None where there is none.

    Raises:
        InputError: the file is damaged or of another version.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a manifest of misstep tables: {error}", Place(str(path))) from error
    if manifest.schema_ != SCHEMA:
        raise InputError(
            f"the tables are {manifest.schema_}; this version reads {SCHEMA}: run ingest again", Place(str(path))
        )
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put the manifest of a folder in place; from now on its parts are the tables."""
    write_bytes(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1) + b"\n")
