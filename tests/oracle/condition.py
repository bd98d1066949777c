"""Does a condition of evidence hold, and since when (metrics.md §2, "Established")."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import attrgetter

from misstep.contracts.values import canonical
from oracle.case import Row
from oracle.coverage import Held
from oracle.leaves import Value
from oracle.ledger import CONTEXT, Record, before, is_lost, stale, unseen
from oracle.logic import every, negate, some
from oracle.scene import END, Moment, Scene, place
from oracle.sought import Condition, about, argument, earliest, latest, passes
from oracle.spoken import by_knowledge, by_message, by_word


def holds(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether a condition holds at a moment, and where it came to hold."""
    found = SOURCES[condition[0]["source"]](scene, condition, moment)
    if found.holds is False and condition[0]["source"] in ("record", "state"):
        return Held(None if unseen(scene, condition, moment.step) and nameable(condition, moment) else False)
    return found


def nameable(condition: Condition, moment: Moment) -> bool:
    """Return whether the attempt has all arguments that a condition refers to; else no record whatever meets it."""
    named = [part["argument"] for part in condition if part["test"] == "argument"]
    named += [condition[0]["entity_argument"]] if condition[0]["entity_argument"] is not None else []
    return all(argument(moment, one) != [] for one in named)


def fits(scene: Scene, condition: Condition, record: Record, moment: Moment, *, fresh: bool = True) -> bool | None:
    """Return whether a record meets all parts of a condition, with none of the tested fields stale (if `fresh`)."""
    parts = [record.sure, about(condition, record, moment)]
    for part in condition:
        name = part["field"]
        if name is None:
            continue
        if name not in record.fields:
            return False
        parts.append(passes(part, record.fields[name], moment))
        if fresh:
            parts.append(negate(stale(scene, record, name, moment.step)))
    return every(parts)


def in_record(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether one record of an earlier step has all the fields."""
    return earliest(
        [
            Held(fits(scene, condition, one, moment, fresh=moment.fresh), one.place, one.by)
            for one in before(scene, moment.step)
        ]
    )


def in_state(scene: Scene, condition: Condition, moment: Moment, *, fresh: bool = True) -> Held:
    """Return whether the latest known field values of the entity are so, from whatever records."""
    return latest([_latest_value(scene, condition, part, moment, fresh) for part in condition])


def _latest_value(scene: Scene, condition: Condition, part: Row, moment: Moment, fresh: bool) -> Held:
    """Return whether the latest value of a field is so, where all that may be the latest one agree."""
    name = part["field"]
    answer = Held(False)
    known = [one for one in before(scene, moment.step) if name is None or name in one.fields]
    for _, group in groupby(known, key=attrgetter("place")):
        found = []
        for record in group:
            outdated = fresh and moment.fresh and name is not None and stale(scene, record, name, moment.step)
            valid = every([record.sure, about(condition, record, moment), negate(outdated)])
            if valid is not False:
                test = True if name is None else passes(part, record.fields[name], moment)
                found.append((valid, Held(every([valid, test]), record.place, record.by), test))
        if any(valid for valid, _, _ in found):
            answer = earliest([one for _, one, _ in found])
        elif found and some(test for _, _, test in found) != answer.holds:
            answer = Held(None)
    return answer


def by_read(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether one of the tools read in an earlier step, with the arguments and about the entity."""
    return earliest([Held(so_called(scene, call, condition, moment), place(call), "read") for call in scene.calls()])


def so_called(scene: Scene, call: Row, condition: Condition, moment: Moment) -> bool | None:
    """Return whether a call is a read of an earlier step as a condition wants it."""
    if call["tool"] not in condition[0]["tools"] or call["step"] >= moment.step:
        return False
    given = Moment(0, arguments=scene.given(call))
    parts = [applied(call)]
    parts += [has_argument(part, given, moment) for part in condition if part["field"] is not None]
    if condition[0]["entity_type"] is not None:
        parts.append(showed(scene, call, condition, moment))
    return every(parts)


def applied(call: Row) -> bool | None:
    """Return whether a call took effect; None where its outcome is unknown."""
    return None if call["outcome"] == "unknown" else bool(call["outcome"] == "applied")


def has_argument(part: Row, of: Moment, moment: Moment) -> bool | None:
    """Return whether an argument passes a test; one that is missing passes none."""
    given = argument(of, part["field"])
    return None if given is None else some(passes(part, one, moment) for one in given)


def showed(scene: Scene, call: Row, condition: Condition, moment: Moment) -> bool | None:
    """Return whether a read showed a record of the entity; perhaps, where its result is lost."""
    shown = [
        one for one in before(scene, moment.step) if one.place == place(call) and one.by in ("read", "observation")
    ]
    perhaps = [None] if is_lost(scene, call) and nameable([condition[0] | {"test": None}], moment) else []
    return some([*(every([one.sure, about(condition, one, moment)]) for one in shown), *perhaps])


def by_result(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether an action was executed in an earlier step (a candidate's predecessors count as executed)."""
    name = condition[0]["result_of"]
    found = [Held(one.executed, one.place, "action") for one in scene.executions(name, moment.step)]
    if moment.step == END and scene.asked.protocol == "V0":
        earlier = [one for one in scene.asked.actions if one["number"] < moment.number]
        found += [Held(True, None, "action") for one in earlier if one["action"] == name]
    return earliest(found)


def by_action(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether the attempt itself is as wanted; a missing argument fails every test."""
    tool = canonical(moment.tool)
    parts = [
        passes(part, Value(tool, tool), moment)
        if part["field"] == "tool"
        else has_argument(part | {"field": part["field"].removeprefix("arguments.")}, moment, moment)
        for part in condition
    ]
    return Held(every(parts), CONTEXT, "arguments")


def by_authentication(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether one of the tools has found out who the user is: applied, with something returned."""
    found = [
        Held(every([applied(call), returned(scene, call)]), place(call), "read")
        for call in scene.calls()
        if call["tool"] in condition[0]["tools"] and call["step"] < moment.step
    ]
    return earliest(found)


def returned(scene: Scene, call: Row) -> bool | None:
    """Return whether a call showed a record, or returned anything at all; None where that may have been lost."""
    there = call["result_id"] is not None or bool(scene.case.observations.get(call["observation_id"], ()))
    return True if there else None if call["outcome"] == "unknown" else False


SOURCES: dict[str, Callable[[Scene, Condition, Moment], Held]] = {
    "record": in_record,
    "state": in_state,
    "read": by_read,
    "result_of": by_result,
    "action": by_action,
    "confirmation": by_message,
    "authentication": by_authentication,
    "told": by_word,
    "known": by_knowledge,
}
