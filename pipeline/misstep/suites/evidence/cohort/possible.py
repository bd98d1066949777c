"""Whether cases can end as counts say: each only in the ways that it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from misstep.suites.counts import Margin, Vector, nearest
from misstep.suites.evidence.cohort.space import Cell, Space
from misstep.suites.evidence.cohort.ways import REPLICATES

#: Cell → sets of ways, each with how many of its cases have only ways of the set.
Narrow = Mapping[Cell, Sequence[tuple[frozenset[str], int]]]


def meeting(
    space: Space, fitted: Vector, conditions: Sequence[Margin], gap: float = 1.0, nodes: int | None = None
) -> Vector:
    """Return the whole counts that meet conditions, near to a fit, and in which the cases of the space can end.

    What the cases can do is asked for where an answer goes beyond it: there is far more of it than ever matters.

    Args:
        space: the unknowns.
        fitted: the counts to be near to.
        conditions: what must hold.
        gap: distance to the nearest plan that is allowed, as a share of the distance.
        nodes: how far to search.

    Raises:
        ContractError: there are none, or none was found.
    """
    limits, narrow = list(conditions), _narrow(space)
    while True:
        counts = nearest(fitted, limits, gap, nodes)
        beyond = list(_beyond(space, counts, narrow))
        if not beyond:
            return counts
        limits += beyond


def _narrow(space: Space) -> Narrow:
    """Return the unions of what single cases of a cell can do: other sets ask for nothing more (Hall, 1935)."""
    found: dict[Cell, list[tuple[frozenset[str], int]]] = {}
    for cell, cases in space.cells.items():
        unions: set[frozenset[str]] = set()
        for able in sorted({case.ways for case in cases}, key=sorted):
            unions |= {able} | {able | union for union in unions}
        whole = {part.way.name for part in space.parts if part.cell == cell}
        found[cell] = [
            (union, sum(case.ways <= union for case in cases))
            for union in sorted(unions, key=sorted)
            if not union >= whole
        ]
    return found


def _beyond(space: Space, counts: Vector, narrow: Narrow) -> Iterator[Margin]:
    """Yield what does not hold of: the cases that have only some ways end in them, in each replicate."""
    tally: dict[tuple[int, Cell], dict[str, float]] = {}
    for part, count in zip(space.parts, counts, strict=True):
        tally.setdefault((part.replicate, part.cell), {})[part.way.name] = float(count)
    for cell, sets in narrow.items():
        for replicate in REPLICATES:
            ends = tally[replicate, cell]
            for union, number in sets:
                least = number - space.lost.get((replicate, cell), 0)
                if sum(count for name, count in ends.items() if name in union) < least - 0.5:
                    place = (replicate, cell, union)
                    vector = space.those(
                        lambda part, of=place: (part.replicate, part.cell) == of[:2] and part.way.name in of[2]  # type: ignore[misc]
                    )
                    yield Margin("possible", vector, least, np.inf)
