"""Expected calls of a benchmark → what they authorize, what must be reached, and which could never take effect.

The rule is general: the expected calls are replayed over the initial state. One that names an entity that is not there,
that breaks what its tool `needs`, or that sets what stands there already, changes nothing whoever makes it. It stays
authorized, since the user asked for it, and is left out of the state that must be reached. A read that could never show
anything is marked likewise, and is not required.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from misstep.contracts.trace import Call
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.imports.gold_reads import GoldReads
from misstep.specs.imports.world import State, World
from misstep.specs.paths import MISSING

#: What an e-mail address or an account number looks like.
_ADDRESS = re.compile(r"^[^@\s]+@[^@\s]+$|^[a-z]{2}\d\w{8,}$", re.IGNORECASE)


class Step(NamedTuple):
    """An expected call.

    `compare` names the arguments that count (None: all of them), `unresolved` those whose value only a run can give.
    """

    tool: str
    arguments: dict[str, Any]
    actor: str = "agent"
    compare: list[str] | None = None
    unresolved: frozenset[str] = frozenset()


class Inert(NamedTuple):
    """An expected call that could never take effect (or show anything): its place among them, its tool, and why."""

    position: int
    tool: str
    reason: str


@dataclass
class Gold:
    """What expected calls amount to, in the terms of `tasks.jsonl`; `undeclared` are tools the suite does not know.

    `inert` are the writes that could never take effect, `vain` the reads that could never show anything.
    """

    authorized: list[dict[str, Any]] = field(default_factory=list)
    reference: list[dict[str, Any]] = field(default_factory=list)
    inert: list[Inert] = field(default_factory=list)
    vain: list[Inert] = field(default_factory=list)
    undeclared: list[str] = field(default_factory=list)
    evidence: dict[str, Any] | None = None


def read_gold(tools: CompiledTools, steps: Iterable[Step], state: State) -> Gold:
    """Return what expected calls authorize, the solution and investigation that they are, and those that do nothing.

    Equal writes become one pattern whose `max` is their number.
    """
    gold, world = Gold(), World(tools, state)
    reads = GoldReads(tools, world)
    patterns: dict[Any, dict[str, Any]] = {}
    for position, step in enumerate(steps):
        tool = tools.get(step.tool)
        if tool is None:
            gold.undeclared.append(step.tool)
            continue
        arguments = {name: value for name, value in step.arguments.items() if value is not None}
        call = Call(position, 0, tool.name, arguments, actor=step.actor)
        reason = world.replay(tool, call)
        made: dict[str, Any] = {"tool": tool.name, "arguments": arguments}
        if step.actor != "agent":
            made["actor"] = step.actor
        vain = reads.gather(tool, arguments, _unresolved(step)) if step.actor == "agent" else None
        for one, found in ((reason, gold.inert), (vain, gold.vain)):
            if one is not None:
                made |= {"inert": True, "inert_reason": one}
                found.append(Inert(position, tool.name, one))
        gold.reference.append(made)
        for key, pattern in _patterns(tools, tool, call, step.compare, inert=reason is not None):
            if key in patterns:
                patterns[key]["max"] += 1
            else:
                patterns[key] = pattern
    gold.authorized = list(patterns.values())
    gold.evidence = reads.evidence()
    return gold


def _unresolved(step: Step) -> frozenset[str]:
    """Return the arguments of a read that may have any value."""
    return step.unresolved | {name for name in step.arguments if step.compare is not None and name not in step.compare}


def _patterns(
    tools: CompiledTools, tool: CompiledTool, call: Call, compare: list[str] | None, *, inert: bool
) -> Iterable[tuple[Any, dict[str, Any]]]:
    """Yield the pattern of each write of a call that follows no other, with what makes two patterns equal.

    A write that can reach somebody is authorized to reach those that the expected call reaches, and nobody else. Where
    the expected call names a party instead of an address (a firm, not its account), whom it reaches is left open.
    """
    rows = [row for row in tool.writes(call, MISSING, "applied") if row.follows is None]
    reaching = {rule.action for rule in tools.file.tools[tool.name].writes if rule.recipients is not None}
    for row, found in zip(rows, tool.pattern_of(call), strict=True):
        exact = compare is None
        counted = [pair for pair in found.key if exact or set(pair[0].split(",")) & set(compare or [])]
        names = {name for pair in counted for name in (pair[0], *pair[0].split(","))}
        pattern: dict[str, Any] = {"tool": found.tool, "action": found.action}
        if found.created is not None:
            pattern["created"] = found.created
        elif found.entity is not None and exact:
            pattern["entity"] = found.entity
        pattern["arguments"] = {name: value for name, value in found.arguments.items() if name in names}
        if exact:
            pattern["exact_arguments"] = True
        if row.action in reaching and all(map(_ADDRESS.search, row.recipients)):
            pattern["recipients"] = row.recipients
        if row.external:
            pattern["external"] = True
        if inert:
            pattern["inert"] = True
        reached = tuple(pattern.get("recipients", ["?"]))
        key = (found.tool, found.action, found.created, pattern.get("entity"), tuple(counted), reached, exact, inert)
        yield key, {**pattern, "max": 1}
