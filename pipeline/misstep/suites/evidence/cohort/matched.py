"""Judgement and action on the same cases: table 9 (any cases), and table 10 (one of each answer together)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from misstep.contracts.errors import ContractError
from misstep.suites.counts import EDGE, Margin, nearest, rounded
from misstep.suites.evidence.cohort.printed import Printed, Row
from misstep.suites.evidence.cohort.ways import CONFIGURATIONS, LOST, SOLVED, Case, Configuration, Role

STATIC = "static"
RUN = "matched"
RIGHT, WRONG = "right", "wrong"
_DEVIATE = 1.96


def matched(roles: Sequence[Role], printed: Printed, seed: int) -> Iterator[Role]:
    """Yield the static judgements of table 9; what they are compared with is the first replicate of the main runs.

    Args:
        roles: those of the main runs.
        printed: the printed figures.
        seed: of the choices that the figures leave open.

    Raises:
        ContractError: no choice of cases has the printed numbers of successes.
    """
    rows = {configuration_of(row): row for row in printed.rows("table9_matched_static_interactive")}
    solved: dict[Case, dict[Configuration, bool]] = {}
    for role in roles:
        if role.configuration in rows and role.replicate == 1 and role.case.protocol != "Legacy" and role.way != LOST:
            solved.setdefault(role.case, {})[role.configuration] = role.way == SOLVED
    known = {case: did for case, did in solved.items() if len(did) == len(rows)}
    cases = _chosen(known, rows, seed)
    for configuration, row in rows.items():
        did = [case for case in cases if known[case][configuration]]
        failed = [case for case in cases if not known[case][configuration]]
        total = len(cases)
        wrong = total - whole(row["static_accuracy"], total)
        both = only_static(wrong, total, len(failed) - wrong, (float(row["ci_low"]), float(row["ci_high"])))
        draw = random.Random(f"{seed}/{configuration.model}/{configuration.harness}/{STATIC}")
        misjudged = {*draw.sample(did, min(both, len(did))), *draw.sample(failed, wrong - min(both, len(did)))}
        for case in cases:
            yield Role(configuration, case, WRONG if case in misjudged else RIGHT, condition=STATIC, run=RUN)


def only_static(wrong: int, pairs: int, fewer: int, interval: tuple[float, float]) -> int:
    """Return how many of the cases that are judged wrongly are solved, so that a paired interval is as wide as printed.

    Args:
        wrong: cases that are judged wrongly.
        pairs: all cases.
        fewer: how many more are judged rightly than solved.
        interval: the printed interval of the difference, in percent.
    """
    error = (interval[1] - interval[0]) / 2 / _DEVIATE / 100 * pairs
    changed = error**2 + fewer**2 / pairs
    return min(max(round((changed - fewer) / 2), 0, -fewer), wrong)


def _chosen(known: dict[Case, dict[Configuration, bool]], rows: dict[Configuration, Row], seed: int) -> list[Case]:
    """Return as many cases as printed, of all protocols and kinds alike, of which as many are solved as printed."""
    kinds: dict[tuple[str, tuple[bool, ...]], list[Case]] = {}
    for case, did in sorted(known.items(), key=lambda pair: pair[0].case_id):
        kinds.setdefault((case.protocol, tuple(did[one] for one in rows)), []).append(case)
    total = int(next(iter(rows.values()))["cases"])
    sizes = np.array([len(cases) for cases in kinds.values()], dtype=np.float64)
    margins = [Margin("cases", np.ones(len(kinds)), total, total)]
    for place, row in enumerate(rows.values()):
        number = whole(row["interactive_ecs"], total)
        vector = np.array([float(did[place]) for _, did in kinds])
        margins.append(Margin("interactive", vector, number, number))
    margins += [Margin("there", one, 0, size) for one, size in zip(np.eye(len(kinds)), sizes, strict=True)]
    counts = nearest(sizes * total / sizes.sum(), margins)
    draw = random.Random(f"{seed}/{RUN}")
    return [
        case for cases, count in zip(kinds.values(), counts, strict=True) for case in draw.sample(cases, round(count))
    ]


def configuration_of(row: Row) -> Configuration:
    """Return the configuration of a row."""
    return next(one for one in CONFIGURATIONS if (one.model, one.harness) == (row["model"], row["harness"]))


def whole(printed: str, total: int) -> int:
    """Return the number that is such a percentage of a total.

    Raises:
        ContractError: there is none.
    """
    low, high = rounded(printed)
    number = round(float(printed) / 100 * total)
    if not low - EDGE <= 100 * number / total <= high + EDGE:
        raise ContractError(f"no whole number is {printed} % of {total}")
    return number
