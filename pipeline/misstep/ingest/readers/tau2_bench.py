"""Results of tau2-bench: a document of tasks and simulations; agent and user both call, often several at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from misstep.contracts.trace import Episode, Fault
from misstep.ingest.arguments import read_arguments
from misstep.ingest.decode import Decoder
from misstep.ingest.pairing import Reply, Transcript
from misstep.ingest.readers.reader import Origin, Sample, count, elements, identity, lost_calls, name_itself, word
from misstep.ingest.readers.status import status_of
from misstep.ingest.readers.tau2_tasks import Check, Gold, Task, resolved
from misstep.ingest.records import Record
from misstep.ingest.results import result_of, text_of
from misstep.ingest.times import Clock


class Wanted(msgspec.Struct):
    """A call; `raw_data` of the message repeats it and is not read."""

    name: str
    id: Any = None
    arguments: Any = msgspec.UNSET
    requestor: str | None = None


class Said(msgspec.Struct):
    """One message; a tool's `id` is that of the call. Several results may come wrapped in one message."""

    role: str
    content: Any = None
    tool_calls: list[Wanted] | None = None
    id: Any = None
    tool_call_id: Any = None
    requestor: str | None = None
    error: bool | None = None
    timestamp: Any = None
    tool_messages: list[Said] | None = None


class Rewards(msgspec.Struct):
    """What the benchmark checked: its gold actions among others."""

    action_checks: list[Check] | None = None


class Simulation(msgspec.Struct):
    """One episode."""

    task_id: Any
    messages: list[Said] | None = None
    trial: Any = None
    termination_reason: Any = None
    reward_info: Rewards | None = None


class Side(msgspec.Struct):
    """Agent or user, as the run was configured."""

    implementation: Any = None
    llm: Any = None


class World(msgspec.Struct):
    """The environment of the run."""

    domain_name: Any = None


class Info(msgspec.Struct):
    """What the run was configured with."""

    agent_info: Side | None = None
    environment_info: World | None = None


class Results(msgspec.Struct):
    """A whole result file."""

    simulations: list[msgspec.Raw]
    tasks: list[Task] | None = None
    info: Info | None = None
    timestamp: Any = None


class Checked(msgspec.Struct):
    """The part of a simulation that shows which task it was."""

    reward_info: Rewards | None = None
    task_id: Any = None


_results = Decoder(Results)
_simulation = Decoder(Simulation)
_checked = Decoder(Checked)
_keys = Decoder(dict[str, msgspec.Raw])


class _Run(msgspec.Struct):
    """What a document says about all its simulations."""

    gold: Gold
    info: Info
    time: str | None


class Tau2Bench:
    """Result documents, lists of them, and lists or lines of simulations."""

    name = "tau2_bench"

    def detect(self, sample: Sample) -> bool:
        """Return whether a record is a result document or a simulation."""
        return sample.has("simulations") or (
            sample.has("task_id", "messages") and (sample.has("termination_reason") or sample.has("reward_info"))
        )

    def members(self, document: Record, origin: Origin) -> Iterable[tuple[Record, Origin]]:
        """Return the simulations of a result document with its tasks; another document is its only record."""
        faults: list[Fault] = []
        if "simulations" not in _keys.decode(document.data, faults):
            return [(document, origin)]
        results = _results.decode(document.data, faults)
        return list(_simulations(results, document, origin))

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a simulation, or those of a result document that is one record of many."""
        if origin.context is None and "simulations" in _keys.decode(record.data, []):
            results = _results.decode(record.data, [])
            for member, within in _simulations(results, record, origin):
                yield _episode(member, within)
        else:
            yield _episode(record, origin)


def _simulations(results: Results, document: Record, origin: Origin) -> Iterator[tuple[Record, Origin]]:
    checks: list[tuple[str, list[Check] | None]] = []
    for raw in results.simulations:
        found = _checked.decode(bytes(raw), [])
        named = identity(found.task_id)
        checks.append((named[0] if named else "", found.reward_info.action_checks if found.reward_info else None))
    run = _Run(Gold.of(results.tasks or [], checks), results.info or Info(), word(results.timestamp))
    start = max(document.data.find(b'"simulations"'), 0)
    for number, offset, text in elements(document.data, results.simulations, start):
        yield Record(number, document.byte + offset, text), origin.within(run)


def _episode(record: Record, origin: Origin) -> Episode:
    faults: list[Fault] = []
    simulation = _simulation.decode(record.data, faults, strict=origin.strict_json)
    named = identity(simulation.task_id)
    if named is None:
        raise name_itself("the task_id is neither text nor a number")
    run = origin.context if isinstance(origin.context, _Run) else _Run(Gold({}, False), Info(), None)
    checks = simulation.reward_info.action_checks if simulation.reward_info else None
    task_id, fault = resolved(named[0], checks, run.gold)
    if fault:
        faults.append(fault)
    agent, world = run.info.agent_info or Side(), run.info.environment_info or World()
    messages = simulation.messages or []
    episode = Episode(
        task_id=task_id,
        model=origin.model or word(agent.llm),
        harness=word(agent.implementation),
        replicate=count(simulation.trial),
        run=run.time,
        suite=word(world.domain_name),
        instruction=run.gold.instruction(task_id),
        faults=faults,
        numeric_id=named[1],
        recorded_task_id=named[0] if task_id != named[0] else None,
    )
    clock = Clock()
    _transcript(messages, clock, origin.strict_json).finish(episode)
    clock.close(episode)
    said = status_of(simulation.termination_reason)
    episode.status = said or ("completed" if messages else "unknown")
    if not messages:
        lost_calls(episode, "the record holds no message")
    return episode


def _transcript(messages: list[Said], clock: Clock, strict: bool) -> Transcript:
    transcript = Transcript()
    faults = transcript.faults
    for index, said in enumerate(messages):
        path = f"messages[{index}]"
        if said.role == "tool" or said.tool_messages:
            for part in said.tool_messages or [said]:
                _reply(part, path, transcript)
            continue
        calls = said.tool_calls or []
        actor = "user" if said.role == "user" else "agent"
        text = text_of(said.content, faults, f"{path}.content")
        transcript.turn(said.role, text, actor, calls=bool(calls))
        time = clock.utc(said.timestamp) if calls else None
        for number, call in enumerate(calls):
            where = f"{path}.tool_calls[{number}]"
            arguments = read_arguments(call.arguments, faults, f"{where}.arguments", strict=strict)
            by = _actor(call.requestor) or actor
            transcript.call(call.name, arguments, where, call_id=word(call.id), actor=by, time=time)
    return transcript


def _reply(said: Said, path: str, transcript: Transcript) -> None:
    shown = result_of(said.content, transcript.faults, f"{path}.content")
    error = shown.text if said.error else None
    actor = _actor(said.requestor) or "agent"
    call_id = word(said.id) or word(said.tool_call_id)
    transcript.reply(Reply(shown, path, call_id, failed=said.error, error=error, actor=actor))


def _actor(requestor: str | None) -> str | None:
    return None if requestor is None else "user" if requestor == "user" else "agent"


READER = Tau2Bench()
