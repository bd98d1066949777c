"""The accounting law, and the limits below which an input is not worth believing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow.parquet as pq

from misstep.contracts.errors import ContractError, InputError, Place
from misstep.ingest.parts import Told
from misstep.ingest.report import FileReport

_RECORD = ("source_file", "source_line", "source_byte")


class Counted(NamedTuple):
    """Records of a file that were read as episodes, those of them set aside later, and the calls that are left."""

    read: int = 0
    aside: int = 0
    calls: int = 0
    unknown: int = 0


def counted(identity: pl.DataFrame) -> dict[str, Counted]:
    """Return the counts of every file, from the rows of `identity` with `aside` for episodes that were set aside."""
    left = [pl.col(name).filter(~pl.col("aside")).sum() for name in ("calls", "unknown")]
    found = (
        identity.group_by(_RECORD)
        .agg(pl.col("aside").all(), *left)
        .group_by("source_file")
        .agg(pl.len().alias("read"), pl.col("aside", "calls", "unknown").sum())
    )
    return {
        row["source_file"]: Counted(row["read"], row["aside"], row["calls"], row["unknown"])
        for row in found.iter_rows(named=True)
    }


def account(name: str, size: int, told: Sequence[Told], count: Counted) -> FileReport:
    """Return the account of a file, from what became of its records and of its episodes.

    Args:
        name: the file.
        size: its bytes on disk.
        told: what became of its ranges.
        count: what its episodes came to.

    Raises:
        ContractError: records do not add up.
    """
    records, blank, lost = (sum(getattr(one, field) for one in told) for field in ("records", "blank", "lost"))
    report = FileReport(
        file=name,
        format=next((one.format for one in told if one.format), None),
        bytes=size,
        records=records,
        blank=blank,
        episodes=records - blank - lost - count.aside,
        problems=lost + count.aside,
        calls=count.calls,
        classified=count.calls - count.unknown,
        unknown=count.unknown,
        incomplete=any(one.incomplete for one in told),
        seconds=sum(one.seconds for one in told),
    )
    if report.episodes != count.read - count.aside:
        raise ContractError(
            f"{count.read} records were read as episodes, but only {report.episodes} add up", Place(name)
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


def check_recognised(files: Sequence[FileReport], told: Mapping[str, Sequence[Told]]) -> None:
    """Check that something was recognised: in the whole input, and in every file that holds whole records.

    A file that is damaged from end to end is a problem of its own; one whose records are whole, but none of the format
    they were taken for, means that the format is another one by now.

    Raises:
        InputError: nothing was recognised; the message names what was there instead.
    """
    for file in files:
        ranges = told.get(file.file, ())
        held = file.records - file.blank
        lost, damaged = sum(one.lost for one in ranges), sum(one.damaged for one in ranges)
        if file.format is None or held > lost or lost == damaged:
            continue
        kinds = sum((Counter(one.kinds) for one in ranges), Counter[str]())
        reasons = [one.reason for one in ranges if one.reason]
        seen = ", ".join(f"{kind} ({count:,})" for kind, count in sorted(kinds.items()))
        message = f"none of the {held:,} records is an episode of the format {file.format}"
        message += f"; it holds records of these kinds: {seen}" if seen else ""
        message += f"; the first: {reasons[0]}" if reasons else ""
        raise InputError(message, Place(file.file))
    if not any(file.episodes for file in files):
        named = ", ".join(file.file for file in files[:3]) + (", …" if len(files) > 3 else "")
        reasons = [one.reason for ranges in told.values() for one in ranges if one.reason]
        why = f": {reasons[0]}" if reasons else ""
        raise InputError(f"no episode was recognised in the whole input ({named}){why}")


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
