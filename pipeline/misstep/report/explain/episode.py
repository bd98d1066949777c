"""`explain`: the tables of one episode → a timeline with the rule behind every label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from misstep.report.explain import goals, rules
from misstep.report.explain.evidence import Evidence, evidence
from misstep.report.explain.evidence_words import verdict
from misstep.report.explain.find import find
from misstep.report.explain.history import History
from misstep.report.explain.judgement import Judgement, judgement
from misstep.report.explain.parts import NEAREST, parts

Tables = Mapping[str, pl.LazyFrame]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A message or a call, in the order of the record.

    Attributes:
        step: turn; parallel calls share it.
        actor: who.
        kind: `message` or `call`.
        text: what was said, or the tool with its arguments.
        outcome: of a call.
        result: what a call returned.
        notes: what was noted when it was read.
        writes: what a call changed, each with its judgement.
        attempt: what a call was as an attempt, where it is one.
    """

    step: int
    actor: str
    kind: str
    text: str
    outcome: str | None = None
    result: str | None = None
    notes: list[str] = field(default_factory=list)
    writes: list[Judgement] = field(default_factory=list)
    attempt: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened in an episode, and why its labels are what they are.

    Attributes:
        episode: row of `episodes`.
        task: row of `spec/tasks`, or None where the suite does not have the task.
        rules: what was authorized: name → words.
        timeline: messages and calls.
        goal: conditions on the final state with what was found.
        labels: labels of the episode in words: label → words.
        evidence: what was established and what was missing, or None where nothing asks for evidence.
    """

    episode: Row
    task: Row | None
    rules: dict[str, str]
    timeline: list[Entry]
    goal: list[goals.GoalLine]
    labels: dict[str, str]
    evidence: Evidence | None

    def as_dict(self) -> Row:
        """Return the explanation as plain values."""
        return asdict(self)


def explain(tables: Tables, wanted: str) -> Explanation:
    """Return what happened in an episode and the rule behind each label.

    Args:
        tables: traces, specification and labels by the names of `contracts.tables`.
        wanted: the beginning of the episode's key, or `task@model`.

    Raises:
        UsageError: no episode, or more than one, is meant.
    """
    return explain_all(tables, [find(tables, wanted)["episode"]])[0]


def explain_all(tables: Tables, episodes: Sequence[str]) -> list[Explanation]:
    """Return the explanations of several episodes, in the order of their keys; the tables are read once."""
    found = parts(tables, episodes)
    return [_explained(episode, found.of(episode)) for episode in found.frames["episodes"].sort("episode").to_dicts()]


def _explained(episode: Row, rows: Mapping[str, Sequence[Row]]) -> Explanation:
    nearest = {(row["step"], row["position"], row["item"]): row for row in rows[NEAREST]}
    final, before = _history(rows), _history(rows)
    timeline = _timeline(rows, nearest, final)
    task = rows["spec/tasks"][0] if rows["spec/tasks"] else None
    labels = rows["episode_labels"][0] if rows["episode_labels"] else None
    goal_lines: list[goals.GoalLine] = []
    if task is not None and not task["ambiguous"]:
        goal_lines = (
            goals.reference(rows["spec/reference_writes"], final, before)
            if task["goal"] == "reference"
            else goals.conditions(rows["spec/goals"], final)
        )
    authorized = {rule["name"]: rules.authorization(rule) for rule in rows["spec/authorizations"]}
    return Explanation(episode, task, authorized, timeline, goal_lines, _words(labels), evidence(rows))


def _history(rows: Mapping[str, Sequence[Row]]) -> History:
    return History(rows["spec/states"], rows["spec/overrides"])


def _timeline(
    rows: Mapping[str, Sequence[Row]], nearest: Mapping[tuple[int, int, int], Row], history: History
) -> list[Entry]:
    """Return messages and calls in order; `history` ends up as the final state."""
    results = {row["result_id"]: row["text"] for row in rows["results"]}
    labels = {(row["step"], row["position"], row["item"]): row for row in rows["write_labels"]}
    known = {rule["name"]: rule for rule in rows["spec/authorizations"]}
    allowed = {rule["allowance"]: rule for rule in rows["spec/allowances"]}
    attempts = {(row["step"], row["position"]): row for row in rows["action_labels"]}
    made: dict[tuple[int, int], list[Judgement]] = {}
    for write in rows["writes"]:
        key = (write["step"], write["position"], write["item"])
        told = judgement(write, labels.get(key), history, known, allowed, nearest.get(key))
        made.setdefault(key[:2], []).append(told)
        history.apply(write, labels[key]["effective"] if key in labels else None)
    entries = [
        ((row["step"], 0, row["position"]), Entry(row["step"], _speaker(row), "message", row["text"] or ""))
        for row in rows["messages"]
    ]
    for call in rows["calls"]:
        arguments = call["executed_arguments"] or call["requested_arguments"] or ""
        entries.append(
            (
                (call["step"], 1, call["position"]),
                Entry(
                    call["step"],
                    call["actor"],
                    "call",
                    f"{call['tool']}({arguments})",
                    call["outcome"],
                    results.get(call["result_id"]),
                    list(call["flags"]),
                    made.get((call["step"], call["position"]), []),
                    verdict(attempt) if (attempt := attempts.get((call["step"], call["position"]))) else None,
                ),
            )
        )
    return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]


def _speaker(message: Row) -> str:
    named = message["actor"] if message["role"] == "assistant" else message["role"]
    return f"{named} (asks)" if message["asks_user"] else str(named)


def _words(labels: Row | None) -> dict[str, str]:
    """Return the labels of an episode in words; what is unknown says why."""
    if labels is None:
        return {"labels": "the episode has none: run `misstep label` first"}
    why = f"unknown: {rules.reason(labels['unknown_reason'])}"
    names = {
        "goal": "goal reached",
        "cd": "collateral damage (standard)",
        "cd_strict": "collateral damage (strict)",
        "cd_entity": "collateral damage (entity)",
        "cd_external_only": "external damage",
        "wrote": "wrote outside of allowances",
        "asked": "ended with a question and wrote nothing",
        "neither": "neither wrote nor asked",
        "net_changed": "final state differs from the initial one",
    }
    if labels["ambiguous"]:
        names["ab"] = "acted before asking"
    else:
        names["unnecessary_clarification"] = "asked although the task is clear"
    words = {said: {True: "yes", False: "no", None: why}[labels[name]] for name, said in names.items()}
    words["clarified"] = {
        True: "a clarification was answered",
        False: "no clarification was answered",
        None: "it is unknown whether a clarification was answered",
    }[labels["clarified"]]
    words["writes"] = (
        f"{labels['effective_writes']} effective, {labels['violations']} of them unauthorized, "
        f"{labels['prior_unknown']} without a known earlier value"
    )
    return words
