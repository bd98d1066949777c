"""Conversations in which nothing is left to be found out: every call has a turn to itself, and its result follows.

Most recorded conversations are like that and need no pairing. All others are left to `chat`, which would read these in
the same way, only slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from misstep.contracts.trace import Call, Message
from misstep.ingest.arguments import object_in
from misstep.ingest.readers.calls import ChatMessage, Function, ToolCall
from misstep.ingest.readers.reader import word
from misstep.ingest.results import ATTACHMENT

#: Who speaks in a role.
SPEAKERS = {"user": "user", "assistant": "agent", "system": "agent"}
#: Characters of the longest arguments that are remembered: runs of a task repeat their calls.
_SHORT = 2000


class _Asked(NamedTuple):
    """A call whose result is still to come; `arguments` are shared with calls that were asked for the same."""

    tool: str
    arguments: dict[str, Any]
    call_id: str | None


def plain_turns(messages: Sequence[ChatMessage]) -> tuple[list[Message], list[Call], int] | None:
    """Return the turns of a conversation, its calls and how many steps it has; None where it is not a plain one."""
    turns: list[Message] = []
    calls: list[Call] = []
    step, speaker = -1, ""
    asked: _Asked | None = None
    place = 0
    for message in messages:
        role, content = message.role, message.content
        if message.type is not None or message.actor is not None or (type(content) is not str and content is not None):
            return None
        if role == "tool":
            if asked is None or content is None or not _is_answer(message, asked.call_id):
                return None
            tool, arguments, call_id = asked
            failed = message.is_error
            calls.append(
                Call(place, 0, tool, arguments, None, None, content, None, True, failed, None, None, speaker, call_id)
            )
            asked = None
            continue
        actor = None if role is None else SPEAKERS.get(role)
        if (
            role is None
            or actor is None
            or message.function_call is not None
            or message.deltas is not None
            or message.delta is not None
        ):
            return None
        step += 1
        made = message.tool_calls
        if not made:
            turns.append(Message(step, role, content, 0, actor))
            continue
        if asked is not None or len(made) > 1 or message.timestamp is not None:
            return None
        asked = _asked(made[0])
        if asked is None:
            return None
        place, speaker = step, actor
        if content:
            turns.append(Message(step, role, content, 0, actor))
    return (turns, calls, step + 1) if asked is None else None


def _is_answer(message: ChatMessage, call_id: str | None) -> bool:
    """Return whether a message with text is the result of the call with an id, and says no more than that."""
    given = message.tool_call_id
    return (
        (given or None if type(given) is str else word(given)) == call_id
        and message.error is None
        and message.status is None
        and not message.content.startswith(ATTACHMENT)
    )


def _asked(call: ToolCall) -> _Asked | None:
    """Return a call that is whole; None where its parts have to be looked for, or something be said about them."""
    function, given = call.function, call.id
    if type(function) is not Function or not function.name or call.index is not None or call.time is not None:
        return None
    text = function.arguments
    if type(text) is not str:
        return None
    arguments = _remembered(text) if len(text) <= _SHORT else _object(text)
    if arguments is None:
        return None
    return _Asked(function.name, arguments, given or None if type(given) is str else word(given))


def _object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is as JSON."""
    found = object_in(text)
    return None if found is None else found.value


_remembered = lru_cache(maxsize=4096)(_object)
