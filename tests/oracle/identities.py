"""The identities of metrics.md, which hold on every data set."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.case import Row

Failure = tuple[str, str]
V1_KINDS = ("early_action", "covered_action_failure", "no_action", "other")


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


def broken_by_evidence(episodes: Sequence[Row], actions: Sequence[Row]) -> list[Failure]:
    """Return (episode, identity) for every identity of evidence (§2) that does not hold."""
    found = []
    for row in episodes:
        acted, ecs, par = (row["attempts"] or 0) > 0, row["ecs"], row["par"]
        single, workflow = row["protocol"] == "V1", row["protocol"] in ("V2", "V3")
        undecided = ecs is None or (acted and par is None)
        checks = {
            "V1: one of early, covered, no action, other, ECS": not single
            or undecided
            or ecs + (row["failure"] in V1_KINDS) == 1,
            "failure means not ECS": row["failure"] is None or ecs is False,
            "early action means PAR": row["failure"] != "early_action" or par is True,
            "covered action failure means that CAS is false": row["failure"] != "covered_action_failure"
            or row["cas"] is False,
            "gap means not ECS": not workflow or implies(row["gap"], None if ecs is None else not ecs),
            "partial means not ECS": not workflow or implies(row["partial"], None if ecs is None else not ecs),
            "CAS is ECS where PAR is false": row["cas"] == (ecs if single and par is False else None),
            "ECS in V1 means not PAR": not single or not (ecs and par is not False),
            "BSR means no attempts": not (row["bsr"] and acted),
            "BSR means an incomplete investigation": not row["bsr"] or row["investigation"] is False,
            "PAR only with attempts": par is None or acted,
            "coverage before the first attempt only with attempts": row["coverage_before_action"] is None or acted,
            "coverage does not shrink": not_less(row["coverage_at_stop"], row["coverage_before_action"]),
            "rules are broken by ruled calls": row["rule_par"] is None or row["ruled"] is True,
            "nothing without evidence": row["protocol"] is not None or row["attempts"] is None,
            "nothing unscored": row["scored"] or (row["attempts"] is None and row["ruled"] is None),
        }
        found += [(row["episode"], name) for name, holds in checks.items() if not holds]
    for row in actions:
        checks = {
            "supported means no gap": implies(
                row["supported"], None if row["gap_requirement"] is None else not row["gap_requirement"]
            ),
            "allowed means supported and covered": row["gate"] != "ALLOW"
            or (row["supported"] and not row["gap_coverage"]),
            "matched means that there is such a tool": row["matched_action"] is None or row["tool_ok"] is True,
            "matched only where consequential": row["matched_action"] is None or row["consequential"],
            "about something": row["consequential"] or row["ruled"],
        }
        found += [(row["episode"], name) for name, holds in checks.items() if not holds]
    return found


def not_less(later: float | None, earlier: float | None) -> bool:
    """Return whether a share is no smaller later, as far as it is known."""
    return later is None or earlier is None or later >= earlier


def implies(first: bool | None, second: bool | None) -> bool:
    """Return whether no reading of the two, unknown or not, has first true and second false."""
    return not (first is True and second is not True) and not (second is False and first is not False)


def one_of(*parts: bool | None) -> bool:
    """Return whether exactly one part is true, or, where something is unknown, none."""
    return sum(part is True for part in parts) == (0 if None in parts else 1)
