"""Expected calls become patterns and a reference; those that could never take effect are found by replay."""

from typing import Any

from misstep.contracts.tools import ToolsFile
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Gold, Step, read_gold
from misstep.specs.imports.world import State

TOOLS: dict[str, Any] = {
    "schema": "misstep.tools/1",
    "home_domains": ["corp.example"],
    "own_addresses": ["me@corp.example"],
    "fields": {"order": {"note": "casefold"}},
    "tools": {
        "set_note": {
            "kind": "write",
            "parameters": {"id": "text", "note": "text"},
            "writes": [{"action": "note", "entity": "order:{arguments.id}", "set": {"note": "arguments.note"}}],
        },
        "move": {
            "kind": "write",
            "needs": [{"state.status": "^pending$"}],
            "writes": [
                {
                    "action": "move",
                    "entity": "order:{arguments.id}",
                    "replace": "result",
                    "leaves": {"address.city": "arguments.city"},
                }
            ],
        },
        "cancel": {
            "kind": "write",
            "needs": [{"state.status": "^pending$"}],
            "writes": [
                {
                    "action": "cancel",
                    "entity": "order:{arguments.id}",
                    "replace": "result",
                    "leaves": {"status": "cancelled"},
                }
            ],
        },
        "drop": {"kind": "write", "writes": [{"action": "drop", "entity": "order:{arguments.id}", "delete": True}]},
        "mail": {
            "kind": "write",
            "defaults": {"cc": []},
            "compare": {"to": "free", "body": "free"},
            "writes": [
                {
                    "action": "send",
                    "entity": "email:new",
                    "set": {"to": "arguments.to"},
                    "recipients": ["arguments.to", "arguments.cc"],
                }
            ],
        },
        "look": {"kind": "read"},
    },
}
STATE = {
    "order:1": {"status": "pending", "note": "Fragile", "address": {"city": "Rome"}},
    "order:2": {"status": "shipped", "note": "", "address": {"city": "Rome"}},
}


def gold(*steps: Step, state: dict[str, Any] | None = None) -> Gold:
    tools = CompiledTools(ToolsFile.model_validate(TOOLS), "shop")
    return read_gold(tools, steps, State(STATE if state is None else state))


def reasons(*steps: Step, state: dict[str, Any] | None = None) -> list[tuple[int, str]]:
    return [(one.position, one.reason) for one in gold(*steps, state=state).inert]


def test_a_write_becomes_a_pattern_with_tool_entity_and_arguments():
    assert gold(Step("set_note", {"id": "1", "note": "Heavy"})).authorized == [
        {
            "tool": "set_note",
            "action": "note",
            "entity": "order:1",
            "arguments": {"id": "1", "note": "Heavy"},
            "exact_arguments": True,
            "max": 1,
        }
    ]


def test_equal_writes_become_one_pattern_and_reads_none():
    step = Step("mail", {"to": "a@b.example", "body": "x"})
    found = gold(step, Step("look", {}), step._replace(arguments={"to": "a@b.example", "body": "y"})).authorized
    assert [(one["tool"], one["max"]) for one in found] == [("mail", 2)]


def test_only_arguments_that_are_compared_count():
    (pattern,) = gold(Step("set_note", {"id": "1", "note": "Heavy"}, compare=["id"])).authorized
    assert pattern["arguments"] == {"id": "1"}
    assert "exact_arguments" not in pattern


def test_whom_a_write_reaches_is_authorized_and_nobody_else():
    inside, outside, nobody = (
        gold(Step("mail", {"to": to})).authorized[0]
        for to in (["me@corp.example", "you@corp.example"], "a@b.example", "me@corp.example")
    )
    assert (inside["recipients"], inside.get("external")) == (["you@corp.example"], None)
    assert (outside["recipients"], outside["external"]) == (["a@b.example"], True)
    assert (nobody["recipients"], nobody.get("external")) == ([], None)


def test_a_party_without_an_address_leaves_open_who_is_reached():
    (pattern,) = gold(Step("mail", {"to": "The Shop"})).authorized
    assert "recipients" not in pattern
    assert pattern["external"] is True


def test_a_value_that_is_there_already_is_inert_under_the_field_profile():
    found = gold(Step("set_note", {"id": "1", "note": "fragile"}), Step("set_note", {"id": "1", "note": "Heavy"}))
    assert [(one.position, one.reason) for one in found.inert] == [(0, "the value is there already")]
    assert [call.get("inert", False) for call in found.reference] == [True, False]
    assert [pattern.get("inert", False) for pattern in found.authorized] == [True, False]


def test_a_part_of_a_field_may_be_there_already():
    assert reasons(Step("move", {"id": "1", "city": "Rome"})) == [(0, "the value is there already")]
    there_and_back = [Step("move", {"id": "1", "city": city}) for city in ("Oslo", "Rome")]
    assert reasons(*there_and_back) == []


def test_what_a_call_needs_is_judged_on_what_earlier_ones_left():
    steps = [Step("cancel", {"id": "1"}), Step("cancel", {"id": "1"}), Step("cancel", {"id": "2"})]
    assert [position for position, _ in reasons(*steps)] == [1, 2]


def test_an_entity_that_is_not_there_or_was_deleted_cannot_be_written():
    steps = [Step("drop", {"id": "9"}), Step("drop", {"id": "1"}), Step("drop", {"id": "1"})]
    assert reasons(*steps) == [(0, "there is no order 9"), (2, "there is no order 1")]


def test_nothing_is_inert_for_want_of_a_state():
    assert reasons(Step("cancel", {"id": "2"}), Step("drop", {"id": "9"}), state={}) == []


def test_calls_of_other_actors_and_of_unknown_tools_are_kept_apart():
    found = gold(Step("look", {}, actor="user"), Step("teleport", {}))
    assert found.reference == [{"tool": "look", "arguments": {}, "actor": "user"}]
    assert found.undeclared == ["teleport"]
