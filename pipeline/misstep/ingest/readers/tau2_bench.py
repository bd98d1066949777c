"""Results of tau2-bench: a document of tasks and simulations; agent and user both call, often several at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from misstep.contracts.trace import Episode, Fault
from misstep.ingest.arguments import read_arguments
from misstep.ingest.decode import Decoder, Unreadable
from misstep.ingest.pairing import Reply, Transcript
from misstep.ingest.readers.reader import (
    Origin,
    Sample,
    alone,
    elements,
    identity,
    lost_calls,
    name_itself,
    repetition,
    word,
)
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

    id: Any = None
    task_id: Any = None
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
    tasks: list[msgspec.Raw] | None = None
    info: Info | None = None
    timestamp: Any = None


class Checked(msgspec.Struct):
    """The part of a simulation that shows which task it was."""

    reward_info: Rewards | None = None
    task_id: Any = None


T = TypeVar("T")
_INSIDE = re.compile(r"simulations\[(\d+)\]\.?(.*)")

_results = Decoder(Results)
_simulation = Decoder(Simulation)
_task = Decoder(Task)
_checked = Decoder(Checked)
_keys = Decoder(dict[str, msgspec.Raw])


class _Run(msgspec.Struct):
    """What a document says about a simulation: of all of them, and what was mended in this one."""

    gold: Gold
    info: Info
    time: str | None
    mended: list[Fault]


class Tau2Bench:
    """Result documents, lists of them, and lists or lines of simulations."""

    name = "tau2_bench"
    companions = staticmethod(alone)

    def detect(self, sample: Sample) -> bool:
        """Return whether a record is a result document or a simulation, by what other conversations do not have."""
        if sample.has("simulations"):
            return True
        if not sample.has("messages"):
            return False
        if sample.has("agent_cost", "user_cost") or sample.has("reward_info"):
            return True
        return sample.has("task_id") and b'"requestor"' in sample.head

    def members(self, document: Record, origin: Origin) -> Sequence[tuple[Record, Origin]]:
        """Return the simulations of a result document with its tasks; another document is its only record."""
        if b'"simulations"' in document.data and "simulations" in _keys.decode(document.data, []):
            return list(_simulations(document, origin))
        return [(document, origin)]

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a simulation."""
        yield _episode(record, origin)


def _simulations(document: Record, origin: Origin) -> Iterator[tuple[Record, Origin]]:
    faults: list[Fault] = []
    results = _results.decode(document.data, faults)
    checks: list[tuple[str, list[Check] | None]] = []
    for found in _whole(_checked, results.simulations):
        named = identity(found.task_id)
        checks.append((named[0] if named else "", found.reward_info.action_checks if found.reward_info else None))
    gold = Gold.of(list(_whole(_task, results.tasks or [])), checks)
    info, time, mended = results.info or Info(), word(results.timestamp), _by_simulation(faults)
    start = max(document.data.find(b'"simulations"'), 0)
    for number, offset, text in elements(document.data, results.simulations, start):
        yield Record(number, document.byte + offset, text), origin.within(_Run(gold, info, time, mended[number]))


def _whole(decoder: Decoder[T], raws: list[msgspec.Raw]) -> Iterator[T]:
    """Yield those that can be decoded; the others are faults of the simulations or no tasks to compare with."""
    for raw in raws:
        with suppress(Unreadable):
            yield decoder.decode(bytes(raw), [])


def _by_simulation(faults: list[Fault]) -> defaultdict[int, list[Fault]]:
    """Return what was mended in a document by the number of its simulation (the first has what lies outside of all)."""
    found: defaultdict[int, list[Fault]] = defaultdict(list)
    for fault in faults:
        inside = _INSIDE.match(fault.path or "")
        if inside:
            fault.path = inside[2] or None
        found[int(inside[1]) + 1 if inside else 1].append(fault)
    return found


def _episode(record: Record, origin: Origin) -> Episode:
    run = origin.context if isinstance(origin.context, _Run) else _Run(Gold({}, False), Info(), None, [])
    faults: list[Fault] = list(run.mended)
    simulation = _simulation.decode(record.data, faults, strict=origin.strict_json)
    named = identity(simulation.task_id)
    if named is None and simulation.task_id is not None:
        raise name_itself("the task_id is neither text nor a number")
    checks = simulation.reward_info.action_checks if simulation.reward_info else None
    recorded = named[0] if named else None
    name = identity(simulation.id)
    task_id, fault = resolved(recorded, checks, run.gold, name[0] if name else str(record.line))
    if fault:
        faults.append(fault)
    agent, world = run.info.agent_info or Side(), run.info.environment_info or World()
    messages = simulation.messages or []
    episode = Episode(
        task_id=task_id,
        model=origin.model or word(agent.llm),
        harness=word(agent.implementation),
        replicate=repetition(simulation.trial, faults, "trial"),
        run=run.time,
        suite=word(world.domain_name),
        instruction=run.gold.instruction(task_id),
        faults=faults,
        numeric_id=named is not None and named[1],
        recorded_task_id=recorded if task_id != recorded else None,
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
                _reply(part, index, transcript)
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
            transcript.call(call.name, arguments, ("messages", index, number), word(call.id), by, time)
    return transcript


def _reply(said: Said, index: int, transcript: Transcript) -> None:
    shown = result_of(said.content, transcript.faults, f"messages[{index}].content")
    error = shown.text if said.error else None
    actor = _actor(said.requestor) or "agent"
    call_id = word(said.id) or word(said.tool_call_id)
    transcript.reply(Reply(shown, ("messages", index, None), call_id, failed=said.error, error=error, actor=actor))


def _actor(requestor: str | None) -> str | None:
    return None if requestor is None else "user" if requestor == "user" else "agent"


READER = Tau2Bench()
