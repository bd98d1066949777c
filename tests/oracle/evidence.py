"""The rows of `requirement_labels` and `action_labels`, and the labels of evidence of an episode (metrics.md §2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from oracle.attempt import gap_requirement, moment_of, reason, rule_broken, supported
from oracle.case import Case, Row
from oracle.coverage import count, items
from oracle.ending import proceed
from oracle.evidence_episode import label, specified
from oracle.requirement import Status, coverage, explained, row
from oracle.scene import END, Asked, Attempt, Moment, Scene

AT_END = -1


@dataclass
class Evidence:
    """The labels of evidence of an episode."""

    requirements: list[Row] = field(default_factory=list)
    actions: list[Row] = field(default_factory=list)
    episode: Row = field(default_factory=dict)


def judge_evidence(case: Case, asked: Asked) -> Evidence:
    """Return the labels of every requirement, of every attempt, and of the episode."""
    scene = Scene(case, asked)
    course, closed = proceed(scene)
    found = Evidence(episode=label(scene, course))
    found.actions = [label_attempt(scene, one) for one in scene.attempts] + [label_closed(one) for one in closed]
    found.requirements = [*at_attempts(scene), *at_end(scene)]
    return found


def at_attempts(scene: Scene) -> Iterator[Row]:
    """Yield the rows of what was asked for at the attempts."""
    for one in scene.attempts:
        if scene.asked.row is not None:
            for name, found in coverage(scene, one.step):
                yield row(scene, one.number, "coverage", "", name, found, None)
        moment = moment_of(one)
        late = Moment(END, moment.tool, moment.arguments)
        if one.action is not None:
            yield from of_action(scene, one.number, one.action, moment, late)
        for name, about in one.rules.items():
            found = Status(None) if about is None else explained(scene, ("", name), moment, late)
            yield row(scene, one.number, "rule", "", name, found, missing_reason(scene, "", name))


def at_end(scene: Scene) -> Iterator[Row]:
    """Yield the rows of what was asked for by the end: coverage, and actions that nothing was taken for."""
    if scene.asked.row is None:
        return
    for name, found in coverage(scene, END):
        yield row(scene, AT_END, "coverage", "", name, found, None)
    for action in scene.asked.actions:
        if scene.asked.protocol == "V0" or not scene.executions(action["action"], END):
            moment = specified(scene, action)
            yield from of_action(scene, AT_END, action, moment, moment)


def of_action(scene: Scene, number: int, action: Row, moment: Moment, late: Moment) -> Iterator[Row]:
    """Yield the rows of the requirements of an action."""
    for one in scene.asked.required_by(action):
        found = explained(scene, (one["task_id"], one["requirement"]), moment, late)
        yield row(scene, number, "requirement", action["action"], one["requirement"], found, one["missing_reason"])


def missing_reason(scene: Scene, task_id: str, name: str) -> str | None:
    """Return what a requirement calls what is missing."""
    found = (one for one in scene.asked.requirements if (one["task_id"], one["requirement"]) == (task_id, name))
    return next((one["missing_reason"] for one in found), None)


def label_attempt(scene: Scene, attempt: Attempt) -> Row:
    """Return the row of `action_labels`."""
    met = [found.holds for _, read, found in items(scene, attempt.step) if read is not None]
    acts = attempt.consequential
    tools = [one["tool"] for one in scene.asked.actions]
    return label_closed(attempt) | {
        "matched_action": attempt.action["action"] if attempt.action else None,
        "tool_ok": attempt.call["tool"] in tools if acts and tools else None,
        "target_ok": attempt.target_ok,
        "arguments_ok": attempt.arguments_ok,
        "dependencies_ok": attempt.dependencies_ok,
        "binding_ok": attempt.binding_ok,
        "supported": supported(scene, attempt) if acts else None,
        "gap_requirement": gap_requirement(scene, attempt) if acts else None,
        "gap_coverage": attempt.gap_coverage,
        "gate": attempt.gate,
        "executed": attempt.executed,
        "covered": sum(one is True for one in met),
        "reads": count(scene, attempt.step),
        "rule_broken": rule_broken(scene, attempt),
        "reason": reason(scene, attempt),
    }


def label_closed(attempt: Attempt) -> Row:
    """Return the row of an attempt that is not judged, because it came after the end."""
    unjudged = ("matched_action", "tool_ok", "target_ok", "arguments_ok", "dependencies_ok", "binding_ok", "supported")
    unjudged = (*unjudged, "gap_requirement", "gap_coverage", "gate", "executed", "rule_broken")
    return {
        "episode": attempt.call["episode"],
        "step": attempt.call["step"],
        "position": attempt.call["position"],
        "attempt": attempt.number,
        "tool": attempt.call["tool"],
        "consequential": attempt.consequential,
        "ruled": bool(attempt.rules),
        **dict.fromkeys(unjudged),
        "covered": 0,
        "reads": 0,
        "reason": attempt.closed,
    }
