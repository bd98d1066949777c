"""Conversations as lists of chat messages, one episode a line or array element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from misstep.contracts.trace import Episode, Fault
from misstep.ingest.decode import Decoder
from misstep.ingest.readers.calls import ChatMessage
from misstep.ingest.readers.chat import Conversation
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
from misstep.ingest.readers.schema import check_version
from misstep.ingest.readers.status import status_of, status_of_error
from misstep.ingest.records import Record

_LISTS = ("messages", "traj", "conversation")
_REPETITIONS = ("trial", "epoch", "replicate", "attempt")


class Line(msgspec.Struct):
    """One recorded conversation; of several names for one thing the first that is there counts."""

    messages: list[ChatMessage] | None = None
    traj: list[ChatMessage] | None = None
    conversation: list[ChatMessage] | None = None
    attachments: dict[str, Any] | None = None
    episode_id: Any = None
    id: Any = None
    conversation_id: Any = None
    task_id: Any = None
    instance_id: Any = None
    problem_id: Any = None
    trial: Any = None
    epoch: Any = None
    replicate: Any = None
    attempt: Any = None
    run: Any = None
    run_id: Any = None
    model: Any = None
    model_name: Any = None
    agent: Any = None
    harness: Any = None
    scaffold: Any = None
    condition: Any = None
    suite: Any = None
    suite_name: Any = None
    version: Any = None
    instruction: Any = None
    status: Any = None
    termination: Any = None
    termination_reason: Any = None
    stop_reason: Any = None
    error: Any = None
    lineage: Any = None
    event_ids: Any = None
    schema_version: Any = None


_line = Decoder(Line)


class OpenAIMessages:
    """Lines with `messages`, `traj` or `conversation`, arguments as text or objects, ids as they come."""

    name = "openai_messages"
    companions = staticmethod(alone)
    members = staticmethod(itself)

    def detect(self, sample: Sample) -> bool:
        """Return whether a record has a list of messages."""
        return any(sample.has(key) for key in _LISTS)

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a record."""
        faults: list[Fault] = []
        line = _line.decode(record.data, faults, strict=origin.strict_json)
        check_version(line.schema_version, origin, record)
        messages, root = next(((found, key) for key in _LISTS if (found := getattr(line, key)) is not None), (None, ""))
        if messages is None:
            raise name_itself(f"the record has none of {', '.join(_LISTS)}")
        own = _first(line.episode_id, line.id, line.conversation_id)
        task = _first(line.task_id, line.instance_id, line.problem_id)
        named = identity(task) or identity(own) or (f"{origin.parts[-1]}:{record.line}", False)
        run = word(_first(line.run, line.run_id)) or (word(own) if identity(task) else None)
        episode = Episode(
            task_id=named[0],
            model=origin.model or word(_first(line.model, line.model_name, line.agent)),
            harness=word(_first(line.harness, line.scaffold)),
            condition=word(line.condition),
            replicate=_repetition(line, faults),
            run=run,
            suite=word(_first(line.suite, line.suite_name)),
            version=word(line.version),
            instruction=word(line.instruction),
            faults=faults,
            lineage=word(line.lineage),
            event_ids=[text for item in line.event_ids if (text := word(item))]
            if isinstance(line.event_ids, list)
            else None,
            numeric_id=any(found[1] for found in (identity(task), identity(own)) if found),
        )
        talk = Conversation(attachments=line.attachments, strict=origin.strict_json)
        talk.add(messages, root)
        talk.transcript.finish(episode)
        talk.clock.close(episode)
        word_for_end = _first(line.termination, line.termination_reason, line.status, line.stop_reason)
        if line.error:
            episode.status = status_of_error(line.error if isinstance(line.error, str) else str(line.error))
        elif (said := status_of(word_for_end)) is not None:
            episode.status = said
        elif not messages or (episode.calls and not episode.calls[-1].has_result):
            episode.status = "unknown"
        if not messages:
            lost_calls(episode, "the record holds no message")
        yield episode


def _repetition(line: Line, faults: list[Fault]) -> int | None:
    name = next((name for name in _REPETITIONS if getattr(line, name) not in (None, "")), None)
    return None if name is None else repetition(getattr(line, name), faults, name)


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None and value != ""), None)


READER = OpenAIMessages()
