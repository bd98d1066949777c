"""The V1 cases whose evidence is withheld or contradicted, chosen by how the first replicate of the main runs went."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from misstep.contracts.errors import ContractError
from misstep.suites.evidence.cohort.printed import Printed, Row
from misstep.suites.evidence.cohort.ways import CONFIGURATIONS, MAIN, Case, Configuration, Role, way_of

#: Whose original runs are runs of their own: the main ones have fewer episodes without an action than its pairs need.
OWN_ORIGINAL = "ZCode"
WITHHELD, CONTRADICTED = "withheld", "contradicted"


@dataclass(frozen=True)
class Sample:
    """The cases of the interventions.

    Attributes:
        original: those that are compared, altered or not.
        withheld: those of them whose evidence is withheld.
        contradicted: those of these whose evidence is contradicted as well.
        unfinished: configuration → cases on which its original run did not complete.
    """

    original: Sequence[Case]
    withheld: Sequence[Case]
    contradicted: Sequence[Case]
    unfinished: Mapping[Configuration, Sequence[Case]]


def named(name: str) -> Configuration:
    """Return the configuration that the tables of interventions call so: family and harness."""
    return next(one for one in CONFIGURATIONS if one.harness == name.partition("-")[2])


def acted(role: Role) -> bool:
    """Return whether a V1 episode of the main runs acts."""
    return way_of("V1", role.way).end != "no_action"


def original_actions(printed: Printed, row: Row) -> int:
    """Return how many original episodes act, of the pairs with withheld ones, where these act only if those do.

    Args:
        printed: the printed figures.
        row: the row of a configuration in table 11.
    """
    pairs = int(row["pairs_withheld"])
    for printed_row in printed.rows("interventions"):
        if printed_row["configuration"] == row["configuration"]:
            if printed_row["condition"] == WITHHELD:
                withheld = int(printed_row["actions"])
            if printed_row["condition"] == f"original-minus-{WITHHELD}":
                fewer = round(float(printed_row["actions"]) / 100 * pairs)
    return withheld + fewer


def sample(roles: Sequence[Role], printed: Printed, seed: int) -> Sample:
    """Return the cases of the interventions, so that the printed numbers of original episodes that act hold.

    Args:
        roles: those of the main runs.
        printed: the printed figures.
        seed: of the choice.

    Raises:
        ContractError: not enough cases went as they have to.
    """
    rows = printed.rows("table11_intervention_coverage")
    mine = [row for row in rows if named(row["configuration"]).harness != OWN_ORIGINAL]
    configurations = {named(row["configuration"]): row for row in mine}
    did: dict[Configuration, dict[Case, Role]] = {}
    for role in roles:
        if role.run == MAIN and role.replicate == 1 and role.case.protocol == "V1" and role.case.altered:
            did.setdefault(role.configuration, {})[role.case] = role
    draw = random.Random(f"{seed}/interventions")
    cases = sorted(did[next(iter(configurations))], key=lambda case: case.case_id)
    draw.shuffle(cases)
    number, fewer = int(rows[0]["withheld_planned"]), int(rows[0]["contradicted_planned"])
    idle: list[Case] = []
    for configuration, row in configurations.items():
        need = int(row["pairs_withheld"]) - original_actions(printed, row)
        lazy = {case: [one for one in configurations if not acted(did[one][case])] for case in cases}
        only = [case for case in cases if lazy[case] == [configuration]]
        idle += only[:need]
    busy = [case for case in cases if all(acted(did[one][case]) for one in configurations)]
    withheld = [*busy[: number - len(idle)], *idle]
    rest = [case for case in cases if case not in withheld][: int(rows[0]["original_planned"]) - number]
    if len(withheld) < number or len(rest) + number < int(rows[0]["original_planned"]):
        raise ContractError("not enough V1 cases for the interventions")
    contradicted, unfinished = withheld[:fewer], {}
    for configuration, row in configurations.items():
        lost = int(row["original_planned"]) - int(row["original_completed"])
        failed = [case for case in contradicted if did[configuration][case].way == "acted early"]
        unfinished[configuration] = failed[:lost]
        if len(failed) < lost:
            raise ContractError(f"{configuration.model}: no original episode can be left unfinished")
    return Sample([*withheld, *rest], withheld, contradicted, unfinished)
