"""Reading and writing the tables of an output folder.

Tables of traces are several parts, `DIR/<table>/<part>.parquet`; the others are one: `DIR/spec/<name>.parquet` and
`DIR/<table>/part.parquet`. Where a manifest lists the parts of a table, only these are read.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache
from pathlib import Path

import dataframely as dy
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from misstep.contracts.errors import ContractError, InputError, Place
from misstep.contracts.tables import ALL
from misstep.storage.atomic import replacing, write_bytes
from misstep.storage.manifest import read_manifest

#: Key of the stamp in the metadata of a Parquet file.
STAMP = "misstep.stamp"
_ROWS_AT_ONCE = 20_000


def parts(folder: Path, table: str) -> list[Path]:
    """Return the Parquet files of a table, sorted; none where the table was not written."""
    if table.startswith("spec/"):
        path = folder / f"{table}.parquet"
        return [path] if path.is_file() else []
    manifest = read_manifest(folder)
    if manifest is not None and table in manifest.parts:
        return [folder / table / name for name in sorted(manifest.parts[table])]
    return sorted(path for path in (folder / table).glob("*.parquet") if not path.name.startswith("."))


def scan(folder: Path, table: str) -> pl.LazyFrame:
    """Return the rows of a table, in the columns and types of its contract; empty where it was not written.

    Raises:
        InputError: a file is missing, damaged or lacks a column of the contract.
    """
    schema = ALL[table]
    wanted = schema.create_empty().schema
    found = parts(folder, table)
    if not found:
        return schema.create_empty().lazy()
    try:
        stored = pl.read_parquet_schema(found[0])
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"table {table} cannot be read ({error}): run ingest again", Place(str(found[0]))) from error
    missing = [name for name in wanted if name not in stored]
    if missing:
        raise InputError(
            f"table {table} lacks {', '.join(missing)}: it was written by another version, run ingest again",
            Place(str(found[0])),
        )
    frame = pl.scan_parquet(found).select(list(wanted))
    return frame.with_columns(pl.col(name).cast(kind) for name, kind in wanted.items() if stored[name] != kind)


def write(folder: Path, table: str, frame: pl.DataFrame | pl.LazyFrame, *, stamp: str | None = None) -> Path:
    """Return the path of a table that was written as one part, after checking it against its contract.

    Args:
        folder: The output folder.
        table: A name of `contracts.tables.ALL`.
        frame: The rows; columns in any order, no others than the contract's.
        stamp: What the table was made from; `read_stamp` returns it.

    Raises:
        ContractError: the frame breaks the contract of the table.
    """
    path = _place(folder, table)
    with replacing(path) as temporary:
        _encode(table, frame, temporary, stamp)
    return path


def packed(table: str, frame: pl.DataFrame | pl.LazyFrame, *, stamp: str | None = None) -> bytes:
    """Return the content of the file that `write` writes; `put` puts it in its place.

    Raises:
        ContractError: the frame breaks the contract of the table.
    """
    content = io.BytesIO()
    _encode(table, frame, content, stamp)
    return content.getvalue()


def put(folder: Path, table: str, content: bytes) -> Path:
    """Return the path of a table, written as one part, whose content `packed` returned."""
    path = _place(folder, table)
    write_bytes(path, content)
    return path


def _place(folder: Path, table: str) -> Path:
    return folder / f"{table}.parquet" if table.startswith("spec/") else folder / table / "part.parquet"


def _encode(table: str, frame: pl.DataFrame | pl.LazyFrame, target: Path | io.BytesIO, stamp: str | None) -> None:
    checked = _checked(table, frame)
    checked.write_parquet(target, compression="zstd", compression_level=1, metadata={STAMP: stamp or ""})


def _checked(table: str, frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    schema = ALL[table]
    eager = frame.lazy().collect()
    extra = sorted(set(eager.columns) - set(schema.column_names()))
    if extra:
        raise ContractError(f"table {table} has columns that its contract does not know: {', '.join(extra)}")
    try:
        return schema.validate(eager, cast=True)
    except (dy.exc.SchemaError, dy.exc.ValidationError, pl.exceptions.PolarsError) as error:
        raise ContractError(f"table {table} breaks its contract: {error}") from error


def digest(folder: Path, table: str) -> str:
    """Return a SHA-256 of the rows of a table that does not depend on their order, nor on how parts are cut."""
    frame = scan(folder, table)
    hashes: list[bytes] = []
    for batch in frame.collect_batches(chunk_size=_ROWS_AT_ONCE):
        lines = batch.write_ndjson().encode().split(b"\n")
        hashes.extend(hashlib.blake2b(line, digest_size=16).digest() for line in lines if line)
    total = hashlib.sha256(",".join(ALL[table].column_names()).encode())
    for row in sorted(hashes):
        total.update(row)
    return total.hexdigest()


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow schema under which Polars finds the contract's own types in a Parquet file."""
    empty = io.BytesIO()
    ALL[table].create_empty().write_parquet(empty)
    return pq.read_schema(empty)
