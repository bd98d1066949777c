"""Everything of the cohort beside its main runs: other conditions, and runs of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from misstep.suites.evidence.cohort.balanced import balanced
from misstep.suites.evidence.cohort.interventions import interventions
from misstep.suites.evidence.cohort.matched import matched
from misstep.suites.evidence.cohort.printed import Printed
from misstep.suites.evidence.cohort.ways import MAIN, Role


def conditions(roles: Sequence[Role], published: Path, seed: int) -> list[Role]:
    """Return the roles that tables 9, 10 and 11 and the interventions ask for beside those of the main runs.

    | run | conditions | ways |
    | --- | --- | --- |
    | `matched` | `static` (table 9) | `right`, `wrong` |
    | `balanced` | `static`, `original` (table 10) | `right`, `wrong`, `not scored` |
    | `interventions` | `withheld` …, and `original` of GLM-5.2 in ZCode | `acted`, `acted elsewhere`, `stopped` |

    Args:
        roles: those of the main runs, as `plan` returns them.
        published: folder of the printed figures.
        seed: of the choices that the figures leave open.

    Raises:
        ContractError: the main runs, or the cases, do not allow them.
    """
    printed = Printed(published)
    cases = list(dict.fromkeys(role.case for role in roles))
    return [
        *matched(roles, printed, seed),
        *balanced(cases, printed, seed),
        *(role for role in interventions(roles, printed, seed) if role.run != MAIN),
    ]
