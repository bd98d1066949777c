"""The shapes of recorded messages and of the tool calls in them."""

from __future__ import annotations

from typing import Any

import msgspec

#: How the types of blocks, items and events end that hold a call or a result, whatever its provider calls them.
CALLS = ("tool_use", "_call", "tool-call")
RESULTS = ("tool_result", "_call_output", "tool-result")


def is_of(kind: Any, endings: tuple[str, ...]) -> bool:
    """Return whether a type is text with one of the endings (`CALLS` or `RESULTS`)."""
    return isinstance(kind, str) and kind.endswith(endings)


class Function(msgspec.Struct, gc=False):
    """The inner object of a tool call."""

    name: str | None = None
    arguments: Any = msgspec.UNSET


class ToolCall(msgspec.Struct, gc=False):
    """A tool call; name and arguments are in an inner object or beside the id, streamed fragments have an index."""

    id: Any = None
    function: Function | str | None = None
    name: str | None = None
    arguments: Any = msgspec.UNSET
    args: Any = msgspec.UNSET
    input: Any = msgspec.UNSET
    index: int | None = None
    time: Any = None


class ChatMessage(msgspec.Struct, gc=False):
    """One message of a conversation."""

    role: str | None = None
    content: Any = None
    tool_calls: list[ToolCall] | None = None
    function_call: Function | None = None
    tool_call_id: Any = None
    name: str | None = None
    error: Any = None
    is_error: bool | None = None
    status: Any = None
    timestamp: Any = None
    actor: str | None = None
    type: Any = None
    id: Any = None
    call_id: Any = None
    arguments: Any = msgspec.UNSET
    input: Any = msgspec.UNSET
    output: Any = None
    delta: Any = None
    deltas: Any = None


def name_of(call: ToolCall) -> str | None:
    """Return the name of the called tool, None where a fragment has none."""
    function = call.function
    if type(function) is Function and function.name:
        return function.name
    if function is None:
        return call.name or None
    return (function if isinstance(function, str) else function.name) or call.name or None


def given_to(call: ToolCall) -> Any:
    """Return the arguments of a call as they stand; `msgspec.UNSET` where they are absent."""
    function = call.function
    if isinstance(function, Function) and function.arguments is not msgspec.UNSET:
        return function.arguments
    for value in (call.arguments, call.args, call.input):
        if value is not msgspec.UNSET:
            return value
    return msgspec.UNSET
