"""Does a condition of evidence hold, and since when (metrics.md §2, "Established")."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter

from misstep.contracts.values import canonical, parse
from oracle.case import AGENT, Row
from oracle.coverage import Held
from oracle.leaves import Value, at_path, is_below, same, value_of
from oracle.ledger import BY, CONTEXT, Record, before, stale
from oracle.logic import every, negate, some
from oracle.scene import END, Moment, Scene, place

Condition = Sequence[Row]
TALKING = ("user", "assistant")
HOLE = re.compile(r"\{arguments[^{}]*\}")


def holds(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether a condition holds at a moment, and where it came to hold."""
    return SOURCES[condition[0]["source"]](scene, condition, moment)


def earliest(found: Sequence[Held]) -> Held:
    """Return whether something of this holds, and the first place where it does for certain."""
    sure = [one for one in found if one.holds is True]
    if not sure:
        return Held(some(one.holds for one in found))
    return min(sure, key=order)


def latest(found: Sequence[Held]) -> Held:
    """Return whether all of this holds, and the last place that it took."""
    together = every(one.holds for one in found)
    if together is not True:
        return Held(together)
    last = max((one.place or CONTEXT for one in found), default=CONTEXT)
    return next((one for one in found if (one.place or CONTEXT) == last), Held(True, CONTEXT, "context"))


def order(one: Held) -> tuple[tuple[int, int], int]:
    """Return the sort key of what came to hold: its place, then what did it."""
    return (one.place or CONTEXT, BY.index(one.by or "arguments"))


def argument(moment: Moment, path: str) -> list[Value | None] | None:
    """Return the attempt's argument at a path (none; several of a list); None: unreadable, or any value will do."""
    if moment.arguments is None or any(is_below(path, one) for one in moment.open):
        return None
    return at_path(moment.arguments, path)


def passes(part: Row, value: Value | None, moment: Moment) -> bool | None:
    """Return whether a value that is there passes the test of a part; a value None is not known."""
    if part["test"] in (None, "any"):
        return True
    if part["test"] == "argument":
        wanted = argument(moment, part["argument"])
        if wanted == []:
            return False
        if wanted is None or value is None:
            return None
        return some(None if one is None else same(value, one) for one in wanted)
    return None if value is None else TESTS[part["test"]](part, value)


def _contains(part: Row, value: Value) -> bool:
    """Return whether a text has the wanted part, or a list the wanted member."""
    found, wanted = parse(value.text), parse(part["value"])
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return isinstance(found, list) and canonical(wanted) in [canonical(one) for one in found]


TESTS: dict[str, Callable[[Row, Value], bool]] = {
    "is": lambda part, value: value.key in part["compare"],
    "is_not": lambda part, value: value.key not in part["compare"],
    "contains": _contains,
    "not_contains": lambda part, value: not _contains(part, value),
    "present": lambda part, value: parse(value.text) is not None and value.spelled.strip() != "",
}


def about(condition: Condition, record: Record, moment: Moment) -> bool | None:
    """Return whether a record is about the entity that a condition names (any record where it names none)."""
    head = condition[0]
    if head["entity_type"] is None:
        return True
    if record.entity is None or record.entity[0] != head["entity_type"]:
        return False
    if head["entity_argument"] is None and head["entity_id"] is None:
        return True
    return some(None if one is None else one == record.entity[1] for one in ids(head, moment))


def ids(head: Row, moment: Moment) -> list[str | None]:
    """Return the id that a condition names, or those that the attempt's argument gives; None for an unknown one."""
    if head["entity_argument"] is None:
        return [head["entity_id"]]
    given = argument(moment, head["entity_argument"])
    template = head["entity_template"] or "{}"
    return [None] if given is None else [one and template.replace("{}", one.spelled) for one in given]


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
        [Held(fits(scene, condition, one, moment), one.place, one.by) for one in before(scene, moment.step)]
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
            outdated = fresh and name is not None and stale(scene, record, name, moment.step)
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
    """Return whether a read showed a record of the entity."""
    shown = [
        one for one in before(scene, moment.step) if one.place == place(call) and one.by in ("read", "observation")
    ]
    return some(every([one.sure, about(condition, one, moment)]) for one in shown)


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


