"""Turns, calls and their results in the order of the record.

Steps: every message is a step, whoever wrote it; the calls of a message share its step and are counted from 0 in
it; a result is no step of its own, so that what follows a result stands at a larger step than the call. Neighbouring
messages that call before any of their results is there share the first one's step: none of the calls could know what
another returned. A call's key is its position, never its id.

Results are paired within the round of a calling message: its calls, and the results up to the next message
that calls. Ids only help; they may be absent, empty, shared or used again many turns later.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from misstep.contracts.trace import Call, Episode, Fault, Message
from misstep.contracts.values import canonical
from misstep.ingest.arguments import Arguments
from misstep.ingest.results import Shown

#: Where a call or result stands in its record: list of messages, index in it, number of the call in the message.
Where = tuple[str, int, int | None]


def path_of(where: Where) -> str:
    """Return a place as a path."""
    root, index, number = where
    return f"{root}[{index}]" if number is None else f"{root}[{index}].tool_calls[{number}]"


class Reply(msgspec.Struct, frozen=True, gc=False):
    """A result on its way to its call.

    `actor` is whose call it answers, None if the format does not say. `arguments` are those of the call that the result
    repeats, if it repeats it.
    """

    shown: Shown
    where: Where
    call_id: str | None = None
    tool: str | None = None
    failed: bool | None = None
    error: str | None = None
    actor: str | None = None
    arguments: dict[str, Any] | None = None

    def answers(self, call: Call) -> bool:
        """Return whether the result is for the actor of a call."""
        return self.actor is None or self.actor == call.actor


#: A call that waits for its result, and where it stands.
Open = tuple[Call, Where]


class Transcript:
    """Collects the turns of one episode; `finish` pairs what is open and fills an episode.

    `lost` becomes True where the record shows that a call was made and does not hold it.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.lost = False
        self.step = -1
        self._position = 0
        self._open: list[Open] = []
        self._replies: list[Reply] = []
        self._unpaired: list[Open] = []

    def take(self, messages: list[Message], calls: list[Call], steps: int) -> None:
        """Begin with turns whose calls are paired already."""
        self.messages, self.calls, self.step = messages, calls, steps - 1

    def turn(self, role: str, text: str | None, actor: str = "agent", *, calls: bool = False) -> None:
        """Begin the next step with a message; one that only calls (`calls`) and says nothing leaves no message."""
        if calls and (self._replies or (self._open and self._open[-1][0].step != self.step)):
            self._settle()  # neighbouring messages that call are one round
        self.step = step = self.step + 1
        self._position = 0
        if text or not calls:
            self.messages.append(Message(step, role, text, 0, actor))

    def call(
        self,
        tool: str,
        arguments: Arguments,
        where: Where,
        call_id: str | None = None,
        actor: str = "agent",
        time: str | None = None,
    ) -> Call:
        """Add a call of the current turn and return it."""
        position = self._position
        self._position = position + 1
        call = Call(
            self.step,
            position,
            tool,
            arguments.value,
            raw_arguments=arguments.raw,
            has_result=False,
            actor=actor,
            call_id=call_id,
            time=time,
            flags=list(arguments.flags),
        )
        self.calls.append(call)
        self._open.append((call, where))
        return call

    def reply(self, reply: Reply) -> None:
        """Add a result of one of the calls before it."""
        self._replies.append(reply)

    def finish(self, episode: Episode) -> Episode:
        """Pair what is open, move everything into the episode and return it."""
        self._settle()
        for call, where in self._unpaired:
            if "ambiguous-pair" in call.flags or "missing-attachment" in call.flags:
                continue
            call.flags.append("missing-result")
            self.faults.append(Fault("missing-result", f"the call of {call.tool} has no result", path_of(where)))
        episode.messages = self.messages
        episode.calls = self.calls
        episode.faults = [*episode.faults, *self.faults]
        episode.steps = self.step + 1
        episode.calls_lost = episode.calls_lost or self.lost
        return episode

    def _settle(self) -> None:
        """Pair the calls of this round with its results."""
        opened, replies = self._open, self._replies
        if not opened and not replies:
            return
        self._open, self._replies = [], []
        if len(opened) == 1 and len(replies) == 1:  # by far the most frequent
            call, reply = opened[0][0], replies[0]
            if call.call_id == reply.call_id and (reply.actor is None or reply.actor == call.actor):
                self._join(call, reply)
                return
        together = [call for call, _ in opened]
        opened, replies = self._by_id(opened, replies)
        opened, replies = self._by_call(opened, replies)
        opened, replies = self._by_elimination(opened, replies)
        _share_a_step(together)
        for reply in replies:
            self._late(reply)
        self._unpaired.extend(opened)

    def _by_id(self, opened: list[Open], replies: list[Reply]) -> tuple[list[Open], list[Reply]]:
        """Pair what shares an id; calls that share one are paired in order if there are as many results."""
        calls: dict[tuple[str, str], list[Open]] = defaultdict(list)
        answers: dict[tuple[str, str], list[Reply]] = defaultdict(list)
        left_calls: list[Open] = []
        left_replies: list[Reply] = []
        for item in opened:
            if item[0].call_id:
                calls[item[0].call_id, item[0].actor].append(item)
            else:
                left_calls.append(item)
        for reply in replies:
            key = next((key for key in calls if key[0] == reply.call_id and reply.actor in (None, key[1])), None)
            if key is not None:
                answers[key].append(reply)
            else:
                left_replies.append(reply)
        for key, group in calls.items():
            found = answers.get(key, [])
            if len(group) > 1:
                for call, where in group:
                    call.flags.append("duplicate-call-id")
                    self.faults.append(
                        Fault("duplicate-call-id", f"{len(group)} calls have the id {key[0]!r}", path_of(where))
                    )
            if len(group) == len(found):
                for (call, _), reply in zip(group, found, strict=True):
                    self._join(call, reply)
            elif not found:
                left_calls.extend(group)
            elif len(group) == 1 and len({(reply.shown.text, reply.failed) for reply in found}) == 1:
                self._join(group[0][0], found[0])
                for reply in found[1:]:
                    self._orphan(reply, "repeats another result of the same call")
            else:
                self._ambiguous(group, found)
        left_calls.sort(key=lambda item: (item[0].step, item[0].position))
        return left_calls, left_replies

    def _by_call(self, opened: list[Open], replies: list[Reply]) -> tuple[list[Open], list[Reply]]:
        """Pair results that repeat their call (tool and arguments); identical calls take them in order."""
        if not any(reply.arguments is not None for reply in replies):
            return opened, replies
        left: list[Reply] = []
        for reply in replies:
            match = next((item for item in opened if _repeats(reply, item[0])), None)
            if match is None:
                left.append(reply)
            else:
                opened.remove(match)
                self._join(match[0], reply)
        return opened, left

    def _by_elimination(self, opened: list[Open], replies: list[Reply]) -> tuple[list[Open], list[Reply]]:
        """Pair a result with the only call that it can belong to; what fits several calls is ambiguous."""
        left: list[Reply] = []
        pending = list(replies)
        groups: dict[tuple[str | None, str | None], list[Reply]] = defaultdict(list)
        for reply in pending:
            names = {call.tool for call, _ in opened if _may(reply, call)}
            name = reply.tool if reply.tool in names else reply.call_id if reply.call_id in names else None
            groups[name, reply.actor].append(reply)
        for (name, actor), found in sorted(groups.items(), key=lambda item: item[0][0] is None):
            fitting = [
                item
                for item in opened
                if actor in (None, item[0].actor)
                and (item[0].tool == name if name is not None else all(_may(reply, item[0]) for reply in found))
            ]
            if name is None and any(reply.tool for reply in found):
                fitting = [item for item in fitting if item[0].tool in {reply.tool for reply in found}]
            if not fitting:
                left.extend(found)
            elif len(fitting) == len(found) == 1:
                self._join(fitting[0][0], found[0])
            else:
                self._ambiguous(fitting, found)
                self.lost = self.lost or len(found) > len(fitting)
            taken = {id(item[0]) for item in fitting}
            opened = [item for item in opened if id(item[0]) not in taken or "ambiguous-pair" in item[0].flags]
        return opened, left

    def _late(self, reply: Reply) -> None:
        """Pair a result that came rounds after its call, by its id; else it is an orphan."""
        match = next(
            (
                item
                for item in self._unpaired
                if reply.call_id and item[0].call_id == reply.call_id and reply.answers(item[0])
            ),
            None,
        )
        if match is None:
            known = reply.call_id and any(reply.call_id == call.call_id and reply.answers(call) for call in self.calls)
            self.lost = self.lost or not known
            self._orphan(reply, "repeats that of a call before it" if known else "belongs to no call before it")
        else:
            self._unpaired.remove(match)
            self._join(match[0], reply)

    def _orphan(self, reply: Reply, why: str) -> None:
        message = f"a result{f' of {reply.tool}' if reply.tool else ''} {why}"
        self.faults.append(Fault("orphan-result", message, path_of(reply.where), (reply.shown.text or "")[:400]))

    def _ambiguous(self, group: list[Open], found: list[Reply]) -> None:
        for call, where in group:
            call.flags.append("ambiguous-pair")
            message = f"{len(found)} results fit {len(group)} calls; which came back from {call.tool} is unknown"
            self.faults.append(Fault("ambiguous-pair", message, path_of(where)))

    def _join(self, call: Call, reply: Reply) -> None:
        shown = reply.shown
        call.result = shown.text
        call.structured = shown.structured
        call.has_result = shown.there
        call.failed = reply.failed
        call.error = reply.error
        if not shown.there:
            call.flags.append("missing-attachment")
        ran = reply.arguments
        if ran is not None and call.arguments is not None and not _same(ran, call.arguments):
            call.executed = ran
            call.flags.append("arguments-rewritten")
            message = f"the harness ran other arguments of {call.tool} than the agent asked for"
            self.faults.append(Fault("arguments-rewritten", message, path_of(reply.where)))


def _share_a_step(calls: list[Call]) -> None:
    """Move the calls of a round to the step of the first, where those before the last step were answered in it."""
    if not calls or calls[0].step == (last := calls[-1].step):
        return
    if all(call.has_result or "ambiguous-pair" in call.flags for call in calls if call.step != last):
        for position, call in enumerate(calls):
            call.step, call.position = calls[0].step, position


def _may(reply: Reply, call: Call) -> bool:
    """Return whether a result can belong to a call: a call with another id, or another tool, is out."""
    if not reply.answers(call):
        return False
    if reply.call_id and call.call_id and reply.call_id != call.call_id and reply.call_id != call.tool:
        return False
    return not reply.tool or reply.tool == call.tool


def _repeats(reply: Reply, call: Call) -> bool:
    return (
        reply.arguments is not None
        and reply.tool == call.tool
        and reply.answers(call)
        and not (reply.call_id and call.call_id)
        and call.arguments is not None
        and _same(reply.arguments, call.arguments)
    )


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return canonical(one) == canonical(other)
    except ValueError:
        return one == other
