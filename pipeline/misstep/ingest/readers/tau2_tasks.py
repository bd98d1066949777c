"""Whether a tau2-bench simulation is of the task it names: its checked actions against the gold of the file's tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from misstep.contracts.trace import Fault
from misstep.contracts.values import canonical
from misstep.ingest.readers.reader import identity

#: Stands before the recorded id of a simulation of which the task cannot be told, so that it meets no task.
UNRESOLVED = "unresolved:"


class Action(msgspec.Struct):
    """A gold action; its `action_id` is not compared (it names another task more often than not)."""

    name: Any = None
    arguments: Any = None
    requestor: Any = None


class Check(msgspec.Struct):
    """The outcome of a gold action in a simulation."""

    action: Action | None = None


class Criteria(msgspec.Struct):
    """How a task is judged."""

    actions: list[Action] | None = None


class Scenario(msgspec.Struct):
    """What the user wants."""

    instructions: Any = None


class Task(msgspec.Struct):
    """A task of a result file."""

    id: Any = None
    evaluation_criteria: Criteria | None = None
    user_scenario: Scenario | None = None
    ticket: Any = None


@dataclass(frozen=True)
class Gold:
    """The gold actions of a file's tasks; `doubted` where those checked contradict most of the recorded task ids."""

    by_id: dict[str, str]
    doubted: bool
    by_actions: dict[str, list[str]] = field(default_factory=dict)
    instructions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, tasks: Sequence[Task], checks: Sequence[tuple[str, list[Check] | None]]) -> Gold:
        """Return the gold of tasks; `checks` are recorded task id and checked actions of every simulation."""
        by_id: dict[str, str] = {}
        by_actions: dict[str, list[str]] = defaultdict(list)
        instructions: dict[str, str] = {}
        for task in tasks:
            named = identity(task.id)
            if named is None:
                continue
            criteria = task.evaluation_criteria
            key = _key(criteria.actions or [] if criteria else [])
            by_id[named[0]] = key
            by_actions[key].append(named[0])
            if text := _instruction(task):
                instructions[named[0]] = text
        keyed = [(by_id[named], key) for named, key in _keyed(checks) if key is not None and named in by_id]
        wrong = sum(gold != key for gold, key in keyed)
        return cls(by_id, 2 * wrong > len(keyed), dict(by_actions), instructions)

    def instruction(self, task_id: str) -> str | None:
        """Return the text of a task."""
        return self.instructions.get(task_id)


_DOUBTED = "no action was checked, and other task ids of the file are wrong"


def resolved(recorded: str | None, checks: list[Check] | None, gold: Gold, simulation: str) -> tuple[str, Fault | None]:
    """Return the task of a simulation, and the fault if that is not simply the recorded one.

    The recorded id is contradicted where the actions that were checked are not the gold of its task; then the only
    task with these gold actions is taken (`repaired-task-id`), or none (`unresolved-task-id`). In a file that
    contradicts most of its ids none is believed by itself: an id that fits must be the only one that does, and a
    simulation without checked actions has no task. Where no id is recorded, the checked actions have to tell it; a
    task that stays unknown is named after the recorded id, else after the `simulation`.
    """
    key = _checked(checks)
    expected = None if recorded is None else gold.by_id.get(recorded)
    if recorded is not None and not gold.doubted and (key is None or expected is None or expected == key):
        return recorded, None
    fitting = gold.by_actions.get(key, []) if key is not None else []
    if recorded is not None and fitting == [recorded]:
        return recorded, None
    if len(fitting) == 1:
        told = "no task_id is recorded" if recorded is None else f"not of the recorded {recorded!r}"
        message = f"the checked actions are those of task {fitting[0]!r}, {told}"
        return fitting[0], Fault("repaired-task-id", message, "task_id", recorded)
    why = (
        ("no task_id is recorded, and no action was checked" if recorded is None else _DOUBTED)
        if key is None
        else f"tasks {', '.join(map(repr, fitting))} have the same gold actions"
        if fitting
        else "no task of the file has the checked actions"
    )
    message = f"the task is unknown: {why} (recorded: {recorded!r})"
    return UNRESOLVED + (recorded or simulation), Fault("unresolved-task-id", message, "task_id", recorded)


def _keyed(checks: Sequence[tuple[str, list[Check] | None]]) -> list[tuple[str, str | None]]:
    return [(named, _checked(found)) for named, found in checks]


def _checked(checks: list[Check] | None) -> str | None:
    """Return the key of the checked actions; None where nothing was checked, which proves nothing."""
    actions = [check.action for check in checks or [] if check.action is not None]
    return _key(actions) if actions else None


def _key(actions: Sequence[Action]) -> str:
    return canonical([[action.requestor or "assistant", action.name, action.arguments or {}] for action in actions])


def _instruction(task: Task) -> str | None:
    told = task.user_scenario.instructions if task.user_scenario else None
    if isinstance(told, str):
        return told
    if isinstance(told, dict):
        names = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
        return "\n".join(text for name in names if isinstance(text := told.get(name), str)) or None
    return task.ticket if isinstance(task.ticket, str) else None
