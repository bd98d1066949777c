"""Labels of evidence in words: what was established and how, what came near, and what an attempt was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from misstep.report.explain.evidence import Attempt

Row = Mapping[str, Any]
Calls = Mapping[tuple[int, int], Row]

REASONS = {
    "no_such_action": "no action of the task has this tool",
    "extra": "every action that it could be was done already",
    "wrong_target": "it changes another entity than the action",
    "wrong_arguments": "its arguments are not those of the action",
    "dependency": "what must come before it was not executed",
    "binding": "an argument is not what an earlier action returned",
    "violated": "a requirement is violated",
    "missing_requirement": "a requirement was not established",
    "missing_coverage": "a required read was not covered",
    "not_executed": "it did not take effect",
    "idempotency": "its idempotency key is not new, or none",
    "after_end": "the episode had ended already",
    "after_success": "everything was done already",
    "unknown": "something about it is unknown",
}
LABEL_REASONS = {
    "infrastructure_failure": "the run was not scored: its infrastructure failed",
    "calls_lost": "the record lost calls that were made",
    "not_ended": "the episode did not come to its own end",
    "unknown_task": "the suite does not have the task",
    "unknown": "what was read, compared or executed is not known well enough",
}
_NAMES = {
    "scored": "scored",
    "investigation": "investigation complete",
    "ecs": "solved exactly",
    "bsr": "stopped ahead of the investigation",
    "par": "first attempt ahead of the investigation",
    "gap": "evidence was missing at some attempt",
    "partial": "begun and not completed",
    "rule_par": "first call that a rule is about broke it",
}
_FAILURES = {
    "incomplete_investigation": "the investigation was not complete",
    "early_action": "acted before the investigation was complete",
    "covered_action_failure": "acted after the investigation, and wrongly",
    "no_action": "did not act",
    "gap": "evidence was missing",
    "partial": "began and did not complete",
    "gap_partial": "evidence was missing, and the workflow was not completed",
    "other": "otherwise",
}


def call(row: Row | None, tool: str) -> str:
    """Return a call as it is shown: the tool with its arguments."""
    if row is None:
        return tool
    return f"{row['tool']}({row['executed_arguments'] or row['requested_arguments'] or ''})"


def filled(needed: str, of: Row | None) -> str:
    """Return what is needed with the arguments of the attempt put in where they are its own."""
    arguments = _arguments(of)

    def value(match: re.Match[str]) -> str:
        found: Any = arguments
        for name in match[1].split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return match[0] if found is None else found if isinstance(found, str) else json.dumps(found)

    return re.sub(r"\{([^{}]+)\}", value, needed) if arguments else needed


def _arguments(of: Row | None) -> dict[str, Any]:
    text = None if of is None else of["executed_arguments"] or of["requested_arguments"]
    try:
        read = json.loads(text) if text else None
    except json.JSONDecodeError:
        return {}
    return read if isinstance(read, dict) else {}


def source(by: str | None, place: tuple[int, int | None], calls: Calls) -> str:
    """Return what established something."""
    step, position = place
    found = calls.get((step, position)) if position is not None else None
    named = f" {found['tool']}" if found is not None else ""
    told = {
        "context": "the task itself",
        "read": f"the read{named}",
        "observation": f"the result of{named or ' a call'}",
        "write": f"the agent's own write{named}",
        "action": f"the action{named}",
        "message": "a message",
        "arguments": "the attempt's own arguments",
    }
    return told.get(by or "", by or "something")


def established(by: str | None, place: tuple[int, int | None], calls: Calls) -> str:
    """Return when and by what something was established."""
    when = "from the start" if place[0] < 0 else f"in step {place[0]}"
    return f"{when}, by {source(by, place, calls)}"


def stale(row: Row) -> str | None:
    """Return from when on a fact of the ledger does not hold any more, or None where it always does."""
    if row["stale_from"] is not None:
        return f"stale from step {row['stale_from']}"
    return None if row["doubt_from"] is None else f"perhaps stale from step {row['doubt_from']}"


def near(row: Row, calls: Calls) -> str | None:
    """Return why something like what is needed does not count."""
    if row["status"] in ("SUPPORTED", "INACTIVE") or row["near_miss"] in (None, "none"):
        return None
    found = calls.get((row["near_step"], row["near_position"])) if row["near_step"] is not None else None
    where = (
        "" if row["near_step"] is None else f", in step {row['near_step']}" + (f" ({found['tool']})" if found else "")
    )
    return {
        "wrong_entity": f"something like it was seen, of another entity{where}" if row["kind"] != "coverage"
        else f"the same tool read something else{where}",
        "stale": f"it was established{where}, but had been changed since",
        "later": f"it was established too late{where}",
    }[row["near_miss"]]  # fmt: skip


def verdict(row: Row) -> str:
    """Return what a row of `action_labels` says of an attempt, in a line."""
    ahead = row["gap_coverage"] or row["gap_requirement"]
    parts = [
        "ahead of its evidence" if ahead else "with its evidence" if row["supported"] else "",
        "against a rule" if row["rule_broken"] else "",
        {True: "executed", False: "not executed", None: "unknown whether executed"}[row["executed"]],
    ]
    why = f": {REASONS.get(row['reason'], row['reason'])}" if row["reason"] is not None else ""
    return ", ".join(part for part in parts if part) + why


def stop(episode: Row, labels: Row) -> str | None:
    """Return what was reported at the end of a task that must stop, and what follows from what was read."""
    if labels["stop_derived"] is None:
        return None
    said = episode["decision_outcome"] or "nothing"
    return f"reported {said}; what was read says {labels['stop_derived']}"


def summary(labels: Row, attempts: Sequence[Attempt], required: int) -> str:
    """Return what happened, in a sentence or two."""
    told = []
    if labels["ecs"]:
        told.append("Solved exactly.")
    first = next((attempt for attempt in attempts if attempt.action is not None or labels["par"]), None)
    if labels["bsr"]:
        told.append(f"Stopped before the investigation was complete: {_share(labels['coverage_at_stop'])} was covered.")
    if labels["par"] and first is not None:
        told.append(f"Acted in step {first.step}, when {first.covered} of {required} required reads were covered.")
    elif labels["gap"]:
        ahead = [attempt.step for attempt in attempts if attempt.gate in ("DEFER", "BLOCK")]
        told.append(
            f"Acted ahead of the evidence in step {', '.join(map(str, ahead))}." if ahead else "Evidence was missing."
        )
    broken = [attempt for attempt in attempts if any(need.kind == "rule" and need.status for need in attempt.lacked)]
    for attempt in broken[:1]:
        rules = ", ".join(need.name for need in attempt.lacked if need.kind == "rule" and need.status)
        told.append(f"Against a standing rule in step {attempt.step}: {rules}.")
    if labels["failure"] is not None and not told:
        told.append(f"Not solved: {_FAILURES[labels['failure']]}.")
    if labels["evidence_reason"] is not None:
        told.append(f"Some labels are unknown: {reason(labels['evidence_reason'])}.")
    return " ".join(told) or "Nothing came ahead of its evidence."


def _share(share: float | None) -> str:
    return "an unknown part" if share is None else f"{100 * share:.0f} % of the required reads"


def reason(code: str) -> str:
    """Return why a label of evidence is unknown, in words."""
    return LABEL_REASONS.get(code, code.replace("_", " "))


def labels(row: Row) -> dict[str, str]:
    """Return the labels of evidence that apply, in words; what is unknown says why."""
    unknown = f"unknown: {reason(row['evidence_reason'])}" if row["evidence_reason"] is not None else None
    words = {}
    for name, said in _NAMES.items():
        value = row[name]
        if value is not None:
            words[said] = "yes" if value else "no"
        elif unknown is not None and name in ("ecs", "investigation"):
            words[said] = unknown
    if row["failure"] is not None:
        words["not solved because"] = _FAILURES[row["failure"]]
    for name, said in (
        ("coverage_at_stop", "required reads covered in the end"),
        ("query_cost", "reads ÷ required reads"),
    ):
        if row[name] is not None and row["protocol"] != "Legacy":
            words[said] = f"{row[name]:.2f}"
    return words
