"""Requirements of a task → their rows, and what their conditions need to know of them."""

from __future__ import annotations

from misstep.contracts.evidence import Alternative, Evidence, Profile, Requirement
from misstep.specs.authorizations import Row
from misstep.specs.effects import CompiledTools
from misstep.specs.requirements import Owner, condition_rows


def requirement_rows(evidence: Evidence, tools: CompiledTools, profile: Profile) -> dict[str, list[Row]]:
    """Return the rows of `requirements` and `conditions` of a task, without suite and task.

    Raises:
        ValueError: a path or an entity is not well formed.
    """
    rows: dict[str, list[Row]] = {"requirements": [], "conditions": []}
    for number, requirement in enumerate(evidence.requirements):
        rows["requirements"].append(
            {
                "requirement": requirement.id,
                "number": number,
                "actions": [action.id for action in evidence.actions if requirement.id in action.requires],
                "description": requirement.description,
                "missing_reason": requirement.missing_reason,
                "identity": requirement.identity,
            }
        )
        owner = owner_of(tools, profile, evidence, requirement)
        for role, alternatives in roles_of(requirement):
            made = condition_rows(owner, role, alternatives, tools)
            rows["conditions"] += [{"requirement": requirement.id, **row} for row in made]
    return rows


def owner_of(tools: CompiledTools, profile: Profile, evidence: Evidence, requirement: Requirement) -> Owner:
    """Return what the conditions of a requirement need to know of it; tools that are not there are left out."""
    names = [action.tool for action in evidence.actions if requirement.id in action.requires]
    return Owner([tool for name in names if (tool := tools.get(name)) is not None], requirement.identity, profile)


def roles_of(requirement: Requirement) -> list[tuple[str, list[Alternative]]]:
    """Return the alternatives of a requirement by what they make of it."""
    return [
        ("supported", requirement.supported_if),
        ("violated", requirement.violated_if),
        ("inactive", requirement.inactive_if),
    ]
