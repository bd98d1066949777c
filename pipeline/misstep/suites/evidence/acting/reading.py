"""How an agent reads: in which order, what it leaves out, what it reads beside, what it asks for in vain."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from misstep.suites.evidence.acting.moves import Move
from misstep.suites.evidence.acting.prepared import Prepared, plain
from misstep.suites.evidence.layers import Step


@dataclass(frozen=True)
class Manner:
    """How an agent goes about reading; shares are chances a place.

    Attributes:
        straight: takes the next read in the usual order where it has a choice.
        together: makes the next read in the same turn, where it can.
        aside: reads of an episode beside those that it needs.
        again: repeats a read.
        slips: an episode has a read that fails.
    """

    straight: float = 0.6
    together: float = 0.15
    aside: float = 0.5
    again: float = 0.1
    slips: float = 0.1


def kept(prepared: Prepared, left_out: Iterable[str]) -> list[str]:
    """Return the reads that can be made without these, in order: others go with them, whose arguments they show."""
    away, made = set(left_out), list[str]()
    for name, step in prepared.reads.items():
        if name not in away and not prepared.unknown(step, made):
            made.append(name)
    return made


def ordered(
    prepared: Prepared, names: Iterable[str], manner: Manner, draw: random.Random, before: Sequence[str] = ()
) -> list[str]:
    """Return reads in an order in which each is known of when it is made; `before` were made already."""
    rest = [name for name in prepared.reads if name in set(names)]
    found: list[str] = []
    while rest:
        able = [name for name in rest if not prepared.unknown(prepared.reads[name], [*before, *found])] or rest[:1]
        name = able[0] if draw.random() < manner.straight else draw.choice(able)
        rest.remove(name)
        found.append(name)
    return found


def read_turns(
    prepared: Prepared, names: Iterable[str], manner: Manner, draw: random.Random, before: Sequence[str] = ()
) -> list[tuple[Move, ...]]:
    """Return reads as turns, with others between them that lead nowhere."""
    turns: list[tuple[Move, ...]] = []
    made, turn = list(before), list[str]()
    order = ordered(prepared, names, manner, draw, before)
    for name in order:
        step = prepared.reads[name]
        if turn and draw.random() < manner.together and not prepared.unknown(step, made):
            turns[-1] = (*turns[-1], move(step))
        else:
            made += turn
            turn = []
            turns.append((move(step),))
        turn.append(name)
    for other in _asides(prepared, order, manner, draw):
        turns.insert(draw.randint((len(turns) + 1) // 2, len(turns)), (other,))
    return turns


def _asides(prepared: Prepared, order: Sequence[str], manner: Manner, draw: random.Random) -> list[Move]:
    found = []
    neighbours = prepared.neighbours
    for _ in range(2):
        if neighbours and draw.random() < manner.aside / 2:
            tool, arguments = draw.choice(neighbours)
            found.append(Move(tool, arguments))
    if order and draw.random() < manner.again:
        found.append(move(prepared.reads[draw.choice(order)]))
    if order and draw.random() < manner.slips:
        found.append(mistyped(prepared.reads[draw.choice(order)], prepared, draw))
    return found


def mistyped(step: Step, prepared: Prepared, draw: random.Random) -> Move:
    """Return a read that fails: an id that there is not, an argument too few, or one that the tool has not."""
    name = next(iter(step.arguments))
    slips = [{}, {**step.arguments, "limit": 20}, {"id": step.arguments[name]}]
    if prepared.domain.info[step.tool].by == name:
        slips.append({name: f"{step.arguments[name]}{draw.randint(0, 9)}"})
    usable = [one for one in slips if not prepared.shown(step.tool, one).get("ok")]
    return Move(step.tool, draw.choice(usable))


def move(step: Step, *, named: bool = False) -> Move:
    """Return a step of the solution as a move."""
    return Move(step.tool, plain(step), step.id if named else "")
