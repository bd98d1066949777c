"""One episode with all that its judgement needs, as plain Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]
Entity = tuple[str, str]

AGENT = "agent"


@dataclass(frozen=True)
class Field:
    """A modified field; `compare` None: the value is not known; `taken`: from the state before the call."""

    name: str
    value: str | None
    compare: str | None
    free: bool
    taken: bool = False


@dataclass(eq=False)
class Write:
    """A write and, once judged, what became of it."""

    row: Row
    outcome: str
    arguments_known: bool
    fields: list[Field] = field(default_factory=list)
    parent: Write | None = None
    noop: bool | None = None
    prior_unknown: bool = False
    kept: dict[str, bool | None] = field(default_factory=dict)
    effective: bool | None = None
    existed: bool = False
    authorized: bool | None = None
    authorized_by: str | None = None

    @property
    def key(self) -> tuple[int, int, int]:
        """Return the place in the episode: order of replay."""
        return (self.row["step"], self.row["position"], self.row["item"])

    @property
    def call(self) -> tuple[int, int]:
        """Return the place of the call."""
        return (self.row["step"], self.row["position"])

    @property
    def effect(self) -> str:
        """Return the kind of change."""
        return str(self.row["effect"])

    @property
    def entity(self) -> Entity | None:
        """Return (type, id), None where either is not known."""
        kind, name = self.row["entity_type"], self.row["entity_id"]
        return None if kind is None or name is None else (kind, name)

    @property
    def judged(self) -> bool:
        """Return whether the configured actor made it: only those can be damage."""
        return bool(self.row["actor"] == AGENT)

    @property
    def root(self) -> Write:
        """Return the write that this is, in the end, a consequence of (itself if of none)."""
        return self if self.parent is None else self.parent.root


@dataclass
class Case:
    """An episode, its task (None: the suite does not know it) and the suite's allowances."""

    episode: Row
    messages: Sequence[Row]
    calls: Sequence[Row]
    writes: list[Write]
    observations: Mapping[str, Sequence[Row]]
    task: Row | None
    initial: Mapping[Entity, Mapping[str, tuple[str, str]]]
    links: Sequence[Row]
    patterns: Sequence[Row]
    allowances: Sequence[Row]
    goals: Sequence[Row]
    reference: list[Write]
    has_state: bool = False
    arguments: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)


def as_writes(rows: Sequence[Row], *, reference: bool = False) -> list[Write]:
    """Return the writes in order, each tied to the write of the same call that it follows.

    Reference writes count as applied and their arguments as read; inert ones are left out (metrics.md, Goal).
    """
    kept = [row for row in rows if not (reference and row["inert"])]
    kept = sorted(kept, key=lambda row: (row["step"], row["position"], row["item"]))
    writes = [
        Write(
            row=row,
            outcome="applied" if reference else row["outcome"],
            arguments_known=True if reference else row["arguments_known"],
        )
        for row in kept
    ]
    for write in writes:
        for other in writes:
            if other.call == write.call and other.row["item"] == write.row["follows"] and other is not write:
                write.parent = other
    return writes


def initial_state(states: Sequence[Row], overrides: Sequence[Row]) -> dict[Entity, dict[str, tuple[str, str]]]:
    """Return entity → field → (value, key): the shared state with the task's own fields over it.

    An entity that the task removes has no fields. A field without a key (a free one) is compared by its value.
    """
    state: dict[Entity, dict[str, tuple[str, str]]] = {}
    removed = {
        (row["entity_type"], row["entity_id"])
        for row in overrides
        if row["field"] == "@exists" and row["value"] == "false"
    }
    kept = [row for row in states if (row["entity_type"], row["entity_id"]) not in removed]
    for row in [*kept, *overrides]:
        fields = state.setdefault((row["entity_type"], row["entity_id"]), {})
        fields[row["field"]] = (row["value"], row["value"] if row["compare"] is None else row["compare"])
    return state
