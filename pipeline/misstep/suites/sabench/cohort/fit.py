"""The proportional fit: expected counts that meet the margins as far as shares alone can."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misstep.suites.counts import Margin, Vector
from misstep.suites.sabench.cohort.space import Space

_ROUNDS = 300


def proportional_fit(space: Space, margins: Sequence[Margin]) -> Vector:
    """Return fractional counts by iterative proportional fitting, from equal shares.

    A margin that counts episodes scales them to its bound. One that compares two counts scales the one up and the other
    down by the same factor. Source: Deming and Stephan (1940).
    """
    fitted = np.array([space.sizes[part.cell] / 5 for part in space.parts])
    for _ in range(_ROUNDS):
        for margin in margins:
            now = float(margin.vector @ fitted)
            wanted = min(max(now, margin.low), margin.high)
            if wanted == now:
                continue
            more, less = (float(np.clip(sign * margin.vector, 0, None) @ fitted) for sign in (1, -1))
            if more > 0:
                factor = (wanted + np.sqrt(wanted**2 + 4 * more * less)) / (2 * more)
                fitted = np.where(margin.vector > 0, fitted * factor, fitted)
                fitted = np.where(margin.vector < 0, fitted / factor, fitted)
    return fitted
