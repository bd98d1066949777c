"""Episodes read once more, to compare what happened in those that share a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from misstep.contracts.trace import Episode
from misstep.ingest.files import TraceFile, read
from misstep.ingest.identity import content_hash
from misstep.ingest.records import Account, Range, Record
from misstep.ingest.survey import Survey, Surveyed

#: Where a record stands: line and byte.
Place = tuple[int | None, int | None]


def contents_of(rows: pl.DataFrame, survey: Survey) -> list[str]:
    """Return a hash of what happened in each of the episodes (rows of `identity`), in their order.

    Episodes of one record are told apart by their task; if that does not do it, they count as different.
    """
    files = {file.name: file for file in survey.files}
    wanted: dict[str, set[Place]] = defaultdict(set)
    for name, line, byte in rows.select("source_file", "source_line", "source_byte").iter_rows():
        wanted[name].add((line, byte))
    found: dict[tuple[str, Place, str], list[str]] = {}
    for name, places in wanted.items():
        for record, episodes in _read(files[name], places, survey):
            for episode in episodes:
                key = (name, (record.line, record.byte), episode.recorded_task_id or episode.task_id)
                found.setdefault(key, []).append(content_hash(episode))
    return [
        "\n".join(found[row["source_file"], (row["source_line"], row["source_byte"]), row["recorded_task_id"]])
        for row in rows.iter_rows(named=True)
    ]


def _read(file: Surveyed, places: set[Place], survey: Survey) -> Iterator[tuple[Record, list[Episode]]]:
    trace = file.trace
    assert trace is not None
    for part in _ranges(trace, places) if file.ranges else [None]:
        for record, episodes in read(trace, Account(), survey.options, part):
            if (record.line, record.byte) in places:
                yield record, episodes


def _ranges(trace: TraceFile, places: set[Place]) -> Iterator[Range]:
    """Yield the ranges of single lines of a line file."""
    with trace.path.open("rb") as file:
        for line, byte in sorted(places, key=str):
            file.seek(byte or 0)
            end = (byte or 0) + len(file.readline())
            yield Range(byte or 0, end, line or 1)
