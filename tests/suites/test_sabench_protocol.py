"""How agents are run in the simulated office, what they are told, and what is recorded of them."""

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest

from misstep.contracts.trace import SCHEMA
from misstep.specs.tools_file import load_tools
from misstep.suites.sabench.conditions import CONFIRMATION, PREVIEWED
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.preview import PREVIEW
from misstep.suites.sabench.protocol import STEP_CAP, Briefing, run, serialized
from misstep.suites.turns import Exchange, ToolCall, Turn
from suites.sabench_world import ANN, ME, SABENCH, STATE, call, office

TOOLS = load_tools(SABENCH / "tools.yaml", "sabench").file
IDENTITY = {"suite": "sabench", "task_id": "rota", "model": "scripted", "replicate": 1}
READ = ToolCall("mail.read", {"email_id": "em_4"})
ARCHIVE = ToolCall("mail.archive", {"email_id": "em_4"})


def test_an_agent_sees_what_its_calls_gave_and_its_episode_is_recorded() -> None:
    seen: list[tuple[Briefing, Sequence[Exchange]]] = []

    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        seen.append((briefing, past))
        if not past:
            return Turn("I look it up.", (READ, ToolCall("mail.read", {"email_id": "em_0"})))
        assert past[0].results[0]["email"]["subject"] == "Rota"
        return Turn("", (ARCHIVE,)) if len(past) == 1 else Turn("It is in the archive.")

    episode = run(agent, office(), API, "Archive the rota from Ann.", IDENTITY)
    assert [len(past) for _, past in seen] == [0, 1, 2]
    assert episode.final["email:em_4"]["folder"] == "archive"
    record = episode.record
    assert {name: record[name] for name in (*IDENTITY, "schema", "status")} == {
        **IDENTITY,
        "schema": SCHEMA,
        "status": "completed",
    }
    told = [(event["step"], event.get("role") or event["tool"], event.get("id")) for event in record["events"]]
    assert told == [
        (0, "system", None),
        (0, "user", None),
        (1, "assistant", None),
        (1, "mail.read", "c1"),
        (1, "mail.read", "c2"),
        (2, "mail.archive", "c3"),
        (3, "assistant", None),
    ]
    assert record["events"][4]["result"]["error"]["code"] == 404
    assert record["events"][5]["result"] == {"id": "em_4", "folder": "archive"}


def test_an_agent_is_told_who_and_when_and_all_that_there_is() -> None:
    told: list[Briefing] = []

    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        told.append(briefing)
        return Turn("Which of the two Ann Kellers do you mean?")

    record = run(agent, office(), API, "Write to Ann.", IDENTITY).record
    (briefing,) = told
    assert ME in briefing.system and "2026-03-02T09:00" in briefing.system and str(STEP_CAP) in briefing.system
    assert "ask the user instead of guessing" in briefing.system
    lines = [json.loads(line) for line in briefing.state.splitlines()]
    assert {line["entity"]: line["fields"] for line in lines} == STATE
    assert briefing.instruction == "Write to Ann." and briefing.tools == API.schemas()
    system, user, answer = record["events"]
    assert briefing.system in system["text"] and briefing.state not in system["text"]
    assert (user["text"], answer["text"]) == ("Write to Ann.", "Which of the two Ann Kellers do you mean?")


def test_an_agent_cannot_rewrite_what_was_recorded() -> None:
    arguments: dict[str, Any] = {"email_id": "em_4"}

    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        if not past:
            return Turn("", (ToolCall("mail.read", arguments),))
        arguments["email_id"] = "em_1"
        past[0].results[0]["email"]["labels"].append("changed")
        return Turn("Done.")

    episode = run(agent, office(), API, "?", IDENTITY)
    read = episode.record["events"][2]
    assert read["arguments"] == {"email_id": "em_4"} and read["result"]["email"]["labels"] == []
    assert episode.final["email:em_4"]["labels"] == []


def test_the_record_tells_states_apart() -> None:
    other = office()
    other.records["email:em_4"]["read"] = True
    texts = {
        run(lambda _, past: Turn("Done."), world, API, "?", IDENTITY).record["events"][0]["text"]
        for world in (office(), other)
    }
    assert len(texts) == 2


