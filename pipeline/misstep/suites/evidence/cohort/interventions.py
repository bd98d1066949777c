"""Interventions on V1 cases: who still acts where evidence is withheld or contradicted, or something else is said."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from misstep.contracts.errors import ContractError
from misstep.suites.evidence.cohort.printed import Printed, Row
from misstep.suites.evidence.cohort.sample import (
    CONTRADICTED,
    OWN_ORIGINAL,
    WITHHELD,
    Sample,
    acted,
    named,
    original_actions,
    sample,
)
from misstep.suites.evidence.cohort.ways import ORIGINAL, Case, Configuration, Role

ACTED, ELSEWHERE, STOPPED = "acted", "acted elsewhere", "stopped"
RUN = "interventions"
#: How many withheld episodes that act call another tool than the affected one. Source: [E], 65 of 66 call that one.
ELSEWHERE_NUMBER = 1
#: How many standard errors a paired difference is from zero: at least where [E] says so, at most elsewhere.
_CLEAR, _UNCLEAR = 2.3, 1.7


def interventions(roles: Sequence[Role], printed: Printed, seed: int) -> Iterator[Role]:
    """Yield the episodes of table 11 and of the interventions: the originals, those of the main runs as they are.

    Args:
        roles: those of the main runs.
        printed: the printed figures.
        seed: of the choices that the figures leave open.

    Raises:
        ContractError: not enough original episodes act.
    """
    chosen = sample(roles, printed, seed)
    first = {(role.configuration, role.case): role for role in roles if role.replicate == 1}
    elsewhere = ELSEWHERE_NUMBER
    for row in printed.rows("table11_intervention_coverage"):
        configuration = named(row["configuration"])
        if configuration.harness == OWN_ORIGINAL:
            originals = _originals(chosen, configuration, original_actions(printed, row), seed)
            acting = {role.case for role in originals if role.way == ACTED}
        else:
            originals = [first[configuration, case] for case in chosen.original]
            acting = {role.case for role in originals if acted(role)}
        yield from originals
        for role in _Study(configuration, row, chosen, acting, printed, seed).episodes():
            if elsewhere and (role.condition, role.way) == (WITHHELD, ACTED):
                elsewhere -= 1
                yield replace(role, way=ELSEWHERE)
            else:
                yield role


def _originals(chosen: Sample, configuration: Configuration, number: int, seed: int) -> list[Role]:
    """Return original episodes of their own: so many of those that are altered act, and as large a share of others."""
    draw = random.Random(f"{seed}/{configuration.harness}/original")
    others = [case for case in chosen.original if case not in chosen.withheld]
    acting = {
        *draw.sample(list(chosen.withheld), number),
        *draw.sample(others, round(number / len(chosen.withheld) * len(others))),
    }
    return [
        Role(configuration, case, ACTED if case in acting else STOPPED, condition=ORIGINAL, run=RUN)
        for case in chosen.original
    ]


@dataclass(frozen=True)
class _Study:
    """The altered cases of a configuration; `acting`: on which it acts originally."""

    configuration: Configuration
    row: Row
    chosen: Sample
    acting: set[Case]
    printed: Printed
    seed: int

    def episodes(self) -> Iterator[Role]:
        """Yield the episodes on altered cases, condition by condition."""
        rows = [row for row in self.printed.rows("interventions") if row["configuration"] == self.row["configuration"]]
        withheld = self.chosen.withheld
        number = next(int(row["actions"]) for row in rows if row["condition"] == WITHHELD)
        base = set(self._boldest(self.acting & set(withheld) - self._unfinished, WITHHELD)[:number])
        yield from self._played(WITHHELD, withheld, base, set())
        yield from self._contradicted()
        for row in rows:
            if row["compared_with"] == WITHHELD:
                condition, number = row["condition"], int(row["actions"])
                new = _newly(len(base) - number, int(row["n"]), clear="excludes zero" in row["note"])
                idle = self._boldest(set(withheld) - base, condition)
                acting = {*self._boldest(base, condition)[: number - new], *idle[:new]}
                away = set(idle[len(idle) + int(row["n"]) - len(withheld) :])
                yield from self._played(condition, withheld, acting, away)

    def _contradicted(self) -> Iterator[Role]:
        """Yield the contradicted episodes: of the pairs, so many fewer act as is printed, else as of the others."""
        cases = [case for case in self.chosen.contradicted if case not in self._unfinished]
        lost = len(self.chosen.contradicted) - int(self.row["contradicted_completed"])
        acting = self._boldest(self.acting & set(cases), CONTRADICTED)
        away = set([case for case in cases if case not in acting][:lost] or acting[len(acting) - lost :])
        acting = [case for case in acting if case not in away]
        still = len(acting) - round(self._share() * int(self.row["pairs_contradicted"]))
        if still < 0:
            raise ContractError(f"{self.configuration.model}: too few original episodes act on contradicted cases")
        yield from self._played(CONTRADICTED, self.chosen.contradicted, set(acting[:still]), away)

    def _share(self) -> float:
        """Return by which share of the pairs fewer act where contradicted."""
        printed = {
            row["configuration"]: float(row["actions"]) / 100
            for row in self.printed.rows("interventions")
            if row["condition"] == f"original-minus-{CONTRADICTED}"
        }
        return printed.get(self.row["configuration"], sum(printed.values()) / len(printed))

    @property
    def _unfinished(self) -> set[Case]:
        return set(self.chosen.unfinished.get(self.configuration, ()))

    def _played(self, condition: str, cases: Sequence[Case], acting: set[Case], away: set[Case]) -> Iterator[Role]:
        for case in cases:
            way, status = ACTED if case in acting else STOPPED, "budget_exhausted" if case in away else "completed"
            yield Role(self.configuration, case, way, condition=condition, status=status, run=RUN)

    def _boldest(self, cases: set[Case], condition: str) -> list[Case]:
        """Return cases by how readily the configuration acts on them, which differs a little by condition."""

        def bold(case: Case) -> float:
            names = (self.seed, self.configuration.harness, case.case_id)
            once, anew = (random.Random("/".join(map(str, (*names, one)))).gauss() for one in ("", condition))
            return once + 0.7 * anew

        return sorted(cases, key=lambda case: (-bold(case), case.case_id))


def _newly(fewer: int, pairs: int, *, clear: bool) -> int:
    """Return how many act only under a condition, so that the paired difference is clear of zero, or is not.

    Args:
        fewer: how many fewer act under it.
        pairs: the number of pairs.
        clear: whether the difference is to be clear of zero.
    """
    for new in range(1, pairs):
        error = math.sqrt(max(abs(fewer) + 2 * new - fewer**2 / pairs, 1e-9))
        if clear:
            return new if fewer / error >= _CLEAR else 0
        if abs(fewer) / error <= _UNCLEAR:
            return new
    return 0
