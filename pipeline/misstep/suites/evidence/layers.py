"""Records of a case, laid over one another: those of the domain, the workflow, the variant, the case, a failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from misstep.contracts.errors import SpecificationError
from misstep.suites.evidence.domain_file import DomainFile, Patch
from misstep.suites.evidence.workflow_file import CaseEntry, WorkflowFile
from misstep.suites.filling import fill
from misstep.suites.world import Record, State


@dataclass(frozen=True)
class Step:
    """A read or an action of the solution: `arguments` may hold results of earlier actions (`result_of`, `field`)."""

    id: str
    tool: str
    arguments: dict[str, Any]


def failure(
    workflow: WorkflowFile, entry: CaseEntry, broken: str, actions: Sequence[Step], variables: Mapping[str, Any]
) -> Patch:
    """Return how the world is changed so that a requirement fails."""
    need = workflow.requirements[broken]
    written = need.block if entry.block else need.defer
    acting = [step for step in actions if broken in workflow.actions[step.id].needs]
    if written is None or not acting:
        how = "block" if entry.block else "defer"
        raise SpecificationError(f"case {entry.id}: {broken} has no {how}, or none of the actions needs it")
    holes = {f"{{arguments.{name}}}": str(value) for name, value in acting[0].arguments.items()}
    found = {}
    for entity, fields in fill(need.patch(written), variables).items():
        for hole, value in holes.items():
            entity = entity.replace(hole, value)
        found[entity] = fields
    return found


def merged(*layers: Patch) -> Patch:
    """Return records with later layers written over earlier ones; null takes a field, or a record, away."""
    found: dict[str, Record | None] = {}
    for layer in layers:
        for entity, fields in layer.items():
            if fields is None:
                found[entity] = None
                continue
            own = {**(found.get(entity) or {}), **fields}
            found[entity] = {name: value for name, value in own.items() if value is not None}
    return found


def initial(domain: DomainFile, records: Patch) -> State:
    """Return what the world holds before the first call."""
    state = {entity: copied(fields) for entity, fields in domain.records.items()}
    for entity, fields in records.items():
        if fields is None:
            state.pop(entity, None)
        else:
            state[entity] = {**state.get(entity, {}), **copied(fields)}
    return state


def copied(fields: Record) -> Record:
    """Return a copy of the fields of a record: values, and lists of them."""
    return {name: list(value) if isinstance(value, list) else value for name, value in fields.items()}
