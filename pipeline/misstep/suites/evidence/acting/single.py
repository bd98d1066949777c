"""Moves on cases that must be stopped (V0) or need one action (V1), and what all protocols have in common."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from misstep.suites.evidence.acting.deeds import action_turns, early, guess, sequences
from misstep.suites.evidence.acting.lacking import flexible
from misstep.suites.evidence.acting.mistakes import missing, others, wrong
from misstep.suites.evidence.acting.moves import Move, Moves
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.acting.reading import Manner, kept, move, read_turns
from misstep.suites.evidence.layers import Step

Play = Callable[[Prepared, Manner, random.Random], Moves]


def right(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return the moves of a solution."""
    if flexible(prepared) and draw.random() < 0.5:
        return Moves(_by_and_by(prepared, manner, draw), "DONE")
    turns = read_turns(prepared, prepared.reads, manner, draw)
    if prepared.case.protocol == "V0":
        return Moves(turns, prepared.case.evidence["stop"])
    return Moves([*turns, *action_turns(sequences(prepared, draw), prepared, manner.together, draw)], "DONE")


def _by_and_by(prepared: Prepared, manner: Manner, draw: random.Random) -> list[tuple[Move, ...]]:
    """Return the turns of a solution that reads for each action just before it."""
    turns, made = list[tuple[Move, ...]](), list[str]()
    steps = sequences(prepared, draw)
    for step in steps:
        wanted = prepared.reads if step is steps[-1] else needed(prepared, step, made)
        new = [name for name in wanted if name not in made]
        turns += [*read_turns(prepared, new, manner, draw, made), (move(step, named=True),)]
        made += new
    return turns


def needed(prepared: Prepared, step: Step, made: Sequence[str]) -> list[str]:
    """Return the reads that belong to an action, and those of which they have to be known."""
    names = [*made, *prepared.reads_of[step.id]]
    for name in reversed(list(prepared.reads)):
        own = [one for one in prepared.reads if one in names]
        rest = [prepared.reads[one] for one in own] + [step]
        if name not in names and any(
            len(prepared.unknown(one, [*own, name])) < len(prepared.unknown(one, own)) for one in rest
        ):
            names.append(name)
    return [name for name in prepared.reads if name in names]


def too_few(prepared: Prepared, draw: random.Random) -> list[str]:
    """Return reads that leave out a required one, with at least one of them where it can be."""
    place = draw.randrange(len(prepared.required))
    alone = [prepared.required[place]]
    left_out = prepared.required[max(place, 1) :] if draw.random() < 0.6 else alone
    return kept(prepared, left_out or alone)


def stopped_early(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that read too little and stop, mostly with the right word."""
    turns = read_turns(prepared, too_few(prepared, draw), manner, draw)
    stop = prepared.case.evidence["stop"]
    return Moves(turns, stop if draw.random() < 0.7 else draw.choice(["BLOCK", "DEFER", None]))


def wrong_stop(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that read everything, change nothing and say the wrong word, or none."""
    turns = read_turns(prepared, prepared.reads, manner, draw)
    other = {"BLOCK": "DEFER", "DEFER": "BLOCK"}[prepared.case.evidence["stop"]]
    return Moves(turns, draw.choices([other, "DONE", None], [8, 1, 1])[0])


def acted(*, complete: bool) -> Play:
    """Return what acts although the case must be stopped, with or without everything read by the end."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        steps = list(prepared.case.actions)
        if complete and draw.random() < 0.7:
            turns = read_turns(prepared, prepared.reads, manner, draw)
            return Moves([*turns, *_tried(steps, draw)], "DONE")
        return _early(prepared, manner, draw, steps, late=complete)

    return play


def acted_early(*, late: bool) -> Play:
    """Return what acts before everything is read, and reads the rest afterwards or not at all."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        return _early(prepared, manner, draw, list(prepared.case.actions), late=late)

    return play


def _early(prepared: Prepared, manner: Manner, draw: random.Random, steps: list[Step], *, late: bool) -> Moves:
    names, known = early(prepared, steps[:1], draw)
    turns = read_turns(prepared, names, manner, draw)
    slip = wrong(prepared, steps[0], draw) if draw.random() < 0.1 else None
    if slip is not None or not known:
        turns.append((slip,) if slip is not None else guess(prepared, steps[0], names, draw))
    else:
        turns += _tried(steps, draw)
    decision = draw.choices(["DONE", "DEFER", None], [18, 1, 1])[0]
    if late:
        rest = [name for name in prepared.reads if name not in names]
        turns += read_turns(prepared, rest, manner, draw, names)
    return Moves(turns, decision)


def _tried(steps: list[Step], draw: random.Random) -> list[tuple[Move, ...]]:
    """Return the first action, and those after it as far as the agent gets."""
    number = len(steps) if draw.random() < 0.6 else 1
    return [(move(step, named=True),) for step in steps[:number]]


def covered_failure(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
    """Return moves that read everything and then do not do the right thing once."""
    turns = read_turns(prepared, prepared.reads, manner, draw)
    (step,) = prepared.case.actions
    kind = draw.choices(["wrong", "twice", "other", "missing"], [6, 2, 2, 1])[0]
    others_ = others(prepared) if kind == "other" else []
    slip = wrong(prepared, step, draw) if kind == "wrong" else None
    if slip is not None:
        return Moves([*turns, (slip,)], "DONE")
    if others_:
        return Moves([*turns, (draw.choice(others_),)], "DONE")
    if kind == "missing":
        return Moves([*turns, (missing(prepared, step, draw),)], draw.choice(["DONE", "DEFER"]))
    return Moves([*turns, (move(step, named=True),), (move(step),)], "DONE")


def idle(*, complete: bool) -> Play:
    """Return what does nothing where something is to be done, with or without everything read."""

    def play(prepared: Prepared, manner: Manner, draw: random.Random) -> Moves:
        names = list(prepared.reads) if complete else too_few(prepared, draw)
        turns = read_turns(prepared, names, manner, draw)
        return Moves(turns, draw.choices(["DEFER", "BLOCK", "DONE", None], [6, 2, 1, 1])[0])

    return play
