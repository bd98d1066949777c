import json

import pytest

from misstep.contracts.tables import SPECS
from misstep.specs.load import load_suite
from misstep.specs.tables import spec_tables

SUITE = "schema: misstep.suite/1\nname: office\ntitle: Office\nactor: helper\n"
TOOLS = """\
schema: misstep.tools/1
home_domains: [corp.example]
fields:
  ticket: {title: casefold, labels: set, body: free}
allowances:
  - {id: log, tool: "tickets.*", entity: "log:1", fields: [seen]}
  - {id: mark, action: tag}
tools:
  tickets.create:
    kind: write
    aliases: [make_ticket]
    compare: {title: casefold, body: free}
    writes:
      - {action: create, entity: "ticket:{result.id}", set: {title: arguments.title, body: arguments.body}}
      - {action: send, entity: "email:new", recipients: arguments.to, follows: 0, domain: mail}
  tickets.tag:
    kind: write
    writes: [{action: tag, entity: "ticket:{arguments.id}", add: {labels: arguments.labels}}]
  tickets.replace:
    kind: write
    writes: [{action: update, entity: "ticket:{arguments.id}", replace: result}]
"""


@pytest.fixture
def tables(make_suite):
    """Return a function that gives the tables of one task, each as a list of rows without suite and task_id."""

    def made(task, **files):
        folder = make_suite(
            {"suite.yaml": SUITE, "tools.yaml": TOOLS, "tasks.jsonl": [{"task_id": "t", **task}], **files}
        )
        frames = spec_tables(load_suite(folder))
        assert list(frames) == list(SPECS)
        return {
            name: [
                {key: value for key, value in row.items() if key not in ("suite", "task_id")}
                for row in frame.to_dicts()
            ]
            for name, frame in frames.items()
        }

    return made


def test_every_table_of_a_suite_without_tasks_is_as_its_contract_says(make_suite):
    frames = spec_tables(load_suite(make_suite({"suite.yaml": SUITE, "tools.yaml": TOOLS})))
    for name, contract in SPECS.items():
        assert contract.is_valid(frames[name])
    assert frames["tasks"].is_empty()
    assert frames["allowances"].height == 2


@pytest.mark.parametrize(
    ("task", "goal", "after"),
    [
        ({}, "none", False),
        ({"goal": []}, "conditions", False),
        ({"reference": [], "authorized_after_clarification": []}, "reference", True),
    ],
)
def test_tasks_say_how_their_goal_is_given(tables, task, goal, after):
    (row,) = tables({"template_id": "x", "strata": {"trap": "series", "size": "s"}, **task})["tasks"]
    assert (row["goal"], row["authorized_after"], row["template_id"], row["state"]) == (goal, after, "x", None)


def test_strata_and_links(tables):
    made = tables(
        {"strata": {"trap": "series", "size": "s"}, "links": [["t:1", "next", "t:2"], ["t:1", "next", "t:2"]]}
    )
    assert made["strata"] == [{"name": "size", "value": "s"}, {"name": "trap", "value": "series"}]
    assert made["links"] == [{"entity": "t:1", "relation": "next", "linked": "t:2"}]


def test_states_and_overrides_have_typed_values_keys_and_existence(tables):
    state = [
        {
            "entity": "ticket:1",
            "fields": {"title": "The  Lamp", "labels": ["b", "a"], "body": "x", "n": 50.0, "at": "2024-01-02"},
        }
    ]
    overrides = {"ticket:1": {"n": "50"}, "ticket:2": None}
    made = tables({"state": "s", "overrides": overrides}, **{"states/s.jsonl": state})
    assert {(row["entity_type"], row["entity_id"]) for row in made["states"]} == {("ticket", "1")}
    assert {row["field"]: (row["value"], row["compare"]) for row in made["states"]} == {
        "@exists": ("true", "true"),
        "title": ('"The  Lamp"', '"the lamp"'),
        "labels": ('["b","a"]', '["a","b"]'),
        "body": ('"x"', '"x"'),
        "n": ("50", "50"),
        "at": ('"2024-01-02"', '"2024-01-02"'),
    }
    assert [(row["entity_id"], row["field"], row["value"]) for row in made["overrides"]] == [
        ("1", "@exists", "true"),
        ("1", "n", '"50"'),
        ("2", "@exists", "false"),
    ]


