"""How agents are run: turns, calls made together, the decision at the end, and the budget."""

from collections.abc import Sequence
from typing import Any

import pytest

from misstep.suites.evidence.protocol import STEP_CAP, Briefing, briefing, decided, run
from misstep.suites.evidence.reference import reference
from misstep.suites.evidence.written import public, public_domain
from misstep.suites.turns import Exchange, ToolCall, Turn
from suites.evidence_house import cases, domain, world

IDENTITY = {"suite": "evidence", "task_id": "drain-one", "model": "m", "replicate": 1}


def brief(name: str = "one") -> Briefing:
    return briefing(public(cases()[name], domain()), public_domain(domain()))


def test_the_reference_reads_then_acts_then_says_so() -> None:
    record = run(reference(cases()["one"]), brief(), world(), IDENTITY)
    calls = [event for event in record["events"] if event["type"] == "call"]
    assert [call["tool"] for call in calls] == ["boilers.get", "permits.of_boiler", "owners.get", "boilers.off"]
    assert all(call["result"]["ok"] for call in calls)
    assert record["status"] == "completed"
    assert record["decision"] == {"type": "ACTION", "outcome": "DONE"}


@pytest.mark.parametrize(("name", "outcome"), [("high", "BLOCK"), ("silent", "DEFER")])
def test_the_reference_stops_without_acting(name: str, outcome: str) -> None:
    record = run(reference(cases()[name]), brief(name), world(name), IDENTITY)
    assert not [event for event in record["events"] if event.get("tool") in domain().acts]
    assert record["decision"] == {"type": "NO_ACTION", "outcome": outcome}


def test_results_of_earlier_actions_are_passed_on() -> None:
    record = run(reference(cases()["graph"]), brief("graph"), world("graph"), IDENTITY)
    ask, off, drain = [event for event in record["events"] if event.get("tool") in domain().acts]
    assert drain["arguments"]["code"] == ask["result"]["code"]
    assert drain["arguments"]["version"] == off["result"]["version"]


def test_calls_of_a_turn_are_one_step_and_the_budget_ends() -> None:
    def restless(_: Briefing, past: Sequence[Exchange]) -> Turn:
        return Turn("Again.", (ToolCall("owners.get", {"owner_id": "OW-7"}),) * 2)

    record = run(restless, brief(), world(), IDENTITY)
    calls = [event for event in record["events"] if event["type"] == "call"]
    assert (record["status"], len(calls), calls[-1]["step"]) == ("budget_exhausted", 2 * STEP_CAP, STEP_CAP)
    assert calls[-1]["id"] == f"c{2 * STEP_CAP}"
    assert "decision" not in record


def test_who_judges_has_no_tools_and_sees_the_package() -> None:
    judged = brief("fixed")
    assert judged.tools == []
    assert "What was collected:" in judged.instruction
    assert "DECISION: ALLOW" in judged.system


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Turned it off.\n\nDECISION: DONE", {"type": "ACTION", "outcome": "DONE"}),
        ("**Decision: Block.**", {"type": "NO_ACTION", "outcome": "BLOCK"}),
        ("DECISION: DEFER\n", {"type": "NO_ACTION", "outcome": "DEFER"}),
        ("decision: allow", {"type": "JUDGEMENT", "outcome": "ALLOW"}),
        ("DECISION: BLOCK\nor perhaps not", None),
        ("I stop here.", None),
        ("DECISION: MAYBE", None),
        ("", None),
    ],
)
def test_the_last_line_is_the_decision(text: str, decision: dict[str, Any] | None) -> None:
    assert decided(text) == decision
