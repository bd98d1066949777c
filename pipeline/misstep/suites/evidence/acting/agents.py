"""The scripted agents of the suite: each goes wrong in a way of its own, and always in the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from misstep.suites.evidence.acting.deeds import action_turns
from misstep.suites.evidence.acting.meddling import Meddled, changes
from misstep.suites.evidence.acting.mistakes import others
from misstep.suites.evidence.acting.moves import Move, Moves, follow
from misstep.suites.evidence.acting.prepared import Prepared, Staged
from misstep.suites.evidence.acting.reading import move
from misstep.suites.evidence.protocol import run
from misstep.suites.evidence.sources import Domain
from misstep.suites.world import Record

HARNESS = "scripted"
_NONE = random.Random(0)


def scripted(domains: Iterable[Domain]) -> Iterator[tuple[str, Record]]:
    """Yield (file without ending, record) of all scripted agents but the reference, by agent."""
    prepared = [Prepared.of(case, domain) for domain in domains for case in domain.cases]
    for name in AGENTS:
        if name != "reference":
            for one in prepared:
                yield f"scripted/{name}", episode(one, name)


def episode(prepared: Prepared, name: str) -> Record:
    """Return the record of a scripted agent on a case."""
    identity = {
        "suite": "evidence",
        "task_id": prepared.case.task_id,
        "model": name,
        "harness": HARNESS,
        "condition": "original",
        "run": "scripted",
        "replicate": 1,
    }
    if name == "stale" and prepared.case.protocol not in ("Legacy", "V0"):
        change = next(changes(prepared), None)
        if change is not None:
            world = Meddled(prepared, change, len(prepared.reads))
            record = run(follow(_reference(prepared)), prepared.digested, world, identity)
            return world.told(record)
    return run(follow(AGENTS[name](prepared)), prepared.digested, Staged(prepared, name), identity)


def _reads(prepared: Prepared) -> list[tuple[Move, ...]]:
    return [(move(step),) for step in prepared.case.reads]


def _actions(prepared: Prepared) -> list[tuple[Move, ...]]:
    return action_turns(prepared.case.actions, prepared, 0, _NONE)


def _reference(prepared: Prepared) -> Moves:
    if prepared.case.protocol == "Legacy":
        return Moves([], prepared.case.entry.decision)
    if prepared.case.protocol == "V0":
        return Moves(_reads(prepared), prepared.case.evidence["stop"])
    return Moves([*_reads(prepared), *_actions(prepared)], "DONE")


def _hasty(prepared: Prepared) -> Moves:
    """Act at once, without a read."""
    if prepared.case.protocol == "Legacy":
        return Moves([], "ALLOW")
    return Moves(_actions(prepared), "DONE")


def _shallow(prepared: Prepared) -> Moves:
    """Read half of it, and leave it at that."""
    if prepared.case.protocol == "Legacy":
        return _reference(prepared)
    half = prepared.required[: len(prepared.required) // 2]
    stop = prepared.case.evidence.get("stop", "DEFER")
    return Moves([(move(prepared.reads[name]),) for name in half], stop)


def twin(prepared: Prepared) -> tuple[str, Move]:
    """Return a required read, and one of the same tool about something else."""
    for name in reversed(prepared.required):
        step = prepared.reads[name]
        tool = prepared.domain.info[step.tool]
        if tool.by is not None:
            own = [one.arguments for one in prepared.case.reads if one.tool == step.tool]
            for entity in sorted(prepared.world.records):
                kind, _, other = entity.partition(":")
                arguments = {tool.by: other}
                if kind == tool.on and arguments not in own and prepared.shown(step.tool, arguments).get("ok"):
                    return name, Move(step.tool, arguments)
    name = prepared.required[-1]
    step = prepared.reads[name]
    return name, Move(step.tool, {**step.arguments, next(iter(step.arguments)): "another"})


def _wrong_entity(prepared: Prepared) -> Moves:
    """Read one thing of another record, and go on as if nothing were amiss."""
    if prepared.case.protocol == "Legacy":
        return _reference(prepared)
    name, instead = twin(prepared)
    turns: list[tuple[Move, ...]] = [
        (instead,) if one == name else (move(step),) for one, step in prepared.reads.items()
    ]
    if prepared.case.protocol == "V0":
        return Moves(turns, prepared.case.evidence["stop"])
    return Moves([*turns, *_actions(prepared)], "DONE")


def _invents(prepared: Prepared) -> Moves:
    """Make up what an earlier action returned."""
    if prepared.case.protocol not in ("V1", "V2", "V3"):
        return _reference(prepared)
    turns: list[tuple[Move, ...]] = [tuple(map(invented, turn)) for turn in _actions(prepared)]
    return Moves([*_reads(prepared), *turns], "DONE")


def invented(call: Move) -> Move:
    """Return a call in which results of earlier ones are made up."""
    return Move(call.tool, {name: _made_up(value) for name, value in call.arguments.items()}, call.name)


def _made_up(value: Any) -> Any:
    if isinstance(value, Mapping):
        return 7 if value["field"] == "version" or str(value["field"]).endswith("_version") else "rc_0badc0de"
    return [_made_up(one) for one in value] if isinstance(value, list) else value


def _reorders(prepared: Prepared) -> Moves:
    """Do an action before the one that it comes after."""
    if prepared.case.protocol not in ("V2", "V3"):
        return _reference(prepared)
    place, before = next(
        (place, one["after"][0]) for place, one in enumerate(prepared.case.evidence["actions"]) if one.get("after")
    )
    steps = list(prepared.case.actions)
    late = steps.pop(place)
    steps.insert(next(number for number, step in enumerate(steps) if step.id == before), late)
    turns: list[tuple[Move, ...]] = [
        (invented(call) if call.name == late.id else call,) for (call,) in action_turns(steps, prepared, 0, _NONE)
    ]
    return Moves([*_reads(prepared), *turns], "DONE")


def _over_acts(prepared: Prepared) -> Moves:
    """Do what is right, and something else that nobody asked for."""
    if prepared.case.protocol == "Legacy":
        return _reference(prepared)
    right = _reference(prepared)
    return Moves([*right.turns, (others(prepared)[0],)], right.decision)


def _always(word: str) -> Callable[[Prepared], Moves]:
    return lambda _: Moves([], word)


#: Agent → its moves on a case.
AGENTS: dict[str, Callable[[Prepared], Moves]] = {
    "reference": _reference,
    "hasty": _hasty,
    "shallow": _shallow,
    "wrong-entity": _wrong_entity,
    "stale": _reference,
    "invents-references": _invents,
    "reorders": _reorders,
    "over-acts": _over_acts,
    "blocks-always": _always("BLOCK"),
    "defers-always": _always("DEFER"),
}
