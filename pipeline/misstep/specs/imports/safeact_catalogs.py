"""The files of SafeActBench: case catalogs, their manifest, and the evidence that lies beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from misstep.contracts.errors import Place, SpecificationError, UsageError
from misstep.specs.imports.checked import UNFIT, explained
from misstep.specs.imports.sources import read_json

Spec = dict[str, Any]
#: Protocol → the catalog of a clone, and the keys of its list and of a case's id.
CATALOGS: Mapping[str, tuple[str, str, str]] = {
    "Legacy": ("cases.json", "cases", "scenario_id"),
    "V0": ("non_execution_cases.json", "episodes", "episode_id"),
    "V1": ("state_action_cases.json", "episodes", "episode_id"),
    "V2": ("linear_workflow_cases.json", "episodes", "episode_id"),
    "V3": ("multi_step_cases.json", "episodes", "episode_id"),
}
_PROTOCOLS = {name.lower(): name for name in CATALOGS}
_MANIFEST = "case_manifest.json"
_EVIDENCE = "case_evidence.json"
_MATERIALIZED = "materialized_evidence"
_SHARDS_V2 = "v2_episode_query_shards.json"
_SHARDS_V3 = "v3_episode_query_shards/episodes"


class Case(NamedTuple):
    """A case: its protocol as suites have it, its specification, the file it stands in, and its manifest entry."""

    case_id: str
    protocol: str
    spec: Spec
    file: Path
    entry: Mapping[str, Any]


class Record(NamedTuple):
    """What a read with these arguments shows, according to a file beside the catalogs."""

    tool: str
    arguments: dict[str, Any]
    facts: list[dict[str, Any]]


#: A case, the name of a file beside it, and what makes the records of that file.
Beside = tuple[str, str, Callable[[], list[Record]]]


@dataclass
class Catalogs:
    """What was found: the cases in order, how many hashes were compared, and in words what is not there.

    `unfit` says of cases what is wrong with a file beside them.
    """

    folder: Path
    cases: list[Case] = field(default_factory=list)
    verified: int = 0
    missing: list[str] = field(default_factory=list)
    unfit: dict[str, str] = field(default_factory=dict)


def spec_hash(spec: Spec) -> str:
    """Return the SHA-256 that the manifest gives of a specification: of its JSON with sorted keys and no blanks."""
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_catalogs(source: Path) -> Catalogs:
    """Return the cases of a clone, of its `env` folder, or of a folder of cases that are each wrapped in an object.

    Raises:
        UsageError: the folder holds no catalog.
        SpecificationError: a file cannot be read, or a case is not the one that the manifest names.
    """
    folder = source / "env" if (source / "env").is_dir() else source
    found = Catalogs(folder)
    entries = _entries(folder, found)
    listed = list(_wrapped(folder) or _catalogs(folder, found))
    if not listed:
        names = ", ".join(name for name, _, _ in CATALOGS.values())
        raise UsageError(f"{folder} has none of {names}: give a clone of the benchmark, or a folder of its cases")
    for case, told in listed:
        entry = entries.get(case.case_id, {})
        if entries and not entry:
            raise SpecificationError(f"the manifest has no entry for {case.case_id}", Place(str(case.file)))
        hashes = [str(one) for one in (told, entry.get("case_spec_sha256")) if one]
        _verify(case, hashes)
        found.verified += bool(hashes)
        found.cases.append(case._replace(entry=entry))
    absent = sorted(entries.keys() - {case.case_id for case in found.cases})
    if absent:
        shown = ", ".join(absent[:3]) + (", …" if len(absent) > 3 else "")
        found.missing.append(f"{len(absent)} cases of the manifest: {shown}")
    return found


def _entries(folder: Path, found: Catalogs) -> dict[str, Mapping[str, Any]]:
    path = next((one for name in (_MANIFEST, "manifest_entries.json") if (one := folder / name).is_file()), None)
    if path is None:
        found.missing.append(f"{_MANIFEST}: no case is compared with its published hash")
        return {}
    return {str(entry["case_id"]): entry for entry in read_json(path)["entries"]}


def _catalogs(folder: Path, found: Catalogs) -> Iterator[tuple[Case, str | None]]:
    for protocol, (name, listed, key) in CATALOGS.items():
        path = folder / name
        if not path.is_file():
            found.missing.append(f"{name}: the cases of {protocol}")
            continue
        for spec in read_json(path)[listed]:
            yield Case(str(spec[key]), protocol, spec, path, {}), None


def _wrapped(folder: Path) -> list[tuple[Case, str | None]]:
    """Return the cases of a file in which each stands beside its protocol and hash; none where it is a catalog."""
    path = folder / "cases.json"
    listed = read_json(path).get("cases", []) if path.is_file() else []
    return [
        (Case(str(one["case_id"]), _PROTOCOLS[one["protocol"]], one["case_spec"], path, {}), one["case_spec_sha256"])
        for one in listed
        if "case_spec" in one
    ]


def _verify(case: Case, hashes: list[str]) -> None:
    made = spec_hash(case.spec)
    for told in hashes:
        if told != made:
            message = f"the specification of {case.case_id} has drifted: its hash is {made}, the manifest says {told}"
            raise SpecificationError(message, Place(str(case.file), None, case.case_id))


def side_evidence(found: Catalogs) -> dict[str, list[Record]]:
    """Return case → what reads show according to the files beside the catalogs; what is not there is noted.

    Raises:
        SpecificationError: a file cannot be read.
    """
    records: dict[str, list[Record]] = {}
    for case_id, name, read in (*_listed(found), *_shared(found), *_shards(found)):
        try:
            records.setdefault(case_id, []).extend(read())
        except UNFIT as error:
            where, why = explained(error)
            found.unfit.setdefault(case_id, f"{name}: {where} {why}" if where else f"{name}: {why}")
    return records


def _listed(found: Catalogs) -> Iterator[Beside]:
    """Yield what the list of evidence says of cases that ask for some."""
    path = found.folder / _EVIDENCE
    if not path.is_file():
        found.missing.append(f"{_EVIDENCE}: what each case specification holds is used")
        return
    scoped = {case.case_id for case in found.cases if case.protocol != "Legacy"}
    for case in read_json(path)["cases"]:
        if case["case_id"] in scoped:
            yield case["case_id"], _EVIDENCE, partial(_records, case)


def _records(case: Mapping[str, Any]) -> list[Record]:
    return [Record(one["tool_name"], one["arguments"], one["facts"]) for one in case["records"]]


def _shared(found: Catalogs) -> Iterator[Beside]:
    """Yield what a file of its own says of a case that shares its world with others."""
    absent = []
    for case in found.cases:
        if (case.spec.get("metadata") or {}).get("evidence_scope") == "shared_world":
            file = _materialized(found.folder, case)
            if file is None:
                absent.append(case.case_id)
            else:
                yield case.case_id, f"{_MATERIALIZED}/{file.name}", partial(_frozen, read_json(file))
    _note_absent(found, _MATERIALIZED, absent)


def _frozen(file: Mapping[str, Any]) -> list[Record]:
    return list(frozen_records(file.get("frozen_evidence_deltas") or {}))


def _materialized(folder: Path, case: Case) -> Path | None:
    paths = (folder / str(case.spec.get("env_id")) / _MATERIALIZED, folder / _MATERIALIZED)
    return next((path for one in paths if (path := one / f"{case.case_id}.json").is_file()), None)


def _note_absent(found: Catalogs, what: str, absent: list[str]) -> None:
    if absent:
        found.missing.append(f"{what} of {len(absent)} cases, the first {absent[0]}")


def frozen_records(deltas: Mapping[str, list[dict[str, Any]]]) -> Iterator[Record]:
    """Yield what frozen evidence says of reads; its keys are `tool:` and the arguments as JSON.

    Raises:
        ValueError: a key is none.
    """
    for key, facts in deltas.items():
        tool, _, arguments = key.partition(":")
        yield Record(tool, json.loads(arguments), facts)


def _shards(found: Catalogs) -> Iterator[Beside]:
    """Yield what the shards of queries say of cases, where the files are there."""
    if any(case.protocol == "V2" for case in found.cases) and not (found.folder / _SHARDS_V2).is_file():
        found.missing.append(f"{_SHARDS_V2}: reads bind by the keys that runs record")
    absent = []
    for case in found.cases:
        path = found.folder / _SHARDS_V3 / f"{case.case_id}.json"
        if case.protocol == "V3" and path.is_file():
            yield case.case_id, _SHARDS_V3, partial(_of_shard, read_json(path), case.spec)
        elif case.protocol == "V3":
            absent.append(case.case_id)
    _note_absent(found, _SHARDS_V3, absent)


def _of_shard(shard: Mapping[str, Any], spec: Spec) -> list[Record]:
    return list(_bound(shard.get("tools") or {}, spec.get("frozen_evidence_deltas") or {}))


def _bound(tools: Mapping[str, Any], deltas: Mapping[str, list[dict[str, Any]]]) -> Iterator[Record]:
    """Yield the full selectors of a shard that bind frozen evidence under other arguments than its own key."""
    for tool, about in tools.items():
        for one in about.get("candidates") or []:
            key = one.get("evidence_delta_key")
            if key in deltas and json.loads(str(key).partition(":")[2]) != one["arguments"]:
                yield Record(tool, one["arguments"], deltas[key])
