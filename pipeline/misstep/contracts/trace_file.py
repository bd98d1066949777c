"""`misstep.trace/1` as it stands in a file: JSON Lines, one episode a line.

This is the format as it should be written; the reader forgives more (see the documentation of trace faults).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from misstep.contracts.trace import Outcome, Status
from misstep.contracts.written import Written


class MessageEvent(Written):
    """A turn of text."""

    type: Literal["message"] = Field(description="what the event is")
    step: Annotated[int, Field(ge=0)] | None = Field(None, description="turn (default: one more than the event before)")
    role: Literal["system", "user", "assistant"] = Field(description="who it counts as in the conversation")
    text: str | None = Field(None, description="what was said")
    id: str | None = Field(None, description="id of the event, needed with `lineage`")
    actor: str | None = Field(None, description="who spoke (default: user for that role, else agent)")
    time: str | None = Field(None, description="ISO 8601 with a zone; never a sort key")


class CallEvent(Written):
    """One attempted tool call and what came back; calls of one turn share its step."""

    type: Literal["call"] = Field(description="what the event is")
    step: Annotated[int, Field(ge=0)] | None = Field(None, description="turn (default: that of the message before)")
    id: str | None = Field(None, description="id of the call; need not be unique")
    tool: str = Field(description="name of the tool")
    arguments: dict[str, Any] = Field(default_factory=dict, description="as the agent gave them")
    executed: dict[str, Any] | None = Field(None, description="as they were run, where the harness changed them")
    outcome: Outcome | None = Field(None, description="default: the rules of the tools file decide")
    result: Any = Field(None, description="what came back; leave it out where nothing did")
    error: str | None = Field(None, description="what went wrong, in words")
    actor: str = Field("agent", description="who called: agent, user, or another agent")
    parent: str | None = Field(None, description="id of the call that this one was made for")
    time: str | None = Field(None, description="ISO 8601 with a zone; never a sort key")


class Decision(Written):
    """What the agent decided in the end, where the suite asks for a decision."""

    type: str | None = Field(None, description="kind of the decision")
    outcome: str | None = Field(None, description="what was decided")


class TraceLine(Written):
    """One line of a `misstep.trace/1` file: an episode, its events in order."""

    schema_: Annotated[
        Literal["misstep.trace/1"], Field(alias="schema", description="name of the format and its version")
    ]
    task_id: str = Field(description="task of the suite")
    suite: str | None = Field(None, description="suite that the task belongs to")
    run: str | None = Field(None, description="name of the run")
    model: str | None = Field(None, description="model of the configuration")
    harness: str | None = Field(None, description="program that ran the model")
    condition: str | None = Field(None, description="condition of the experiment")
    replicate: int | None = Field(None, description="number of the repetition of the same task")
    version: str | None = Field(None, description="version of the benchmark, where its tasks changed between versions")
    instruction: str | None = Field(None, description="the task's text as it was given")
    status: Status = Field("completed", description="how the episode ended")
    decision: Decision | None = Field(None, description="what was decided in the end, where the suite asks for it")
    calls_lost: bool = Field(False, description="calls were made that the record does not hold")
    lineage: str | None = Field(None, description="shared by records that copy each other's history")
    events: list[Annotated[MessageEvent | CallEvent, Field(discriminator="type")]] = Field(
        description="messages and calls, in the order in which they happened"
    )
