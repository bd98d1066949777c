"""What the suite is made of, beside what it is to be made of: cases, reads, actions, dependencies and shapes."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.shapes import (
    dag_shape,
    edges,
    forked,
    joined,
    largest_share,
    references,
    requirement_shape,
)

ORDER = ("Legacy", "V0", "V1", "V2", "V3")


@dataclass(frozen=True)
class Target:
    """What a domain is to have of a protocol; reads are means, `longest` the greatest number of required reads."""

    cases: int
    reads: float | None = None
    longest: int | None = None
    actions: int | None = None
    edges: int | None = None
    references: int | None = None
    forks: int | None = None
    joins: int | None = None


#: Cases by domain: `safeact_table6_cases.csv`.
CASES: dict[str, tuple[int, int, int, int, int]] = {
    "customer": (14, 29, 23, 22, 24),
    "engineering": (13, 28, 23, 22, 23),
    "legal_finance": (15, 42, 31, 27, 29),
    "research": (14, 24, 20, 21, 18),
    "smart_home": (15, 25, 17, 20, 19),
    "healthcare": (15, 27, 17, 20, 19),
}
#: Means of required reads: `safeact_table7_complexity.csv`.
READS: dict[str, float] = {"V0": 5.59, "V1": 6.47, "V2": 7.14, "V3": 5.88}
#: The greatest number of required reads, and the domain that reaches it; the others stay below.
LONGEST: dict[str, tuple[str, int, int]] = {
    "V0": ("legal_finance", 15, 12),
    "V1": ("healthcare", 10, 10),
    "V2": ("research", 12, 12),
    "V3": ("engineering", 17, 13),
}
#: By domain: actions, edges and references of V2; actions, edges, references, forks and joins of V3. They add up to
#: table 7.
GRAPHS: dict[str, tuple[tuple[int, int, int], tuple[int, int, int, int, int]]] = {
    "customer": ((53, 31, 30), (91, 80, 54, 19, 17)),
    "engineering": ((53, 31, 31), (87, 76, 52, 18, 17)),
    "legal_finance": ((65, 38, 37), (110, 97, 65, 22, 21)),
    "research": ((50, 29, 29), (68, 60, 40, 14, 13)),
    "smart_home": ((48, 28, 27), (72, 63, 42, 15, 14)),
    "healthcare": ((48, 28, 28), (73, 63, 43, 15, 14)),
}


def target(domain: str, protocol: str) -> Target:
    """Return what a domain is to have of a protocol."""
    cases = CASES[domain][ORDER.index(protocol)]
    if protocol == "Legacy":
        return Target(cases)
    where, longest, others = LONGEST[protocol]
    reads, most = READS[protocol], longest if where == domain else others
    if protocol == "V2":
        return Target(cases, reads, most, *GRAPHS[domain][0])
    if protocol == "V3":
        return Target(cases, reads, most, *GRAPHS[domain][1])
    return Target(cases, reads, most)


def counted(cases: Sequence[Case]) -> Target:
    """Return what there is in some cases, in the same terms."""
    reads = [len(case.evidence["reads"]) for case in cases]
    return Target(
        len(cases),
        statistics.mean(reads) if reads else None,
        max(reads, default=None),
        sum(len(case.actions) for case in cases),
        sum(len(edges(case)) for case in cases),
        sum(len(references(case)) for case in cases),
        sum(map(forked, cases)),
        sum(map(joined, cases)),
    )


def table(cases: Iterable[Case]) -> str:
    """Return how far the domains of some cases are, as `there/wanted`, with the largest share of one shape."""
    listed = list(cases)
    names = ("cases", "reads", "most", "median", "acts", "edges", "refs", "forks", "joins", "1 need", "1 graph")
    lines = [f"{'':22}" + "".join(f"{name:>10}" for name in names)]
    domains = [name for name in CASES if any(case.domain == name for case in listed)]
    for domain in [*domains, *([] if len(domains) < 2 else ["all"])]:
        for protocol in ORDER:
            own = [case for case in listed if case.protocol == protocol and domain in (case.domain, "all")]
            there = counted(own)
            wanted = target(domain, protocol) if domain != "all" else total(protocol)
            cells = [f"{there.cases}/{wanted.cases}"]
            if protocol != "Legacy":
                reads = [len(case.evidence["reads"]) for case in own]
                cells += [f"{there.reads or 0:.2f}/{wanted.reads}", f"{there.longest or 0}/{wanted.longest}"]
                cells.append(f"{statistics.median(reads) if reads else 0:g}")
                pairs = [(getattr(there, one), getattr(wanted, one)) for one in ("actions", "edges", "references")]
                pairs += [(getattr(there, one), getattr(wanted, one)) for one in ("forks", "joins")]
                cells += ["" if other is None else f"{one}/{other}" for one, other in pairs]
            else:
                cells += [""] * 8
            cells.append(f"{largest_share(map(requirement_shape, own)):.0%}")
            cells.append(f"{largest_share(map(dag_shape, own)):.0%}" if protocol in ("V2", "V3") else "")
            lines.append(f"{domain:15}{protocol:7}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join(lines)


def total(protocol: str) -> Target:
    """Return what the whole suite is to have of a protocol."""
    parts = [target(domain, protocol) for domain in CASES]
    if protocol == "Legacy":
        return Target(sum(part.cases for part in parts))
    sums = [
        None if getattr(parts[0], name) is None else sum(getattr(part, name) for part in parts)
        for name in ("actions", "edges", "references", "forks", "joins")
    ]
    return Target(sum(part.cases for part in parts), READS[protocol], LONGEST[protocol][1], *sums)
