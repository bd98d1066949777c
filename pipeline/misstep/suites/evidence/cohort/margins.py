"""The printed figures of [E] as linear conditions on the plan of a configuration."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from misstep.suites.counts import EDGE, Margin, Vector, rounded
from misstep.suites.evidence.cohort.acting import Acting, Bounds, acting
from misstep.suites.evidence.cohort.printed import Printed
from misstep.suites.evidence.cohort.space import Cell, Part, Space
from misstep.suites.evidence.cohort.ways import PROTOCOLS, REPLICATES, SOLVED, WORKFLOWS, Configuration

INVESTIGATED = PROTOCOLS[1:]
Rates = tuple[float, ...]
ROLLOUTS = (*(f"r{replicate}" for replicate in REPLICATES), "mean")
#: How far the rate of a replicate may be from the mean of all, in points.
STEADY = 4.0
#: Protocol, then category as figure 5 prints it → the failure of the labels.
CATEGORIES = {
    "V0": {"incomplete investigation": "incomplete_investigation", "other failure": "other"},
    "V1": {
        "early action": "early_action",
        "covered action failure": "covered_action_failure",
        "no action": "no_action",
    },
    "V2": {"gap only": "gap", "partial only": "partial", "gap + partial": "gap_partial", "other failure": "other"},
}


def margins(space: Space, configuration: Configuration, printed: Printed, other: Rates = ()) -> list[Margin]:
    """Return what the plan of a configuration must meet: the printed figures, and that every case is tried once.

    The domain macro is left out where the domains are one, the spread of table 12 because it is not linear.

    Args:
        space: the unknowns.
        configuration: whose plan.
        printed: the printed figures.
        other: the success of its model in the other harness, by replicate, where it is known.

    Raises:
        ContractError: the figures of V1 contradict each other.
    """
    return [
        *successes(space, configuration, printed, other),
        *_diagnostics(space, configuration, printed),
        *_acting(space, configuration, printed),
        *_shares(space, configuration, printed),
        _between(
            "investigation",
            space.rate(lambda part: part.way.complete, INVESTIGATED),
            printed.investigation(configuration),
        ),
    ]


def successes(space: Space, configuration: Configuration, printed: Printed, other: Rates = ()) -> Iterator[Margin]:
    """Yield the conditions of tables 2 and 12, and that every case is tried once."""
    for replicate in REPLICATES:
        for cell, cases in space.cells.items():
            number = len(cases) - space.lost.get((replicate, cell), 0)
            yield Margin("cases of a cell", _at(space, replicate, cell), number, number)
    row = printed.of("table2_ecs", configuration)
    rates = [space.rate(_solved, [protocol]) for protocol in PROTOCOLS]
    for protocol, rate in zip(PROTOCOLS, rates, strict=True):
        yield _between(f"ecs {protocol}", rate, rounded(row[protocol.lower()]))
    yield _between("ecs", space.rate(_solved, PROTOCOLS), rounded(row["ecs"]))
    yield _between("protocol macro", np.mean(rates, axis=0), rounded(row["protocol_macro"]))
    if len(space.domains) > 1:
        of_domains = [space.rate(_solved, PROTOCOLS, domain) for domain in space.domains]
        yield _between("domain macro", np.mean(of_domains, axis=0), rounded(row["domain_macro"]))
    yield from _rollouts(space, configuration, printed, other)
    yield from _steady(space)


def rollouts(space: Space) -> list[Vector]:
    """Return what gives the success of each replicate on the cases with an investigation, in percent."""
    rate = space.rate(_solved, INVESTIGATED) * len(REPLICATES)
    return [rate * _of(space, replicate) for replicate in REPLICATES]


def _rollouts(space: Space, configuration: Configuration, printed: Printed, other: Rates) -> Iterator[Margin]:
    rates = rollouts(space)
    row, delta = printed.rollouts(configuration)
    vectors: dict[str, Vector] = dict(zip(ROLLOUTS, [*rates, np.mean(rates, axis=0)], strict=True))
    for name, vector in vectors.items():
        yield _between(f"ecs {name}", vector, rounded(row[name]))
    if other:
        sign = 1 if configuration.own else -1
        for (name, vector), rate in zip(vectors.items(), (*other, fmean(other)), strict=True):
            low, high = rounded(delta[name])
            yield _between(f"delta {name}", sign * vector, (low + sign * rate, high + sign * rate))


def _of(space: Space, replicate: int) -> Vector:
    return space.those(lambda part: part.replicate == replicate)


def _steady(space: Space) -> Iterator[Margin]:
    """Yield that the replicates do not differ much in the share of a protocol that they solve."""
    for protocol in PROTOCOLS:
        rate = space.rate(_solved, [protocol])
        for replicate in REPLICATES:
            yield Margin("steady", rate * _of(space, replicate) * len(REPLICATES) - rate, -STEADY, STEADY)


def _between(quantity: str, vector: Vector, bounds: Bounds) -> Margin:
    return Margin(quantity, vector, bounds[0] + EDGE, bounds[1] - EDGE)


def _at(space: Space, replicate: int, cell: Cell) -> Vector:
    return space.those(lambda part: (part.replicate, part.cell) == (replicate, cell))


def _solved(part: Part) -> bool:
    return part.way.end == SOLVED


def _ends(space: Space, protocol: str, *ends: str) -> Vector:
    """Return the rate of the scored episodes of a protocol that ended in one of these ways."""
    return space.rate(lambda part: part.way.end in ends, [protocol])


def _diagnostics(space: Space, configuration: Configuration, printed: Printed) -> Iterator[Margin]:
    """Yield the conditions of table 3 on V0, V2 and V3."""
    row = printed.of("table3_diagnostics", configuration)
    yield _between("bsr", _ends(space, "V0", "incomplete_investigation"), rounded(row["v0_bsr"]))
    for protocol in WORKFLOWS:
        for end in ("gap", "partial"):
            vector = _ends(space, protocol, end, "gap_partial")
            yield _between(f"{end} {protocol}", vector, rounded(row[f"{protocol.lower()}_{end}"]))


def _acting(space: Space, configuration: Configuration, printed: Printed) -> Iterator[Margin]:
    """Yield the conditions of table 3 on V1, once it is chosen how many episodes act, and act early."""
    chosen = chosen_acting(space, configuration, printed)
    covered = np.zeros(len(space.parts))
    for replicate, acted, early in zip(REPLICATES, chosen.acted, chosen.early, strict=True):
        of_v1: Vector = space.those(lambda part: part.protocol == "V1") * _of(space, replicate)
        idle = space.scored(replicate, ["V1"]) - acted
        yield Margin("idle", of_v1 * space.those(lambda part: part.way.end == "no_action"), idle, idle)
        yield Margin("early", of_v1 * space.those(lambda part: part.way.end == "early_action"), early, early)
        covered = covered + of_v1 * space.those(_solved) / (acted - early) / len(REPLICATES) * 100
    yield _between("cas", covered, rounded(printed.of("table3_diagnostics", configuration)["v1_cas"]))


def chosen_acting(space: Space, configuration: Configuration, printed: Printed) -> Acting:
    """Return how many V1 episodes of a configuration act, and act early."""
    row = printed.of("table3_diagnostics", configuration)
    texts = (printed.of("table2_ecs", configuration)["v1"], row["v1_par"], row["v1_cas"])
    solved, par, cas = ((low / 100, high / 100) for low, high in map(rounded, texts))
    shares = {category: share for protocol, category, share in printed.shares(configuration) if protocol == "V1"}
    return acting([space.scored(replicate, ["V1"]) for replicate in REPLICATES], solved, shares, par, cas)


def _shares(space: Space, configuration: Configuration, printed: Printed) -> Iterator[Margin]:
    """Yield the conditions of figure 5."""
    for protocol, category, (low, high) in printed.shares(configuration):
        vector = _ends(space, protocol, CATEGORIES[protocol][category])
        yield _between(f"{protocol} {category}", vector, (100 * low, 100 * high))
