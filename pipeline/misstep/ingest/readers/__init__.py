"""The formats that can be read, one module each, and the choice between them."""

from __future__ import annotations

from collections.abc import Mapping

from misstep.contracts.errors import UsageError
from misstep.ingest.readers import agentdojo, misstep_trace, openai_messages, safeact, tau2_bench, tau_bench, workbench
from misstep.ingest.readers.reader import Origin, Reader, Sample

__all__ = ["READERS", "Origin", "Reader", "Sample", "choose", "looks_like"]

#: Readers by name, in the order in which they are asked: the plainest format last.
READERS: Mapping[str, Reader] = {
    reader.name: reader
    for reader in (
        misstep_trace.READER,
        tau_bench.READER,
        tau2_bench.READER,
        agentdojo.READER,
        workbench.READER,
        safeact.READER,
        openai_messages.READER,
    )
}


def choose(sample: Sample, forced: str | None = None, *, fitting: bool = False) -> Reader | None:
    """Return the reader of a file that starts like this.

    `forced` names one that goes before all others: whatever the file looks like, or only if it fits (`fitting`).

    Raises:
        UsageError: there is no reader of that name.
    """
    if forced is not None:
        if forced.replace("-", "_") not in READERS:
            raise UsageError(f"there is no format {forced!r}; the formats are {', '.join(READERS)}")
        reader = READERS[forced.replace("-", "_")]
        if not fitting or reader.detect(sample):
            return reader
    return next((reader for reader in READERS.values() if reader.detect(sample)), None)


def looks_like(sample: Sample) -> str:
    """Return in words what a file is that no reader recognises."""
    what = {
        "lines": "lines of JSON objects",
        "array": "a JSON array of objects",
        "document": "a pretty-printed object",
        "rows": "text or a table",
    }[sample.container]
    keys = sorted(sample.keys[0]) if sample.keys else []
    names = "columns" if sample.container == "rows" else "keys"
    shown = ", ".join(keys[:12]) + (", …" if len(keys) > 12 else "")
    said = f"looks like {what}" + (f" with {names} {shown}" if keys else "")
    if sample.kinds:
        said += f", of the kinds {', '.join(sample.kinds)}"
    if sample.has("schema_version"):
        said += "; its schema_version may be newer than this version of misstep: upgrade it, or export as version 1"
    return said
