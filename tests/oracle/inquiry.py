"""Random tasks that ask for evidence: what must be read, what that shows, and what may then be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from misstep.contracts.values import canonical
from oracle.world import Row, Shape, modified

READS = ("cal.get", "crm.find", "docs.read")
ACTS = ("cal.update", "cal.create", "crm.update", "mail.send")
PROTOCOLS = ("V0", "V0", "V0", "V1", "V1", "V1", "V1", "V2", "V2", "V2", "V3", "V3", "V3", "Legacy", "gold-action")
YES, NO = r"(?i)\b(yes|go ahead)\b", r"(?i)^\s*(no|wait)\b"
FIELDS = ("title", "start", "room", "body")
ABOUT = ("read", "argument")


@dataclass(frozen=True)
class Reference:
    """An argument that must be what an earlier action returned."""

    action: str
    field: str


@dataclass
class Look:
    """A read: its tool and arguments, and the records (entity or none, fields) that it shows."""

    tool: str
    arguments: dict[str, Any]
    shows: list[tuple[str | None, dict[str, Any]]]
    told: bool = True


@dataclass
class Act:
    """An action of a task: its tool, arguments, and what it changes."""

    name: str
    tool: str
    arguments: dict[str, Any]
    shape: Shape
    after: list[str] = field(default_factory=list)


@dataclass
class Inquiry:
    """What a task asks of evidence, as its episodes need to know it."""

    protocol: str | None
    lax: bool = False
    looks: list[Look] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    context: list[tuple[str | None, dict[str, Any]]] = field(default_factory=list)
    stop: str | None = None
    decision: str | None = None
    most: int | None = None


@dataclass
class Task:
    """A task's row, the shapes that its user wants (`wanted`) and others near them, and its reference calls."""

    row: Row
    wanted: list[Shape]
    others: list[Shape]
    inquiry: Inquiry
    calls: list[list[Row]] = field(default_factory=list)


BLANK: Row = {
    "tools": [],
    "compare": [],
    **dict.fromkeys(("result_of", "pattern", "unless", "entity_type", "entity_id", "entity_argument")),
    **dict.fromkeys(("entity_template", "field", "test", "value", "argument")),
}


def without_references(arguments: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, Reference]]]:
    """Return arguments less those that are results, and the paths of these."""
    fixed, bound = {}, []
    for name, value in arguments.items():
        if isinstance(value, Reference):
            bound.append((name, value))
        elif isinstance(value, dict) and any(isinstance(one, Reference) for one in value.values()):
            bound += [(f"{name}.{inner}", one) for inner, one in value.items() if isinstance(one, Reference)]
        elif isinstance(value, list) and any(isinstance(one, Reference) for one in value):
            bound += [(f"{name}[]", one) for one in value if isinstance(one, Reference)]
            if fewer := [one for one in value if not isinstance(one, Reference)]:
                fixed[name] = fewer
        else:
            fixed[name] = value
    return fixed, bound


def observed(look: Look, observation: str) -> list[Row]:
    """Return the observation rows of what a read shows."""
    return [
        {
            "observation_id": observation,
            "record": record,
            "field": name,
            "entity_type": entity.split(":")[0] if entity else "event" if "room" in facts else "unknown",
            "entity_id": entity.split(":")[1] if entity else None,
            "value": canonical(value),
            "compare": None if name == "body" else modified(name, value)["compare"],
        }
        for record, (entity, facts) in enumerate(look.shows)
        for name, value in facts.items()
    ]