def test_patterns_become_rows_of_keys(tables):
    made = tables(
        {
            "authorized": [
                {
                    "tool": "make_ticket",
                    "action": "create",
                    "created": "ticket",
                    "values": {"title": "The Lamp", "body": {"in": ["a", "b"]}},
                    "arguments": {"title": "The Lamp", "body": "…", "due": None},
                },
                {
                    "id": "send",
                    "tool": "tickets.create",
                    "action": "send",
                    "recipients": ["A@corp.example"],
                    "max": None,
                },
                {"tool": "tickets.tag", "entity_in": ["ticket:1", "ticket:2"], "values": {"labels": ["x", "y"]}},
            ],
            "authorized_after_clarification": [
                {"entity": "ticket:1", "values": {"labels": ["y", "x"]}, "external": True}
            ],
        }
    )["authorizations"]
    assert [row["pattern"] for row in made] == [0, 1, 2, 3]
    assert [row["name"] for row in made] == [
        "authorized[0]",
        "send",
        "authorized[2]",
        "authorized_after_clarification[0]",
    ]
    assert [row["after_clarification"] for row in made] == [False, False, False, True]
    assert [row["tool"] for row in made] == ["tickets.create", "tickets.create", "tickets.tag", None]
    assert [row["domain"] for row in made] == ["tickets", "mail", "tickets", None]
    assert [row["entities"] for row in made] == [None, None, ["ticket:1", "ticket:2"], ["ticket:1"]]
    assert made[0]["values"] == [
        {"field": "title", "compare": ['"the lamp"']},
        {"field": "body", "compare": ['"a"', '"b"']},
    ]
    assert made[0]["arguments"] == [{"name": "title", "compare": '"the lamp"'}]
    assert made[1]["arguments"] is None
    assert [row["recipients"] for row in made] == [None, ["a@corp.example"], None, None]
    assert [row["max"] for row in made] == [1, None, 1, 1]
    assert [row["external"] for row in made] == [False, False, False, True]
    assert made[2]["values"] == [{"field": "labels", "compare": ['"x"', '"y"']}]
    assert made[3]["values"] == [{"field": "labels", "compare": ['["x","y"]']}]


def test_allowances_name_tools_by_a_pattern_that_fits_whole_names(tables):
    log, mark = tables({})["allowances"]
    assert log == {
        "allowance": "log",
        "tool": r"^tickets\..*$",
        "action": None,
        "entity_type": "log",
        "entity_id": "1",
        "fields": ["seen"],
    }
    assert (mark["tool"], mark["entity_type"], mark["fields"]) == (None, None, None)


def test_goals_become_rows_of_tests_and_keys(tables):
    conditions = [
        {"entity": "ticket:1", "field": "title", "is": "The Lamp"},
        {"entity": "ticket:1", "field": "body", "is": "x"},
        {"entity": "ticket:1", "field": "labels", "contains": "x"},
        {"entity": "ticket:1", "exists": False},
        {"entity": "ticket:1", "absent": False},
        {"where": {"type": "ticket", "title": "A", "body": "B"}, "count": 2},
        {"entity": "ticket:1", "field": "owner", "is": None},
    ]
    made = tables({"goal": conditions})["goals"]
    assert [(row["test"], row["value"], row["compare"]) for row in made] == [
        ("is", '"The Lamp"', '"the lamp"'),
        ("is", '"x"', None),
        ("contains", '"x"', '"x"'),
        ("absent", "true", None),
        ("exists", "true", None),
        ("count", "2", None),
        ("is", "null", "null"),
    ]
    assert [(row["entity_type"], row["entity_id"]) for row in made][4:6] == [("ticket", "1"), ("ticket", None)]
    assert made[5]["where"] == [{"field": "title", "compare": '"a"'}, {"field": "body", "compare": None}]


def test_reference_calls_become_writes(tables):
    reference = [
        {
            "tool": "make_ticket",
            "arguments": {"title": "Lamp", "body": "x", "to": ["a@other.example"]},
            "actor": "helper",
        },
        {"tool": "tickets.replace", "arguments": {"id": "1"}, "inert": True, "actor": "user"},
    ]
    made = tables({"reference": reference})["reference_writes"]
    assert [(row["step"], row["position"], row["item"]) for row in made] == [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
    assert [row["entity_id"] for row in made] == ["new:0.0.0", "new:0.0.1", "1"]
    assert [(row["opaque"], row["inert"], row["actor"]) for row in made] == [
        (False, False, "agent"),
        (False, False, "agent"),
        (True, True, "user"),
    ]
    assert [(one["field"], one["compare"], one["free"]) for one in made[0]["fields"]] == [
        ("title", '"lamp"', False),
        ("body", '"x"', True),
    ]
    assert (made[1]["recipients"], made[1]["external"], made[1]["follows"]) == (["a@other.example"], True, 0)


def test_tables_do_not_depend_on_the_order_of_the_files(make_suite):
    tasks = [{"task_id": name, "strata": {"a": name}, "overrides": {f"t:{name}": {"x": 1}}} for name in ("b", "a", "c")]
    read = [
        spec_tables(load_suite(make_suite({"suite.yaml": SUITE, "tools.yaml": TOOLS, "tasks.jsonl": order})))
        for order in (tasks, tasks[::-1])
    ]
    for name in SPECS:
        assert read[0][name].equals(read[1][name])
    assert json.loads(read[0]["overrides"]["value"][1]) == 1
