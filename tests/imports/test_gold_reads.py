"""Expected reads become the investigation of a task; those that could never show anything are marked and left out."""

from typing import Any

from misstep.contracts.tools import ToolsFile
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Gold, Step, read_gold
from misstep.specs.imports.world import State

TOOLS: dict[str, Any] = {
    "schema": "misstep.tools/1",
    "fields": {"user": {"email": "casefold", "address.zip": "text"}},
    "tools": {
        "find_user": {
            "kind": "read",
            "observes": [
                {
                    "entity": "user:{result}",
                    "facts": {"email": "arguments.email", "address.zip": "arguments.zip", "name": "result.name"},
                }
            ],
        },
        "get_order": {"kind": "read", "observes": [{"entity": "order:{arguments.id}", "facts": "result"}]},
        "get_thing": {
            "kind": "read",
            "observes": [
                {"when": {"arguments.id": "^O"}, "entity": "order:{arguments.id}", "facts": "result"},
                {"when": {"arguments.id": "^U"}, "entity": "user:{arguments.id}", "facts": "result"},
            ],
        },
        "search": {
            "kind": "read",
            "observes": [{"for_each": "result", "entity": "order:{item.id}", "facts": "item"}],
        },
        "unread": {
            "kind": "both",
            "writes": [{"action": "mark", "entity": "mail:{item.id}", "for_each": "result", "set": {"read": True}}],
        },
        "cancel": {
            "kind": "write",
            "writes": [{"action": "cancel", "entity": "order:{arguments.id}", "set": {"status": "cancelled"}}],
        },
        "drop": {"kind": "write", "writes": [{"action": "drop", "entity": "order:{arguments.id}", "delete": True}]},
        "think": {"kind": "none"},
    },
}
STATE = {
    "order:O1": {"status": "pending"},
    "user:U1": {"email": "Ann@corp.example", "address": {"zip": "10001"}},
}


def gold(*steps: Step, state: dict[str, Any] | None = None) -> Gold:
    tools = CompiledTools(ToolsFile.model_validate(TOOLS), "shop")
    return read_gold(tools, steps, State(STATE if state is None else state))


def reads(*steps: Step) -> list[tuple[str, dict[str, Any]]]:
    evidence = gold(*steps).evidence
    return [] if evidence is None else [(read["tool"], read["arguments"]) for read in evidence["reads"]]


def reasons(*steps: Step, state: dict[str, Any] | None = None) -> list[tuple[int, str]]:
    return [(one.position, one.reason) for one in gold(*steps, state=state).vain]


def test_each_expected_read_is_required_once_with_its_arguments():
    steps = [Step("get_order", {"id": "O1"}), Step("think", {"thought": "x"}), Step("get_order", {"id": "O1"})]
    assert reads(*steps, Step("search", {"query": "x", "page": None})) == [
        ("get_order", {"id": "O1"}),
        ("search", {"query": "x"}),
    ]


def test_a_write_makes_the_difference_between_acting_and_stopping():
    read, both = Step("get_order", {"id": "O1"}), Step("unread", {})
    stops, acts = gold(read, both), gold(read, Step("cancel", {"id": "O1"}))
    assert stops.evidence is not None and stops.evidence["protocol"] == "gold-stop"
    assert [one["tool"] for one in stops.evidence["reads"]] == ["get_order", "unread"]
    assert acts.evidence is not None and acts.evidence["protocol"] == "gold-action"


def test_expected_calls_without_a_read_say_nothing_about_reading():
    assert gold(Step("cancel", {"id": "O1"})).evidence is None
    assert gold().evidence is None


def test_what_the_user_is_expected_to_read_is_not_required_of_the_agent():
    assert reads(Step("get_order", {"id": "O1"}, actor="user"), Step("search", {})) == [("search", {})]
    assert gold(Step("search", {}), Step("cancel", {"id": "O1"}, actor="user")).evidence == {
        "protocol": "gold-stop",
        "reads": [{"tool": "search", "arguments": {}}],
    }


def test_arguments_that_only_a_run_gives_or_that_do_not_count_may_be_anything():
    assert reads(Step("search", {"query": "$word", "page": 2}, unresolved=frozenset({"query"}))) == [
        ("search", {"page": 2, "query": "*"})
    ]
    assert reads(Step("search", {"query": "x", "page": 2}, compare=["page"])) == [("search", {"page": 2, "query": "*"})]


def test_a_read_of_an_entity_that_is_not_there_is_marked_and_not_required():
    found = gold(Step("get_order", {"id": "O9"}), Step("get_thing", {"id": "U9"}), Step("get_thing", {"id": "O1"}))
    assert [(one.position, one.reason) for one in found.vain] == [
        (0, "there is no order O9"),
        (1, "there is no user U9"),
    ]
    assert [call.get("inert", False) for call in found.reference] == [True, True, False]
    assert found.evidence is not None and len(found.evidence["reads"]) == 1
    assert found.inert == []


def test_a_look_up_that_fits_nobody_is_marked_under_the_profiles_of_the_fields():
    ann, other = {"email": "ann@CORP.example", "zip": 10001}, {"email": "ann@corp.example", "zip": "20002"}
    assert reasons(Step("find_user", ann), Step("find_user", other)) == [
        (1, "there is no user with email, address.zip"),
    ]


def test_a_read_of_what_an_expected_call_took_away_is_in_vain_afterwards():
    look = Step("get_order", {"id": "O1"})
    assert reasons(look, Step("drop", {"id": "O1"}), look) == [(2, "there is no order O1")]


def test_nothing_is_in_vain_where_the_state_or_the_argument_is_not_known():
    assert reasons(Step("get_order", {"id": "O9"}), state={"user:U1": {}}) == []
    assert reasons(Step("get_order", {"id": "$id"}, unresolved=frozenset({"id"}))) == []
    assert reasons(Step("search", {"id": "O9"})) == []
