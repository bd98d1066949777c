"""The random batches tell an oracle with a plausible mistake from the right one."""

from collections import Counter
from typing import Any

import pytest

from oracle import authorize, clarify, final, goal, judge, pattern, reference, replay, tables
from oracle.case import Case, Write, as_writes, initial_state
from oracle.logic import every
from oracle.planted import Mistake, shows

RIGHT_MATCHING, RIGHT_OBSERVED, RIGHT_LABEL = authorize.matching, replay.observed, judge.label_write
RIGHT_CANDIDATES, RIGHT_APPLICABLE = authorize.candidates, authorize.applicable
RIGHT_KEEPS = replay.keeps


def without_max(choices: Any, capacity: Any) -> Any:
    """Every write with a pattern is matched."""
    return RIGHT_MATCHING(choices, dict.fromkeys(capacity, float("inf")))


def first_come(choices: Any, capacity: Any) -> Any:
    """No augmenting: the first pattern with room."""
    left, matched = dict(capacity), {}
    for write, patterns in enumerate(choices):
        for one in patterns:
            if left[one] > 0:
                left[one], matched[write] = left[one] - 1, one
                break
    return matched


def without_parents(rows: Any, *, reference: bool = False) -> list[Write]:
    """Writes that follow others are judged by themselves."""
    return as_writes([row | {"follows": None} for row in rows], reference=reference)


def stale(case: Case, write: Write, name: str, after: Any) -> Any:
    """An observation counts although the entity was changed since."""
    return RIGHT_OBSERVED(case, write, name, None)


def parallel(case: Case, write: Write, name: str, after: Any) -> Any:
    """What a call of the same step shows counts."""
    moved = Write({**write.row, "step": write.row["step"] + 1}, write.outcome, True)
    return RIGHT_OBSERVED(case, moved, name, after)


def of_anybody(case: Case, write: Write, name: str, after: Any) -> Any:
    """What another actor's call shows counts."""
    calls = [one | {"actor": "agent"} for one in case.calls]
    return RIGHT_OBSERVED(Case(**{**vars(case), "calls": calls}), write, name, after)


def as_failed(rows: Any, *, reference: bool = False) -> list[Write]:
    """An unknown outcome counts as a failure."""
    writes = as_writes(rows, reference=reference)
    for write in writes:
        write.outcome = "failed" if write.outcome == "unknown" else write.outcome
    return writes


def own_only(rows: Any, *, reference: bool = False) -> list[Write]:
    """Only the agent's writes are replayed."""
    return as_writes([row for row in rows if row["actor"] == "agent"], reference=reference)


def with_inert(rows: Any, *, reference: bool = False) -> list[Write]:
    """Inert reference writes count."""
    return as_writes([row | {"inert": False} for row in rows], reference=reference)


def any_question(case: Case) -> Any:
    """A question beside a call counts as a clarification."""
    calls = [one for one in case.calls if one["kind"] == "ask"]
    return clarify.clarified_at(Case(**{**vars(case), "calls": calls}))


def lost_answer_as_none(case: Case) -> Any:
    """A question whose result is lost was not answered."""
    return clarify.Clarified(clarify.clarified_at(case).surely, None)


def any_actor_asks(case: Case) -> Any:
    """A question of another actor counts."""
    messages = [one | {"actor": "agent"} for one in case.messages]
    return clarify.clarified_at(Case(**{**vars(case), "messages": messages}))


def possible_is_certain(case: Case, write: Write, clarified: Any) -> Any:
    """A write that may match counts as one that does."""
    return [(one, True) for one, _ in RIGHT_CANDIDATES(case, write, clarified)]


def patterns_replaced(case: Case, write: Write, clarified: Any) -> Any:
    """After a clarification only the patterns given for it hold."""
    found = RIGHT_APPLICABLE(case, write, clarified)
    after = clarified.before(write.row["step"])
    return [one for one in found if one["after_clarification"]] if after and found else found


def by_id(kind: str, side: Any) -> Any:
    """Created entities compare by their ids."""
    return Counter(str(entity) for entity, thing in side.things.items() if entity[0] == kind), 0


def latest_state_only(before: Any, write: Write, *, sure: bool) -> Any:
    """A deleted entity stays deleted."""
    return before if before is False else replay.existence_after(before, write, sure=sure)


def surely_kept(case: Case, earlier: Any, write: Write, entry: Any) -> Any:
    """A field whose earlier value is not known for certain counts as modified."""
    return RIGHT_KEEPS(case, earlier, write, entry) is True


