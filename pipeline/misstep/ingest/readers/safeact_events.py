"""Events of SafeActBench, reads and actions, as the calls of an episode; an event is a turn of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from misstep.contracts.trace import Call, Episode, Fault, Outcome
from misstep.ingest.arguments import read_arguments
from misstep.ingest.readers.reader import word
from misstep.ingest.results import encoded

READ, ACT = "INFO_CALL", "CONSEQUENTIAL_CALL"
_KEEPS_ARGUMENTS = ("legacy", "v0", "v1")


@dataclass
class Told:
    """What other records tell of a call: what came back, whether it was executed (null: not said), and when."""

    result: Any = None
    executed: bool | None = None
    time: str | None = None


def broken(episode: Episode, message: str, path: str | None = None) -> None:
    """Mark an episode whose record breaks the contract of the benchmark: it counts, and it failed."""
    episode.status = "aborted"
    episode.faults.append(Fault("failed-run", message, path))


def add_events(episode: Episode, events: Any, told: Mapping[int, Told], protocol: str, *, strict: bool) -> None:
    """Add the events of a record to an episode.

    Args:
        episode: gets the calls, and the faults of what is no event.
        events: the list of events as decoded.
        told: by number of the event, what other records tell of it.
        protocol: in lower case; under V0 and V1 the recorded arguments are those that count.
        strict: the JSON of arguments must not name a key twice.
    """
    listed = events if isinstance(events, list) else []
    if listed is not events:
        broken(episode, "the record has no list of events", "events")
    ids: set[str] = set()
    for number, event in enumerate(listed):
        path = f"events[{number}]"
        if not isinstance(event, dict) or event.get("type") not in (READ, ACT) or word(event.get("tool")) is None:
            broken(episode, "an event is neither a read nor an action with a tool", path)
            continue
        call = _call(episode, event, number, told.get(number, Told()), protocol, strict)
        if call.call_id is not None and call.call_id in ids and protocol not in _KEEPS_ARGUMENTS:
            broken(episode, f"two events have the id {call.call_id!r}", f"{path}.call_id")
        if event["type"] == ACT and call.call_id is None and protocol not in (*_KEEPS_ARGUMENTS, ""):
            broken(episode, "an action has no id", f"{path}.call_id")
        ids.add(call.call_id or "")
        episode.calls.append(call)
    episode.steps = len(listed)


def _call(episode: Episode, event: dict[str, Any], number: int, told: Told, protocol: str, strict: bool) -> Call:
    path = f"events[{number}]"
    given = event.get("arguments", msgspec.UNSET)
    if event.get("attempted_arguments_valid") is False:
        given = event.get("attempted_arguments", encoded(given) if isinstance(given, dict) else given)
    arguments = read_arguments(given, episode.faults, f"{path}.arguments", strict=strict)
    if arguments.value is None or event.get("attempted_arguments_valid") is False:
        broken(episode, "the arguments of an event are no object", f"{path}.arguments")
    read = event["type"] == READ
    result = event.get("tool_result", event.get("result")) if told.result is None else told.result
    error = event.get("tool_error")
    call = Call(
        number,
        0,
        str(word(event["tool"])),
        arguments.value,
        raw_arguments=arguments.raw,
        result=None if result is None else result if isinstance(result, str) else encoded(result),
        structured=None if isinstance(result, str) else result,
        has_result=result is not None or bool(error),
        outcome=_read_outcome(event) if read else _action_outcome(told.executed),
        error=error if isinstance(error, str) else None,
        call_id=word(event.get("call_id")),
        time=told.time,
        flags=list(arguments.flags),
    )
    if read and protocol not in _KEEPS_ARGUMENTS and arguments.value is not None:
        call.executed = resolved(event, arguments.value)
        if call.executed is not None:
            call.flags.append("arguments-rewritten")
            message = "the read was resolved to other arguments than it was asked with"
            episode.faults.append(Fault("arguments-rewritten", message, path))
    return call


def _read_outcome(event: Mapping[str, Any]) -> Outcome:
    """Return applied for a read that found one thing; other states say that it found none, or too many."""
    return "applied" if event.get("tool_status", "ok") == "ok" else "failed"


def _action_outcome(executed: bool | None) -> Outcome:
    """Return what became of an action: runs that only propose actions do not say."""
    return "unknown" if executed is None else "applied" if executed else "rejected"


def resolved(event: Mapping[str, Any], arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that a read was bound to, None where they are those that it was asked with.

    A key of evidence, `tool:` and arguments as JSON, goes before `resolved_arguments`.
    """
    found = event.get("resolved_arguments")
    key = event.get("evidence_delta_key")
    if isinstance(key, str):
        tool, _, text = key.partition(":")
        try:
            bound = msgspec.json.decode(text)
        except msgspec.MsgspecError:
            bound = None
        if tool == event["tool"] and isinstance(bound, dict):
            found = bound
    return found if isinstance(found, dict) and found != arguments else None


def joined(events: Any, others: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Return number of an event → what another record in the same order tells of it.

    They are joined by id where both have one, else in their order by tool; what fits no event is left out.
    """
    listed = events if isinstance(events, list) else []
    by_id = {one["call_id"]: one for one in others if isinstance(one.get("call_id"), str)}
    rest = [one for one in others if not isinstance(one.get("call_id"), str)]
    found: dict[int, Mapping[str, Any]] = {}
    for number, event in enumerate(listed):
        if not isinstance(event, dict):
            continue
        same = by_id.get(str(event.get("call_id")))
        if same is not None and same.get("tool", event.get("tool")) == event.get("tool"):
            found[number] = same
            continue
        at = next((place for place, one in enumerate(rest) if one.get("tool") == event.get("tool")), None)
        if at is not None:
            found[number] = rest[at]
            del rest[: at + 1]
    return found
