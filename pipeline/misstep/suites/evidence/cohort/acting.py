"""How many V1 episodes act, and act early: the two figures of table 3 whose denominators the plan itself decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from misstep.contracts.errors import ContractError
from misstep.suites.counts import EDGE

Bounds = tuple[float, float]
_CATEGORIES = ("no action", "early action", "covered action failure")
#: Bounds of a share that is not printed.
_ANY = (-1.0, 2.0)
#: How far the rate of all replicates together can be from the mean of their rates.
_NEAR = 0.01
#: How much the replicates differ in how many act early.
_STEPS = (1, 0, -1)


@dataclass(frozen=True)
class Acting:
    """Episodes with an attempt, and those in which it came early, by replicate."""

    acted: tuple[int, ...]
    early: tuple[int, ...]


def acting(sizes: Sequence[int], solved: Bounds, shares: Mapping[str, Bounds], par: Bounds, cas: Bounds) -> Acting:
    """Return the numbers nearest to the middle of what is printed that all of it allows, few idle episodes before many.

    Args:
        sizes: scored V1 episodes of each replicate.
        solved: bounds of the share that is solved.
        shares: bounds of the shares of failures that are printed, by category.
        par: bounds of premature action, as a share.
        cas: bounds of success after investigation, as a share.

    Raises:
        ContractError: no numbers are allowed.
    """
    best = min(_possible(sizes, solved, shares, par, cas), default=None)
    if best is None:
        raise ContractError("no cohort meets the margins of V1")
    _, idle, early = best
    return Acting(_acted(sizes, idle), _uneven(early))


def _possible(
    sizes: Sequence[int], solved: Bounds, shares: Mapping[str, Bounds], par: Bounds, cas: Bounds
) -> Iterator[tuple[float, int, int]]:
    """Yield (distance, idle, early) for which numbers of solved and failed episodes are left that fit."""
    total = sum(sizes)
    idles, earlies, failing = (_range(shares.get(category, _ANY), total) for category in _CATEGORIES)
    for idle in idles[: total - len(sizes)]:
        acted = np.array(_acted(sizes, idle))
        for early in earlies:
            covered = total - idle - early
            if covered <= 0 or abs(early / (total - idle) - sum(par) / 2) > _NEAR:
                continue
            mean = float(np.mean(_uneven(early) / acted))
            if not par[0] + EDGE <= mean <= par[1] - EDGE:
                continue
            for success in _range(solved, total):
                rate = success / covered
                if cas[0] <= rate <= min(cas[1], 1) and covered - success in failing:
                    far = abs(mean - sum(par) / 2) + abs(rate - min(sum(cas) / 2, 1))
                    yield far + idle / 1e4, idle, early


def _range(share: Bounds, total: int) -> range:
    """Return the whole numbers that are such a share of a total."""
    low, high = np.ceil(share[0] * total + EDGE), np.floor(share[1] * total - EDGE)
    return range(max(int(low), 0), min(int(high), total) + 1)


def _even(number: int) -> tuple[int, ...]:
    """Return a number as a sum of one for each replicate, as equal as can be."""
    more, rest = divmod(number, len(_STEPS))
    return tuple(more + (place < rest) for place in range(len(_STEPS)))


def _acted(sizes: Sequence[int], idle: int) -> tuple[int, ...]:
    return tuple(size - one for size, one in zip(sizes, _even(idle), strict=True))


def _uneven(number: int) -> tuple[int, ...]:
    """Return a number as a sum of one for each replicate that differ by a few, as repeated runs do."""
    return tuple(one + step * (number > 3 * len(_STEPS)) for one, step in zip(_even(number), _STEPS, strict=True))
