"""Expected reads counted on the recorded calls themselves, beside the labels, and why both differ.

The count is that of a reader of the files: a write that answered without an error while some expected read, with the
very same arguments, had not answered without an error before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agreement.corpus import Labelled, Row
from misstep.contracts.suite import GoldCall

Key = Callable[[str, dict[str, Any]], str]

VAIN = "an expected read that could never show anything: it is not required"
SPELLED = "an expected read with an argument in another form, which the tools file takes for the same"
FAILED = "the write failed: it was attempted all the same"
PARALLEL = "the read was made in one step with the write: it cannot have known its result"
STOPS = "no write is expected: what is done there is not called premature"
UNKNOWN = "unknown: the task is, or some calls are lost, or the run broke down"
OTHER = "other"


class Made(NamedTuple):
    """A call of the agent as it was recorded: its turn, and whether it answered without an error (None: not at all)."""

    turn: int
    tool: str
    arguments: dict[str, Any]
    answered: bool | None


class Counted(NamedTuple):
    """What the recorded calls of an episode show: acted before some expected read; some expected read never made."""

    early: bool
    never: bool


def counted(found: Labelled, episode: Row) -> Counted:
    """Return the count of an episode."""
    return _Count(found, episode).of(vain=True, key=_same, failed=False, parallel=True)


def why(found: Labelled, episode: Row, *, early: bool) -> str:
    """Return why the count of an episode differs from its label: the first kind that makes up for it."""
    if found.tasks.get(episode["task_id"]) is None or episode["evidence_reason"] is not None:
        return UNKNOWN
    label = episode["par"] is True if early else episode["investigation"] is False
    count = _Count(found, episode)
    given: dict[str, Any] = {"vain": True, "key": _same, "failed": False, "parallel": True}
    spelled = _profiled(found)
    for kind, change in (
        (VAIN, {"vain": False}),
        (SPELLED, {"key": spelled}),
        (FAILED, {"failed": True}),
        (PARALLEL, {"parallel": False}),
    ):
        given |= change
        seen = count.of(**given)
        if (seen.early if early else seen.never) == label:
            return kind
    return STOPS if early and episode["protocol"] == "gold-stop" else OTHER


class _Count:
    """The recorded calls of an episode, and the expected ones of its task."""

    def __init__(self, found: Labelled, episode: Row) -> None:
        task = found.tasks.get(episode["task_id"])
        expected = (task.reference or []) if task is not None else []
        kinds = {name: tool.kind for name, tool in found.suite.tools.tools.items()}
        self._expected = [one for one in expected if one.actor == "agent" and kinds[one.tool] in ("read", "both")]
        self._made = list(made(found.record(episode)))
        self._kinds = kinds

    def of(self, *, vain: bool, key: Key, failed: bool, parallel: bool) -> Counted:
        """Return the count.

        Args:
            vain: reads that could never show anything count as well.
            key: what makes two calls equal.
            failed: writes that failed count as well.
            parallel: a read of the same turn, but before the write, is one before it.
        """
        wanted = {key(one.tool, _plain(one)) for one in self._expected if vain or not one.inert}
        seen: dict[str, tuple[int, int]] = {}
        first: tuple[int, int] | None = None
        for place, call in enumerate(self._made):
            when = (call.turn, place if parallel else 0)
            if call.answered:
                seen.setdefault(key(call.tool, call.arguments), when)
            if first is None and self._kinds.get(call.tool) == "write" and (call.answered or failed):
                first = when
        return Counted(
            first is not None and any(one not in seen or seen[one] >= first for one in wanted),
            any(one not in seen for one in wanted),
        )


def made(record: Row) -> Iterator[Made]:
    """Yield the agent's calls of a recorded episode of tau-bench, tau2-bench or AgentDojo, in order."""
    waiting: list[tuple[int, str, dict[str, Any]]] = []
    for turn, message in enumerate(record.get("traj") or record.get("messages") or []):
        if message["role"] == "assistant":
            yield from (Made(*one, answered=None) for one in waiting)
            waiting = [(turn, *_call(call)) for call in message.get("tool_calls") or []]
        elif message["role"] == "tool" and message.get("requestor") != "user" and waiting:
            failed = bool(message.get("error")) or str(message.get("content")).lstrip('"').startswith("Error")
            yield Made(*waiting.pop(0), answered=not failed)
    yield from (Made(*one, answered=None) for one in waiting)


def _call(call: Row) -> tuple[str, dict[str, Any]]:
    function = call.get("function")
    if isinstance(function, dict):
        name, given = function["name"], function["arguments"]
    elif function is not None:
        name, given = function, call["args"]
    else:
        name, given = call["name"], call["arguments"]
    if isinstance(given, str):
        given = json.loads(given)
    return name, {key: value for key, value in given.items() if value is not None}


def _plain(one: GoldCall) -> dict[str, Any]:
    return {name: value for name, value in one.arguments.items() if value is not None}


def _same(tool: str, arguments: dict[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True)


def _profiled(found: Labelled) -> Key:
    def key(tool: str, arguments: dict[str, Any]) -> str:
        compiled = found.suite.compiled.get(tool)
        return _same(tool, arguments) if compiled is None else str((tool, compiled.counted_arguments(arguments)))

    return key
