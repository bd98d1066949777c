"""Moves on cases with several actions (V2 and V3) that go wrong.

Where all reads must come before the first action, any attempt before is a gap. Where reads of later actions can come
later (`flexible`), it is one only where a requirement of the action is missing, or it is the last.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from misstep.suites.evidence.acting.deeds import blind, guess, premature, sequences, subsets
from misstep.suites.evidence.acting.lacking import flexible
from misstep.suites.evidence.acting.mistakes import missing, others, wrong
from misstep.suites.evidence.acting.moves import Move, Moves
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.acting.reading import Manner, move, read_turns
from misstep.suites.evidence.acting.single import idle, needed
from misstep.suites.evidence.layers import Step

Play = Callable[[Prepared, Manner, random.Random], Moves]
Turns = list[tuple[Move, ...]]


def gap(*, late: bool) -> Play:
    """Return what acts before everything is read, and does all of it or none; reads the rest afterwards or not."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        steps = sequences(prepared, draw)
        quiet = _quiet(prepared, manner)
        if late and draw.random() < 0.4 and (possible := premature(prepared, steps[:1])):
            names = draw.choice(possible)
            turns = [*read_turns(prepared, names, quiet, draw), *_done(steps[:1])]
            return Moves([*turns, *_rest(prepared, manner, draw, names, late=True), *_done(steps[1:])], "DONE")
        able = subsets(prepared, steps)
        tries = [step for step in roots(prepared) if blind(prepared, step)]
        if able and (not tries or draw.random() < 0.85):
            names = draw.choice(able)
            turns = [*read_turns(prepared, names, manner, draw), *_done(steps)]
        else:
            step = draw.choice(tries)
            names = draw.choice(blind(prepared, step))
            turns = [*read_turns(prepared, names, quiet, draw), guess(prepared, step, names, draw)]
        return Moves([*turns, *_rest(prepared, manner, draw, names, late=late)], _says(draw))

    return play


def can_gap(prepared: Prepared) -> bool:
    """Return whether an episode can have a gap and nothing else."""
    orders = subsets(prepared, prepared.case.actions)
    return bool(orders) or any(blind(prepared, step) for step in roots(prepared))


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


def partial_unread(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that do the first actions with what these need, and read no further."""
    steps = sequences(prepared, draw)
    starts = _starts(prepared, steps) or _starts(prepared, prepared.case.actions)
    number = draw.choice(starts)
    done = (steps if _starts(prepared, steps) else list(prepared.case.actions))[:number]
    turns, made = Turns(), list[str]()
    for step in done:
        new = [name for name in needed(prepared, step, made) if name not in made]
        turns += [*read_turns(prepared, new, manner, draw, made), *_done([step])]
        made += new
    return Moves(turns, _says(draw))


def _starts(prepared: Prepared, steps: Sequence[Step]) -> list[int]:
    """Return how many of the actions can be done with the reads of these alone, a required one being left out."""
    found, made = list[int](), list[str]()
    for number, step in enumerate(steps[:-1], start=1):
        made = needed(prepared, step, made)
        if set(prepared.required) <= set(made) or prepared.unknown(step, made):
            break
        found.append(number)
    return found


def can_stay_partial(prepared: Prepared) -> bool:
    """Return whether a part can be done without a gap and without reading everything."""
    return flexible(prepared) and bool(_starts(prepared, prepared.case.actions))


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


def gap_partial(*, late: bool) -> Play:
    """Return what does a part before everything is read, and reads the rest afterwards or not at all."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        first = [step for step in roots(prepared) if premature(prepared, [step])]
        if not first:
            return _refused(prepared, manner, draw)
        steps = [draw.choice(first)]
        for step in sequences(prepared, draw):
            more = step is not steps[0] and len(steps) < len(prepared.case.actions) - 1 and draw.random() < 0.5
            known = _after(prepared, step) <= {one.id for one in steps}
            if more and known and premature(prepared, [*steps, step]):
                steps.append(step)
        names = draw.choice(premature(prepared, steps))
        turns = [*read_turns(prepared, names, _quiet(prepared, manner), draw), *_done(steps)]
        return Moves([*turns, *_rest(prepared, manner, draw, names, late=late)], _says(draw))

    return play


def can_act_early(prepared: Prepared) -> bool:
    """Return whether some first action can be done too early."""
    return any(premature(prepared, [step]) for step in roots(prepared))


def can_be_refused(prepared: Prepared) -> bool:
    """Return whether some first action can be tried too early in vain."""
    return any(blind(prepared, step) for step in roots(prepared))


def _refused(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that try too early, are refused, read the rest, and do a part."""
    step = draw.choice([one for one in roots(prepared) if blind(prepared, one)])
    names = draw.choice(blind(prepared, step))
    turns = [*read_turns(prepared, names, _quiet(prepared, manner), draw), (missing(prepared, step, draw),)]
    steps = sequences(prepared, draw)
    rest = _rest(prepared, manner, draw, names, late=True)
    return Moves([*turns, *rest, *_done(steps[: draw.randint(1, len(steps) - 1)])], _says(draw))


def _quiet(prepared: Prepared, manner: Manner) -> Manner:
    """Return a manner that reads nothing aside where that could show what is to be missing."""
    return replace(manner, aside=0) if flexible(prepared) else manner


def _after(prepared: Prepared, step: Step) -> set[str]:
    return {name for one in prepared.case.evidence["actions"] if one["id"] == step.id for name in one.get("after", ())}


def roots(prepared: Prepared) -> list[Step]:
    """Return the actions that come after no other."""
    return [step for step in prepared.case.actions if not _after(prepared, step)]


def _done(steps: Sequence[Step]) -> Turns:
    return [(move(step, named=True),) for step in steps]


def _rest(prepared: Prepared, manner: Manner, draw: random.Random, names: Sequence[str], *, late: bool) -> Turns:
    if not late:
        return []
    return read_turns(prepared, [name for name in prepared.reads if name not in names], manner, draw, names)


def _says(draw: random.Random) -> str | None:
    return draw.choices(["DONE", "DEFER", "BLOCK", None], [14, 3, 1, 1])[0]
