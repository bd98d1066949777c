"""A printed figure, or what comes nearest to it where the cases and the other figures rule it out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from misstep.suites.counts import EDGE, Margin, Vector
from misstep.suites.evidence.cohort.space import Space

Bounds = tuple[float, float]
#: How much wider than printed the bounds are where they were moved: whole episodes must fit in.
_ROOM = 0.2


def reachable(space: Space, vector: Vector, printed: Bounds, conditions: Sequence[Margin]) -> Bounds:
    """Return the bounds of a figure, moved as little as can be so that it and all conditions can hold.

    Args:
        space: the unknowns.
        vector: what gives the figure.
        printed: its bounds as printed.
        conditions: what else must hold.
    """
    never = [not any(part.way.name in case.ways for case in space.cells[part.cell]) for part in space.parts]
    ends = [_extreme(vector, sign, conditions, np.array(never)) for sign in (1, -1)]
    if None in ends:
        return printed
    low, high = float(ends[0] or 0), -float(ends[1] or 0)
    if low > printed[1] - EDGE:
        return low, low + _ROOM
    if high < printed[0] + EDGE:
        return high - _ROOM, high
    return printed


def _extreme(vector: Vector, sign: int, conditions: Sequence[Margin], never: Vector) -> float | None:
    """Return the least that `sign` times the figure can be; null: the conditions cannot hold."""
    rows = np.array([margin.vector for margin in conditions])
    high = np.array([margin.high for margin in conditions])
    low = np.array([margin.low for margin in conditions])
    upper, lower = np.isfinite(high), np.isfinite(low)
    found = linprog(
        sign * vector,
        A_ub=np.concatenate([rows[upper], -rows[lower]]),
        b_ub=np.concatenate([high[upper], -low[lower]]),
        bounds=[(0, 0) if no else (0, None) for no in never],
    )
    return float(found.fun) if found.status == 0 else None
