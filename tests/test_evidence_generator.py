"""The random batches tell an oracle with a plausible mistake about evidence from the right one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from oracle import (
    attempt,
    condition,
    coverage,
    ending,
    evidence_episode,
    leaves,
    ledger,
    requirement,
    scene,
    sought,
    spoken,
)
from oracle.coverage import Held
from oracle.planted import Mistake, shows
from oracle.scene import END

RIGHT_OBSERVED, RIGHT_BEFORE, RIGHT_STALE = coverage.observed, ledger.before, ledger.stale
RIGHT_COVERED, RIGHT_ATTEMPTS, RIGHT_EQUAL = coverage.covered, ending.attempts, leaves.equal
RIGHT_RESULT, RIGHT_MEMBERS, RIGHT_EXECUTED = attempt.is_result, leaves._members_equal, attempt.executed
RIGHT_CHANGES, RIGHT_LOST = ledger.changes, ledger.is_lost
RIGHT_FITS, RIGHT_MESSAGE, RIGHT_CALLS = condition.fits, spoken.by_message, scene.Scene.calls


def failed_reads(it: Any, call: Any) -> bool | None:
    """A read that failed counts."""
    return True if call["outcome"] == "failed" else RIGHT_OBSERVED(it, call)


def unsure_reads(it: Any, call: Any) -> bool:
    """A read of unknown outcome counts as made."""
    return RIGHT_OBSERVED(it, call) is not False


def of_anybody(it: Any) -> Any:
    """Calls of other actors count as the agent's."""
    return [one for one in it.case.calls if scene.place(one) not in it.ignored]


def shown_by_failures(it: Any) -> Iterator[Any]:
    """What failed calls show is established."""
    for call in it.calls():
        rows = it.case.observations.get(call["observation_id"], ())
        yield from ledger._shown(rows, scene.place(call), "observation", True)


def own_changes(it: Any, record: Any, name: str, step: float) -> Any:
    """What others change does not make anything stale."""
    mine = [one for one in it.case.writes if one.judged]
    return RIGHT_STALE(scene.Scene(replace(it.case, writes=mine), it.asked), record, name, step)


def stale_in_parallel(it: Any, record: Any, name: str, step: float) -> Any:
    """A change in the attempt's own step makes what was known before stale."""
    return RIGHT_STALE(it, record, name, step + 1)


def stale_under_safeact(it: Any, record: Any, name: str, step: float) -> Any:
    """The ledger of SafeActBench knows staleness."""
    return RIGHT_STALE(scene.Scene(it.case, scene.Asked()), record, name, step)


def read_changes(write: Any, name: str, shown: Any) -> bool | None:
    """What could not be read changes nothing."""
    return RIGHT_CHANGES(replace(write, arguments_known=True), name, shown)


def untold(it: Any, call: Any) -> bool:
    """What a task says that a tool shows may have been lost all the same."""
    return RIGHT_LOST(scene.Scene(it.case, replace(it.asked, facts=())), call)


def in_several_records(it: Any, parts: Any, moment: Any) -> Held:
    """Every part may hold in a record of its own."""
    return sought.latest([condition.in_record(it, [part], moment) for part in parts])


def not_the_latest(it: Any, parts: Any, moment: Any, *, fresh: bool = True) -> Held:
    """Any known value of the entity counts as its state."""
    return sought.latest([condition.in_record(it, [part], moment) for part in parts])


def refused_yes(it: Any, parts: Any, moment: Any) -> Held:
    """What takes a yes back is not looked at."""
    return RIGHT_MESSAGE(it, [part | {"unless": None} for part in parts], moment)


def covered_by_the_end(it: Any, read: Any, step: float) -> Held:
    """A read after the attempt covers."""
    return RIGHT_COVERED(it, read, END)


def accepted_attempts(it: Any) -> Any:
    """Rejected attempts are none."""
    return (one for one in RIGHT_ATTEMPTS(it) if one.call["outcome"] != "rejected")


