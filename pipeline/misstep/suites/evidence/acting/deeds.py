"""How an agent acts: in which order, how much of it, and what it takes for known too early."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from misstep.suites.evidence.acting.lacking import flexible, lacks
from misstep.suites.evidence.acting.mistakes import guessed, missing, wrong
from misstep.suites.evidence.acting.moves import Move
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.acting.reading import kept, move
from misstep.suites.evidence.layers import Step


def sequences(prepared: Prepared, draw: random.Random) -> list[Step]:
    """Return the actions in an order that their dependencies allow."""
    after = {one["id"]: set(one.get("after", ())) for one in prepared.case.evidence["actions"]}
    rest, done, found = list(prepared.case.actions), set[str](), list[Step]()
    while rest:
        able = [step for step in rest if after[step.id] <= done]
        step = draw.choice(able) if draw.random() < 0.5 else able[0]
        rest.remove(step)
        done.add(step.id)
        found.append(step)
    return found


def action_turns(
    steps: Sequence[Step], prepared: Prepared, together: float, draw: random.Random
) -> list[tuple[Move, ...]]:
    """Return actions as turns; two that do not depend on each other now and then in one."""
    after = {one["id"]: set(one.get("after", ())) for one in prepared.case.evidence["actions"]}
    turns: list[tuple[Move, ...]] = [(move(step, named=True),) for step in steps]
    for place, (one, other) in enumerate(pairwise(steps)):
        if one.id not in after[other.id] and one.tool != other.tool and draw.random() < together:
            return [*turns[:place], (*turns[place], *turns[place + 1]), *turns[place + 2 :]]
    return turns


def subsets(prepared: Prepared, steps: Sequence[Step]) -> list[list[str]]:
    """Return sets of reads that leave out a required one, and after which all that these actions need is known."""
    found = [kept(prepared, [name]) for name in prepared.required]
    found += [kept(prepared, pair) for pair in pairwise(prepared.required)]
    found += [kept(prepared, prepared.required[place:]) for place in range(1, len(prepared.required))]
    return [
        names
        for place, names in enumerate(found)
        if names not in found[:place] and not any(prepared.unknown(step, names) for step in steps)
    ]


def early(prepared: Prepared, steps: Sequence[Step], draw: random.Random) -> tuple[list[str], bool]:
    """Return reads that are too few, and whether all that these actions need is known after them all the same."""
    possible = subsets(prepared, steps)
    if possible:
        return draw.choice(possible), True
    place = draw.randrange(len(prepared.required))
    return kept(prepared, prepared.required[place:]), False


def premature(prepared: Prepared, steps: Sequence[Step]) -> list[list[str]]:
    """Return the sets of reads of `subsets` after which the first of these actions certainly comes too early."""
    found = subsets(prepared, steps)
    return [names for names in found if not flexible(prepared) or lacks(prepared, steps[0], names)]


def blind(prepared: Prepared, step: Step) -> list[list[str]]:
    """Return sets of reads, too few, after which an action certainly comes too early, whatever its arguments."""
    found = [kept(prepared, prepared.required[place:]) for place in range(len(prepared.required))]
    return [names for names in found if not flexible(prepared) or lacks(prepared, step, names)]


def guess(prepared: Prepared, step: Step, names: Sequence[str], draw: random.Random) -> tuple[Move, ...]:
    """Return a turn with an action that takes for known what is not, or lacks what it needs."""
    if flexible(prepared):
        return (wrong(prepared, step, draw, loose=True) or missing(prepared, step, draw),)
    return (guessed(prepared, step, names, draw),)
