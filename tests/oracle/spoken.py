"""Conditions about what was said: a yes of the user, what the user told, what a value is known from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from misstep.contracts.values import parse
from oracle.case import AGENT
from oracle.coverage import Held
from oracle.leaves import Value, is_below, value_of
from oracle.ledger import CONTEXT, before
from oracle.logic import every, some
from oracle.scene import Moment, Scene, place
from oracle.sought import Condition, about, argument, earliest, ids, latest

TALKING = ("user", "assistant")
HOLE = re.compile(r"\{arguments[^{}]*\}")


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
