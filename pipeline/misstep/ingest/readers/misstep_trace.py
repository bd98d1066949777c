"""The format of our own: `misstep.trace/1`, one episode a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from misstep.contracts.trace import OUTCOMES, STATUSES, Call, Episode, Fault, Message, Outcome, Status
from misstep.ingest.arguments import read_arguments
from misstep.ingest.decode import Decoder, Unreadable, mended
from misstep.ingest.readers.calls import CALLS, is_of
from misstep.ingest.readers.reader import (
    Origin,
    Sample,
    alone,
    identity,
    itself,
    lost_calls,
    name_itself,
    repetition,
    word,
)
from misstep.ingest.readers.schema import FORMAT, MAJOR, check_format, check_version
from misstep.ingest.readers.status import status_of
from misstep.ingest.records import Record
from misstep.ingest.results import error_text, result_of
from misstep.ingest.times import Clock


class Decision(msgspec.Struct):
    """What the agent decided in the end, where a suite asks for a decision."""

    type: str | None = None
    outcome: str | None = None


class Event(msgspec.Struct, forbid_unknown_fields=True):
    """A message or a call; `type` says which."""

    type: str
    step: int | None = None
    role: str | None = None
    text: Any = None
    id: Any = None
    tool: str | None = None
    arguments: Any = msgspec.UNSET
    executed: dict[str, Any] | None = None
    outcome: str | None = None
    result: Any = msgspec.UNSET
    error: Any = None
    actor: str | None = None
    time: Any = None
    parent: Any = None


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """An episode."""

    events: list[Event]
    task_id: Any = None
    schema: Any = None
    schema_version: Any = None
    suite: Any = None
    run: Any = None
    model: Any = None
    harness: Any = None
    condition: Any = None
    replicate: Any = None
    version: Any = None
    instruction: Any = None
    status: Any = None
    decision: Decision | None = None
    calls_lost: bool = False
    lineage: Any = None


_line = Decoder(Line)
_keys = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LINE_FIELDS = frozenset(Line.__struct_fields__)
_EVENT_FIELDS = frozenset(Event.__struct_fields__)


class MisstepTrace:
    """Lines with `task_id` and `events`."""

    name = "misstep_trace"
    companions = staticmethod(alone)
    members = staticmethod(itself)

    def detect(self, sample: Sample) -> bool:
        """Return whether a record has events of a task, or names the schema."""
        named = sample.has("schema") and b'"misstep.trace/' in sample.head
        return named or sample.has("events", "task_id") or sample.has("events", "schema")

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a record."""
        faults: list[Fault] = []
        try:
            line = _line.decode(record.data, faults, strict=origin.strict_json)
        except Unreadable as problem:
            if problem.code != "not-an-episode":
                raise
            _check_newer(record, origin)
            faults = []
            try:
                line = _line.decode(_known_fields(record, faults, strict=origin.strict_json), faults)
            except Unreadable:
                raise problem from None  # the first says what the record is
        named_format = check_format(line.schema)
        versioned = check_version(line.schema, origin, record)
        if not versioned and not check_version(line.schema_version, origin, record):
            faults.append(Fault("missing-schema", "the record names no schema; read as version 1", "schema"))
        elif versioned and not named_format:
            message = f"the schema {line.schema!r} names no format; read as {FORMAT}/{MAJOR}"
            faults.append(Fault("missing-schema", message, "schema"))
        named = identity(line.task_id)
        if named is None:
            raise name_itself("the record has no task_id")
        episode = Episode(
            task_id=named[0],
            model=origin.model or word(line.model),
            harness=word(line.harness),
            condition=word(line.condition),
            replicate=repetition(line.replicate, faults, "replicate"),
            run=word(line.run),
            suite=word(line.suite),
            version=word(line.version),
            instruction=word(line.instruction),
            status=_status(line.status, faults),
            decision_type=line.decision.type if line.decision else None,
            decision_outcome=line.decision.outcome if line.decision else None,
            faults=faults,
            lineage=word(line.lineage),
            numeric_id=named[1],
        )
        _Events(episode, strict=origin.strict_json).add(line.events)
        if line.lineage is not None:
            ids = [word(event.id) for event in line.events]
            episode.event_ids = [text for text in ids if text is not None]
        if line.calls_lost:
            lost_calls(episode, "the record says that calls are missing from it")
        yield episode


