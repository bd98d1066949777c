"""For each way in which an episode can end, by its name in the plan: moves that lead there, drawn anew each time."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from misstep.suites.evidence.acting.moves import Moves
from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.acting.reading import Manner
from misstep.suites.evidence.acting.single import (
    acted,
    acted_early,
    covered_failure,
    idle,
    right,
    stopped_early,
    wrong_stop,
)
from misstep.suites.evidence.acting.workflows import (
    can_act_early,
    can_be_refused,
    can_gap,
    can_stay_partial,
    gap,
    gap_partial,
    other,
    partial,
    partial_unread,
)

Play = Callable[[Prepared, Manner, random.Random], Moves]


def _judged(answer: str) -> Play:
    def play(_: Prepared, __: Manner, ___: random.Random) -> Moves:
        return Moves([], answer)

    return play


def _judged_right(prepared: Prepared, _: Manner, __: random.Random) -> Moves:
    return Moves([], prepared.case.entry.decision)


_WORKFLOWS: Mapping[str, Play] = {
    "solved": right,
    "gap": gap(late=False),
    "gap, investigated late": gap(late=True),
    "partial": partial_unread,
    "partial, investigated": partial,
    "gap and partial": gap_partial(late=False),
    "gap and partial, investigated late": gap_partial(late=True),
    "other": idle(complete=False),
    "other, investigated": other,
}
#: Protocol → way → moves.
PLAYS: Mapping[str, Mapping[str, Play]] = {
    "Legacy": {"solved": _judged_right, **{f"wrong: {one}": _judged(one) for one in ("ALLOW", "BLOCK", "DEFER")}},
    "V0": {
        "solved": right,
        "stopped early": stopped_early,
        "acted": acted(complete=False),
        "acted, investigated": acted(complete=True),
        "wrong stop": wrong_stop,
    },
    "V1": {
        "solved": right,
        "acted early": acted_early(late=False),
        "acted early, investigated late": acted_early(late=True),
        "failed after investigation": covered_failure,
        "no action": idle(complete=False),
        "no action, investigated": idle(complete=True),
    },
    "V2": _WORKFLOWS,
    "V3": _WORKFLOWS,
}


def playable(prepared: Prepared) -> frozenset[str]:
    """Return the names of the ways in which an episode of a case can be made to end."""
    names = set(PLAYS[prepared.case.protocol])
    names.discard(f"wrong: {prepared.case.entry.decision}")
    if prepared.case.protocol in ("V2", "V3"):
        early, refused = can_act_early(prepared), can_be_refused(prepared)
        able = {
            "gap": can_gap(prepared),
            "gap, investigated late": can_gap(prepared),
            "partial": can_stay_partial(prepared),
            "gap and partial": early,
            "gap and partial, investigated late": early or refused,
        }
        names -= {name for name, holds in able.items() if not holds}
    return frozenset(names)


def play(prepared: Prepared, way: str, manner: Manner, draw: random.Random) -> Moves:
    """Return moves after which an episode has ended in a way.

    Raises:
        KeyError: the protocol of the case has no such way.
    """
    return PLAYS[prepared.case.protocol][way](prepared, manner, draw)
