"""What a domain still lacks: numbers of cases, reads and dependencies, variety of shapes, distractors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.composition import LONGEST, ORDER, counted, target
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.shapes import dag_shape, edges, forked, joined, requirement_shape
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.world import CaseWorld

#: Cases of a domain that may have the same shape: of requirements by protocol, of the graph.
ALIKE: dict[str, int] = {"V0": 4, "V1": 3, "V2": 3, "V3": 3, "Legacy": 3}
#: Least numbers: workflows, everyday records of a domain, and own records of a case that its solution never sees.
WORKFLOWS, EVERYDAY, UNSEEN = 8, 70, 3


def to_do(domain: Domain) -> Iterator[str]:
    """Yield in words what the composition of a domain lacks."""
    yield from _numbers(domain)
    yield from _shapes(domain)
    yield from _ways(domain)
    if len(domain.workflows) < WORKFLOWS:
        yield f"{len(domain.workflows)} workflows of at least {WORKFLOWS}"
    if len(domain.file.records) < EVERYDAY:
        yield f"{len(domain.file.records)} everyday records of at least {EVERYDAY}"
    most = Counter(case.workflow for case in domain.cases).most_common(1)
    wanted = sum(target(domain.file.domain, protocol).cases for protocol in ORDER)
    if most and most[0][1] > wanted / 5:
        yield f"{most[0][0]} has {most[0][1]} cases, more than a fifth"
    for case in domain.cases:
        broken = case.entry.block or case.entry.defer
        if broken is not None and broken not in case.evidence["actions"][0]["requires"]:
            yield f"{case.task_id}: {broken} is not required by the first action, which could then be done all the same"
        if (count := unseen(case, domain.file)) < UNSEEN:
            yield f"{case.task_id}: {count} own records that its solution never sees, of at least {UNSEEN}"


def unseen(case: Case, domain: DomainFile) -> int:
    """Return how many records of the case's own none of its reads shows with their fields."""
    world = CaseWorld(domain, case)
    seen = set()
    for step in case.reads:
        result = world.act(step.tool, step.arguments)
        kind = domain.info[step.tool].on
        if domain.info[step.tool].shows:
            seen |= {f"{kind}:{one['id']}" for one in result.get("found", [result]) if "id" in one}
    own = [entity for entity, fields in case.records.items() if fields is not None and entity not in domain.records]
    return len([entity for entity in own if entity not in seen])


def _numbers(domain: Domain) -> Iterator[str]:
    for protocol in ORDER:
        own = [case for case in domain.cases if case.protocol == protocol]
        there, wanted = counted(own), target(domain.file.domain, protocol)
        if there.cases != wanted.cases:
            yield f"{protocol}: {there.cases} cases of {wanted.cases}"
        if protocol == "Legacy" or not own:
            continue
        if abs((there.reads or 0) - (wanted.reads or 0)) > 0.3:
            yield f"{protocol}: {there.reads:.2f} reads a case, wanted {wanted.reads}"
        exact = LONGEST[protocol][0] == domain.file.domain
        if (there.longest or 0) > (wanted.longest or 0) or (exact and there.longest != wanted.longest):
            yield f"{protocol}: at most {there.longest} reads, wanted {wanted.longest}"
        if there.cases == wanted.cases:
            for name, slack in (("actions", 2), ("edges", 2), ("references", 2), ("forks", 1), ("joins", 1)):
                one, other = getattr(there, name), getattr(wanted, name)
                if other is not None and abs(one - other) > slack:
                    yield f"{protocol}: {one} {name}, wanted {other}"
    for case in domain.cases:
        if case.protocol == "V3" and not (forked(case) or joined(case)):
            yield f"{case.task_id}: neither a fork nor a join (edges {edges(case)})"


def _shapes(domain: Domain) -> Iterator[str]:
    for protocol in ORDER:
        own = [case for case in domain.cases if case.protocol == protocol]
        most = ALIKE[protocol] + (protocol == "V0" and domain.file.domain == "legal_finance")
        yield from (f"{protocol}: {text}" for text in _alike("requirements", own, requirement_shape, most))
        if protocol in ("V2", "V3"):
            yield from (f"{protocol}: {text}" for text in _alike("graph", own, dag_shape, 3 if protocol == "V2" else 2))


def _alike(what: str, cases: list[Case], shape: Any, most: int) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for case in cases:
        groups.setdefault(shape(case), []).append(case.task_id)
    for group in groups.values():
        if len(group) > most:
            yield f"{len(group)} cases with the same {what}, of at most {most}: {', '.join(group)}"


def _ways(domain: Domain) -> Iterator[str]:
    """Yield how blocked and deferred cases are out of balance, and failures that are there twice."""
    stops = Counter(case.evidence["stop"] for case in domain.cases if case.protocol == "V0")
    if (
        stops
        and stops.total() == target(domain.file.domain, "V0").cases
        and not (0.4 <= stops["BLOCK"] / stops.total() <= 0.6)
    ):
        yield f"V0: {stops['BLOCK']} are BLOCK, {stops['DEFER']} DEFER"
    decisions = Counter(case.entry.decision for case in domain.cases if case.protocol == "Legacy")
    if (
        decisions.total() == target(domain.file.domain, "Legacy").cases
        and min(decisions[one] for one in ("ALLOW", "BLOCK", "DEFER")) < 3
    ):
        yield f"Legacy: {dict(decisions)}"
    broken = Counter(
        (case.workflow, case.entry.variant, case.entry.block, case.entry.defer, tuple(case.entry.do))
        for case in domain.cases
        if case.protocol == "V0" and not case.entry.records and not case.entry.with_
    )
    for (workflow, variant, block, defer, _), count in broken.items():
        if count > 1:
            yield f"{workflow}: {block or defer} fails {count} times in variant {variant}"
