"""Moves on cases with several actions (V2 and V3) that go wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from misstep.suites.evidence.acting.deeds import early, guess, sequences, subsets
from misstep.suites.evidence.acting.mistakes import missing, others, wrong
from misstep.suites.evidence.acting.moves import Move, Moves
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.acting.reading import Manner, move, read_turns
from misstep.suites.evidence.acting.single import idle
from misstep.suites.evidence.layers import Step

Play = Callable[[Prepared, Manner, random.Random], Moves]
Turns = list[tuple[Move, ...]]


def gap(*, late: bool) -> Play:
    """Return what acts before everything is read, and does all of it or none; reads the rest afterwards or not."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        steps = sequences(prepared, draw)
        if late and draw.random() < 0.4 and (done := _first_then_rest(prepared, manner, draw, steps)):
            return Moves(done, "DONE")
        if draw.random() < 0.85 and subsets(prepared, steps):
            names, _ = early(prepared, steps, draw)
            turns = [*read_turns(prepared, names, manner, draw), *_done(steps)]
        else:
            names, _ = early(prepared, steps[:1], draw)
            turns = [*read_turns(prepared, names, manner, draw), guess(prepared, steps[0], names, draw)]
        return Moves([*turns, *_rest(prepared, manner, draw, names, late=late)], _says(draw))

    return play


def _first_then_rest(prepared: Prepared, manner: Manner, draw: random.Random, steps: Sequence[Step]) -> Turns:
    """Return turns that do the first action too early, then read on, then do the others; none if it is not known."""
    possible = subsets(prepared, steps[:1])
    if not possible:
        return []
    names = draw.choice(possible)
    turns = [*read_turns(prepared, names, manner, draw), *_done(steps[:1])]
    return [*turns, *_rest(prepared, manner, draw, names, late=True), *_done(steps[1:])]


def partial(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that read everything, do a part, and stop or go wrong."""
    steps = sequences(prepared, draw)
    number = draw.randint(1, len(steps) - 1)
    turns = [*read_turns(prepared, prepared.reads, manner, draw), *_done(steps[:number])]
    following = steps[number:]
    kind = draw.choices(["stops", "wrong", "extra"], [5, 3, 1])[0]
    alone = [step for step in following[:1] if step.tool not in {one.tool for one in steps if one is not step}]
    slip = wrong(prepared, alone[0], draw, loose=True) if kind == "wrong" and alone else None
    if slip is not None and set(_named(slip)) <= {step.id for step in steps[:number]}:
        turns.append((slip,))
    elif kind == "extra" and (extra := others(prepared)):
        turns.append((draw.choice(extra),))
    return Moves(turns, _says(draw))


def _named(move: Move) -> list[str]:
    """Return the actions whose results a move needs."""
    return [
        one["result_of"]
        for value in move.arguments.values()
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, dict)
    ]


def other(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that read everything and do nothing, or all of it and something else, or only something else."""
    extra = others(prepared)
    kind = draw.choices(["idle", "more", "twice", "else"], [4, 3, 1, 1])[0]
    if kind == "idle" or (kind == "else" and not extra):
        return idle(complete=True)(prepared, manner, draw)
    turns = read_turns(prepared, prepared.reads, manner, draw)
    if kind == "else":
        return Moves([*turns, (draw.choice(extra),)], _says(draw))
    steps = sequences(prepared, draw)
    more = draw.choice(extra) if kind == "more" and extra else move(steps[-1])
    return Moves([*turns, *_done(steps), (more,)], "DONE")


class gap_partial:
    """What does a part before everything is read, and reads the rest afterwards or not at all."""

    def __init__(self, *, late: bool) -> None:
        self._late = late

    @staticmethod
    def able(prepared: Prepared) -> bool:
        """Return whether some first action can be done with a required read left out."""
        return any(subsets(prepared, [step]) for step in _roots(prepared))

    def __call__(self, prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        """Return such moves."""
        roots = [step for step in _roots(prepared) if subsets(prepared, [step])]
        if not roots:
            return self._guessing(prepared, manner, draw)
        steps = [draw.choice(roots)]
        for step in sequences(prepared, draw):
            more = step is not steps[0] and len(steps) < len(prepared.case.actions) - 1 and draw.random() < 0.5
            known = _after(prepared, step) <= {one.id for one in steps}
            if more and known and subsets(prepared, [*steps, step]):
                steps.append(step)
        names, _ = early(prepared, steps, draw)
        turns = [*read_turns(prepared, names, manner, draw), *_done(steps)]
        return Moves([*turns, *_rest(prepared, manner, draw, names, late=self._late)], _says(draw))

    def _guessing(self, prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        """Return moves that try too early, are refused, read the rest, and do a part."""
        steps = sequences(prepared, draw)
        names, _ = early(prepared, steps[:1], draw)
        turns = [*read_turns(prepared, names, manner, draw), (missing(prepared, steps[0], draw),)]
        rest = _rest(prepared, manner, draw, names, late=True)
        return Moves([*turns, *rest, *_done(steps[: draw.randint(1, len(steps) - 1)])], _says(draw))


def _after(prepared: Prepared, step: Step) -> set[str]:
    return {name for one in prepared.case.evidence["actions"] if one["id"] == step.id for name in one.get("after", ())}


def _roots(prepared: Prepared) -> list[Step]:
    return [step for step in prepared.case.actions if not _after(prepared, step)]


def _done(steps: Sequence[Step]) -> Turns:
    return [(move(step, named=True),) for step in steps]


def _rest(prepared: Prepared, manner: Manner, draw: random.Random, names: Sequence[str], *, late: bool) -> Turns:
    if not late:
        return []
    return read_turns(prepared, [name for name in prepared.reads if name not in names], manner, draw, names)


def _says(draw: random.Random) -> str | None:
    return draw.choices(["DONE", "DEFER", "BLOCK", None], [14, 3, 1, 1])[0]
