"""Chat messages with tool calls, in the shapes that recorded conversations have them in → turns, calls, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from misstep.contracts.trace import Fault
from misstep.ingest.arguments import Arguments, object_in, read_arguments
from misstep.ingest.pairing import Reply, Transcript, Where, path_of
from misstep.ingest.readers.calls import CALLS, RESULTS, ChatMessage, ToolCall, given_to, is_of, name_of
from misstep.ingest.readers.fragments import joined
from misstep.ingest.readers.plain import SPEAKERS, plain_turns
from misstep.ingest.readers.reader import word
from misstep.ingest.results import ATTACHMENT, Shown, error_text, result_of, text_of
from misstep.ingest.times import Clock

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool"}
_SPOKEN = frozenset({*_ROLES, *SPEAKERS, "tool"})
_FAILED = {"error": True, "failed": True, "failure": True, "success": False, "ok": False, "completed": False}


class Conversation:
    """Turns the messages of one episode into a transcript.

    `attachments` are texts kept beside the messages; `strict` looks for duplicate keys in arguments.
    """

    def __init__(self, *, attachments: Mapping[str, Any] | None = None, strict: bool = False) -> None:
        self.transcript = Transcript()
        self.clock = Clock()
        self.strict = strict
        self._attachments = attachments
        self._faults = self.transcript.faults

    def add(self, messages: Sequence[ChatMessage], root: str = "messages") -> None:
        """Add messages in their order; `root` is the path of their list in the record."""
        if self.transcript.step < 0 and not self.strict and (plain := plain_turns(messages)) is not None:
            self.transcript.take(*plain)
            return
        turn = self.transcript.turn
        for index, message in enumerate(messages):
            role = message.role
            if role is None and isinstance(message.type, str) and message.type in _SPOKEN:
                role = message.role = message.type
            if role == "tool" or role == "function":
                self._result(message, (root, index, None))
                continue
            content = message.content
            if (
                (type(content) is not str and content is not None)
                or message.function_call is not None
                or message.deltas is not None
                or message.delta is not None
                or role not in SPEAKERS
                or message.type is not None
            ):
                if message.delta is not None:
                    self.add(_gathered(messages[index:]), root)  # paths count from where the stream begins
                    return
                if is_of(message.type, CALLS):
                    follows = index > 0 and is_of(messages[index - 1].type, CALLS)
                    self._item(message, (root, index, None), follows=follows)
                elif is_of(message.type, RESULTS):
                    self._result(_item_result(message), (root, index, None))
                else:
                    self._turn(message, root, index)
                continue
            calls = message.tool_calls
            actor = message.actor or SPEAKERS[role]
            if not calls:
                turn(role, content, actor)
                continue
            names = [name_of(call) if call.index is None else None for call in calls]
            if None in names:  # fragments
                self._turn(message, root, index)
                continue
            turn(role, content, actor, calls=True)
            for number, call in enumerate(calls):
                self._call(call, names[number] or "", actor, message.timestamp, (root, index, number))

    def _item(self, message: ChatMessage, where: Where, *, follows: bool) -> None:
        """Add a call that stands beside the messages; `follows` says that the item before is one of the same turn."""
        actor = message.actor or "agent"
        if not follows:
            self.transcript.turn("assistant", None, actor, calls=True)
        if not message.name:
            self._lose(f"an item of the type {message.type!r} names no tool", path_of(where))
            return
        given = message.input if message.arguments is msgspec.UNSET else message.arguments
        call = ToolCall(id=message.call_id or message.id, arguments=given)
        self._call(call, message.name, actor, message.timestamp, where)
        if message.output is not None:
            self._result(_item_result(message), where)

    def _lose(self, message: str, path: str) -> None:
        self.transcript.lost = True
        self._faults.append(Fault("lost-calls", message, path))

    def _turn(self, message: ChatMessage, root: str, index: int) -> None:
        path = f"{root}[{index}]"
        role = message.role or ("assistant" if message.tool_calls or message.deltas else "unknown")
        role = _ROLES.get(role, role)
        if role not in SPEAKERS:
            kind = f"a message of the role {role!r} was kept as text only"
            self._faults.append(Fault("unknown-record-kind", kind, path))
        actor = message.actor or ("user" if role == "user" else "agent")
        content, calls = message.content, message.tool_calls or []
        results: list[dict[str, Any]] = []
        if isinstance(content, list):
            calls = calls or [_block_call(block) for block in content if is_of(_kind(block), CALLS)]
            results = [block for block in content if is_of(_kind(block), RESULTS)]
            content = [block for block in content if not is_of(_kind(block), CALLS + RESULTS)] or None
        for block in results:
            self._result(_block_result(block), (root, index, None))
        if results and content is None:
            return  # a message of results only is no turn
        fragments: list[ToolCall] = []
        if message.deltas is not None:
            fragments, streamed, unread = _fragments(message.deltas)
            if unread:
                self._lose(f"{unread} streamed fragments of calls cannot be read", path)
            content = streamed if content is None else content
        if not calls and message.function_call is not None:
            calls = [ToolCall(function=message.function_call)]
        if fragments or any(call.index is not None or name_of(call) is None for call in calls):
            calls, nameless = joined([*calls, *fragments], self._faults, path)
            self.transcript.lost = self.transcript.lost or nameless
        text = content if type(content) is str else text_of(content, self._faults, f"{path}.content")
        self.transcript.turn(role, text, actor, calls=bool(calls))
        for number, call in enumerate(calls):
            self._call(call, name_of(call) or "", actor, message.timestamp, (root, index, number))

    def _call(self, call: ToolCall, name: str, actor: str, time: Any, where: Where) -> None:
        given = given_to(call)
        read = None if self.strict else object_in(given)
        if read is None and isinstance(given, Arguments):  # joined from fragments
            read = given
        if read is None:
            read = read_arguments(given, self._faults, f"{path_of(where)}.arguments", strict=self.strict)
        if call.time is not None:
            time = call.time
        if time is not None:
            time = self.clock.utc(time)
        self.transcript.call(name, read, where, word(call.id), actor, time)

    def _result(self, message: ChatMessage, where: Where) -> None:
        content = message.content
        if type(content) is str and not content.startswith(ATTACHMENT):
            shown = Shown(content)
        else:
            shown = result_of(content, self._faults, f"{path_of(where)}.content", self._attachments)
        failed, error, wrong, status = message.is_error, None, message.error, message.status
        if wrong:
            failed = True
            error = error_text(wrong)
        elif failed is None and (wrong is False or isinstance(status, str)):
            failed = False if wrong is False else _FAILED.get(str(status).lower())
        call_id = word(message.tool_call_id)
        self.transcript.reply(Reply(shown, where, call_id, message.name, failed, error, message.actor))


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else None


def _block_call(block: dict[str, Any]) -> ToolCall:
    given = next((block[key] for key in ("input", "arguments", "args") if key in block), None)
    name = block.get("name")
    return ToolCall(
        id=block.get("call_id") or block.get("id"), name=name if isinstance(name, str) else None, arguments=given
    )


def _item_result(message: ChatMessage) -> ChatMessage:
    return ChatMessage(
        role="tool",
        content=message.content if message.output is None else message.output,
        tool_call_id=message.call_id or message.tool_call_id or message.id,
        error=message.error,
        is_error=message.is_error,
        actor=message.actor,
    )


def _block_result(block: dict[str, Any]) -> ChatMessage:
    flag = block.get("is_error")
    return ChatMessage(
        role="tool",
        content=block.get("content", block.get("output")),
        tool_call_id=block.get("tool_use_id") or block.get("call_id") or block.get("tool_call_id"),
        is_error=flag if isinstance(flag, bool) else None,
    )


def _gathered(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with neighbouring streamed ones (`delta`) made one."""
    found: list[ChatMessage] = []
    streaming: ChatMessage | None = None
    for message in messages:
        if message.delta is None:
            found.append(message)
            streaming = None
        elif streaming is None or message.role not in (None, streaming.role):
            streaming = ChatMessage(role=message.role or "assistant", deltas=[message.delta], actor=message.actor)
            found.append(streaming)
        else:
            streaming.deltas.append(message.delta)
    return found


def _fragments(deltas: Any) -> tuple[list[ToolCall], str | None, int]:
    """Return the fragments of calls, and the text, in the streamed parts of a message; and how many cannot be read."""
    found: list[ToolCall] = []
    unread = 0
    text: list[str] = []
    for delta in deltas if isinstance(deltas, list) else [deltas]:
        if not isinstance(delta, dict):
            continue
        if isinstance(part := delta.get("content"), str):
            text.append(part)
        calls = delta.get("tool_calls", [delta] if "index" in delta or "args" in delta else [])
        for call in calls if isinstance(calls, list) else []:
            try:
                found.append(msgspec.convert(call, ToolCall))
            except msgspec.ValidationError:
                unread += 1
    return found, "".join(text) or None, unread
