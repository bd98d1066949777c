"""Batch runs of SafeActBench: raw output and trace of a case; of one that failed, a trace or a line of the summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from misstep.contracts.trace import Episode, Message, Status
from misstep.ingest.readers.reader import Origin, lost_calls, name_itself, word
from misstep.ingest.readers.safeact_events import READ, Told, add_events, broken, joined
from misstep.ingest.readers.safeact_run import (
    TRACES,
    failed_cases,
    first_trace,
    loaded,
    place_of,
    protocol_of,
    run_name,
)


def raw_output(document: dict[str, Any], origin: Origin) -> Episode:
    """Return the episode of a raw output: an execution record, or the judgement on a Legacy case.

    Raises:
        Unreadable: it names no case.
    """
    place = place_of(origin.file)
    trace = loaded(place.other(TRACES)) if place is not None else {}
    about = document.get("metadata") if isinstance(document.get("metadata"), dict) else {}
    assert isinstance(about, dict)
    named = document.get("episode_id") or about.get("scenario_id") or document.get("scenario_id")
    case_id = word(named) or (place.case_id if place is not None else None)
    if case_id is None:
        raise name_itself("the record names no case")
    protocol = protocol_of(origin.file, trace.get("protocol"), case_id)
    episode = _episode(case_id, origin, trace, about, word(document.get("runner")))
    calls = _informed(trace)
    if "events" in document:
        terminal = document.get("terminal")
        if isinstance(terminal, dict):
            episode.decision_type, episode.decision_outcome = word(terminal.get("type")), word(terminal.get("outcome"))
        told = {number: Told(one.get("result")) for number, one in joined(document["events"], calls).items()}
        add_events(episode, document["events"], told, protocol, strict=origin.strict_json)
    else:
        episode.decision_outcome = word(document.get("decision"))
        _add_informed(episode, calls, origin)
    said = about.get("raw_response")
    if isinstance(said, str) and said:
        episode.messages.append(Message(episode.steps, "assistant", said))
        episode.steps += 1
    for field in ("parse_error", "invalid_decision"):
        if error := about.get(field):
            broken(episode, f"the answer of the model breaks the contract: {str(error)[:200]}", f"metadata.{field}")
    return episode


def failed_trace(document: dict[str, Any], origin: Origin) -> Episode:
    """Return the episode of a case of which there is only a trace: its process failed before it said what to do.

    Raises:
        Unreadable: it names no case.
    """
    place = place_of(origin.file)
    case_id = word(document.get("case_id")) or (place.case_id if place is not None else None)
    if case_id is None:
        raise name_itself("the trace names no case")
    episode = _episode(case_id, origin, document, {}, None)
    _add_informed(episode, _informed(document), origin)
    summary = loaded(place.run / "summary.json") if place is not None else {}
    failure = next((one for one in failed_cases(summary) if one["case_id"] == case_id), None)
    if failure is not None:
        _failed(episode, failure)
    elif document.get("failure_class") is not None:
        broken(episode, f"the run failed: {document['failure_class']}", "failure_class")
    else:
        episode.status = "unknown"
        lost_calls(episode, "there is no raw output beside the trace: actions that were proposed are not known")
    return episode


def failed_case(failure: Mapping[str, Any], origin: Origin) -> Episode:
    """Return the episode of a case that only the summary of a run tells of."""
    run = None if origin.file is None else origin.file.parent
    trace = None if run is None else first_trace(run)
    episode = _episode(str(failure["case_id"]), origin, loaded(trace) if trace is not None else {}, {}, None)
    _failed(episode, failure)
    return episode


def _failed(episode: Episode, failure: Mapping[str, Any]) -> None:
    """Set how a case failed: a run that was cut off or went wrong counts, one that could not be judged does not."""
    classified, phase = failure.get("classification"), failure.get("phase")
    why = ", ".join(str(one) for one in (classified, failure.get("infrastructure_reason"), phase) if one)
    broken(episode, f"the case failed: {why}", "failures")
    if classified == "evaluation_harness_failure":
        episode.status = "infrastructure_failure"


def _episode(
    case_id: str, origin: Origin, trace: Mapping[str, Any], about: Mapping[str, Any], runner: str | None
) -> Episode:
    place = place_of(origin.file)
    folder: Path | None = None
    if place is not None:
        folder = place.run
    elif origin.file is not None and origin.file.name == "summary.json":
        folder = origin.file.parent
    run, replicate = run_name(None if folder is None else folder.resolve())
    status: Status = "completed"
    return Episode(
        task_id=case_id,
        model=origin.model or word(trace.get("model")) or word(trace.get("runtime_model")) or word(about.get("model")),
        harness=word(trace.get("backend")) or word(about.get("agent_framework")) or runner,
        condition=word(trace.get("strategy")),
        replicate=replicate,
        run=run,
        status=status,
    )


def _informed(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the reads that a trace tells of, each with the id that its result names."""
    listed = trace.get("information_calls")
    found = []
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            result = one.get("result")
            about = result if isinstance(result, dict) else {}
            found.append({**one, **{name: about[name] for name in ("call_id", "status") if name in about}})
    return found


def _add_informed(episode: Episode, calls: list[dict[str, Any]], origin: Origin) -> None:
    """Add the reads of a trace as events of a record that has none."""
    told = {number: Told(one.get("result")) for number, one in enumerate(calls)}
    events = [
        {
            "type": READ,
            "tool": one.get("tool"),
            "arguments": one.get("arguments"),
            "call_id": one.get("call_id"),
            "tool_status": one.get("status", "ok"),
        }
        for one in calls
    ]
    add_events(episode, events, told, "legacy", strict=origin.strict_json)
