"""Variations of the solutions of the evidence suite, by kind: what must be accepted all the same, and what must not."""

import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from misstep.suites.evidence.acting.agents import episode
from misstep.suites.evidence.acting.deeds import action_turns
from misstep.suites.evidence.acting.meddling import Meddled, changes
from misstep.suites.evidence.acting.moves import Move, Moves, follow
from misstep.suites.evidence.acting.prepared import Prepared, Staged
from misstep.suites.evidence.acting.reading import move
from misstep.suites.evidence.layers import Step
from misstep.suites.evidence.protocol import run

Record = dict[str, Any]
Turns = list[tuple[Move, ...]]
_NONE = random.Random(0)


def varied(prepared: Prepared) -> Iterator[tuple[str, Record]]:
    """Yield (kind, record) of every variation that a case allows."""
    if prepared.case.protocol == "Legacy":
        return
    number = 0
    for kind, variation in VARIATIONS.items():
        for moves in variation(prepared):
            number += 1
            yield kind, run(follow(moves), prepared.digested, Staged(prepared), _identity(prepared, kind, number))
    record = episode(prepared, "wrong-entity")
    yield "wrong entity", {**record, **_identity(prepared, "wrong entity", 1)}
    change = next(changes(prepared), None)
    if prepared.case.protocol != "V0" and change is not None:
        world = Meddled(prepared, change, len(prepared.reads))
        identity = _identity(prepared, "stale", 1)
        yield (
            "stale",
            world.told(run(follow(_solution(prepared, _reads(prepared))), prepared.digested, world, identity)),
        )


def _identity(prepared: Prepared, kind: str, number: int) -> Record:
    return {
        "suite": "evidence",
        "task_id": prepared.case.task_id,
        "model": kind,
        "harness": "varied",
        "condition": "original",
        "run": "varied",
        "replicate": number,
    }


def _reads(prepared: Prepared) -> Turns:
    return [(move(step),) for step in prepared.case.reads]


def _solution(prepared: Prepared, reads: Turns, actions: Turns | None = None) -> Moves:
    if prepared.case.protocol == "V0":
        return Moves(reads, prepared.case.evidence["stop"])
    done = action_turns(prepared.case.actions, prepared, 0, _NONE) if actions is None else actions
    return Moves([*reads, *done], "DONE")


