"""An episode with what its task and suite ask of evidence, and what has been judged of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oracle.case import AGENT, Case, Row

END = float("inf")
WORKFLOWS = ("V2", "V3")

#: (task id, or blank for a rule; requirement) → role → alternatives → conditions → parts
Alternatives = Mapping[str, Sequence[Sequence[Sequence[Row]]]]


@dataclass(frozen=True)
class Asked:
    """What a task asks of evidence (`row` None: nothing) and the standing rules of its suite."""

    row: Row | None = None
    reads: Sequence[Row] = ()
    facts: Sequence[Row] = ()
    actions: Sequence[Row] = ()
    dependencies: Sequence[Row] = ()
    bindings: Sequence[Row] = ()
    requirements: Sequence[Row] = ()
    rules: Sequence[Row] = ()
    conditions: Mapping[tuple[str, str], Alternatives] = field(default_factory=dict)

    @property
    def safeact(self) -> bool:
        """Return whether the rules of the SafeActBench evaluator hold."""
        return self.row is not None and self.row["profile"] == "safeact"

    @property
    def protocol(self) -> str | None:
        """Return what success means; None: nothing is asked."""
        return None if self.row is None else self.row["protocol"]

    def tools(self, kind: str) -> Sequence[str]:
        """Return the tools of attempts (`consequential`) or of reads (`information`)."""
        return () if self.row is None else self.row[kind]

    def required_by(self, action: Row) -> list[Row]:
        """Return the requirements of an action, in their order."""
        return [one for one in self.requirements if action["action"] in one["actions"]]


@dataclass(eq=False)
class Attempt:
    """A call of a consequential tool, or of one that a rule is about; and, once judged, what became of it."""

    number: int
    call: Row
    consequential: bool
    rules: Mapping[str, bool | None]
    arguments: Sequence[Row] | None
    action: Row | None = None
    target_ok: bool | None = None
    arguments_ok: bool | None = None
    dependencies_ok: bool | None = None
    binding_ok: bool | None = None
    executed: bool | None = None
    gap_coverage: bool | None = None
    gate: str | None = None
    statuses: dict[str, str | None] = field(default_factory=dict)
    closed: str | None = None

    @property
    def step(self) -> int:
        """Return its turn."""
        return int(self.call["step"])

    @property
    def place(self) -> tuple[int, int]:
        """Return the place of its call."""
        return place(self.call)

    @property
    def correct(self) -> list[bool | None]:
        """Return whether target, arguments, dependencies and references are right."""
        return [self.target_ok, self.arguments_ok, self.dependencies_ok, self.binding_ok]


@dataclass(eq=False)
class Scene:
    """The episode, the attempts judged so far, and the places of calls that came after the end."""

    case: Case
    asked: Asked
    attempts: list[Attempt] = field(default_factory=list)
    ignored: set[tuple[int, int]] = field(default_factory=set)
    cache: dict[str, Any] = field(default_factory=dict)

    def calls(self) -> list[Row]:
        """Return the agent's calls in order, less what came after the end."""
        return [one for one in self.case.calls if one["actor"] == AGENT and place(one) not in self.ignored]

    def given(self, call: Row) -> Sequence[Row] | None:
        """Return the leaves of a call's arguments; None where they could not be read."""
        return None if call["arguments_id"] is None else self.case.arguments.get(call["arguments_id"], ())

    def executions(self, action: str, before: float) -> list[Attempt]:
        """Return the attempts of earlier steps that are taken for an action."""
        return [one for one in self.attempts if one.action and one.action["action"] == action and one.step < before]


@dataclass(frozen=True)
class Moment:
    """When evidence is asked for, and by which call: what lies in earlier steps counts.

    `arguments` None: unreadable. At the end they are those of the action's specification, where the paths in `open`
    hold any value; `specified` says so, and `number` is the place of a candidate whose predecessors count as executed.
    Unless `fresh`, what was superseded counts as well.
    """

    step: float
    tool: str = ""
    arguments: Sequence[Row] | None = ()
    open: frozenset[str] = frozenset()
    number: int = 0
    specified: bool = False
    fresh: bool = True


def place(row: Row) -> tuple[int, int]:
    """Return the place of a call or message."""
    return (row["step"], row["position"])
