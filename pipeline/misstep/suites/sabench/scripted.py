"""Agents that follow a script: turns planned beforehand, of which later ones may use what earlier ones got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from misstep.suites.filling import fill
from misstep.suites.sabench.protocol import Agent, Briefing
from misstep.suites.scripts import Move
from misstep.suites.turns import Exchange, ToolCall, Turn


@dataclass(frozen=True)
class Planned:
    """A turn as it is planned: its calls are made together, after the text is said."""

    calls: tuple[Move, ...]
    text: str = ""


def turns(moves: Sequence[Move]) -> list[Planned]:
    """Return calls as turns: a call marked `parallel` joins the turn before it."""
    grouped: list[list[Move]] = []
    for move in moves:
        if move.parallel and grouped:
            grouped[-1].append(move)
        else:
            grouped.append([move])
    return [Planned(tuple(group), _said(group)) for group in grouped]


def follow(plan: Sequence[Planned], ending: str, variables: Mapping[str, Any]) -> Agent:
    """Return the agent that takes the planned turns and then gives its final response.

    Texts and arguments are filled with the variables and with the results of earlier calls that have a name.

    Raises:
        SpecificationError: (from the agent) a variable does not exist.
    """

    def agent(_: Briefing, past: Sequence[Exchange]) -> Turn:
        known = dict(variables)
        for planned, exchange in zip(plan, past, strict=False):
            for move, result in zip(planned.calls, exchange.results, strict=True):
                if move.name is not None:
                    known[move.name] = result
        if len(past) == len(plan):
            return Turn(_words(ending, known))
        planned = plan[len(past)]
        calls = tuple(ToolCall(str(move.tool), fill(move.arguments, known)) for move in planned.calls)
        return Turn(_words(planned.text, known), calls)

    return agent


def _said(moves: Sequence[Move]) -> str:
    texts = [text if isinstance(text, str) else text[0] for move in moves if (text := move.with_text) is not None]
    return " ".join(texts)


def _words(text: str, variables: Mapping[str, Any]) -> str:
    return " ".join(str(fill(text, variables)).split())
