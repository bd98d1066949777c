"""An episode and the tools of its suite → rows of every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from misstep.contracts.errors import InputError, Place
from misstep.contracts.problems import severity
from misstep.contracts.trace import Call, Episode, Fault, Message
from misstep.ingest.buffers import Buffers
from misstep.ingest.calls import CallRows
from misstep.ingest.identity import Key, TaskNames, episode_key
from misstep.ingest.questions import asks_user
from misstep.specs.effects import CompiledTools

#: Characters of a faulty text that `problems.raw` keeps.
RAW = 400
#: Characters of assistant texts whose answer to `asks_user` is remembered.
REMEMBERED = 8 << 20


class Source(NamedTuple):
    """Where a record stands."""

    file: str
    line: int | None
    byte: int | None


class Counts(NamedTuple):
    """Calls of an episode: all of them, and those of tools that the tools file does not declare."""

    calls: int
    unknown: int


class Asking(dict[str | None, bool]):
    """Whether assistant texts ask the user something; most texts are found here, since agents repeat themselves."""

    def __init__(self) -> None:
        self._size = 0

    def __missing__(self, text: str | None) -> bool:
        """Return, and remember, what a text does that was not met before."""
        if not text:
            return False
        self._size += len(text)
        if self._size > REMEMBERED:
            self.clear()
            self._size = len(text)
        asks = self[text] = asks_user(text)
        return asks


class Extractor:
    """Turns episodes into the rows of a part.

    Args:
        tools: the compiled tools of the suite.
        suite: its name.
        actor: whose calls can do damage; called `agent` in the tables.
        tasks: the tasks of the suite.
        schemas: Arrow schemas of the tables of traces.
        model: model of episodes whose record names none.
        strict: raise the first problem as an InputError.
    """

    def __init__(
        self,
        tools: CompiledTools,
        suite: str,
        actor: str,
        tasks: TaskNames,
        schemas: Mapping[str, pa.Schema],
        model: str | None = None,
        strict: bool = False,
    ) -> None:
        self._tools = tools
        self._strict = strict
        self.buffers = Buffers(schemas)
        self._suite = suite
        self._actor = actor
        self._tasks = tasks
        self._model = model
        self._calls = CallRows(tools, actor, self.buffers)
        self._table = self.buffers.rows
        self._asks = Asking()
        self._seen: dict[str, Counts] = {}

    def start_unit(self) -> None:
        """Forget everything: the next episode is the first of a unit."""
        self._seen.clear()
        self.start_part()

    def start_part(self) -> None:
        """Forget the rows, but not which episodes the unit already had."""
        self.buffers.clear()

    def problem(self, source: Source, fault: Fault, episode: str | None = None) -> None:
        """Add a row to `problems`.

        Raises:
            InputError: the extractor is strict, and this is more than a note.
        """
        severe = severity(fault.code)
        if self._strict and severe == "problem":
            place = ", ".join(part for part in (f"episode {episode}" if episode else None, fault.path) if part)
            raise InputError(f"{fault.message} ({fault.code})", Place(source.file, source.line, place or None))
        raw = None if fault.raw is None else fault.raw[:RAW]
        self._table["problems"].append(
            (source.file, source.line, source.byte, episode, fault.path, fault.code, severe, fault.message, raw)
        )

    def add(self, episode: Episode, source: Source) -> Counts:
        """Add the rows of an episode and return what its calls were.

        An episode whose key the unit already had adds to `identity` alone, where it is found to be a repetition.
        """
        suite = self._suite_of(episode)
        key = episode_key(episode, suite, self._model)
        task = self._tasks.resolve(episode) if suite == self._suite else None
        rows = {"identity": 1}
        kept = key.episode not in self._seen
        counts = Counts(len(episode.calls), 0)
        if kept:
            for fault in episode.faults:
                self.problem(source, fault, key.episode)
            if task is None and self._tasks:
                wrong = f"no task {episode.task_id!r}" if suite == self._suite else f"no suite {suite!r}"
                message = f"{self._suite} has {wrong}; labels that need the task are unknown"
                self.problem(source, Fault("unknown-task", message, "task_id"), key.episode)
            counts = self._rows(episode, key, task, source, rows)
            self._episode(episode, suite, task, source)
            self._seen[key.episode] = counts
        self._identify(episode, key, task, source, counts, kept)
        self.buffers.keys.append(key.episode)
        for table, count in self.buffers.counts.items():
            count.append(rows.get(table, 0))
        return counts

    def _suite_of(self, episode: Episode) -> str:
        """Return the suite of an episode; the last part of the suite's name is enough to name it."""
        named = episode.suite
        return self._suite if named is None or f"-{self._suite}".endswith(f"-{named}") else named

    def _rows(self, episode: Episode, key: Key, task: str | None, source: Source, rows: dict[str, int]) -> Counts:
        def report(index: int, fault: Fault) -> None:
            path = f"calls[{index}]" if fault.path is None else f"calls[{index}].{fault.path}"
            self.problem(source, Fault(fault.code, fault.message, path, fault.raw), key.episode)

        rows["episodes"] = 1
        rows["messages"] = len(episode.messages)
        rows["calls"] = len(episode.calls)
        self._messages(episode.messages)
        rows["writes"], unknown = self._calls.add(episode.calls, report, self._tasks.links(task))
        if episode.lineage is not None:
            rows["lineage"] = self._lineage(episode, episode.lineage)
        return Counts(len(episode.calls), unknown)

    def _episode(self, episode: Episode, suite: str, task: str | None, source: Source) -> None:
        self._table["episodes"].append(
            (
                suite,
                task or episode.task_id,
                episode.recorded_task_id or episode.task_id,
                episode.run,
                episode.model if episode.model is not None else self._model,
                episode.harness,
                episode.condition,
                episode.replicate,
                episode.status,
                episode.decision_type,
                episode.decision_outcome,
                episode.steps,
                len(episode.calls),
                episode.calls_lost,
                source.file,
                source.line,
            )
        )

    def _identify(
        self, episode: Episode, key: Key, task: str | None, source: Source, counts: Counts, kept: bool
    ) -> None:
        recorded = episode.recorded_task_id or episode.task_id
        self._table["identity"].append(
            (key.attempt, *source, episode.run, recorded, task, episode.numeric_id, *counts, kept)
        )

    def _messages(self, messages: list[Message]) -> None:
        name, asks = self._calls.actors, self._asks
        self._table["messages"] += [
            (
                message.step,
                message.position,
                message.role,
                name[message.actor],
                message.text,
                message.role == "assistant" and asks[message.text],
            )
            for message in messages
        ]

    def _lineage(self, episode: Episode, lineage: str) -> int:
        """Add the events of an episode with a declared lineage; return how many."""
        calls = {call.call_id: call for call in episode.calls if call.call_id is not None}
        events = episode.event_ids if episode.event_ids is not None else list(calls)
        messages = _messages_by_event(episode, events, calls)
        rows = 0
        for place, event in enumerate(events):
            call = calls.get(event)
            message = messages.get(event)
            if call is None and message is None:
                continue
            at = call or message
            assert at is not None
            within = call is not None and call.parent is not None
            unknown = call is not None and self._tools.get(call.tool) is None
            table = "messages" if call is None else "calls"
            self._table["lineage"].append((lineage, event, place, at.step, at.position, table, within, unknown))
            rows += 1
        return rows


def _messages_by_event(episode: Episode, events: Sequence[str], calls: Mapping[str, Call]) -> dict[str, Message]:
    """Return the messages by the id of their event; they have none of their own, but stand in the order of the record.

    Where there are as many events that are no calls as there are messages, they are the messages; else it is not known
    which event is which message.
    """
    others = [event for event in events if event not in calls]
    if len(others) != len(episode.messages):
        return {}
    return dict(zip(others, episode.messages, strict=True))
