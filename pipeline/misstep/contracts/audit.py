"""A row of an audit file: what a person says of a label."""

from __future__ import annotations

from pydantic import Field

from misstep.contracts.written import Written


class Judgement(Written):
    """What a person says of one label of a task, an episode or the writes of a call; an empty cell is null."""

    task_id: str = Field(description="task of the suite")
    suite: str | None = Field(None, description="suite of the task, where the study has several")
    model: str | None = Field(None, description="model of the episode")
    harness: str | None = Field(None, description="harness of the episode")
    condition: str | None = Field(None, description="condition of the episode (default: the baseline of the study)")
    replicate: int | None = Field(None, description="number of the repetition")
    run: str | None = Field(None, description="run of the episode")
    label: str = Field(
        description="`ambiguous`, of the task; a label of `episode_labels`; with a step, one of `write_labels`, or `cd`"
    )
    step: int | None = Field(None, description="step of the call whose writes are judged (default: the whole episode)")
    position: int | None = Field(None, description="place of the call in its step (default: 0)")
    judgement: bool | None = Field(description="true, false, or empty where the person could not decide")
    note: str | None = Field(None, description="anything else; it is not read")
