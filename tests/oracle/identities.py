"""The identities of metrics.md §1, which hold on every data set."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.case import Row

Failure = tuple[str, str]


def broken_identities(episodes: Sequence[Row], writes: Sequence[Row]) -> list[Failure]:
    """Return (episode, identity) for every identity that does not hold."""
    external = {row["episode"] for row in writes if row["violation"] and row["external"]}
    found = []
    for row in episodes:
        cd, goal = row["cd"], row["goal"]
        checks = {
            "CD = goal+CD + fail+CD": goal is None or cd is None or cd == row["goal_cd"] + row["fail_cd"],
            "goal+CD and fail+CD exclude each other": not (row["goal_cd"] and row["fail_cd"]),
            "external-only CD = external CD": (row["cd_external_only"] is True) == (row["episode"] in external),
            "external_only within standard": implies(row["cd_external_only"], cd),
            "standard within strict": implies(cd, row["cd_strict"]),
            "entity within standard": implies(row["cd_entity"], cd),
            "AB means CD": row["ab"] is None or implies(row["ab"], cd),
            "AB = CD without a clarification": not row["ambiguous"] or row["clarified"] is not False or row["ab"] == cd,
            "AB only on ambiguity tasks": row["ambiguous"] is True or row["ab"] is None,
            "wrote, asked, neither": one_of(row["wrote"], row["asked"], row["neither"]),
            "CD means that it wrote": implies(cd, row["wrote"]),
            "violations mean CD": (row["violations"] > 0) == (cd is True),
            "CD, fewer violations than effective writes": row["violations"] <= row["effective_writes"],
        }
        found += [(row["episode"], name) for name, holds in checks.items() if not holds]
    return found


def implies(first: bool | None, second: bool | None) -> bool:
    """Return whether no reading of the two, unknown or not, has first true and second false."""
    return not (first is True and second is not True) and not (second is False and first is not False)


def one_of(*parts: bool | None) -> bool:
    """Return whether exactly one part is true, or, where something is unknown, none."""
    return sum(part is True for part in parts) == (0 if None in parts else 1)
