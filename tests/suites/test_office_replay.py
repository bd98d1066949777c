"""What the tools file says of a call, and what the world did, written apart from it, are the same."""

import json
from typing import Any

import pytest

from misstep.contracts.trace import Call
from misstep.specs.effects import CompiledTools
from misstep.specs.tools_file import load_tools
from misstep.suites.played import Played
from suites.office_suite import OFFICE, episodes, sources

TOOLS: CompiledTools = load_tools(OFFICE / "tools.yaml", "office").compiled
MISSING = object()


def calls_of(record: dict[str, Any]) -> list[Call]:
    calls = []
    for position, event in enumerate(event for event in record["events"] if event["type"] == "call"):
        call = Call(event["step"], position, event["tool"], event["arguments"])
        if "result" not in event:
            call.has_result = False
        elif isinstance(event["result"], str):
            call.result = event["result"]
        else:
            call.structured, call.result = event["result"], json.dumps(event["result"])
        calls.append(call)
    return calls


def replay(played: Played) -> dict[str, dict[str, Any]]:
    """Return the initial state after the applied writes, as the tools file has them."""
    state = sources().initial(played.instance.task)
    keys: set[str] = set()
    for call in calls_of(played.record):
        tool = TOOLS.get(call.tool)
        if tool is None:
            continue
        result = tool.parse_result(call.result, call.structured)
        outcome, _ = tool.outcome(call, result)
        key = tool.idempotency_key(call)
        if outcome == "applied" and key is not None:
            if key in keys:
                continue
            keys.add(key)
        for row in tool.writes(call, result, outcome):
            if row.outcome != "applied" or str(row.entity_id).startswith("new:"):
                continue
            entity = f"{row.entity_type}:{row.entity_id}"
            if row.effect == "delete":
                state.pop(entity, None)
                continue
            record = state.setdefault(entity, {})
            before = dict(record)
            for field in row.fields:
                value = before.get(field.from_state) if field.from_state else json.loads(str(field.value))
                if row.effect == "add":
                    record[field.field] = [*(one for one in record.get(field.field, []) if one != value), value]
                elif row.effect == "remove":
                    record[field.field] = [one for one in record[field.field] if one != value]
                else:
                    record[field.field] = value
    return state


def holds_all(played: Played) -> bool:
    """Return whether the record holds all that was done: every result, and nothing taken out."""
    calls = [event for event in played.record["events"] if "tool" in event]
    return all("result" in call and "[redacted]" not in str(call) for call in calls)


WHOLE = [played for played in episodes() if holds_all(played)]


def test_few_records_lack_a_part() -> None:
    assert len(WHOLE) >= len(episodes()) - 3


@pytest.mark.parametrize("played", WHOLE, ids=lambda one: f"{one.script}-{one.record['task_id']}-{one.model}")
def test_the_replayed_writes_give_the_state_of_the_world(played: Played) -> None:
    replayed = replay(played)
    assert set(replayed) == set(played.final)
    for entity, record in played.final.items():
        for field, value in record.items():
            found: Any = replayed[entity].get(field, MISSING)
            if isinstance(value, list):
                assert sorted(found if isinstance(found, list) else [found]) == sorted(value), (entity, field)
            else:
                assert found == value, (entity, field)
