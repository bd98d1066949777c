"""tau-bench runs that write their calls as text (strategies act and react) → messages with calls and results."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from misstep.ingest.readers.calls import ChatMessage, ToolCall

_ACTION = "Action:"
_OUTPUT = "API output: "
#: The action that speaks to the user instead of calling a tool.
_RESPOND = "respond"


class Action(msgspec.Struct):
    """An action as the agent writes it."""

    name: str
    arguments: dict[str, object]


_action = msgspec.json.Decoder(Action)


def is_text(messages: Sequence[ChatMessage]) -> bool:
    """Return whether results stand in the user's messages, so that the calls are text as well."""
    for message in messages:
        if message.role == "user" and isinstance(content := message.content, str) and content.startswith(_OUTPUT):
            return True
    return False


def spelled_out(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with calls and results in their own places."""
    found: list[ChatMessage] = []
    name: str | None = None
    for message in messages:
        content = message.content if isinstance(message.content, str) else ""
        if message.role == "assistant" and (action := _asked(content)) is not None:
            name = action.name
            call = ToolCall(name=action.name, arguments=action.arguments)
            found.append(
                ChatMessage(role="assistant", content=content.partition(_ACTION)[0] or None, tool_calls=[call])
            )
        elif message.role == "user" and content.startswith(_OUTPUT):
            found.append(ChatMessage(role="tool", content=content[len(_OUTPUT) :], name=name))
        else:
            found.append(message)
    return found


def _asked(content: str) -> Action | None:
    try:
        action = _action.decode(content.rpartition(_ACTION)[2].strip())
    except msgspec.MsgspecError:
        return None
    return None if action.name == _RESPOND else action
