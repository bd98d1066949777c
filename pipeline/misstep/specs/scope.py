"""Which calls count in a task that asks for evidence: attempts of consequential tools, and reads in scope."""

from __future__ import annotations

from misstep.contracts.evidence import Evidence, Profile
from misstep.specs.effects import CompiledTools
from misstep.specs.names import declared


def consequential(evidence: Evidence, tools: CompiledTools, profile: Profile) -> list[str]:
    """Return the tools whose calls are attempts: as the task says, else those of its actions, else all that write."""
    if evidence.consequential is not None:
        return declared(evidence.consequential, tools)
    if evidence.actions and profile == "standard":
        return declared([action.tool for action in evidence.actions], tools)
    # a read that leaves a mark behind (mail marked read) is no action
    kinds = ("write",) if profile == "standard" else ("write", "both")
    return [tool.name for tool in tools if tool.kind in kinds]


def information(evidence: Evidence, tools: CompiledTools) -> list[str]:
    """Return the tools whose calls are reads in scope: as the task says, else all that read."""
    if evidence.information is not None:
        return declared(evidence.information, tools)
    return [tool.name for tool in tools if tool.kind in ("read", "both")]
