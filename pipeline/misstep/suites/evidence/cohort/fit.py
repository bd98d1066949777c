"""Expected counts that meet the printed figures and otherwise differ least from shares that are alike everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misstep.suites.counts import Margin, Vector

_STEPS = 60
#: How much a figure may be missed, as a share of what it is rounded by: printed figures need not agree to the last bit.
_LEEWAY = 0.3


def information_fit(start: Vector, margins: Sequence[Margin]) -> Vector:
    """Return the fractional counts of least relative entropy to others that meet the margins in the middle.

    Counts are scaled by a factor for each margin, to the power of the margin's weights; for margins that count
    episodes that is what proportional fitting comes to. The factors are found by Newton's method on the dual, with a
    penalty on missing the middle. Source: Csiszár (1975), I-divergence geometry.
    """
    vectors = np.array([margin.vector for margin in margins])
    scale = np.abs(vectors).max(axis=1)
    vectors = vectors / scale[:, None]
    low, high = (np.array([getattr(margin, side) for margin in margins]) / scale for side in ("low", "high"))
    middle, leeway = (low + high) / 2, (0.1 + _LEEWAY * (high - low)) / 10
    powers = np.zeros(len(margins))

    def fitted(at: Vector) -> Vector:
        return np.asarray(start * np.exp(np.clip(at @ vectors, -30, 30)))

    def dual(at: Vector) -> float:
        return float(fitted(at).sum() - at @ middle + (leeway * at**2).sum() / 2)

    for _ in range(_STEPS):
        counts = fitted(powers)
        slope = vectors @ counts - middle + leeway * powers
        curve = (vectors * counts) @ vectors.T + np.diag(leeway)
        step, size = np.linalg.solve(curve, slope), 1.0
        while dual(powers - size * step) > dual(powers) and size > 1e-6:
            size /= 2
        powers = powers - size * step
        if float(np.abs(size * step).max()) < 1e-8:
            break
    return fitted(powers)