def _additional(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions with one read more, of something else that turned up."""
    for tool, arguments in prepared.neighbours[:1]:
        reads = _reads(prepared)
        reads.insert(len(reads) // 2, (Move(tool, arguments),))
        yield _solution(prepared, reads)


def _swaps(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions of graphs in which actions that do not depend on each other change places."""
    if prepared.case.protocol != "V3":
        return
    after = {one["id"]: set(one.get("after", ())) for one in prepared.case.evidence["actions"]}
    steps = list(prepared.case.actions)
    for place, (one, other) in enumerate(pairwise(steps)):
        if one.id not in after[other.id]:
            swapped = [*steps[:place], other, one, *steps[place + 2 :]]
            yield _solution(prepared, _reads(prepared), action_turns(swapped, prepared, 0, _NONE))
    order, rest = list[Step](), steps[::-1]
    while rest:
        order.append(next(step for step in rest if after[step.id] <= {one.id for one in order}))
        rest.remove(order[-1])
    if order != steps:
        yield _solution(prepared, _reads(prepared), action_turns(order, prepared, 0, _NONE))


def _numbers(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions in which a number is written in another way: 120 for 120.0."""
    turns = action_turns(prepared.case.actions, prepared, 0, _NONE)
    changed = [tuple(Move(call.tool, _otherwise(call, prepared), call.name) for call in turn) for turn in turns]
    if prepared.case.protocol != "V0" and repr(changed) != repr(turns):
        yield _solution(prepared, _reads(prepared), changed)


def _otherwise(call: Move, prepared: Prepared) -> Record:
    args = prepared.domain.acts[call.tool].args
    return {
        name: (int(value) if isinstance(value, float) else float(value))
        if args[name].type == "number" and isinstance(value, (int, float)) and value == int(value)
        else value
        for name, value in call.arguments.items()
    }


def _other_path(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions without one of the looks that find ids: these come from other reads."""
    for look in [name for name in prepared.reads if name not in prepared.required]:
        turns = _without(prepared, look)
        if turns is not None:
            yield _solution(prepared, turns)


def _without(prepared: Prepared, look: str) -> Turns | None:
    """Return the reads but one, each of something known by then, with others where needed; null: there is no way."""
    rest = [step for name, step in prepared.reads.items() if name != look]
    text, turns = prepared.brief.instruction, Turns()
    while rest:
        step = next((one for one in rest if not _missing(prepared, one, text)), None)
        if step is None:
            tries = (_finding(prepared, _missing(prepared, one, text)[0], text) for one in rest)
            other = next((one for one in tries if one is not None), None)
            if other is None:
                return None
            turns.append((other,))
            text += json.dumps(prepared.shown(other.tool, other.arguments))
        else:
            rest.remove(step)
            turns.append((move(step),))
            text += json.dumps(prepared.results[step.id])
    return turns


def _missing(prepared: Prepared, step: Step, text: str) -> list[Any]:
    """Return the arguments of a read that neither was told nor stands in what was seen."""
    return [step.arguments[name] for name in prepared.unknown(step, ()) if not _in(step.arguments[name], text)]


def _in(value: Any, text: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(str(value))}(?![A-Za-z0-9])", text) is not None


def _finding(prepared: Prepared, value: Any, text: str) -> Move | None:
    """Return a read that is none of the solution's, of something known, which shows a value; null: there is none."""
    own = [(step.tool, step.arguments) for step in prepared.case.reads]
    words = sorted(set(re.findall(r"[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*", text)))
    for tool, info in prepared.domain.info.items():
        if len(info.arguments) == 1:
            for word in words:
                call = (tool, {info.arguments[0]: word})
                if call not in own and _in(value, json.dumps(prepared.shown(*call))) and word != value:
                    return Move(*call)
    return None


def _equal_facts(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions that see a record which they need by another tool as well, just before they act."""
    needed = {
        (prepared.domain.info[step.tool].on, str(value))
        for step in prepared.case.reads
        for value in step.arguments.values()
    }
    for tool, arguments in prepared.neighbours:
        if (prepared.domain.info[tool].on, str(next(iter(arguments.values())))) in needed:
            yield _solution(prepared, [*_reads(prepared), (Move(tool, arguments),)])
            return


def _joint(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions in which a requirement rests on several records, read in another order."""
    joint = any(
        isinstance(one, dict) and len({str(each.get("entity")) for each in one.get("all", [])}) > 1
        for need in prepared.case.evidence["requirements"]
        for one in need["supported_if"]
    )
    order, rest = list[Step](), list(prepared.case.reads)[::-1]
    while rest:
        step = next(one for one in rest if not prepared.unknown(one, [made.id for made in order]))
        rest.remove(step)
        order.append(step)
    if joint and order != list(prepared.case.reads):
        yield _solution(prepared, [(move(step),) for step in order])


def _discovery(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions that list candidates, look at a wrong one as well, and then go by the right one."""
    for step in prepared.case.reads:
        found = prepared.results[step.id].get("found", ())
        if len(found) > 1:
            kind = prepared.domain.info[step.tool].on
            for tool, arguments in prepared.neighbours:
                if prepared.domain.info[tool].on == kind and next(iter(arguments.values())) in {
                    one["id"] for one in found
                }:
                    place = prepared.case.reads.index(step) + 1
                    reads = _reads(prepared)
                    yield _solution(prepared, [*reads[:place], (Move(tool, arguments),), *reads[place:]])
                    return


def _indirect(prepared: Prepared) -> Iterator[Moves]:
    """Yield solutions in which a state follows from an own earlier action, which nothing shows afterwards."""
    if prepared.case.protocol in ("V2", "V3") and '"state": {' in json.dumps(prepared.case.evidence["requirements"]):
        yield _solution(prepared, _reads(prepared))


VARIATIONS: dict[str, Callable[[Prepared], Iterator[Moves]]] = {
    "additional read": _additional,
    "v3 swap": _swaps,
    "equal number": _numbers,
    "alternative path": _other_path,
    "equal fact": _equal_facts,
    "joint support": _joint,
    "discovery": _discovery,
    "indirect state": _indirect,
}
