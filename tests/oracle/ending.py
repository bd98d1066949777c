"""Where an episode ends for the SafeActBench evaluator, and what it makes of what comes after."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.attempt import acts, attempts, judge_attempt
from oracle.case import Row
from oracle.scene import WORKFLOWS, Attempt, Scene, place


@dataclass
class Course:
    """How an episode went: `invalid` reads, something `after` its end, and whether the end is only supposed."""

    invalid: bool = False
    after: bool = False
    unsure: bool = False


def proceed(scene: Scene) -> tuple[Course, list[Attempt]]:
    """Judge the attempts one by one; return how the episode went, and the attempts after its end.

    Only SafeActBench ends episodes early: at an action that is not executed, or, in workflows, at a read out of scope
    or beyond the greatest number; in V1 at the first action. What comes after is ignored.
    """
    course, closed = Course(), list[Attempt]()
    waiting = {one.place: one for one in attempts(scene)}
    ended: str | None = None
    made = 0
    for call in list(scene.calls()):
        attempt = waiting.get(place(call))
        acting = acts(scene, call)
        if ended and (not acting or attempt is not None):
            course.after = True
        if ended:
            _ignore(scene, call, attempt, ended, closed)
            continue
        if attempt is not None:
            judge_attempt(scene, attempt)
            scene.attempts.append(attempt)
            if attempt.consequential:
                ended = ends(scene, attempt)
                course.unsure = ended is not None and attempt.executed is None
        if not acting and scene.asked.safeact:
            made += 1
            if out_of_scope(scene, call, made):
                course.invalid = True
                if scene.asked.protocol in WORKFLOWS and not failed_unseen(scene, call, made):
                    ended = "after_end"
                    scene.ignored.add(place(call))
    return course, closed


def _ignore(scene: Scene, call: Row, attempt: Attempt | None, ended: str, closed: list[Attempt]) -> None:
    """Leave out a call after the end; a rule may still be about it."""
    scene.ignored.add(place(call))
    if attempt is not None:
        attempt.closed = ended if attempt.consequential else None
        closed.append(attempt)


def ends(scene: Scene, attempt: Attempt) -> str | None:
    """Return why attempts after this one have no labels; None where the episode goes on."""
    if not scene.asked.safeact or scene.asked.protocol not in ("V1", *WORKFLOWS):
        return None
    done = {one.action["action"] for one in scene.attempts if one.action is not None and one.executed}
    if len(done) == len(scene.asked.actions):
        return "after_success"
    return "after_end" if scene.asked.protocol == "V1" or attempt.executed is not True else None


def out_of_scope(scene: Scene, call: Row, made: int) -> bool:
    """Return whether a read is of no tool in scope, or one more than there may be."""
    assert scene.asked.row is not None
    most = scene.asked.row["max_reads"]
    return call["tool"] not in scene.asked.tools("information") or (most is not None and made > most)


def failed_unseen(scene: Scene, call: Row, made: int) -> bool:
    """Return whether a read out of scope did no more than fail (V2)."""
    assert scene.asked.row is not None
    most = scene.asked.row["max_reads"]
    beyond = most is not None and made > most
    return scene.asked.protocol == "V2" and not beyond and call["outcome"] in ("failed", "rejected", "dry_run")
