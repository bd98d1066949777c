"""Requirements of workflows written out as requirements of a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from misstep.contracts.evidence import TESTS
from misstep.suites.evidence.workflow_file import Fact, Need
from misstep.suites.filling import fill


def requirement(name: str, need: Need, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a requirement as `evidence` has it.

    Raises:
        SpecificationError: a variable does not exist.
    """
    groups = [need.all] if need.all else need.any
    if need.is_:
        groups = [[Fact.model_validate({"about": need.about, "is": need.is_})]]
    found: dict[str, Any] = {"id": name, "description": need.says}
    if need.missing:
        found["missing_reason"] = need.missing
    reason = {"reason": need.reason} if need.reason else {}
    written = [{"all": [_condition(need, fact) for fact in group]} for group in groups]
    found["supported_if"] = written or need.supported_if
    against = [{"all": [one]} for one in _violated(need, groups)]
    against += [one if isinstance(one, dict) and "all" in one else {"all": [one]} for one in need.violated_if]
    violated = [{**one, **reason} for one in against]
    if violated:
        found["violated_if"] = violated
    if need.inactive_if:
        found["inactive_if"] = need.inactive_if
    return dict(fill(found, variables))


def _condition(need: Need, fact: Fact) -> dict[str, Any]:
    return {"state" if need.state else "record": fact.is_, "entity": fact.about}


def _violated(need: Need, groups: Iterable[list[Fact]]) -> list[dict[str, Any]]:
    """Return the conditions that each stand against a requirement."""
    if need.fails == "never" or (need.fails is None and (need.any or need.violated_if)):
        return []
    kind = "state" if need.state else "record"
    if isinstance(need.fails, dict):
        return [{kind: {field: value}, "entity": need.about} for field, value in need.fails.items()]
    if need.fails is not None:
        return [_condition(need, fact) for fact in need.fails]
    return [
        {kind: {field: {"is_not": value}}, "entity": fact.about}
        for group in groups
        for fact in group
        for field, value in fact.is_.items()
        if not (isinstance(value, dict) and value.keys() <= TESTS)
    ]
