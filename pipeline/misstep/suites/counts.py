"""Whole counts that meet printed figures: margins, and the plan that meets them nearest to expected counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack

from misstep.contracts.errors import ContractError

Vector = npt.NDArray[np.float64]

#: What a number may lie beyond a bound because of how numbers are stored.
EDGE = 1e-6
#: How far a plan may be from the nearest, as a share of what the search minimizes: keeps the search short.
GAP = 1e-3


@dataclass(frozen=True)
class Margin:
    """A condition: `low ≤ vector · plan ≤ high`; the quantity it stands for, as printed."""

    quantity: str
    vector: Vector
    low: float
    high: float

    def holds(self, plan: Vector) -> bool:
        """Return whether a plan meets the condition."""
        return bool(self.low - EDGE <= self.vector @ plan <= self.high + EDGE)


def rounded(printed: str) -> tuple[float, float]:
    """Return the bounds of the values that are printed so."""
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return float(printed) - half, float(printed) + half


def nearest(fitted: Vector, conditions: Sequence[Margin], gap: float = GAP, nodes: int | None = None) -> Vector:
    """Return the whole counts that meet all conditions and have the least sum of absolute distances to a fit.

    A count is the whole number below its fit, plus at most one step `first` up to the number above, plus further steps
    up, less steps down. So the cost of a whole count is its distance, and the relaxation is as tight as it can be.

    Args:
        fitted: the counts to be near to.
        conditions: what must hold.
        gap: how far it may be from the nearest, as a share of the distance less a constant, that of the floors.
        nodes: how far to search, in nodes of the search tree; then the best that was found counts.

    Raises:
        ContractError: there are none, or none was found.
    """
    base = np.floor(fitted)
    one = np.ones(len(fitted))
    vectors = csr_array(np.array([margin.vector for margin in conditions]))
    fixed = vectors @ base
    found = milp(
        np.concatenate([1 - 2 * (fitted - base), one, one]),
        integrality=np.concatenate([one, one, one]),
        bounds=Bounds(0, np.concatenate([one, np.inf * one, base])),
        constraints=LinearConstraint(
            hstack([vectors, vectors, -vectors]),
            [margin.low for margin in conditions] - fixed,
            [margin.high for margin in conditions] - fixed,
        ),
        options={"mip_rel_gap": gap} | ({} if nodes is None else {"node_limit": nodes}),
    )
    if found.x is None:
        raise ContractError(f"no cohort meets the margins: {found.message}")
    first, up, down = np.split(np.round(found.x), 3)
    counts: Vector = base + first + up - down
    return counts
