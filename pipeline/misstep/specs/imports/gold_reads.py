"""Expected reads of a benchmark → what must be investigated before anything is done.

The rule is general: what the agent is expected to read is required, once, with these arguments. A read that could show
nothing, whoever makes it, cannot be required: what its tool shows by the arguments alone (`observes`: the entity they
name, the fields they give) is nowhere in the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from misstep.contracts.evidence import Protocol
from misstep.contracts.tools import ObserveRule
from misstep.contracts.values import canonical
from misstep.specs.conditions import all_hold
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import compile_entity
from misstep.specs.imports.world import World, at
from misstep.specs.paths import MISSING, Scope
from misstep.specs.sources import compile_source

#: Stands for an argument whose value only a run can give.
ANY = "*"
_READS = ("read", "both")


class GoldReads:
    """The expected reads of a task, gathered call by call."""

    def __init__(self, tools: CompiledTools, world: World) -> None:
        self._tools = tools
        self._world = world
        self._reads: dict[str, dict[str, Any]] = {}
        self._writes = False

    def gather(self, tool: CompiledTool, arguments: dict[str, Any], unresolved: frozenset[str]) -> str | None:
        """Take an expected call of the agent; return why it is a read that could never show anything, else None.

        Args:
            tool: its tool.
            arguments: its arguments, none of them null.
            unresolved: names of arguments whose value only a run can give.
        """
        self._writes = self._writes or tool.kind == "write"
        if tool.kind not in _READS:
            return None
        given = {name: value for name, value in arguments.items() if name not in unresolved}
        reason = self._vain(tool, given)
        if reason is None:
            read = {"tool": tool.name, "arguments": given | {name: ANY for name in arguments if name in unresolved}}
            self._reads.setdefault(canonical(read), read)
        return reason

    def evidence(self) -> dict[str, Any] | None:
        """Return the evidence of the task; None where no read is required, which says nothing about reading."""
        if not self._reads:
            return None
        protocol: Protocol = "gold-action" if self._writes else "gold-stop"
        return {"protocol": protocol, "reads": list(self._reads.values())}

    def _vain(self, tool: CompiledTool, arguments: dict[str, Any]) -> str | None:
        scope = Scope(arguments)
        rules = [rule for rule in self._tools.file.tools[tool.name].observes if rule.for_each is None]
        found = [self._nowhere(rule, scope) for rule in rules if all_hold(rule.when)(scope)]
        reasons = [reason for reason in found if reason is not None]
        return reasons[0] if reasons and len(reasons) == len(found) else None

    def _nowhere(self, rule: ObserveRule, scope: Scope) -> str | None:
        """Return why nothing that a rule shows by the arguments alone is there."""
        kind, wanted = compile_entity(rule.entity).get(scope)
        if kind is None or not self._world.holds(kind):
            return None
        keys = {name: self._world.key(kind, name, value) for name, value in _given(rule, scope)}
        for name, fields in self._world.entities(kind):
            if wanted in (None, name) and all(
                (value := at(fields, field)) is not MISSING and self._world.key(kind, field, value) == key
                for field, key in keys.items()
            ):
                return None
        return f"there is no {kind} {wanted}" if wanted is not None else f"there is no {kind} with {', '.join(keys)}"


def _given(rule: ObserveRule, scope: Scope) -> Iterator[tuple[str, Any]]:
    """Yield the fields that a rule shows by the arguments alone, with their values."""
    if isinstance(rule.facts, str):
        return
    for name, value in rule.facts.items():
        source = compile_source(value)
        if not source.needs_result and (found := source.get(scope)) is not MISSING:
            yield name, found
