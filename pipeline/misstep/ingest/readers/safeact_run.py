"""The folder of a SafeActBench run: what kind of file each is, and the files that belong to the same case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

Kind = Literal["beside", "result", "metadata", "summary", "record", "decision", "trace"]
#: Kind → sets of keys of which a file of that kind has one; the first kind that fits counts. `beside` holds no episode.
KEYS: Mapping[Kind, tuple[frozenset[str], ...]] = {
    "beside": (
        frozenset({"scoring_status", "env_id"}),
        frozenset({"case_id", "contract_id", "raw_status"}),
        frozenset({"artifacts", "completed_at", "inputs"}),
        frozenset({"command", "returncode", "stdout"}),
        frozenset({"env_id", "user_goal"}),
        frozenset({"kind", "sequence", "time_unix"}),
    ),
    "result": (
        frozenset({"execution", "status", "success"}),
        frozenset({"failure_type", "status", "success"}),
        frozenset({"model_replies", "status"}),
    ),
    "metadata": (frozenset({"case_id", "case_spec_sha256", "env_id", "protocol"}),),
    "summary": (frozenset({"failures", "metrics", "selected_protocols"}),),
    "record": (frozenset({"env_id", "episode_id", "events"}),),
    "decision": (frozenset({"candidate_action_summary", "decision", "env_id"}),),
    "trace": (frozenset({"case_id", "information_calls", "protocol"}), frozenset({"runner_mode", "tool_trace"})),
}
#: Folders of a batch run: `<kind>/<protocol>/<case>.json`.
RAW, TRACES = "raw_outputs", "traces"
_PROTOCOLS = ("legacy", "v0", "v1", "v2", "v3")
_IN_ID = re.compile(r"-(L|V[0-3])-")
_REPLICATE = re.compile(r"(?:^|[-_.])(?:replicate|repetition|rep|trial|seed|run|r)[-_.]?(\d{1,9})$", re.IGNORECASE)


def kind_of(keys: Iterable[str]) -> Kind | None:
    """Return the kind of file that has an object with these keys."""
    found = frozenset(keys)
    return next((kind for kind, sets in KEYS.items() if any(found >= one for one in sets)), None)


class Place(NamedTuple):
    """Where a file of a batch run lies: the run's folder, the kind of file, protocol and case."""

    run: Path
    kind: str
    protocol: str
    case_id: str

    def other(self, kind: str) -> Path:
        """Return the file of another kind on the same case."""
        return self.run / kind / self.protocol / f"{self.case_id}.json"


def place_of(file: Path | None) -> Place | None:
    """Return the place of a file in a batch run, None where it lies in none."""
    if file is None or (file := file.resolve()).parent.name not in _PROTOCOLS:
        return None
    return Place(file.parents[2], file.parents[1].name, file.parent.name, file.name.removesuffix(".json"))


def protocol_of(file: Path | None, said: object, case_id: str) -> str:
    """Return the protocol of a case in lower case: by its folder, by what a file says, or by its name; else blank."""
    place = place_of(file)
    if place is not None:
        return place.protocol
    if isinstance(said, str) and said.lower() in _PROTOCOLS:
        return said.lower()
    named = _IN_ID.search(case_id)
    return "" if named is None else named[1].lower().replace("l", "legacy")


def loaded(path: Path) -> dict[str, Any]:
    """Return the object in a file; empty where there is no file, or it is not whole."""
    try:
        value = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def first_trace(run: Path) -> Path | None:
    """Return the first trace of a batch run that names its model."""
    paths = (path for protocol in _PROTOCOLS for path in sorted((run / TRACES / protocol).glob("*.json")))
    return next((path for path in paths if "model" in loaded(path)), None)


def failed_cases(summary: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a run's summary says of the cases that failed to run."""
    for failure in summary.get("failures") or []:
        if isinstance(failure, dict) and isinstance(failure.get("case_id"), str):
            yield failure


def carrier(run: Path, failure: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files that hold the episode of a failed case themselves, were they there."""
    place = Place(run, "", str(failure.get("protocol", "")).lower(), str(failure["case_id"]))
    return (place.other(RAW), place.other(TRACES))


def run_name(folder: Path | None) -> tuple[str | None, int | None]:
    """Return the name of a run's folder, and the number of the replicate that the name ends in."""
    if folder is None or not folder.name:
        return None, None
    found = _REPLICATE.search(folder.name)
    return folder.name, None if found is None else int(found[1])
