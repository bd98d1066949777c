"""Shapes of cases: what is left of requirements and dependencies when every name and value is taken away."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from misstep.contracts.evidence import TESTS
from misstep.specs.bindings import result_references
from misstep.suites.evidence.cases import Case

Edges = frozenset[tuple[int, int]]


def edges(case: Case) -> list[tuple[int, int]]:
    """Return the dependencies of the actions as (earlier, later), numbered in order."""
    place = {action["id"]: number for number, action in enumerate(case.evidence["actions"])}
    return [
        (place[before], place[action["id"]])
        for action in case.evidence["actions"]
        for before in action.get("after", [])
    ]


def references(case: Case) -> list[tuple[int, int, str]]:
    """Return the results that actions take from earlier ones, as (earlier, later, field)."""
    place = {action["id"]: number for number, action in enumerate(case.evidence["actions"])}
    return [
        (place[found.result_of], place[action["id"]], found.field)
        for action in case.evidence["actions"]
        for found in result_references(action["arguments"])
    ]


def forked(case: Case) -> bool:
    """Return whether some action is followed by two or more."""
    starts = [before for before, _ in edges(case)]
    return len(starts) > len(set(starts))


def joined(case: Case) -> bool:
    """Return whether some action comes after two or more."""
    ends = [later for _, later in edges(case)]
    return len(ends) > len(set(ends))


def dag_shape(case: Case) -> str:
    """Return the graph of a case up to isomorphism.

    In a chain (V2) every graph of a length is the same, so what passes along its edges and what its actions need is
    part of the shape there: the fields that are passed, and how many requirements each action has.
    """
    count = len(case.actions)
    if case.protocol == "V2":
        passed: dict[tuple[int, int], list[str]] = {}
        for before, later, field in references(case):
            passed.setdefault((before, later), []).append(field)
        needs = [len(action["requires"]) for action in case.evidence["actions"]]
        return json.dumps([needs, sorted((*edge, sorted(fields)) for edge, fields in passed.items())])
    return json.dumps([count, _canonical(count, frozenset(edges(case)))])


def _canonical(count: int, found: Edges) -> list[tuple[int, int]]:
    orders = itertools.permutations(range(count))
    return min(sorted((order[one], order[other]) for one, other in found) for order in orders)


def requirement_shape(case: Case) -> str:
    """Return what the actions of a case require, without names and values, in no order."""
    byname = {need["id"]: _need(need, case) for need in case.evidence["requirements"]}
    needs = [sorted(byname[name] for name in action["requires"]) for action in case.evidence["actions"]]
    return json.dumps(sorted(needs))


def _need(need: Mapping[str, Any], case: Case) -> str:
    roles = []
    for role in ("supported_if", "violated_if", "inactive_if"):
        alternatives = [one.get("all", [one]) for one in need.get(role, [])]
        roles.append(sorted(sorted(map(_condition, one)) for one in alternatives))
    return json.dumps(roles)


def _condition(condition: Mapping[str, Any]) -> str:
    source = next(name for name in condition if name not in ("entity", "arguments"))
    tested = condition[source] if isinstance(condition[source], dict) else {}
    tests = sorted(_test(value) for value in tested.values())
    entity = condition.get("entity")
    about = "none" if entity is None else "own" if "{arguments." in entity else "named"
    return json.dumps([source, about, tests])


def _test(value: Any) -> str:
    if isinstance(value, dict) and value and value.keys() <= TESTS:
        return str(next(iter(value)))
    return type(value).__name__


def largest_share(shapes: Iterable[str]) -> float:
    """Return the share (in [0, 1]) of the shape that most have; 0 of none."""
    listed = list(shapes)
    return max((listed.count(one) for one in set(listed)), default=0) / max(len(listed), 1)
