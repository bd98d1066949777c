"""Shapes take names and values away and keep everything else."""

import dataclasses
import json

from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.composition import counted, table
from misstep.suites.evidence.shapes import (
    dag_shape,
    edges,
    forked,
    joined,
    largest_share,
    references,
    requirement_shape,
)
from suites.evidence_house import cases


def graph(*after: str) -> Case:
    """Return a V3 case whose actions a, b, c … come after these."""
    names = "abcdef"[: len(after)]
    actions = [
        {"id": name, "tool": "x", "arguments": {}, "after": list(before)}
        for name, before in zip(names, after, strict=True)
    ]
    case = cases()["graph"]
    return dataclasses.replace(
        case, actions=case.actions[:1] * len(after), evidence={**case.evidence, "actions": actions}
    )


def test_isomorphic_graphs_have_one_shape() -> None:
    assert dag_shape(graph("", "a", "a", "bc")) == dag_shape(graph("", "a", "a", "cb"))
    assert dag_shape(graph("", "", "a", "b")) == dag_shape(graph("", "a", "", "c"))
    assert dag_shape(graph("", "a", "a")) != dag_shape(graph("", "", "ab"))
    assert dag_shape(graph("", "a", "b")) != dag_shape(graph("", "a", "ab"))


def test_forks_and_joins() -> None:
    assert (forked(graph("", "a", "a")), joined(graph("", "a", "a"))) == (True, False)
    assert (forked(graph("", "", "ab")), joined(graph("", "", "ab"))) == (False, True)
    assert edges(graph("", "a", "ab")) == [(0, 1), (0, 2), (1, 2)]


def test_references_are_counted_by_field() -> None:
    assert references(cases()["graph"]) == [(1, 2, "version"), (0, 2, "code")]
    there = counted([cases()["graph"], cases()["chain"]])
    assert (there.actions, there.edges, there.references, there.forks, there.joins) == (6, 4, 4, 0, 1)


def test_chains_differ_by_what_is_passed_and_needed() -> None:
    chain = cases()["chain"]
    other = json.loads(json.dumps(chain.evidence))
    other["actions"][2]["requires"].append("agreed")
    assert dag_shape(chain) != dag_shape(dataclasses.replace(chain, evidence=other))


def test_requirement_shapes_forget_names_and_values() -> None:
    one = cases()["one"]
    renamed = json.loads(json.dumps(one.evidence).replace("OW-7", "OW-9").replace('"low"', '"very low"'))
    assert requirement_shape(one) == requirement_shape(dataclasses.replace(one, evidence=renamed))
    assert requirement_shape(one) == requirement_shape(cases()["high"])
    assert requirement_shape(one) != requirement_shape(cases()["later"])


def test_the_largest_share() -> None:
    assert largest_share("aab") == 2 / 3
    assert largest_share([]) == 0


def test_the_report_names_domains_and_protocols() -> None:
    text = table(cases().values())
    assert "customer       V3" in text and "2/24" in text