def first_free(it: Any, one: Any) -> None:
    """The first free action of the tool is matched."""
    for action in it.asked.actions:
        if one.action is None and action["tool"] == one.call["tool"] and not attempt.taken(it, action):
            one.action = action
            one.target_ok, one.arguments_ok = attempt.target_ok(it, one, action), attempt.arguments_ok(it, one, action)
            one.dependencies_ok = attempt.dependencies_ok(it, one, action)
            one.binding_ok = attempt.binding_ok(it, one, action)


def in_the_same_step(it: Any, action: str, before: float) -> Any:
    """An action in the same step counts as done before."""
    return [one for one in it.attempts if one.action and one.action["action"] == action and one.step <= before]


def any_reference(it: Any, source: Any, name: str, value: Any) -> Any:
    """A reference to any call will do."""
    if value.text.startswith('"result:'):
        return source.executed
    return RIGHT_RESULT(it, source, name, value)


def extra_arguments(given: Any, wanted: Any, **more: Any) -> Any:
    """Arguments that nobody asked for are not looked at."""
    paths = {one["path"] for one in wanted}
    kept = None if given is None else [one for one in given if one["path"] in paths]
    return RIGHT_EQUAL(kept, wanted, **more)


def uncounted_arguments(given: Any, wanted: Any, **more: Any) -> Any:
    """Free arguments and nulls count."""
    return RIGHT_EQUAL(None if given is None else [one | {"counted": True} for one in given], wanted, **more)


def coerced(given: Any, wanted: Any, **more: Any) -> Any:
    """The actions of V2 are compared by key too."""
    return RIGHT_EQUAL(given, wanted, **(more | {"strictly": False}))


def hidden_as_different(*given: Any, **more: Any) -> bool:
    """A redacted argument is another one."""
    return RIGHT_MEMBERS(*given, **more) is True


def stated_stop(it: Any) -> Any:
    """The label that the task states is right, whatever was read."""
    return it.asked.row["stop"]


def stopped_by_abortion(it: Any, made: Any) -> Any:
    """An aborted episode counts as ended."""
    return evidence_episode.every([not made, evidence_episode.negate(evidence_episode.investigated(it))])


def any_ruled_call(it: Any) -> Any:
    """Later calls that a rule is about count too."""
    found = [one for one in it.attempts if one.rules]
    broken = evidence_episode.some(attempt.rule_broken(it, one) for one in found)
    return {"ruled": bool(found), "rule_par": broken if found else None}


def by_outcome(it: Any, one: Any) -> Any:
    """In SafeActBench too an action is executed if it was applied."""
    return RIGHT_EXECUTED(scene.Scene(it.case, scene.Asked()), one)


def entity_unasked(parts: Any, record: Any, moment: Any) -> bool:
    """A record of any entity will do."""
    return True