def by_message(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether the user's latest message says yes, and the agent said something before it."""
    spoken = [one for one in scene.case.messages if one["step"] < moment.step and one["text"] is not None]
    answers = [
        one
        for one in scene.case.messages
        if one["step"] < moment.step and one["role"] == "user" and one["actor"] == "user"
    ]
    if not heard(scene):
        return Held(None)
    if not answers or answers[-1]["text"] is None:
        return Held(False)
    said = answers[-1]
    spoken_of = about_entity(scene, condition, moment, said["step"])
    proposed = any(
        one["role"] == "assistant" and one["actor"] == AGENT and one["text"].strip() and place(one) < place(said)
        for one in spoken
    )
    agrees, refuses = condition[0]["pattern"], condition[0]["unless"]
    agreed = re.search(agrees, said["text"]) and not (refuses and re.search(refuses, said["text"]))
    return Held(every([bool(proposed and agreed), spoken_of]), place(said), "message")


def heard(scene: Scene) -> bool:
    """Return whether the user said anything at all; else what was said is not known, or nobody was there."""
    return any(one["role"] == "user" and one["actor"] == "user" for one in scene.case.messages)


def about_entity(scene: Scene, condition: Condition, moment: Moment, step: int) -> bool | None:
    """Return whether the entity that a yes is about, if it is about one, was shown or named in an earlier step."""
    if condition[0]["entity_type"] is None:
        return True
    texts = [one["text"] or "" for one in scene.case.messages if one["step"] < step and one["role"] in TALKING]
    named = [
        None if one is None else any(word(one).search(text) for text in texts) for one in ids(condition[0], moment)
    ]
    return some([*(every([one.sure, about(condition, one, moment)]) for one in before(scene, step)), *named])


def word(text: str) -> re.Pattern[str]:
    """Return a pattern of a text as a word of its own."""
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")


def by_authentication(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether one of the tools has found out who the user is: applied, with something returned."""
    found = [
        Held(every([applied(call), returned(scene, call)]), place(call), "read")
        for call in scene.calls()
        if call["tool"] in condition[0]["tools"] and call["step"] < moment.step
    ]
    return earliest(found)


def returned(scene: Scene, call: Row) -> bool:
    """Return whether a call showed a record, or returned anything at all."""
    return call["result_id"] is not None or bool(scene.case.observations.get(call["observation_id"], ()))


def by_word(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether the user has said something, with the attempt's argument in it where the pattern has one."""
    pattern, name = condition[0]["pattern"], condition[0]["argument"]
    if moment.specified or not heard(scene):
        return Held(None)
    words: list[Value | None] = [Value('""', '""')] if name is None else argument(moment, name) or []
    if moment.arguments is None and name is not None:
        words = [None]
    return earliest(
        [
            Held(
                some(None if one is None else says(pattern, one.spelled, said["text"]) for one in words),
                place(said),
                "message",
            )
            for said in scene.case.messages
            if said["step"] < moment.step and said["role"] == "user" and said["actor"] == "user" and said["text"]
        ]
    )


def says(pattern: str, said: str, text: str) -> bool:
    """Return whether a text fits a pattern in which a word stands for its braces, as a whole."""
    whole = word(said).pattern
    return re.search(HOLE.sub(lambda _: whole, pattern), text, re.IGNORECASE) is not None


def by_knowledge(scene: Scene, condition: Condition, moment: Moment) -> Held:
    """Return whether the user, the system or a result has shown every value of an argument."""
    if moment.specified or moment.arguments is None:
        return Held(None)
    found = []
    for leaf in moment.arguments:
        value = value_of(leaf) if is_below(leaf["path"], condition[0]["argument"]) else Value("null", "null")
        said = None if value is None else parse(value.text)
        if value is None or (isinstance(said, str | int | float) and not isinstance(said, bool) and str(said).strip()):
            found.append(where_known(scene, condition[0]["compare"], value, moment.step))
    return latest(found)


def where_known(scene: Scene, own: Sequence[str], value: Value | None, step: float) -> Held:
    """Return whether and where a value was first said or shown."""
    if value is None:
        return Held(None)
    if value.spelled.strip().casefold() in own:
        return Held(True, CONTEXT, "context")
    found = []
    for said in scene.case.messages:
        speaks = said["role"] == "system" or (said["role"] == "user" and said["actor"] == "user")
        if said["step"] < step and speaks and said["text"]:
            found.append(Held(says("{arguments}", value.spelled.strip(), said["text"]), place(said), "message"))
    for call in scene.calls():
        text = scene.case.results.get(call["result_id"])
        if call["step"] >= step or call["outcome"] not in ("applied", "unknown"):
            continue
        if text is not None:
            found.append(Held(says("{arguments}", value.spelled.strip(), text), place(call), "observation"))
        elif call["outcome"] == "unknown":
            found.append(Held(None))
    known = earliest(found)
    return Held(None) if known.holds is False and not heard(scene) else known


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
