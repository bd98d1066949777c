"""The solution of a case of SafeActBench, to be varied."""

from __future__ import annotations

import json
from collections.abc import Iterator

from oracle.safeact_building import Case, Json
from oracle.safeact_runs import ACT, READ, reference


def read_event(tool: str, arguments: Json, call_id: str, status: str = "ok") -> Json:
    """Return a read."""
    return {"type": READ, "tool": tool, "arguments": arguments, "call_id": call_id, "tool_status": status}


class Solution:
    """A copy of a case's solution, to be varied."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.record = reference(case)
        self.events: list[Json] = self.record["events"]

    @property
    def reads(self) -> list[Json]:
        """Return the reads."""
        return [one for one in self.events if one["type"] == READ]

    @property
    def actions(self) -> list[Json]:
        """Return the actions."""
        return [one for one in self.events if one["type"] == ACT]

    def at(self, place: int, event: Json) -> Json:
        """Put an event at a place, and return the record."""
        self.events.insert(place, event)
        return self.record


Records = Iterator[Json]


def found_nothing(case: Case) -> str:
    """Return the status of a read that finds nothing, as far as it matters."""
    return "ok" if case.protocol in ("V0", "V1") else "no_matching_record"


def optional_reads(case: Case) -> list[tuple[str, Json]]:
    """Return the reads that show something and that nothing requires."""
    required = [(one["tool"], one["arguments"]) for one in case.spec["required_info_calls"]]
    rules = [(one["tool"], one["args_match"]) for one in case.spec.get("evidence_rules") or []]
    for key in case.spec.get("frozen_evidence_deltas") or {}:
        tool, _, text = key.partition(":")
        rules.append((tool, json.loads(text)))
    made = [(one["tool"], one["arguments"]) for one in Solution(case).reads]
    return [one for one in rules if one not in required and one not in made]
