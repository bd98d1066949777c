"""Scripted agents: moves in a world, written down as a trace (`misstep.trace/1`)."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from misstep.contracts.trace import SCHEMA
from misstep.suites.filling import fill
from misstep.suites.world import Desk, World

_REDACTED = "[redacted]"
_OPTIONS = ("parallel", "actor", "lost", "busy", "redact", "name", "answer", "with_text")


class Move(BaseModel):
    """A message or a call.

    Written as `say: text` (agent), `user: text`, or `tool.name: {arguments}` with options beside it: `parallel` (same
    turn as the move before), `actor`, `lost` (done, but no result came back), `busy` (the server refused with this
    message), `redact` (arguments taken out of the record), `name` (for later moves: `{name.id}`), `answer` (to a
    question), `with_text` (what the agent says in the same turn). A list of texts is a choice.
    """

    model_config = ConfigDict(extra="forbid")

    say: str | list[str] | None = None
    user: str | list[str] | None = None
    tool: str | None = None
    arguments: dict[str, Any] = {}
    parallel: bool = False
    actor: str | None = None
    lost: bool = False
    busy: str | None = None
    redact: list[str] = []
    name: str | None = None
    answer: str | None = None
    with_text: str | list[str] | None = None

    @classmethod
    def read(cls, written: Any) -> Move:
        """Return the move that a mapping of a script describes.

        Raises:
            ValueError: it is neither a message nor exactly one call.
        """
        if isinstance(written, dict) and set(written) in ({"say"}, {"user"}):
            return cls(**written)
        if not isinstance(written, dict):
            raise ValueError(f"{written!r} is no move")
        tools = [key for key in written if key not in _OPTIONS]
        if len(tools) != 1 or tools[0] in ("say", "user"):
            raise ValueError(f"a move is one message or one call, not {', '.join(map(str, written))}")
        options = {key: written[key] for key in _OPTIONS if key in written}
        return cls(tool=tools[0], arguments=written[tools[0]] or {}, **options)


class Stage:
    """A script being played: the world, what was said and done, and the turn it is."""

    def __init__(self, world: World, desk: Desk, variables: Mapping[str, Any], choice: random.Random) -> None:
        self.world = world
        self.desk = desk
        self.variables: dict[str, Any] = dict(variables)
        self.choice = choice
        self.events: list[dict[str, Any]] = []
        self.step = -1

    def say(self, role: str, text: str | list[str], *, same_turn: bool = False) -> None:
        """Write down a message; of several texts one is chosen."""
        if not same_turn:
            self.step += 1
        chosen = text if isinstance(text, str) else self.choice.choice(text)
        words = " ".join(fill(chosen, self.variables).split())
        self.events.append({"type": "message", "step": self.step, "role": role, "text": words})

    def play(self, moves: Sequence[Move]) -> None:
        """Make the moves in order."""
        for move in moves:
            if move.say is not None:
                self.say("assistant", move.say)
            elif move.user is not None:
                self.say("user", move.user)
            else:
                self._call(move)

    def _call(self, move: Move) -> None:
        if not move.parallel:
            self.step += 1
        if move.with_text is not None:
            self.say("assistant", move.with_text, same_turn=True)
        tool = str(move.tool)
        arguments = fill(move.arguments, self.variables)
        if move.busy is not None:
            result = self.desk.refusal(tool, move.busy)
        elif move.answer is not None:
            result = fill(move.answer, self.variables)
        else:
            result = copy.deepcopy(self.desk.act(self.world, tool, arguments))
        if move.name is not None:
            self.variables[move.name] = result
        number = sum(event["type"] == "call" for event in self.events) + 1
        event: dict[str, Any] = {"type": "call", "step": self.step, "id": f"c{number}", "tool": tool}
        event["arguments"] = arguments
        if not move.lost:
            event["result"] = result
        if move.actor is not None:
            event["actor"] = move.actor
        for name in move.redact:
            _take_out(event, name)
        self.events.append(event)


def _take_out(event: dict[str, Any], name: str) -> None:
    """Replace an argument by a mark, and its text in a result of words."""
    value = event["arguments"][name]
    event["arguments"] = {**event["arguments"], name: _REDACTED}
    if isinstance(event.get("result"), str):
        event["result"] = event["result"].replace(str(value), _REDACTED)


def trace(
    identity: Mapping[str, Any], status: str, events: list[dict[str, Any]], decision: str | None = None
) -> dict[str, Any]:
    """Return the record of an episode; `decision` is how the agent says that it stopped, if it does."""
    stopped = {} if decision is None else {"decision": {"type": "stop", "outcome": decision}}
    return {"schema": SCHEMA, **identity, "status": status, **stopped, "events": events}
