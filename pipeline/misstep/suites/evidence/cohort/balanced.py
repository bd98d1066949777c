"""Table 10: triples of cases, one of each answer, judged on given evidence (static) and played (interactive)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from misstep.contracts.errors import ContractError
from misstep.suites.evidence.cohort.matched import RIGHT, STATIC, WRONG, configuration_of, only_static, whole
from misstep.suites.evidence.cohort.printed import Printed, Row
from misstep.suites.evidence.cohort.ways import LOST, ORIGINAL, Case, Role

RUN = "balanced"
ANSWERS = ("ALLOW", "BLOCK", "DEFER")
TRIPLES = 33
#: Shares that are right where none is printed: static, interactive.
_UNPRINTED = (0.9, 0.8)
Triple = tuple[Case, ...]
Slot = tuple[int, int]


def triples(cases: Sequence[Case], seed: int) -> list[Triple]:
    """Return triples of a V1 case, a V0 case to block and one to defer: of one workflow, else of one domain, else any.

    Raises:
        ContractError: there are too few.
    """
    pools: dict[str, list[Case]] = {answer: [] for answer in ANSWERS}
    for case in cases:
        if case.protocol == ("V1" if case.answer == "ALLOW" else "V0"):
            pools[case.answer].append(case)
    draw = random.Random(f"{seed}/{RUN}")
    for pool in pools.values():
        draw.shuffle(pool)
    found: list[Triple] = []
    taken: set[Case] = set()
    for key, turns in ((_workflow, 1), (_domain, TRIPLES), (_any, TRIPLES)):
        for name in sorted({key(case) for case in pools["ALLOW"]}) * turns:
            triple = tuple(
                next((case for case in pools[answer] if case not in taken and key(case) == name), None)
                for answer in ANSWERS
            )
            if len(found) < TRIPLES and None not in triple:
                found.append(tuple(case for case in triple if case is not None))
                taken.update(found[-1])
    if len(found) < TRIPLES:
        raise ContractError(f"there are only {len(found)} triples of V1 and V0 cases")
    return found


def _workflow(case: Case) -> str:
    return case.workflow


def _domain(case: Case) -> str:
    return case.domain


def _any(_: Case) -> str:
    return ""


def balanced(cases: Sequence[Case], printed: Printed, seed: int) -> Iterator[Role]:
    """Yield the episodes of table 10, a run of its own: a pair counts where all of its triple is scored on both sides.

    `right`: the judgement is right; of an episode that is played, that it acts, or that it stops and how. They cannot
    be episodes of the main runs, which solve far fewer and are nearly all scored.
    """
    groups = triples(cases, seed)
    for row in printed.rows("table10_balanced_static_interactive"):
        configuration = configuration_of(row)
        draw = random.Random(f"{seed}/{configuration.model}/{configuration.harness}/{RUN}")
        sides = _sides(row, draw)
        for condition, ways in zip((STATIC, ORIGINAL), sides, strict=True):
            for (group, place), way in ways.items():
                status = "infrastructure_failure" if way == LOST else "completed"
                case = groups[group][place]
                yield Role(configuration, case, way, 1, condition, status, RUN, f"{RUN}-{group + 1:02}")


def _sides(row: Row, draw: random.Random) -> tuple[dict[Slot, str], dict[Slot, str]]:
    """Return slot → way, of the static and of the interactive side."""
    pairs = int(row["paired_n"])
    order = draw.sample(range(TRIPLES), TRIPLES)
    paired, others = order[: pairs // len(ANSWERS)], order[pairs // len(ANSWERS) :]
    lost = _lost(row, others)
    slots = _spread(paired, draw)
    right = [
        whole(row[side], pairs) if row[side] else round(share * pairs)
        for side, share in zip(("static", "interactive"), _UNPRINTED, strict=True)
    ]
    interval = (float(row["ci_low"]), float(row["ci_high"])) if row["ci_low"] else (0.0, 0.0)
    wrong = pairs - right[0]
    only = min(only_static(wrong, pairs, right[0] - right[1], interval), right[1])
    failed = pairs - right[1] - (wrong - only)
    static = {slot: WRONG if place < wrong else RIGHT for place, slot in enumerate(slots)}
    played = {slot: WRONG if only <= place < wrong + failed else RIGHT for place, slot in enumerate(slots)}
    for ways, gone, number in ((static, lost[0], right[0]), (played, lost[1], right[1])):
        for slot in _spread(others, draw):
            ways[slot] = LOST if slot in gone else RIGHT if draw.random() < number / pairs else WRONG
    return static, played


def _spread(groups: Sequence[int], draw: random.Random) -> list[Slot]:
    """Return the slots of triples, so that those next to each other are of different triples."""
    turned = {group: draw.sample(range(len(ANSWERS)), len(ANSWERS)) for group in groups}
    return [(group, turned[group][turn]) for turn in range(len(ANSWERS)) for group in groups]


def _lost(row: Row, others: Sequence[int]) -> tuple[set[Slot], set[Slot]]:
    """Return the slots that are not scored, static and interactive: at least one in each triple that does not count.

    Raises:
        ContractError: too few, or too many, are not scored.
    """
    planned = TRIPLES * len(ANSWERS)
    static, played = (planned - int(row[f"scored_{side}"]) for side in ("static", "interactive"))
    if not len(others) <= static + played or max(static, played) > len(others) * len(ANSWERS):
        raise ContractError(f"{row['model']} in {row['harness']}: these triples cannot be left unscored")
    places = [(group, place) for place in range(len(ANSWERS)) for group in others]
    begin = static % len(others) if others else 0
    turned = [(group, place) for place in range(len(ANSWERS)) for group in (*others[begin:], *others[:begin])]
    return set(places[:static]), set(turned[:played])