class _Events:
    """Adds events to an episode; their order in the record counts, a step never falls behind the one before it."""

    def __init__(self, episode: Episode, *, strict: bool) -> None:
        self.episode = episode
        self.strict = strict
        self.clock = Clock()
        self.step = -1
        self.positions: Counter[tuple[str, int]] = Counter()
        self.said = False

    def add(self, events: list[Event]) -> None:
        kinds: Counter[str] = Counter()
        lost = 0
        for index, event in enumerate(events):
            path = f"events[{index}]"
            if event.type == "message":
                self._advance(event, turn=True)
                self._message(event)
            elif event.type == "call":
                self._advance(event, turn=False)
                self._call(event, path)
            else:
                kinds[event.type] += 1
                lost += event.tool is not None or is_of(event.type, CALLS)
        for kind, number in kinds.items():
            message = f"{number} events of the unknown kind {kind!r} were set aside"
            self.episode.faults.append(Fault("unknown-record-kind", message, "events", kind))
        if events and not self.episode.messages and not self.episode.calls:
            seen = tuple(sorted(kinds))
            message = f"no event is a message or a call; the kinds are {', '.join(seen)}"
            raise Unreadable("not-an-episode", message, kinds=seen)
        if lost:
            lost_calls(self.episode, f"{lost} events of unknown kinds are calls")
        self.episode.steps = self.step + 1
        self.clock.close(self.episode)

    def _advance(self, event: Event, *, turn: bool) -> None:
        """Go to the event's step; without one a message begins a step, and calls share that of the message before."""
        if event.step is not None:
            self.step = max(self.step, event.step)
        elif turn or self.step < 0:
            self.step += 1

    def _message(self, event: Event) -> None:
        text = event.text if event.text is None or isinstance(event.text, str) else str(event.text)
        role = event.role or "assistant"
        actor = event.actor or ("user" if role == "user" else "agent")
        self.episode.messages.append(Message(self.step, role, text, self._position("message"), actor))

    def _position(self, kind: str) -> int:
        position = self.positions[kind, self.step]
        self.positions[kind, self.step] += 1
        return position

    def _call(self, event: Event, path: str) -> None:
        faults = self.episode.faults
        if event.tool is None:
            faults.append(Fault("unknown-record-kind", "a call without a tool", f"{path}.tool"))
        arguments = read_arguments(event.arguments, faults, f"{path}.arguments", strict=self.strict)
        there = event.result is not msgspec.UNSET
        shown = result_of(event.result, faults, f"{path}.result") if there else None
        failed = bool(event.error)  # an empty error is none, a bare flag is one
        error = error_text(event.error) if failed else None
        outcome = _outcome(event.outcome, faults, path)
        call = Call(
            self.step,
            self._position("call"),
            event.tool or "",
            arguments.value,
            raw_arguments=arguments.raw,
            executed=event.executed,
            result=shown.text if shown else None,
            structured=shown.structured if shown else None,
            has_result=(shown is not None and shown.there) or failed,
            failed=True if failed and outcome is None else None,
            outcome=outcome,
            error=error,
            actor=event.actor or "agent",
            call_id=word(event.id),
            parent=word(event.parent),
            time=self.clock.utc(event.time),
            flags=list(arguments.flags),
        )
        if not call.has_result and outcome is None:
            call.flags.append("missing-result")
            faults.append(Fault("missing-result", f"the call of {call.tool} has no result", path))
        if event.executed is not None and event.executed != arguments.value:
            call.flags.append("arguments-rewritten")
            faults.append(Fault("arguments-rewritten", "the harness ran other arguments than asked for", path))
        self.episode.calls.append(call)


def _outcome(said: str | None, faults: list[Fault], path: str) -> Outcome | None:
    if said is None:
        return None
    for outcome in OUTCOMES:
        if outcome == said:
            return outcome
    faults.append(Fault("unknown-record-kind", f"the outcome {said!r} is none of {', '.join(OUTCOMES)}", path, said))
    return "unknown"


def _status(said: Any, faults: list[Fault]) -> Status:
    if said is None:
        return "completed"
    status = status_of(said)
    if status == "unknown" and said != "unknown":
        message = f"the status {said!r} is none of {', '.join(STATUSES)}"
        faults.append(Fault("unknown-record-kind", message, "status", str(said)))
    return status or "unknown"


def _known_fields(record: Record, faults: list[Fault], *, strict: bool) -> bytes:
    """Return a record without the fields that the format does not have; each is noted once, with its count."""
    line = mended(record.data, faults, strict=strict)
    if not isinstance(line, dict):
        raise name_itself("the record is JSON but no object")
    extra = Counter(key for key in line if key not in _LINE_FIELDS)
    events = line.get("events")
    for event in events if isinstance(events, list) else []:
        if isinstance(event, dict):
            known = _EVENT_FIELDS if event.get("type") in ("message", "call") else {"type", "tool"}
            strange = [key for key in event if key not in known]
            if known is _EVENT_FIELDS:
                extra.update(f"events[].{key}" for key in strange)
            for key in strange:
                del event[key]
    for key, number in sorted(extra.items()):
        faults.append(Fault("extra-field", f"the field is not of the format ({number} times)", key))
    return msgspec.json.encode({key: value for key, value in line.items() if key in _LINE_FIELDS})


def _check_newer(record: Record, origin: Origin) -> None:
    """Stop at a record of a newer schema, however little of it can be read."""
    try:
        keys = _keys.decode(record.data)
        for name in ("schema", "schema_version"):
            if name in keys:
                said = msgspec.json.decode(keys[name])
                check_format(said if name == "schema" else None)
                check_version(said, origin, record)
    except msgspec.MsgspecError:
        return


READER = MisstepTrace()
