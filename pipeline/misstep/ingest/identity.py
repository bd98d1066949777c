"""Who an episode is: its key, the task of the suite that it ran, and a hash of what happened in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from misstep.contracts.suite import Task
from misstep.contracts.trace import Episode
from misstep.specs.entities import Links
from misstep.specs.load import task_links

_encode = msgspec.json.Encoder(order="deterministic").encode


class Key(NamedTuple):
    """The key of an episode, and the same without its run: what several attempts share."""

    episode: str
    attempt: str


def episode_key(episode: Episode, suite: str, model: str | None) -> Key:
    """Return the 128-bit hex key of (suite, recorded task id, model, harness, condition, replicate, run)."""
    shared = [
        suite,
        episode.recorded_task_id or episode.task_id,
        episode.model if episode.model is not None else model,
        episode.harness,
        episode.condition,
        episode.replicate,
    ]
    attempt = hashlib.blake2b(_encode([*shared, None]), digest_size=16).hexdigest()
    if episode.run is None:
        return Key(attempt, attempt)
    return Key(hashlib.blake2b(_encode([*shared, episode.run]), digest_size=16).hexdigest(), attempt)


def content_hash(episode: Episode) -> str:
    """Return a 128-bit hex hash of what happened in an episode: status, messages, calls and results."""
    happened = (episode.status, episode.decision_type, episode.decision_outcome, episode.messages, episode.calls)
    return hashlib.sha256(_encode(happened)).hexdigest()[:32]


class TaskNames:
    """The task ids of a suite, as traces name them.

    A task that changed between versions of a benchmark has several lines; `replaces` is the id that traces use for all
    of them.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._links: dict[str, Links] = {}
        self._lines: dict[str, list[Task]] = {}
        for task in tasks:
            if task.links:
                self._links[task.task_id] = task_links(task)
            self._lines.setdefault(task.replaces or task.task_id, []).append(task)
            if task.replaces and task.replaces != task.task_id:
                self._lines.setdefault(task.task_id, []).insert(0, task)

    def __bool__(self) -> bool:
        return bool(self._lines)

    def links(self, task: str | None) -> Links | None:
        """Return the function that gives the entities a relation of a task leads to; None for a task without links."""
        return None if task is None else self._links.get(task)

    def resolve(self, episode: Episode) -> str | None:
        """Return the id of the suite's task that an episode ran, or None where the suite has no such task.

        Where a task has several lines: those for the recorded version, else those with the recorded instruction, else
        all. Of these, the one that is for no version in particular: it states the task as it was mended since, and what
        the user asked for does not change with the version. Else the first.
        """
        lines = self._lines.get(episode.task_id)
        if lines is None:
            return None
        if len(lines) == 1:
            return lines[0].task_id
        fitting: list[Task] = []
        if episode.version is not None:
            fitting = [line for line in lines if line.versions and episode.version in line.versions]
        elif episode.instruction is not None:
            wanted = " ".join(episode.instruction.split())
            fitting = [line for line in lines if " ".join(line.instruction.split()) == wanted]
        fitting = fitting or lines
        return next((line for line in fitting if line.versions is None), fitting[0]).task_id
