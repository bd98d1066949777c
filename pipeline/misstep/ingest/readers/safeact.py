"""Runs of SafeActBench: batches of raw outputs and traces, and interactive cases, read as a folder.

Each episode is read from one file: a raw output, else a trace, else the summary of its run; a result, else what says
which case a folder is about. Whatever else lies in the folder holds no record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from misstep.contracts.trace import Episode
from misstep.ingest.decode import Decoder
from misstep.ingest.readers.reader import Origin, Sample, name_itself
from misstep.ingest.readers.safeact_batch import failed_case, failed_trace, raw_output
from misstep.ingest.readers.safeact_interactive import CONFIG, JOURNAL, METADATA, RESULT, result, unfinished
from misstep.ingest.readers.safeact_run import (
    KEYS,
    RAW,
    TRACES,
    carrier,
    failed_cases,
    first_trace,
    kind_of,
    loaded,
    place_of,
)
from misstep.ingest.readers.schema import check_version
from misstep.ingest.records import Record

_keys = msgspec.json.Decoder(dict[str, msgspec.Raw])
_object = Decoder(dict[str, Any])


class SafeAct:
    """Files with the keys of a run's files."""

    name = "safeact"

    def detect(self, sample: Sample) -> bool:
        """Return whether the first records have the keys of a file of a run."""
        return sample.container in ("document", "lines") and any(
            sample.has(*names) for sets in KEYS.values() for names in sets
        )

    def companions(self, file: Path) -> Sequence[Path]:
        """Return the files of the same case, or of the whole run where the file tells of it."""
        place = place_of(file)
        if place is not None and place.kind in (RAW, TRACES):
            return (place.other(TRACES if place.kind == RAW else RAW), place.run / "summary.json")
        if file.name == "summary.json":
            others = [path for failure in failed_cases(loaded(file)) for path in carrier(file.parent, failure)]
            trace = first_trace(file.parent)
            return others if trace is None else [*others, trace]
        if file.name in (RESULT, METADATA):
            return [file.parent / name for name in (RESULT, METADATA, CONFIG, JOURNAL) if name != file.name]
        return ()

    def members(self, document: Record, origin: Origin) -> Sequence[tuple[Record, Origin]]:
        """Return the document where it carries episodes, the failures that a summary alone tells of, else nothing."""
        try:
            kind = kind_of(_keys.decode(document.data))
        except (msgspec.MsgspecError, RecursionError):
            kind = None
        if kind == "summary":
            return list(_failures(document, origin))
        place = place_of(origin.file)
        if kind == "trace" and place is not None and place.other(RAW).is_file():
            return []
        if kind == "metadata" and origin.file is not None and (origin.file.parent / RESULT).is_file():
            return []
        return [] if kind == "beside" else [(document, origin.within(kind))]

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a record.

        Raises:
            InputError: an execution record is of a newer major version.
        """
        if isinstance(origin.context, dict):
            yield failed_case(origin.context, origin)
            return
        faults: list[Any] = []
        document = _object.decode(record.data, faults, strict=origin.strict_json)
        readers = {
            "record": raw_output,
            "decision": raw_output,
            "trace": failed_trace,
            "result": result,
            "metadata": unfinished,
        }
        if origin.context not in readers:
            raise name_itself("the record has the keys of no file of a run")
        if origin.context == "record":
            check_version(document.get("schema_version"), origin, record)
        episode = readers[origin.context](document, origin)
        episode.faults[:0] = faults
        yield episode


def _failures(document: Record, origin: Origin) -> Iterator[tuple[Record, Origin]]:
    """Yield the failed cases of a summary that no other file of the run tells of."""
    summary = _object.decode(document.data, [])
    for number, failure in enumerate(failed_cases(summary), 1):
        told = origin.file is not None and any(path.is_file() for path in carrier(origin.file.parent, failure))
        if not told:
            data = msgspec.json.encode(failure)
            yield document._replace(line=number, data=data), origin.within(failure)


READER = SafeAct()
