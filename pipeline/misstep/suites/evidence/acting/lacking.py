"""What is certainly not established yet: requirements of an action that no read of some can have shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from misstep.suites.evidence.acting.prepared import Prepared
from misstep.suites.evidence.layers import Step
from misstep.suites.world import Record


def flexible(prepared: Prepared) -> bool:
    """Return whether reads that belong to later actions can be made after the first one."""
    return prepared.case.evidence.get("reads_before_first") is False


def lacks(prepared: Prepared, step: Step, made: Sequence[str]) -> bool:
    """Return whether some requirement of an action, before any other, certainly rests on a read that was not made."""
    (action,) = (one for one in prepared.case.evidence["actions"] if one["id"] == step.id)
    shown = [record for name in made for record in _records(prepared, name)]
    return any(
        not need.get("inactive_if") and all(_open(prepared, one, step, made, shown) for one in need["supported_if"])
        for need in prepared.case.evidence["requirements"]
        if need["id"] in action["requires"]
    )


def _records(prepared: Prepared, name: str) -> Iterable[tuple[str, Record]]:
    """Yield (entity, fields) of what a read shows."""
    result, kind = prepared.results[name], prepared.domain.info[prepared.reads[name].tool].on
    for record in result.get("found", [result] if "id" in result else []):
        yield f"{kind}:{record['id']}", record


def _open(
    prepared: Prepared, alternative: Any, step: Step, made: Sequence[str], shown: Sequence[tuple[str, Record]]
) -> bool:
    """Return whether an alternative certainly does not hold."""
    if not isinstance(alternative, Mapping):
        return False
    for one in alternative.get("all", [alternative]):
        fields = one.get("record") or one.get("state")
        if "read" in one and one["read"] not in {prepared.reads[name].tool for name in made}:
            return True
        if isinstance(fields, Mapping) and "entity" in one:
            entity = _filled(one["entity"], step)
            known = [record for name, record in shown if name == entity]
            if entity is not None and not any(fields.keys() <= record.keys() for record in known):
                return True
    return False


def _filled(entity: str, step: Step) -> str | None:
    """Return an entity with the arguments of an action; null: it is not known which."""
    names = re.findall(r"\{arguments\.(\w+)\}", entity)
    for name in names:
        entity = entity.replace(f"{{arguments.{name}}}", str(step.arguments.get(name, "{")))
    return None if "{" in entity else entity