MISTAKES: dict[str, list[Mistake]] = {
    "parallel-calls-know": [(condition, "before", lambda it, step: RIGHT_BEFORE(it, step + 1))],
    "stale-ignored": [(condition, "stale", lambda *_: False)],
    "own-changes-only": [(condition, "stale", own_changes)],
    "stale-in-parallel": [(condition, "stale", stale_in_parallel)],
    "stale-under-safeact": [(condition, "stale", stale_under_safeact)],
    "unknown-entities-unchanged": [(ledger, "is_of", lambda write, entity: write.entity == entity)],
    "unknown-fields-unchanged": [(ledger, "changes", read_changes)],
    "lost-results-empty": [(condition, "unseen", lambda *_: False)],
    "lost-reads-show-nothing": [(condition, "is_lost", lambda *_: False)],
    "told-reads-lost": [(ledger, "is_lost", untold)],
    "unknown-records-of-none": [(ledger, "_unknown", lambda kind: None)],
    "unknown-types-of-none": [(ledger, "_unknown", lambda kind: (kind, None))],
    "failed-reads-count": [(coverage, "observed", failed_reads)],
    "unknown-reads-count": [(coverage, "observed", unsure_reads)],
    "calls-of-anybody": [(scene.Scene, "calls", of_anybody)],
    "failed-calls-show": [(ledger, "observations", shown_by_failures)],
    "context-ignored": [(ledger, "context", lambda it: iter(()))],
    "read-facts-ignored": [(ledger, "read_facts", lambda it: iter(()))],
    "writes-establish-nothing": [(ledger, "written", lambda it: iter(()))],
    "entity-ignored": [(condition, "about", entity_unasked)],
    "several-records": [(condition, "SOURCES", condition.SOURCES | {"record": in_several_records})],
    "any-state": [(condition, "SOURCES", condition.SOURCES | {"state": not_the_latest})],
    "refused-yes": [(condition, "SOURCES", condition.SOURCES | {"confirmation": refused_yes})],
    "silence-as-no": [(spoken, "heard", lambda it: True)],
    "near-misses-the-other-way": [(requirement, "NEAR", requirement.NEAR[::-1])],
    "later-unless-superseded": [(requirement, "replace", lambda it, **_: it)],
    "violated-before-inactive": [(requirement, "ROLES", tuple(requirement.ROLES[one] for one in (1, 0, 2)))],
    "supported-before-violated": [(requirement, "ROLES", tuple(requirement.ROLES[one] for one in (0, 2, 1)))],
    "covered-by-the-end": [(coverage, "covered", covered_by_the_end)],
    "least-numbers-ignored": [(coverage, "MINIMA", {})],
    "lost-calls-ignored": [(coverage, "lost", lambda it, holds: holds), (attempt, "lost", lambda it, holds: holds)],
    "rejected-attempts-left-out": [(ending, "attempts", accepted_attempts)],
    "first-free-action": [(attempt, "match", first_free)],
    "taken-though-rejected": [
        (attempt, "taken", lambda it, action: any(one.action is action for one in it.attempts)),
    ],
    "dependencies-in-parallel": [(scene.Scene, "executions", in_the_same_step)],
    "any-reference": [(attempt, "is_result", any_reference)],
    "shown-before-ignored": [(attempt, "shown_before", lambda *_: False)],
    "references-not-left-out": [(attempt, "equal", lambda *given, bound=(), **more: RIGHT_EQUAL(*given, **more))],
    "extra-arguments": [(attempt, "equal", extra_arguments)],
    "extra-arguments-of-reads": [(coverage, "equal", extra_arguments)],
    "free-arguments-count": [(attempt, "equal", uncounted_arguments)],
    "coerced-in-v2": [(attempt, "equal", coerced)],
    "placeholders-accepted": [(attempt, "any_text", lambda *_: False)],
    "redacted-as-different": [(leaves, "_members_equal", hidden_as_different)],
    "target-ignored": [(attempt, "target_ok", lambda *_: True)],
    "coverage-at-every-action": [(attempt, "is_checkpoint", lambda it: True)],
    "executed-by-outcome": [(attempt, "executed", by_outcome)],
    "never-ended": [(ending, "ends", lambda *_: None)],
    "out-of-scope-reads": [(ending, "out_of_scope", lambda *_: False)],
    "keys-used-twice": [(attempt, "idempotent", lambda *_: True)],
    "anything-beside-results": [(attempt, "_receipts", lambda *_: True)],
    "strange-calls-as-reads": [
        (attempt, "acts", lambda it, call: call["tool"] in it.asked.tools("consequential")),
        (ending, "acts", lambda it, call: call["tool"] in it.asked.tools("consequential")),
    ],
    "stated-stop": [(evidence_episode, "stop_derived", stated_stop)],
    "aborted-as-ended": [(evidence_episode, "bsr", stopped_by_abortion)],
    "partial-by-any-action": [(evidence_episode, "took_effect", lambda it, one: one.executed)],
    "any-ruled-call": [(evidence_episode, "ruled", any_ruled_call)],
    "ruled-calls-as-attempts": [(evidence_episode, "consequential", lambda it: it.attempts)],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_within_two_thousand_episodes(mistake: str) -> None:
    assert shows(MISTAKES[mistake]), "no episode tells the mistake"
