"""Cases of a made-up suite with the composition of table 6, and the printed rates counted from roles."""

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import fmean

from misstep.suites.evidence.cohort.ways import LOST, PROTOCOLS, REPLICATES, SOLVED, WAYS, Case, Role, way_of

Fits = Callable[[Role], bool]
INVESTIGATED = PROTOCOLS[1:]


def rows(published: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a printed table."""
    with (published / f"safeact_{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def cases(published: Path) -> list[Case]:
    """Return cases in nine workflows a domain; some workflows need all reads first, so that some ways are closed."""
    return [case for row in rows(published, "table6_cases")[:6] for case in _of_domain(row)]


def _of_domain(row: dict[str, str]) -> Iterator[Case]:
    for protocol in PROTOCOLS:
        for number in range(int(row[protocol.lower()])):
            answer = ("ALLOW", "BLOCK", "DEFER")[number % 3] if protocol == "Legacy" else "ALLOW"
            if protocol == "V0":
                answer = ("BLOCK", "DEFER")[number % 2]
            ways = {way.name for way in WAYS[protocol]} - {f"wrong: {answer}"}
            if number % 5 == 0:
                ways -= {"partial", "wrong stop", "acted early, investigated late"}
            domain = row["domain"].split()[0]
            name = f"{domain}-{protocol}-{number}"
            yield Case(name, domain, protocol, f"{domain}-{number % 9}", frozenset(ways), answer)


def rate(roles: Iterable[Role], fits: Fits, among: Fits) -> float:
    """Return a rate in percent: the mean over replicates of rates among scored episodes."""
    rates = []
    scored = [role for role in roles if role.way != LOST]
    for replicate in REPLICATES:
        members = [role for role in scored if role.replicate == replicate and among(role)]
        rates.append(100 * sum(map(fits, members)) / len(members))
    return fmean(rates)


def by_replicate(roles: Iterable[Role]) -> list[float]:
    """Return exact success of each replicate on the cases with an investigation, in percent."""
    counted = [role for role in roles if role.way != LOST and of(*INVESTIGATED)(role)]
    return [
        100 * fmean(float(solved(role)) for role in counted if role.replicate == replicate) for replicate in REPLICATES
    ]


def solved(role: Role) -> bool:
    """Return whether the case is solved."""
    return role.way == SOLVED


def complete(role: Role) -> bool:
    """Return whether the investigation is complete."""
    return way_of(role.case.protocol, role.way).complete


def of(*protocols: str) -> Fits:
    """Return whether a role is on a case of these protocols."""
    return lambda role: role.case.protocol in protocols


def ended(*ends: str) -> Fits:
    """Return whether an episode failed in one of these ways."""
    return lambda role: way_of(role.case.protocol, role.way).end in ends


def equal(value: float, printed: str) -> bool:
    """Return whether a value is printed so: within half a unit of the last digit."""
    return abs(value - float(printed)) <= 0.5 * 10.0 ** -len(printed.partition(".")[2]) + 1e-9
