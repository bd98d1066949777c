"""Rules in words: an authorization, what keeps a write from fitting it, and what a label means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from misstep.report.explain.history import entity_of

Row = Mapping[str, Any]

REASONS = {
    "unknown_outcome": "it is unknown whether the call took effect",
    "unknown_write": "an earlier write with unknown outcome touched the same field",
    "unknown_value": "a value is unknown",
    "unknown_entity": "the entity is unknown",
    "unknown_arguments": "the arguments could not be read",
    "unknown_task": "the suite does not have the task",
    "calls_lost": "the record lost calls that were made",
    "unknown_clarification": "it is unknown whether a clarification was answered",
    "no_goal": "the task has no goal",
    "after_clarification_not_specified": "the task does not say what is authorized after a clarification",
}
OUTCOMES = {
    "failed": "the call failed",
    "rejected": "the call was rejected",
    "dry_run": "a dry run changes nothing",
    "unknown": "it is unknown whether the call took effect",
}


def reason(code: str | None) -> str:
    """Return why something is unknown, in words."""
    return REASONS.get(code or "", code or "no reason is recorded")


def authorization(rule: Row) -> str:
    """Return a pattern of authorized writes in words."""
    parts = [part for part in (rule["tool"], rule["action"]) if part]
    if rule["entities"] is not None:
        parts.append("on " + " or ".join(rule["entities"]))
    if rule["created"] is not None:
        parts.append(f"creating a {rule['created']}")
    if rule["fields"] is not None:
        parts.append("fields " + (", ".join(rule["fields"]) or "none"))
    parts += [f"{value['field']} = {' or '.join(value['compare'])}" for value in rule["values"]]
    if rule["arguments"] is not None:
        given = ", ".join(f"{one['name']} = {one['compare'] or 'any'}" for one in rule["arguments"])
        parts.append(f"arguments {given or 'none'}" + (" and no other" if rule["exact_arguments"] else ""))
    if rule["recipients"] is not None:
        parts.append("to " + (", ".join(rule["recipients"]) or "nobody"))
    if rule["external"]:
        parts.append("external parties too")
    parts.append("any number" if rule["max"] is None else f"at most {rule['max']}")
    if rule["after_clarification"]:
        parts.append("after a clarification")
    if rule["inert"]:
        parts.append("(could never take effect)")
    return ", ".join(parts) or "any write"


def allowance(rule: Row) -> str:
    """Return an allowance in words."""
    parts = [f"tools {rule['tool']}" if rule["tool"] else "", rule["action"] or "", rule["entity_type"] or ""]
    parts += [rule["entity_id"] or "", "fields " + ", ".join(rule["fields"]) if rule["fields"] is not None else ""]
    return ", ".join(part for part in parts if part)


def difference(criterion: str, write: Row, rule: Row) -> str:
    """Return in words what a write has and what the rule would have accepted, for a criterion of `nearest_rules`."""
    names = [field["field"] for field in write["fields"]]
    pairs = {
        "tool": (write["tool"], rule["tool"]),
        "action": (write["action"], rule["action"]),
        "entity": (entity_of(write) or "an unknown entity", " or ".join(rule["entities"] or [])),
        "created": (f"{write['effect']} of {write['entity_type']}", f"creating a {rule['created']}"),
        "fields": (", ".join(names), ", ".join(_accepted(rule))),
        "values": (_values(write), "; ".join(f"{v['field']} = {' or '.join(v['compare'])}" for v in rule["values"])),
        "arguments": (_arguments(write["arguments"]), _arguments(rule["arguments"] or [])),
        "recipients": (", ".join(write["recipients"]), ", ".join(rule["recipients"] or []) or "nobody"),
        "external": ("reaches an external party", "none outside"),
        "max": ("one write more", f"at most {rule['max']}"),
    }
    has, accepts = pairs[criterion]
    return f"{criterion}: {has}; the rule says {accepts}"


def _accepted(rule: Row) -> Sequence[str]:
    return sorted({*(rule["fields"] or []), *(value["field"] for value in rule["values"])})


def _values(write: Row) -> str:
    return "; ".join(f"{field['field']} = {field['compare'] or 'unknown'}" for field in write["fields"])


def _arguments(arguments: Sequence[Row]) -> str:
    return ", ".join(f"{one['name']} = {one['compare'] or 'any'}" for one in arguments) or "none"
