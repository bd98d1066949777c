"""The typed episode that every reader yields and that nothing downstream needs to look behind."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA = "misstep.trace/1"

Status = Literal["completed", "budget_exhausted", "aborted", "infrastructure_failure", "unknown"]
Outcome = Literal["applied", "failed", "rejected", "dry_run", "unknown"]

STATUSES: tuple[Status, ...] = (
    "completed",
    "budget_exhausted",
    "aborted",
    "infrastructure_failure",
    "unknown",
)
OUTCOMES: tuple[Outcome, ...] = ("applied", "failed", "rejected", "dry_run", "unknown")


class Fault(msgspec.Struct):
    """One row-to-be of `problems`: `code` from contracts.problems, `path` inside the record."""

    code: str
    message: str
    path: str | None = None
    raw: str | None = None


class Message(msgspec.Struct, gc=False):
    """A turn of text. `step` is the position of the turn; `position` orders messages within it."""

    step: int
    role: str
    text: str | None
    position: int = 0
    actor: str = "agent"


class Call(msgspec.Struct, gc=False):
    """One attempted tool call, its arguments and what came back.

    `arguments` is the decoded object, or None where it could not be read (then `raw_arguments` is the text).
    `executed` is set only where the harness ran other arguments than requested. `result` is the text shown to the
    caller; `structured` the decoded result where the format carries it decoded. `failed` is the format's own word on
    the result: True = an error, False = fine, None = the format does not say (the tools file decides).
    `has_result` is False where nothing came back.
    """

    step: int
    position: int
    tool: str
    arguments: dict[str, Any] | None
    raw_arguments: str | None = None
    executed: dict[str, Any] | None = None
    result: str | None = None
    structured: Any = None
    has_result: bool = True
    failed: bool | None = None
    outcome: Outcome | None = None
    error: str | None = None
    actor: str = "agent"
    call_id: str | None = None
    parent: str | None = None
    time: str | None = None
    flags: list[str] = msgspec.field(default_factory=list)


class Episode(msgspec.Struct):
    """One execution of one task by one configuration, with its messages and calls in the order of the record.

    `version` is the benchmark version that the record names (a suite may hold tasks that changed between versions);
    `instruction` the task's text as recorded; `calls_lost` says that calls were made that the record does not hold.
    `recorded_task_id` is set where a reader repaired the task id; `numeric_id` says that the record writes the id as a
    number (1 and "1" in one input are an error). `lineage` names what an episode was forked, resumed or delegated
    within; `event_ids` are the ids of its events in the order of the record (calls go by their `call_id`).
    `faults` are what reading it had to set aside; `steps` is the number of turns.
    """

    task_id: str
    model: str | None = None
    harness: str | None = None
    condition: str | None = None
    replicate: int | None = None
    run: str | None = None
    suite: str | None = None
    version: str | None = None
    instruction: str | None = None
    status: Status = "completed"
    decision_type: str | None = None
    decision_outcome: str | None = None
    calls_lost: bool = False
    steps: int = 0
    messages: list[Message] = msgspec.field(default_factory=list)
    calls: list[Call] = msgspec.field(default_factory=list)
    faults: list[Fault] = msgspec.field(default_factory=list)
    lineage: str | None = None
    event_ids: list[str] | None = None
    recorded_task_id: str | None = None
    numeric_id: bool = False
