"""A write and its labels, in words: what it changed, how it was judged, and by which rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from misstep.report.explain import rules
from misstep.report.explain.history import History, entity_of

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a write.

    Attributes:
        item: place among the effects of the call.
        change: entity and fields, with the values before and after.
        verdict: `authorized`, `allowed`, `unauthorized`, `no-op`, `not effective`, `unknown` or `not judged`.
        rule: why, in words.
        pattern: of an unauthorized write.
        differs: what keeps it from the nearest rule, a line each.
        external: reaches an external party.
    """

    item: int
    change: str
    verdict: str
    rule: str
    pattern: str | None
    differs: list[str]
    external: bool


def judgement(
    write: Row,
    label: Row | None,
    before: History,
    known: Mapping[str, Row],
    allowed: Mapping[str, Row],
    nearest: Row | None,
) -> Judgement:
    """Return the judgement of a write.

    Args:
        write: row of `writes`.
        label: its row of `write_labels`.
        before: the state before it.
        known: authorizations of the task by name.
        allowed: allowances of the suite by id.
        nearest: its row of the view `nearest_rules`.
    """
    verdict, rule = _verdict(write, label, before, allowed)
    differs: list[str] = []
    if write["follows"] is not None:
        nearest = None
    elif nearest is None and verdict == "unauthorized":
        rule += "; the task authorizes nothing at that point"
    if nearest is not None and verdict in ("unauthorized", "unknown"):
        near = known[nearest["rule_name"]]
        differs = [rules.difference(criterion, _modified(write, label), near) for criterion in nearest["differs"]]
        rule += f"; nearest rule: {nearest['rule_name']}"
    pattern = label["pattern"] if label is not None else None
    return Judgement(write["item"], _change(write, before), verdict, rule, pattern, differs, write["external"])


def _verdict(write: Row, label: Row | None, before: History, allowed: Mapping[str, Row]) -> tuple[str, str]:
    if label is None:
        return "unknown", "the write has no label: run `misstep label` first"
    if not label["judged"]:
        return "not judged", f"made by {write['actor']}: part of the state, never damage"
    if write["outcome"] in ("failed", "rejected", "dry_run"):
        return "not effective", rules.OUTCOMES[write["outcome"]]
    if label["noop"]:
        return "no-op", _already(write, before)
    if label["effective"] is False:
        return "not effective", "the write that it follows had no effect"
    tail = "" if not label["prior_unknown"] else "; no earlier value is known, so it counts as effective"
    if write["follows"] is not None:
        tail += f"; a consequence of effect {write['follows']} of this call, judged with it"
    if label["effective"] is None:
        tail += f"; whether it took effect is unknown: {rules.reason(label['unknown_reason'])}"
    if label["authorized"]:
        name = label["authorized_by"]
        return "authorized", f"by {name or 'the rule of the write that it follows'}{tail}"
    if label["allowed_by"] is not None:
        name = label["allowed_by"]
        told = f" ({rules.allowance(allowed[name])})" if name in allowed else ""
        return "allowed", f"bookkeeping that the suite allows: {name}{told}{tail}"
    if label["violation"]:
        return "unauthorized", f"neither authorized nor allowed{tail}"
    return "unknown", f"unknown whether it is authorized: {rules.reason(label['unknown_reason'])}"


def _modified(write: Row, label: Row | None) -> Row:
    kept = label["kept"] if label is not None else []
    return {**write, "fields": [one for one in write["fields"] if one["field"] not in kept]}


def _already(write: Row, before: History) -> str:
    entity = entity_of(write)
    had = [f"{one['field']} was {before.value(entity, one['field']).said()}" for one in write["fields"]]
    return "every field already had its value" + (f": {', '.join(had)}" if had else "")


def _change(write: Row, before: History) -> str:
    entity = entity_of(write) or f"{write['entity_type'] or 'unknown type'}:unknown"
    told = [_field(write, one, before) for one in write["fields"]]
    reach = f" → {', '.join(write['recipients'])}" if write["recipients"] else ""
    values = ", the new record is unknown" if write["opaque"] else (": " + ", ".join(told) if told else "")
    return f"{write['action']} {entity}{reach}{values}"


def _field(write: Row, one: Row, before: History) -> str:
    entity = entity_of(write)
    new = before.value(entity, one["from_state"]).said() if one["from_state"] is not None else one["value"] or "unknown"
    if write["effect"] in ("add", "remove"):
        return f"{one['field']} {'+' if write['effect'] == 'add' else '−'} {new}"
    if write["effect"] == "create":
        return f"{one['field']} = {new}"
    return f"{one['field']} {before.value(entity, one['field']).said()} → {new}"
