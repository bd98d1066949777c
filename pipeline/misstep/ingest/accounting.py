"""The accounting law, and the limits below which an input is not worth believing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from misstep.contracts.errors import ContractError, InputError, Place
from misstep.ingest.parts import Done
from misstep.ingest.report import FileReport

_RECORD = ("source_file", "source_line", "source_byte")


def account(name: str, size: int, units: Sequence[Done], identity: pl.DataFrame) -> FileReport:
    """Return the account of a file, from what became of its units and of its episodes.

    Args:
        name: the file.
        size: its bytes on disk.
        units: what became of its units.
        identity: its rows of `identity`, with `aside` for episodes that were set aside later.

    Raises:
        ContractError: records do not add up.
    """
    records, blank, lost = (sum(getattr(done, field) for done in units) for field in ("records", "blank", "lost"))
    read = identity.group_by(_RECORD).agg(pl.col("aside").all().alias("aside"))
    aside = int(read["aside"].sum())
    kept = identity.filter(~pl.col("aside"))
    calls, unknown = int(kept["calls"].sum()), int(kept["unknown"].sum())
    report = FileReport(
        file=name,
        format=next((done.format for done in units if done.format), None),
        bytes=size,
        records=records,
        blank=blank,
        episodes=records - blank - lost - aside,
        problems=lost + aside,
        calls=calls,
        classified=calls - unknown,
        unknown=unknown,
        incomplete=any(done.incomplete for done in units),
        seconds=sum(done.seconds for done in units),
    )
    if report.episodes != read.height - aside:
        raise ContractError(
            f"{read.height} records were read as episodes, but only {report.episodes} add up", Place(name)
        )
    return report


def check_tables(out: Path, parts: Mapping[str, Sequence[str]], files: Sequence[FileReport], episodes: int) -> None:
    """Check that the tables hold what the accounts say.

    Raises:
        ContractError: they do not.
    """
    rows = {
        table: sum(pq.read_metadata(out / table / name).num_rows for name in parts.get(table, []))
        for table in ("episodes", "calls")
    }
    told = {"episodes": episodes, "calls": sum(file.calls for file in files)}
    if rows != told:
        raise ContractError(f"the tables hold {rows}, but the input has {told}")
    unknown = 0
    if paths := [out / "calls" / name for name in parts.get("calls", [])]:
        unknown = int(pl.scan_parquet(paths).select((pl.col("kind") == "unknown").sum()).collect().item())
    if unknown != sum(file.unknown for file in files):
        raise ContractError(f"{unknown} calls are of unknown tools, but the accounts say otherwise")


def check_recognised(files: Sequence[FileReport], units: Mapping[str, Sequence[Done]]) -> None:
    """Check that something was recognised: in the whole input, and in every file of a known format that holds records.

    Raises:
        InputError: nothing was recognised; the message names what was there instead.
    """
    for file in files:
        held = file.records - file.blank
        if file.format is None or not held or held > sum(done.lost for done in units[file.file]):
            continue
        kinds = sum((Counter(done.kinds) for done in units[file.file]), Counter[str]())
        reasons = [done.reason for done in units[file.file] if done.reason]
        seen = ", ".join(f"{kind} ({count:,})" for kind, count in sorted(kinds.items()))
        told = f"; it holds records of these kinds: {seen}" if seen else ""
        message = f"none of the {held:,} records is an episode of the format {file.format}{told}"
        message += f"; the first: {reasons[0]}" if reasons else ""
        raise InputError(message, Place(file.file))
    if not any(file.episodes for file in files):
        named = ", ".join(file.file for file in files[:3]) + (", …" if len(files) > 3 else "")
        raise InputError(f"no episode was recognised in the whole input ({named})")


def check_known(files: Sequence[FileReport], limit: float) -> None:
    """Check that not too many calls are of tools that the tools file does not declare.

    Raises:
        InputError: their share is above `limit`.
    """
    calls, unknown = sum(file.calls for file in files), sum(file.unknown for file in files)
    if calls and unknown / calls > limit:
        raise InputError(
            f"{unknown:,} of {calls:,} calls ({unknown / calls:.0%}) are of tools that the tools file lacks; "
            f"unknown_tool_limit is {limit:.0%}: is it the right suite?"
        )
