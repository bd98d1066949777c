"""The counts of a configuration: of the episodes of each replicate, protocol and domain, how many end in each way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import stdev

import numpy as np

from misstep.contracts.errors import ContractError
from misstep.suites.counts import Margin, Vector, rounded
from misstep.suites.evidence.cohort.fit import information_fit
from misstep.suites.evidence.cohort.margins import INVESTIGATED, Rates, margins, rollouts, successes
from misstep.suites.evidence.cohort.possible import meeting
from misstep.suites.evidence.cohort.printed import Printed
from misstep.suites.evidence.cohort.space import Fits, Part, Space
from misstep.suites.evidence.cohort.ways import PROTOCOLS, REPLICATES, Case, Configuration

#: How many runs of one replicate and protocol may be not scored.
MOST_LOST = 6
#: Distance to the nearest plan that is allowed, as a share of the distance, and how far to search for it.
_GAP, _NODES = 5e-3, 1000


def counted(
    cases: Sequence[Case], configuration: Configuration, printed: Printed, other: Rates = ()
) -> tuple[Space, Vector]:
    """Return what is counted, and the whole counts that meet every printed figure near to the fit.

    Every run is scored unless the figures ask for less: then as few as can be of one replicate and protocol are not.
    Counts of all domains together are the nearest to the fit, then those of each domain are nearest given these.

    Args:
        cases: the cases.
        configuration: whose counts.
        printed: the printed figures.
        other: the success of its model in the other harness, by replicate, where it is known.

    Raises:
        ContractError: there are none.
    """
    for lost in _losses():
        space = Space.of(cases, lost)
        whole = space.merged()
        try:
            meeting(whole, whole.start(), list(successes(whole, configuration, printed, other)))
            conditions = margins(space, configuration, printed, other)
            fitted = information_fit(space.start(), conditions)
            expected = np.array([space.those(_within(part)) @ fitted for part in whole.parts])
            limits = margins(whole, configuration, printed, other)
            totals = list(_totals(space, whole, meeting(whole, expected, limits, _GAP, _NODES)))
            counts = meeting(space, fitted, [*conditions, *totals], _GAP, _NODES)
            if _spread(rates(space, counts), other, configuration, printed):
                return space, counts
        except ContractError:
            continue
    raise ContractError(f"{configuration.model} in {configuration.harness}: no cohort meets the margins")


def rates(space: Space, counts: Vector) -> Rates:
    """Return the success of each replicate on the cases with an investigation, in percent."""
    return tuple(float(vector @ counts) for vector in rollouts(space))


def whole_rates(cases: Sequence[Case], configuration: Configuration, printed: Printed) -> Rates:
    """Return the success of each replicate that is printed, as it is where all runs are scored, in percent."""
    size = sum(case.protocol in INVESTIGATED for case in cases)
    row, _ = printed.rollouts(configuration)
    return tuple(100 * round(float(row[f"r{replicate}"]) / 100 * size) / size for replicate in REPLICATES)


def _spread(found: Rates, other: Rates, configuration: Configuration, printed: Printed) -> bool:
    """Return whether rates, and their differences from those of the other harness, spread as is printed."""
    row, delta = printed.rollouts(configuration)
    sides = [(row, found)]
    if other:
        sides.append((delta, tuple(one - rest for one, rest in zip(found, other, strict=True))))
    bounds = [rounded(texts["sd"]) for texts, _ in sides]
    return all(low <= stdev(values) <= high for (low, high), (_, values) in zip(bounds, sides, strict=True))


def _within(whole: Part) -> Fits:
    """Return whether a part is of the same replicate, protocol and way."""
    return lambda part: (part.replicate, part.protocol, part.way) == (whole.replicate, whole.protocol, whole.way)


def _totals(space: Space, whole: Space, counts: Vector) -> Iterator[Margin]:
    """Yield that the counts of the domains add up to those of all."""
    for part, count in zip(whole.parts, counts, strict=True):
        yield Margin("all domains", space.those(_within(part)), float(count), float(count))


def _losses() -> Iterator[tuple[int, str, int] | None]:
    """Yield what may be not scored, from nothing on: a replicate, a protocol, and how many of its runs."""
    yield None
    for number in range(1, MOST_LOST + 1):
        for replicate in REPLICATES:
            for protocol in PROTOCOLS:
                yield replicate, protocol, number
