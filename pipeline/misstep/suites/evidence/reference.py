"""The agent that knows the solution of its case: it makes the reads, then the actions in order, or stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.protocol import Agent, Briefing
from misstep.suites.evidence.written import plain
from misstep.suites.turns import Exchange, ToolCall, Turn


def reference(case: Case) -> Agent:
    """Return the reference agent of a case."""

    def agent(_: Briefing, past: Sequence[Exchange]) -> Turn:
        if case.protocol == "Legacy":
            return _final(str(case.entry.decision))
        reads = [ToolCall(step.tool, step.arguments) for step in case.reads]
        if len(past) < len(reads):
            return Turn(calls=(reads[len(past)],))
        if case.protocol == "V0":
            return _final(str(case.evidence["stop"]))
        done = [exchange.results[0] for exchange in past[len(reads) :]]
        if len(done) == len(case.actions):
            return _final("DONE")
        results = {step.id: result for step, result in zip(case.actions, done, strict=False)}
        step = case.actions[len(done)]
        arguments = {name: _bound(value, results) for name, value in plain(step).items()}
        return Turn(calls=(ToolCall(step.tool, arguments),))

    return agent


def _bound(value: Any, results: dict[str, Any]) -> Any:
    if isinstance(value, dict) and set(value) == {"result_of", "field"}:
        return results[value["result_of"]].get(value["field"])
    return [_bound(one, results) for one in value] if isinstance(value, list) else value


def _final(decision: str) -> Turn:
    return Turn(f"DECISION: {decision}")
