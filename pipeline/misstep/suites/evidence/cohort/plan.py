"""The plan of the cohort: how every episode of the main runs is to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from misstep.suites.evidence.cohort.casting import cast
from misstep.suites.evidence.cohort.counting import counted, rates, whole_rates
from misstep.suites.evidence.cohort.printed import Printed
from misstep.suites.evidence.cohort.sample import sample
from misstep.suites.evidence.cohort.ways import CONFIGURATIONS, Case, Role


def plan(cases: Sequence[Case], published: Path, seed: int) -> list[Role]:
    """Return a role for every configuration, replicate and case, so that the printed figures hold.

    Tables 2, 3 and 12, figure 5, and success and investigation of table 4, all among scored runs.

    Args:
        cases: the cases, with the ways in which an episode of each can end.
        published: folder of the printed figures.
        seed: of the choices that the figures leave open.

    Raises:
        ContractError: no plan meets the figures with the ways that the cases have.
    """
    printed = Printed(published)
    roles: list[Role] = []
    known = {one: whole_rates(cases, one, printed) for one in CONFIGURATIONS}
    for configuration in CONFIGURATIONS:
        (other,) = (one for one in CONFIGURATIONS if one.model == configuration.model and one != configuration)
        space, counts = counted(cases, configuration, printed, known[other])
        known[configuration] = rates(space, counts)
        roles += cast(configuration, space, counts, seed)
    unfinished = sample(roles, printed, seed).unfinished
    return [
        replace(role, status="budget_exhausted")
        if role.replicate == 1 and role.case in unfinished.get(role.configuration, ())
        else role
        for role in roles
    ]


def likeness(roles: Sequence[Role]) -> dict[tuple[str, str], float]:
    """Return pair of configurations → share of the cases on which both end in the same way the first time."""
    ends: dict[str, dict[str, str]] = {}
    for role in roles:
        if role.replicate == 1:
            name = f"{role.configuration.model} in {role.configuration.harness}"
            ends.setdefault(name, {})[role.case.case_id] = role.way
    return {
        (one, other): sum(ends[one][case] == ends[other][case] for case in ends[one]) / len(ends[one])
        for one, other in combinations(ends, 2)
    }
