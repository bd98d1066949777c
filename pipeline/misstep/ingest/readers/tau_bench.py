"""Results of tau-bench: a JSON array (or lines) of episodes with chat messages, at most one call a turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from misstep.contracts.trace import Episode, Fault, Status
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
from misstep.ingest.readers.status import status_of_error
from misstep.ingest.readers.tau_text import is_text, spelled_out
from misstep.ingest.records import Record

#: The harness's own names of result files: strategy, model, temperature, range, user model, time.
_FILE = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-(?:\d+(?:\.\d+)?)_range_.*_(?P<time>\d{8,12})$"
)
_DOMAIN = re.compile(r"-(airline|retail)$")
#: The simulated user's last word, and the tool that ends a run.
_STOP = "###STOP###"
_ENDING = "transfer_to_human_agents"


class Task(msgspec.Struct):
    """What a run was asked."""

    instruction: Any = None


class Info(msgspec.Struct):
    """What the harness noted."""

    task: Task | None = None
    error: Any = None


class Line(msgspec.Struct):
    """One episode."""

    task_id: Any
    traj: list[ChatMessage] | None = None
    info: Info | None = None
    trial: Any = None


_line = Decoder(Line)


class TauBench:
    """Episodes with `task_id`, `traj` and `trial`; the model is in the file's name."""

    name = "tau_bench"
    companions = staticmethod(alone)
    members = staticmethod(itself)

    def detect(self, sample: Sample) -> bool:
        """Return whether a record has the keys of an episode."""
        return sample.has("task_id", "traj") and any(sample.has("traj", key) for key in ("trial", "reward", "info"))

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a record."""
        faults: list[Fault] = []
        line = _line.decode(record.data, faults, strict=origin.strict_json)
        named = identity(line.task_id)
        if named is None:
            raise name_itself("the task_id is neither text nor a number")
        model, harness, run = _configuration(origin.parts[-1])
        info = line.info or Info()
        episode = Episode(
            task_id=named[0],
            model=origin.model or model,
            harness=harness,
            replicate=repetition(line.trial, faults, "trial"),
            run=run,
            instruction=word(info.task.instruction) if info.task else None,
            faults=faults,
            numeric_id=named[1],
        )
        messages = line.traj or []
        if is_text(messages):
            messages = spelled_out(messages)
        talk = Conversation(strict=origin.strict_json)
        talk.add(messages, "traj")
        talk.transcript.finish(episode)
        talk.clock.close(episode)
        episode.status = status_of_error(str(info.error)) if info.error else _status(messages)
        if not messages:
            lost_calls(episode, "the record holds no message")
        yield episode


def _status(messages: list[ChatMessage]) -> Status:
    """Return how a run ended: the user's last word or the ending tool, else the limit of turns."""
    if not messages:
        return "unknown"
    last = messages[-1]
    if last.role == "user":
        return "completed" if isinstance(last.content, str) and _STOP in last.content else "budget_exhausted"
    if last.role == "tool":
        return "completed" if last.name == _ENDING else "budget_exhausted"
    return "completed" if last.role == "assistant" and not last.tool_calls else "unknown"


@lru_cache(maxsize=64)
def _configuration(name: str) -> tuple[str, str | None, str | None]:
    """Return model, strategy and time of a result file by its name; another name is the model's, less the domain."""
    found = _FILE.match(name)
    return (found["model"], found["strategy"], found["time"]) if found else (_DOMAIN.sub("", name), None, None)


READER = TauBench()
