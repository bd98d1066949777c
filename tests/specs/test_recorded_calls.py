import gzip
import json

import pytest

from misstep.contracts.trace import Call
from misstep.specs.load import load_suite
from misstep.specs.paths import MISSING


def recorded_calls(path):
    """Yield the calls of OpenAI-style episodes in which each result directly follows its call."""
    with gzip.open(path) as stream:
        episodes = json.load(stream)
    for episode in episodes:
        turns = episode["traj"]
        for step, turn in enumerate(turns):
            for part in turn.get("tool_calls") or []:
                answer = turns[step + 1] if step + 1 < len(turns) else {}
                called = part["function"]
                yield Call(
                    step,
                    0,
                    called["name"],
                    json.loads(called["arguments"]),
                    result=answer.get("content"),
                    has_result=answer.get("role") == "tool",
                )


@pytest.mark.parametrize(
    ("suite", "name", "calls", "writes", "applied"),
    [("tau-retail", "*grok-3*", 932, 165, 150), ("tau-airline", "gpt-4o-airline*", 1164, 250, 177)],
)
def test_writes_and_failures_of_recorded_calls_are_told_by_the_tools_file(
    root, corpora, suite, name, calls, writes, applied
):
    tools = load_suite(root / "data" / "suites" / suite).compiled
    (path,) = (corpora / "tau-bench" / "results").glob(name)
    outcomes = []
    count = 0
    for call in recorded_calls(path):
        count += 1
        tool = tools.get(call.tool)
        assert tool is not None
        if tool.kind != "write":
            continue
        result = tool.parse_result(call.result)
        outcome, _ = tool.outcome(call, result)
        outcomes.append(outcome)
        rows = tool.writes(call, result, outcome)
        assert rows
        assert all(row.outcome == outcome and row.entity_type is not None for row in rows)
        assert tool.writes(call, MISSING, "applied")
    assert (count, len(outcomes), outcomes.count("applied")) == (calls, writes, applied)
