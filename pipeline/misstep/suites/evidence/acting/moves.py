"""What is to be done in an episode, planned beforehand: calls by turns, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from misstep.suites.evidence.protocol import Agent, Briefing
from misstep.suites.turns import Exchange, ToolCall, Turn
from misstep.suites.world import Record


@dataclass(frozen=True)
class Move:
    """A call; one with a name is the action of that name, and later arguments may refer to its result."""

    tool: str
    arguments: Mapping[str, Any]
    name: str = ""


@dataclass
class Moves:
    """Turns of calls, then the decision; null: the agent ends without one.

    Attributes:
        turns: the calls of each turn.
        decision: DONE, BLOCK, DEFER or ALLOW.
        texts: turn → what is said with its calls.
        ending: the final response, without the decision; a line with "{receipts}" is left out where there are none.
        reads_on: after its turns the agent goes on with these calls, one after the other, until it has no turn left.
    """

    turns: list[tuple[Move, ...]]
    decision: str | None
    texts: dict[int, str] = field(default_factory=dict)
    ending: str = ""
    reads_on: Sequence[Move] = ()


def follow(moves: Moves) -> Agent:
    """Return the agent that makes these moves; it ends early where a result that it needs did not come."""

    def agent(_: Briefing, past: Sequence[Exchange]) -> Turn:
        results: dict[str, Record] = {}
        for turn, exchange in zip(moves.turns, past, strict=False):
            for move, result in zip(turn, exchange.results, strict=True):
                if move.name and result.get("ok"):
                    results[move.name] = result
        if len(past) < len(moves.turns):
            try:
                turn = moves.turns[len(past)]
                calls = tuple(ToolCall(move.tool, _bound(move.arguments, results)) for move in turn)
                return Turn(moves.texts.get(len(past), ""), calls)
            except KeyError:
                return _final(moves, results)
        if moves.reads_on:
            move = moves.reads_on[len(past) % len(moves.reads_on)]
            return Turn("", (ToolCall(move.tool, move.arguments),))
        return _final(moves, results)

    return agent


def _final(moves: Moves, results: Mapping[str, Record]) -> Turn:
    receipts = ", ".join(str(result.get("receipt")) for result in results.values())
    lines = [line.replace("{receipts}", receipts) for line in moves.ending.splitlines() if receipts or "{" not in line]
    said = " ".join(lines)
    return Turn(said if moves.decision is None else f"{said}\nDECISION: {moves.decision}".strip())


def _bound(value: Any, results: Mapping[str, Record]) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {"result_of", "field"}:
            return results[value["result_of"]][value["field"]]
        return {name: _bound(one, results) for name, one in value.items()}
    return [_bound(one, results) for one in value] if isinstance(value, list) else value