def perhaps_kept(case: Case, earlier: Any, write: Write, entry: Any) -> Any:
    """A field that may keep its value counts as kept."""
    return RIGHT_KEEPS(case, earlier, write, entry) is not False


def kept_though_gone(case: Case, earlier: Any, write: Write, entry: Any) -> Any:
    """Fields are kept by an entity that was gone."""
    return RIGHT_KEEPS(case, [one for one in earlier if one.effect != "delete"], write, entry)


def kept_when_possible(case: Case, earlier: Any, write: Write, entry: Any) -> Any:
    """A write of unknown outcome keeps nothing."""
    return write.outcome == "applied" and RIGHT_KEEPS(case, earlier, write, entry)


def kept_when_new(case: Case, earlier: Any, write: Write, entry: Any) -> Any:
    """A field of which nothing is known counts as kept."""
    unknown = replay.prior(case, earlier, write, entry.name).kind == replay.ABSENT
    return (unknown and write.effect == "set") or RIGHT_KEEPS(case, earlier, write, entry)


def kleene_false(parts: Any) -> Any:
    """Unknown counts as false."""
    return any(part is True for part in parts)


def kleene_last(parts: Any) -> Any:
    """Unknown counts as true."""
    return all(part is not False for part in parts)


def checks_but(*left: Any) -> Any:
    """The pattern's checks, some forgotten."""
    return tuple(one for one in authorize.CHECKS if one not in left)


MISTAKES: dict[str, Mistake] = {
    "max-ignored": (authorize, "matching", without_max),
    "first-come-first-served": (authorize, "matching", first_come),
    "follows-ignored": (tables, "as_writes", without_parents),
    "allowances-ignored": (judge, "allowed_by", lambda case, write: None),
    "stale-observation": (replay, "observed", stale),
    "parallel-observation": (replay, "observed", parallel),
    "observation-of-another-actor": (replay, "observed", of_anybody),
    "no-observations": (replay, "observed", lambda *_: replay.Prior(replay.ABSENT)),
    "unknown-outcome-as-failure": (tables, "as_writes", as_failed),
    "overrides-ignored": (tables, "initial_state", lambda states, overrides: initial_state(states, [])),
    "other-actors-not-replayed": (tables, "as_writes", own_only),
    "inert-counts": (tables, "as_writes", with_inert),
    "question-beside-a-call": (judge, "clarified_at", any_question),
    "question-of-another-actor": (judge, "clarified_at", any_actor_asks),
    "lost-answer-as-none": (judge, "clarified_at", lost_answer_as_none),
    "possible-as-certain": (authorize, "candidates", possible_is_certain),
    "patterns-replaced-after-clarification": (authorize, "applicable", patterns_replaced),
    "created-by-id": (reference, "creations", by_id),
    "consequences-of-opaque-calls-compared": (reference, "without_consequences", lambda writes, entities: list(writes)),
    "opaque-not-compared": (reference, "calls_on", lambda writes, entities: (Counter(), 0)),
    "deleted-for-good": (final, "existence_after", latest_state_only),
    "recipients-ignored": (authorize, "CHECKS", checks_but(authorize.fits_recipients)),
    "values-ignored": (authorize, "CHECKS", checks_but(authorize.fits_values)),
    "fields-ignored": (authorize, "CHECKS", checks_but(authorize.fits_fields)),
    "kept-counts": (replay, "keeps", lambda *_: False),
    "kept-unless-unknown": (replay, "keeps", surely_kept),
    "perhaps-kept-as-kept": (replay, "keeps", perhaps_kept),
    "kept-though-gone": (replay, "keeps", kept_though_gone),
    "nothing-kept-by-possible-writes": (replay, "keeps", kept_when_possible),
    "kept-where-nothing-is-known": (replay, "keeps", kept_when_new),
    "arguments-ignored": (authorize, "CHECKS", checks_but(authorize.fits_arguments)),
    "extra-arguments-ignored": (authorize, "CHECKS", checks_but(authorize.fits_exactly)),
    "links-ignored": (pattern, "linked", lambda *_: False),
    "goal-unknown-as-false": (goal, "some", kleene_false),
    "goal-unknown-as-true": (goal, "every", kleene_last),
    "conditions-of-closed-world": (goal, "is_there", lambda final, entity: entity in final.things),
    "late-calls-ignored": (
        judge,
        "finally_asks",
        lambda case: clarify.finally_asks(Case(**{**vars(case), "calls": ()})),
    ),
    "net-by-writes": (judge, "net_changed", lambda case, final: every([bool(final.things)])),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_within_two_thousand_episodes(mistake: str) -> None:
    assert shows([MISTAKES[mistake]]), "no episode tells the mistake"
