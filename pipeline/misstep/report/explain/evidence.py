"""Evidence in an episode: what was established, what each attempt lacked, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from misstep.contracts.tables.evidence import END
from misstep.report.explain import evidence_words as words
from misstep.report.explain.parts import LEDGER, NEEDS

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]
_CHECKS = ("tool", "target", "arguments", "dependencies", "binding")


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the ledger: what one thing showed of one entity.

    Attributes:
        step: turn; -1: from the start.
        source: call, write or context that established it.
        entity: type:id, or None.
        facts: field → value.
        stale: field → from which step it does not hold any more, or perhaps does not: somebody changed it before.
        certain: whether it is known to have been established.
    """

    step: int
    source: str
    entity: str | None
    facts: dict[str, str]
    stale: dict[str, str]
    certain: bool


@dataclass(frozen=True, slots=True)
class Need:
    """A required read, a requirement or a standing rule, as it stood at an attempt or at the end.

    Attributes:
        kind: coverage, requirement or rule.
        name: of it.
        action: that needs it, or blank.
        status: SUPPORTED, MISSING, VIOLATED, INACTIVE, or None (unknown).
        described: in the words of the suite.
        needed: what establishes it.
        established: when and by what it was, or None.
        near: why something like it does not count, or None.
        reason: name of what is missing or violated, or why it is unknown.
    """

    kind: str
    name: str
    action: str
    status: str | None
    described: str
    needed: str
    established: str | None
    near: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt: what it was taken for, what was right and wrong with it, and what it lacked.

    Attributes:
        step: turn.
        call: tool with arguments.
        verdict: one line: ahead of its evidence, supported, …
        action: that it was taken for, or None.
        gate: ALLOW, DEFER, BLOCK or None.
        right: checks that it passed.
        wrong: checks that it failed.
        doubtful: checks of which it is unknown.
        lacked: what was missing or violated, or may have been.
        covered: required reads covered before it.
        reads: reads before it.
    """

    step: int
    call: str
    verdict: str
    action: str | None
    gate: str | None
    right: list[str]
    wrong: list[str]
    doubtful: list[str]
    lacked: list[Need]
    covered: int
    reads: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The story of the evidence of an episode.

    Attributes:
        protocol: of the task, or None where only standing rules are about it.
        summary: what happened, in a sentence or two.
        reads: the required reads and least numbers of reads, as they stood at the end.
        ledger: what was established, in order.
        attempts: in order.
        at_end: requirements of actions that nothing was taken for, as they stood at the end.
        stop: reported and derived stop, of a task that must stop; else None.
        labels: label → words.
    """

    protocol: str | None
    summary: str
    reads: list[Need]
    ledger: list[Record]
    attempts: list[Attempt]
    at_end: list[Need]
    stop: str | None
    labels: dict[str, str] = field(default_factory=dict)


def evidence(rows: Rows) -> Evidence | None:
    """Return the story of the evidence of an episode, or None where neither its task nor a rule asks for any.

    Args:
        rows: tables of the episode, its task and its suite, and what was worked out of them.
    """
    labels = rows["episode_labels"][0] if rows["episode_labels"] else None
    asked = rows["spec/evidence"] or (rows["spec/rules"] and rows["action_labels"])
    if labels is None or not asked:
        return None
    calls = {(call["step"], call["position"]): call for call in rows["calls"]}
    told = {(row["kind"], row["requirement"]): row for row in rows[NEEDS]}
    of_attempts = {row["attempt"]: calls.get((row["step"], row["position"])) for row in rows["action_labels"]}
    stood: dict[int, list[Need]] = {}
    for row in rows["requirement_labels"]:
        stood.setdefault(row["attempt"], []).append(_need(row, told, calls, of_attempts.get(row["attempt"])))
    attempts = [_attempt(row, stood.get(row["attempt"], []), calls) for row in rows["action_labels"]]
    at_end = stood.get(END, [])
    return Evidence(
        labels["protocol"],
        words.summary(labels, attempts, len([need for need in at_end if need.kind == "coverage"])),
        [need for need in at_end if need.kind == "coverage"],
        [_record(list(group), calls) for _, group in groupby(rows[LEDGER], key=lambda row: row["record"])],
        attempts,
        [need for need in at_end if need.kind != "coverage" and need.status not in ("SUPPORTED", "INACTIVE")],
        words.stop(rows["episodes"][0], labels),
        words.labels(labels),
    )


def _need(
    row: Row, told: Mapping[tuple[str, str], Row], calls: Mapping[tuple[int, int], Row], attempt: Row | None
) -> Need:
    text = told.get((row["kind"], row["requirement"]), {})
    established = None
    if row["established_step"] is not None:
        place = (row["established_step"], row["established_position"])
        established = words.established(row["established_by"], place, calls)
    return Need(
        row["kind"],
        row["requirement"],
        row["action"],
        row["status"],
        text.get("description") or "",
        words.filled(text.get("needed") or "", attempt),
        established,
        words.near(row, calls),
        row["reason"],
    )


def _attempt(row: Row, stood: Sequence[Need], calls: Mapping[tuple[int, int], Row]) -> Attempt:
    checks = {name: row[f"{name}_ok"] for name in _CHECKS}
    lacked = [need for need in stood if need.status not in ("SUPPORTED", "INACTIVE")]
    return Attempt(
        row["step"],
        words.call(calls.get((row["step"], row["position"])), row["tool"]),
        words.verdict(row),
        row["matched_action"],
        row["gate"],
        [name for name, right in checks.items() if right],
        [name for name, right in checks.items() if right is False],
        [name for name, right in checks.items() if right is None and row["matched_action"] is not None],
        lacked,
        row["covered"],
        row["reads"],
    )


def _record(rows: Sequence[Row], calls: Mapping[tuple[int, int], Row]) -> Record:
    first = rows[0]
    facts = [row for row in rows if not row["field"].startswith("@")]
    return Record(
        first["step"],
        words.source(first["by"], (first["step"], first["position"]), calls),
        first["entity"],
        {row["field"]: row["value"] if row["value"] is not None else "unknown" for row in facts},
        {row["field"]: told for row in facts if (told := words.stale(row)) is not None},
        first["sure"] is True,
    )
