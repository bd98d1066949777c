"""Interactive runs of SafeActBench, a folder a case: `result.json`, with what happened call by call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from misstep.contracts.trace import Episode, Fault, Status
from misstep.ingest.readers.reader import Origin, lost_calls, name_itself, word
from misstep.ingest.readers.safeact_events import Told, add_events, broken, joined
from misstep.ingest.readers.safeact_run import loaded, protocol_of, run_name

RESULT, METADATA, CONFIG, JOURNAL = "result.json", "case_metadata.json", "config.json", "journal.jsonl"
_STATUS: Mapping[str, Status] = {
    "model_finished": "completed",
    "episode_terminal": "completed",
    "output_budget_exhausted": "budget_exhausted",
    "turn_budget_exhausted": "budget_exhausted",
    "protocol_error": "aborted",
    "runtime_failed": "aborted",
}


def result(document: dict[str, Any], origin: Origin) -> Episode:
    """Return the episode of a result.

    Raises:
        Unreadable: nothing names its case.
    """
    folder = None if origin.file is None else origin.file.parent
    episode = _episode(folder, document, origin)
    execution = document.get("execution")
    execution = execution if isinstance(execution, dict) else {}
    events = _events(execution)
    audit = [one for one in execution.get("audit") or [] if isinstance(one, dict) and one.get("kind") != "final"]
    times = [] if folder is None else [line["time_unix"] for line in _journal(folder, "tool_call")]
    if len(times) == len(audit):
        audit = [{**one, "time": time} for one, time in zip(audit, times, strict=True)]
    found = joined(events, audit)
    if len(found) < len(audit):
        message = f"{len(audit) - len(found)} attempts of the audit never became events"
        episode.faults.append(Fault("unknown-record-kind", message, "execution.audit"))
    told = {number: _told(one) for number, one in found.items()}
    _set_status(episode, document)
    add_events(episode, events, told, protocol_of(None, None, episode.task_id) or "v3", strict=origin.strict_json)
    for field in ("protocol_error", "runtime_error", "contract_errors", "execution_errors"):
        if (error := execution.get(field)) and episode.status != "infrastructure_failure":
            broken(episode, f"{field}: {str(error)[:200]}", f"execution.{field}")
    if not events and times:
        lost_calls(episode, f"the journal holds {len(times)} calls, the result none")
    return episode


def unfinished(document: dict[str, Any], origin: Origin) -> Episode:
    """Return the episode of a case whose folder holds no result.

    Raises:
        Unreadable: nothing names its case.
    """
    folder = None if origin.file is None else origin.file.parent
    episode = _episode(folder, document, origin)
    episode.status = "unknown"
    calls = 0 if folder is None else sum(1 for _ in _journal(folder, "tool_call"))
    lost_calls(episode, f"the folder holds no {RESULT}; its journal holds {calls} calls")
    return episode


def _episode(folder: Path | None, document: Mapping[str, Any], origin: Origin) -> Episode:
    beside = {} if folder is None else {**loaded(folder / CONFIG), **loaded(folder / METADATA)}
    case_id = word(document.get("case_id")) or word(beside.get("case_id"))
    if case_id is None:
        raise name_itself("neither the result nor a file beside it names the case")
    run, replicate = run_name(None if folder is None else folder.resolve().parent)
    model = document.get("model") or beside.get("model")
    return Episode(
        task_id=case_id,
        model=origin.model or word(model),
        harness=word(beside.get("harness")) or "interactive",
        replicate=replicate,
        run=run,
    )


def _events(execution: Mapping[str, Any]) -> list[Any]:
    """Return the events in their order, with those that came after the end where they are kept apart."""
    events = execution.get("execution_events")
    events = list(events) if isinstance(events, list) else []
    summary = execution.get("summary")
    later = summary.get("ignored_post_termination_events") if isinstance(summary, dict) else None
    later = later if isinstance(later, list) else []
    return events if not later or events[-len(later) :] == later else [*events, *later]


def _told(attempt: Mapping[str, Any]) -> Told:
    executed = attempt.get("executed")
    at = attempt.get("time")
    time = datetime.fromtimestamp(at, UTC).isoformat() if isinstance(at, int | float) else None
    return Told(attempt.get("response"), executed if isinstance(executed, bool) else None, time)


def _set_status(episode: Episode, document: Mapping[str, Any]) -> None:
    """Set how the episode ended; one that was censored is no failure of the agent."""
    status = word(document.get("status")) or ""
    if document.get("censored") or document.get("success") is None:
        episode.status = "infrastructure_failure"
        why = ", ".join(str(one) for one in (status, document.get("failure_type"), document.get("failure_code")) if one)
        episode.faults.append(Fault("failed-run", f"the episode was censored: {why}", "status"))
        return
    episode.status = _STATUS.get(status, "unknown")
    if episode.status == "unknown":
        message = f"the status {status!r} is none of {', '.join(_STATUS)}"
        episode.faults.append(Fault("unknown-record-kind", message, "status", status))


def _journal(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of one kind of a journal, up to the first that is not whole."""
    try:
        lines = (folder / JOURNAL).read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            value = msgspec.json.decode(line)
        except msgspec.MsgspecError:
            return
        if isinstance(value, dict) and value.get("kind") == kind and "time_unix" in value:
            yield value
