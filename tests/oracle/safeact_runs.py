"""Execution records of SafeActBench: the reference solution of a case, and folders of runs."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from oracle.safeact_building import Case, Json

READ, ACT = "INFO_CALL", "CONSEQUENTIAL_CALL"


def commits_of(case: Case) -> list[Json]:
    """Return the actions of a workflow, none where the case is not about one."""
    workflow = case.spec.get("workflow") or []
    return list(workflow["commits"] if isinstance(workflow, dict) else workflow)


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return arguments with other names of calls in their references to results."""
    if isinstance(value, dict):
        return {name: renamed(inner, names) for name, inner in value.items()}
    if isinstance(value, list):
        return [renamed(inner, names) for inner in value]
    if isinstance(value, str) and value.startswith("result:"):
        call, _, name = value.removeprefix("result:").partition(".")
        return f"result:{names.get(call, call)}.{name}"
    return value


def reference(case: Case) -> Json:
    """Return the record of the solution that a case comes with, as its harness would write it."""
    spec = case.spec
    if case.protocol == "Legacy":
        return {
            "schema_version": 1,
            "env_id": spec["env_id"],
            "decision": spec["gold_decision"],
            "candidate_action_summary": "",
            "metadata": {"scenario_id": case.case_id},
        }
    trace = copy.deepcopy(spec["simulated_trace"])
    events = trace.get("events")
    if events is None:
        events = [{"type": READ, **one} for one in trace["info_calls"]]
        events.append({"type": ACT, **trace["consequential_call"]})
    if case.protocol == "V0":
        events = [one for one in events if one["type"] == READ]
    actions = [one for one in events if one["type"] == ACT]
    names = {one["commit_id"]: f"act_{number}" for number, one in enumerate(commits_of(case))}
    for number, one in enumerate(actions):
        one["call_id"] = f"act_{number}"
        one["arguments"] = renamed(one["arguments"], names)
    for number, one in enumerate(event for event in events if event["type"] == READ):
        one["call_id"] = f"info_{number:02}"
    record = {"schema_version": 1, "env_id": spec["env_id"], "episode_id": case.case_id, "events": events}
    if case.protocol == "V0":
        record["terminal"] = {"type": "NO_ACTION", "outcome": spec["expected_stop_outcome"]}
    return record


def write_batch(folder: Path, records: Iterable[tuple[Case, Json]], model: str = "own") -> None:
    """Write records as a batch run has them: raw outputs, traces, and what else lies beside them."""
    done = []
    for case, record in records:
        protocol = case.protocol.lower()
        trace = {"case_id": case.case_id, "protocol": protocol, "model": model, "backend": "codex"}
        _write(folder / "raw_outputs" / protocol / f"{case.case_id}.json", record)
        _write(folder / "traces" / protocol / f"{case.case_id}.json", {**trace, "information_calls": _shown(record)})
        _write(
            folder / "scenarios" / protocol / f"{case.case_id}.json",
            {"env_id": case.spec["env_id"], "user_goal": case.spec["user_goal"]},
        )
        done.append(case.case_id)
    summary = {"failures": [], "metrics": {"selected_cases": len(done)}, "selected_protocols": [], "mode": "simulate"}
    _write(folder / "summary.json", summary)


def _shown(record: Json) -> list[Json]:
    """Return the reads as the trace tells of them, each with a result."""
    return [
        {
            "tool": one["tool"],
            "arguments": one["arguments"],
            "result": {"call_id": one.get("call_id"), "status": one.get("tool_status", "ok")},
        }
        for one in record.get("events", ())
        if one["type"] == READ
    ]


def _write(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, sort_keys=True), encoding="utf-8")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield place and value of everything inside of some arguments."""
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, name))
    else:
        yield path, value


def put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    """Put a value at a place inside of some arguments."""
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = new