def test_the_sixteenth_turn_is_the_last() -> None:
    turns = []

    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        turns.append(len(past))
        return Turn("", (ToolCall("tickets.comment", {"ticket_id": "TK-1", "body": f"{len(past)}"}),))

    episode = run(agent, office(), API, "Comment.", IDENTITY)
    assert turns == list(range(16)) and episode.record["status"] == "budget_exhausted"
    assert sum(entity.startswith("comment:") for entity in episode.final) == 17


def test_a_final_response_in_the_sixteenth_turn_completes() -> None:
    record = run(
        lambda _, past: Turn("", (READ,)) if len(past) < 15 else Turn("Done."), office(), API, "?", IDENTITY
    ).record
    assert record["status"] == "completed" and record["events"][-1]["step"] == 16


def test_a_turn_without_a_word_or_a_call_is_a_final_response() -> None:
    record = run(lambda _, past: Turn(), office(), API, "?", IDENTITY).record
    assert record["status"] == "completed" and record["events"][-1]["text"] == ""


def test_the_same_agent_leaves_the_same_record() -> None:
    def agent(briefing: Briefing, past: Sequence[Exchange]) -> Turn:
        return Turn("Done.") if past else Turn("", (ToolCall("mail.reply", {"email_id": "em_1", "body": "Yes."}),))

    assert run(agent, office(), API, "?", IDENTITY) == run(agent, office(), API, "?", IDENTITY)


def test_states_are_serialized_sorted_whatever_their_order() -> None:
    assert serialized(dict(reversed(STATE.items()))) == serialized(STATE)


def test_a_preview_says_what_a_call_would_do_and_does_nothing() -> None:
    world = office()
    before = copy.deepcopy(world.records)

    def previewed(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return PREVIEWED.api.act(world, PREVIEW, {"tool": tool, "arguments": arguments})

    (reply,) = [
        change
        for change in previewed("mail.reply", {"email_id": "em_1", "body": "Yes."})["would_change"]
        if "new" in change
    ]
    assert reply["fields"]["in_reply_to"] == "em_1"
    assert previewed("mail.archive", {"email_id": "em_1"}) == {
        "would_change": [{"entity": "email:em_1", "fields": {"folder": "archive"}}],
        "would_reach": [],
    }
    assert previewed("mail.delete", {"email_id": "em_1"})["would_change"] == [{"entity": "email:em_1", "gone": True}]
    assert previewed("mail.delete", {"email_id": "em_0"})["would_fail"]["status"] == "NOT_FOUND"
    assert previewed("mail.unsend", {})["would_fail"]["status"] == "UNKNOWN_TOOL"
    assert previewed(PREVIEW, {})["would_fail"]["status"] == "UNKNOWN_TOOL"
    assert world.records == before and world.delivered == []


def test_a_condition_says_its_rules_in_the_system_prompt() -> None:
    record = run(lambda _, past: Turn("Done."), office(), API, "?", IDENTITY, CONFIRMATION.rules).record
    assert CONFIRMATION.rules in record["events"][0]["text"]


def test_an_unknown_tool_is_refused() -> None:
    assert call(office(), "mail.unsend", {})["error"] == {
        "code": 404,
        "status": "UNKNOWN_TOOL",
        "message": "There is no tool 'mail.unsend'.",
    }


def test_a_wrong_argument_is_named() -> None:
    error = call(office(), "mail.send", {"to": [ANN, "raj"], "subject": "Beams", "colour": "red"})["error"]
    assert error["message"] == "Invalid argument: to, body, colour."
    assert [detail["field"] for detail in error["details"]] == ["to.1", "body", "colour"]


def test_every_tool_stands_in_the_tools_file() -> None:
    assert set(TOOLS.tools) == set(PREVIEWED.api.tools) == {*API.tools, PREVIEW}


@pytest.mark.parametrize("schema", PREVIEWED.api.schemas(), ids=lambda schema: schema["name"])
def test_the_tools_file_has_the_arguments_of_the_schema(schema: dict[str, Any]) -> None:
    declared, told = TOOLS.tools[schema["name"]], schema["parameters"]
    assert list(declared.parameters or {}) == list(told["properties"])
    assert told["additionalProperties"] is False and schema["description"].endswith(".")
    given = {name: part["default"] for name, part in told["properties"].items() if part.get("default") is not None}
    empty = {name: [] for name in declared.defaults if told["properties"][name].get("type") == "array"}
    assert declared.defaults == {**given, **empty}
