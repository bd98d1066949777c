"""What is to be planned of a configuration: how many episodes of a replicate, protocol and domain end in each way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from misstep.suites.counts import Vector
from misstep.suites.evidence.cohort.ways import REPLICATES, WAYS, Case, Way

Cell = tuple[str, str]
#: The domain of a space in which all are one.
ALL = ""


@dataclass(frozen=True)
class Part:
    """Episodes of a replicate on the cases of a cell (protocol, domain) that end in one way."""

    replicate: int
    cell: Cell
    way: Way

    @property
    def protocol(self) -> str:
        """The protocol of its cases."""
        return self.cell[0]


Fits = Callable[[Part], bool]


@dataclass(frozen=True)
class Space:
    """The unknowns of the plan of a configuration, in a fixed order; a vector has one number for each.

    Attributes:
        cells: protocol and domain → the cases.
        parts: the unknowns.
        lost: (replicate, cell) → how many of its runs are not scored.
    """

    cells: Mapping[Cell, Sequence[Case]]
    parts: Sequence[Part]
    lost: Mapping[tuple[int, Cell], int] = field(default_factory=dict)

    @classmethod
    def of(cls, cases: Sequence[Case], lost: tuple[int, str, int] | None = None) -> Space:
        """Return the space of these cases.

        Args:
            cases: the cases.
            lost: replicate, protocol, and how many of its runs are not scored, one domain after the other.
        """
        cells: dict[Cell, list[Case]] = {}
        for case in cases:
            cells.setdefault((case.protocol, case.domain), []).append(case)
        parts = [Part(replicate, cell, way) for replicate in REPLICATES for cell in cells for way in WAYS[cell[0]]]
        missing: dict[tuple[int, Cell], int] = {}
        if lost is not None:
            replicate, protocol, number = lost
            hit = [cell for cell in cells if cell[0] == protocol]
            for turn in range(number):
                place = (replicate, hit[turn % len(hit)])
                missing[place] = missing.get(place, 0) + 1
        return cls(cells, parts, missing)

    def merged(self) -> Space:
        """Return the space in which all domains are one."""
        cells: dict[Cell, list[Case]] = {}
        lost: dict[tuple[int, Cell], int] = {}
        for (protocol, domain), cases in self.cells.items():
            cells.setdefault((protocol, ALL), []).extend(cases)
            for replicate in REPLICATES:
                missing = self.lost.get((replicate, (protocol, domain)), 0)
                lost[replicate, (protocol, ALL)] = lost.get((replicate, (protocol, ALL)), 0) + missing
        parts = [Part(replicate, cell, way) for replicate in REPLICATES for cell in cells for way in WAYS[cell[0]]]
        return Space(cells, parts, lost)

    @property
    def domains(self) -> list[str]:
        """The domains of the cases."""
        return list(dict.fromkeys(domain for _, domain in self.cells))

    def scored(self, replicate: int, protocols: Sequence[str], domain: str | None = None) -> int:
        """Return how many runs of a replicate on cases of some protocols are scored (default: in all domains)."""
        return sum(
            len(cases) - self.lost.get((replicate, cell), 0)
            for cell, cases in self.cells.items()
            if cell[0] in protocols and cell[1] == (domain or cell[1])
        )

    def those(self, fits: Fits) -> Vector:
        """Return 1 for every unknown that fits, else 0: times the unknowns, the number of such episodes."""
        return np.array([float(fits(part)) for part in self.parts])

    def rate(self, fits: Fits, protocols: Sequence[str], domain: str | None = None) -> Vector:
        """Return what gives a rate in percent: the mean over replicates of rates among the scored runs of each.

        Args:
            fits: what is counted.
            protocols: of which protocols.
            domain: of which domain (default: of all).
        """
        among = {one: len(REPLICATES) * self.scored(one, protocols, domain) for one in REPLICATES}
        return np.array(
            [
                100 / among[part.replicate]
                if part.protocol in protocols and part.cell[1] == (domain or part.cell[1]) and fits(part)
                else 0.0
                for part in self.parts
            ]
        )

    def start(self) -> Vector:
        """Return the counts to start from: in every cell, the ways by their weights."""
        total = {protocol: sum(way.weight for way in ways) for protocol, ways in WAYS.items()}
        return np.array([len(self.cells[part.cell]) * part.way.weight / total[part.protocol] for part in self.parts])
