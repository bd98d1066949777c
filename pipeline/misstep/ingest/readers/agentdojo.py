"""Run files of AgentDojo: one JSON document a run in folders, or one a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from misstep.contracts.trace import Episode, Fault, Status
from misstep.ingest.arguments import read_arguments
from misstep.ingest.decode import Decoder
from misstep.ingest.pairing import Reply, Transcript
from misstep.ingest.readers.reader import Origin, Sample, alone, identity, itself, lost_calls, name_itself, word
from misstep.ingest.readers.status import status_of_error
from misstep.ingest.records import Record
from misstep.ingest.results import error_text, result_of, text_of


class Asked(msgspec.Struct):
    """A call as the agent asked for it, or as the result repeats it."""

    function: str
    args: Any = msgspec.UNSET
    id: Any = None


class Said(msgspec.Struct):
    """One message."""

    role: str
    content: Any = None
    tool_calls: list[Asked] | None = None
    tool_call_id: Any = None
    tool_call: Asked | None = None
    error: Any = None


class Run(msgspec.Struct):
    """One run."""

    suite_name: str
    user_task_id: Any
    messages: list[Said] | None = None
    pipeline_name: Any = None
    injection_task_id: Any = None
    attack_type: Any = None
    error: Any = None
    utility: bool | None = None
    security: bool | None = None
    benchmark_version: Any = None


_run = Decoder(Run)


class AgentDojo:
    """Runs with `suite_name`, `user_task_id` and `messages`; the model is the folder or file of the run."""

    name = "agentdojo"
    companions = staticmethod(alone)
    members = staticmethod(itself)

    def detect(self, sample: Sample) -> bool:
        """Return whether a record has the keys of a run."""
        return sample.has("suite_name", "user_task_id", "messages")

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a run."""
        faults: list[Fault] = []
        run = _run.decode(record.data, faults, strict=origin.strict_json)
        user, injection = identity(run.user_task_id), word(run.injection_task_id)
        if user is None:
            raise name_itself("the user_task_id is neither text nor a number")
        messages = run.messages or []
        transcript = _transcript(messages, origin.strict_json)
        episode = Episode(
            task_id=f"{user[0]}+{injection}" if injection else user[0],
            model=origin.model or _model(run, origin, user[0]),
            condition=word(run.attack_type) or "none",
            suite=run.suite_name,
            version=word(run.benchmark_version),
            instruction=next((said.text for said in transcript.messages if said.role == "user"), None),
            faults=faults,
        )
        transcript.finish(episode)
        episode.status = _status(run, messages)
        if not messages:
            lost_calls(episode, "the record holds no message")
        yield episode


def _transcript(messages: list[Said], strict: bool) -> Transcript:
    transcript = Transcript()
    faults = transcript.faults
    for index, said in enumerate(messages):
        path = f"messages[{index}]"
        if said.role == "tool":
            repeated = said.tool_call
            given = read_arguments(repeated.args, [], path) if repeated else None
            transcript.reply(
                Reply(
                    result_of(said.content, faults, f"{path}.content"),
                    ("messages", index, None),
                    word(said.tool_call_id) or (word(repeated.id) if repeated else None),
                    repeated.function if repeated else None,
                    bool(said.error),
                    error_text(said.error) if said.error else None,
                    arguments=given.value if given else None,
                )
            )
            continue
        calls = said.tool_calls or []
        text = text_of(said.content, faults, f"{path}.content")
        transcript.turn(said.role, text, "user" if said.role == "user" else "agent", calls=bool(calls))
        for number, call in enumerate(calls):
            where = f"{path}.tool_calls[{number}]"
            arguments = read_arguments(call.args, faults, f"{where}.args", strict=strict)
            transcript.call(call.function, arguments, ("messages", index, number), word(call.id))
    return transcript


def _status(run: Run, messages: list[Said]) -> Status:
    """Return how a run ended; one that still wanted to call has used up its rounds of tools."""
    if run.error is not None:
        return status_of_error(str(run.error))
    if not messages:
        return "unknown"
    last = messages[-1]
    if last.role == "assistant":
        return "budget_exhausted" if last.tool_calls else "completed"
    return "aborted" if run.utility is None and run.security is None else "unknown"


def _model(run: Run, origin: Origin, user: str) -> str | None:
    """Return the model by where the run lies: MODEL/SUITE/USER_TASK/ATTACK/FILE or MODEL__SUITE, else its pipeline."""
    parts = origin.parts
    if len(parts) >= 5 and parts[-4] == run.suite_name and parts[-3] == user:
        return parts[-5]
    model, mark, suite = parts[-1].rpartition("__")
    if mark and suite == run.suite_name and model:
        return model
    return word(run.pipeline_name)


READER = AgentDojo()
