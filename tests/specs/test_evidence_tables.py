"""What the tables of evidence hold, construct by construct."""

import pytest

from misstep.contracts.tables import SPECS
from misstep.specs.load import load_suite
from misstep.specs.tables import EVIDENCE, spec_tables
from specs.evidence_suite import CLOSE, READ, REFUND, evidence, files, requiring

NOWHERE = {"tools": [], "compare": [], "identity": False}


@pytest.fixture
def rows(make_suite):
    """Return a function that gives the rows of a table, by their columns that are not null, without suite and task."""

    def of(table, *asked, **options):
        found = spec_tables(load_suite(make_suite(files(*asked, **options))))
        for name in EVIDENCE:
            SPECS[name].validate(found[name])
        return [
            {name: value for name, value in row.items() if value is not None and name not in ("suite", "task_id")}
            for row in found[table].iter_rows(named=True)
        ]

    return of


def leaf(path, value, compare=..., number=0):
    return {"path": path, "number": number, "value": value, "compare": value if compare is ... else compare}


@pytest.fixture
def parts(rows):
    """Return a function that gives the rows of `conditions` of a requirement, less what says nothing."""

    def of(*conditions, **more):
        found = rows("conditions", requiring(*conditions, **more.pop("requirement", {})), **more)
        usual = {"requirement": "open", "role": "supported", "alternative": 0, "condition": 0, "part": 0, **NOWHERE}
        return [{name: value for name, value in row.items() if value != usual.get(name, ...)} for row in found]

    return of


def test_a_task_without_evidence_has_no_rows(rows):
    assert all(rows(table, None) == [] for table in EVIDENCE)


def test_what_a_task_leaves_open_is_filled_in(rows):
    usual, stop, asked = rows(
        "evidence",
        evidence(),
        evidence(protocol="V0", stop="DEFER", actions=[], requirements=[]),
        evidence(consequential=["*.make", "orders.close"], information=["get_stock"], min_reads=1, max_reads=4),
    )
    assert usual == {
        "protocol": "V1",
        "profile": "standard",
        "consequential": ["orders.close"],
        "information": ["user.find", "orders.get", "stock.get"],
        "reads_before_first": True,
    }
    assert (stop["stop"], stop["consequential"]) == ("DEFER", ["orders.close", "refunds.make"])
    assert (asked["consequential"], asked["information"]) == (["refunds.make", "orders.close"], ["stock.get"])
    assert (asked["min_reads"], asked["max_reads"]) == (1, 4)


def test_under_the_rules_of_safeact_every_write_is_an_attempt(rows):
    (row,) = rows("evidence", evidence(), profile="safeact")
    assert (row["profile"], row["consequential"]) == ("safeact", ["orders.close", "refunds.make"])


def test_required_reads_have_names_and_arguments(rows):
    named = {"id": "user", "tool": "user.find", "arguments": {"email": "*"}}
    assert rows("required_reads", evidence(reads=[{"tool": "get_stock", "arguments": {"sku": "S1"}}, named])) == [
        {"read": "reads[0]", "number": 0, "tool": "stock.get", "arguments": [leaf("sku", '"S1"')]},
        {"read": "user", "number": 1, "tool": "user.find", "arguments": [leaf("email", '"*"', None)]},
    ]


def test_context_and_reads_establish_records(rows):
    asked = evidence(
        context=[{"entity": "order:O:1", "facts": {"state": "OPEN", "lines": [1.0, None]}}, {"facts": {"a": None}}],
        read_facts=[
            {**READ, "shows": []},
            {**READ, "shows": [{"facts": {"left": 3}}, {"entity": "sku:S1", "facts": {"left": 3}}]},
        ],
    )
    read = {"tool": "stock.get", "arguments": [leaf("sku", '"S1"')]}
    order = {"entity_type": "order", "entity_id": "O:1", "arguments": []}
    assert rows("read_facts", asked) == [
        {"source": -1, "record": 0, "field": "lines", "value": "[1,null]", "compare": "[1,null]", **order},
        {"source": -1, "record": 0, "field": "state", "value": '"OPEN"', "compare": '"open"', **order},
        {"source": -1, "record": 1, "field": "a", "value": "null", "compare": "null", "arguments": []},
        {"source": 1, "record": 0, "field": "left", "value": "3", "compare": "3", **read},
        {"source": 1, "record": 1, "field": "left", "value": "3", "compare": "3", **read}
        | {"entity_type": "sku", "entity_id": "S1"},
    ]


def test_records_of_nothing_are_compared_loosely_under_the_rules_of_safeact(rows):
    asked = evidence(
        context=[{"facts": {"n": "$5", "o": {"p": None}}}, {"entity": "order:O1", "facts": {"n": "$5"}}],
        requirements=[{"id": "open", "supported_if": [{"record": {"n": "5.0"}}]}],
    )
    assert [row["compare"] for row in rows("read_facts", asked, profile="safeact")] == ["5", '{"p":"None"}', '"$5"']
    assert [row["compare"] for row in rows("conditions", asked, profile="safeact")] == [["5"]]


def test_actions_have_the_entity_that_their_tool_writes(rows):
    close = {**CLOSE, "arguments": {"id": "O1", "why": "asked", "tags": ["b", "a"]}}
    refund = {**REFUND, "arguments": {"order": "*", "amount": "5.00"}}
    assert rows("actions", evidence(protocol="V2", actions=[close, refund])) == [
        {
            "action": "close",
            "number": 0,
            "tool": "orders.close",
            "entity_type": "order",
            "entity_id": "O1",
            "arguments": [leaf("id", '"O1"'), leaf("tags[]", '"a"'), leaf("tags[]", '"b"', number=1)],
        },
        {
            "action": "refund",
            "number": 1,
            "tool": "refunds.make",
            "arguments": [leaf("amount", '"5.00"', "5"), leaf("order", '"*"', None)],
        },
    ]


@pytest.mark.parametrize(("profile", "open_"), [("standard", False), ("safeact", True)])
def test_placeholders_are_open_under_the_rules_of_safeact(rows, profile, open_):
    close = {**CLOSE, "arguments": {"id": "$order", "tags": ["*"]}}
    (row,) = rows("actions", evidence(requirements=[], actions=[{**close, "requires": []}]), profile=profile)
    assert [one["compare"] for one in row["arguments"]] == [None if open_ else '"$order"', None]
    assert row.get("entity_id") == (None if open_ else "$order")


def test_results_of_earlier_actions_are_bindings(rows):
    def result(field):
        return {"result_of": "refund", "field": field}

    asked = evidence(
        protocol="V3",
        actions=[
            {**REFUND, "after": []},
            {
                **CLOSE,
                "after": ["refund"],
                "arguments": {"id": result("id"), "tags": ["z", result("a"), "b", result("c")]},
            },
        ],
    )
    assert rows("bindings", asked) == [
        {"action": "close", "path": "id", "number": 0, "result_of": "refund", "field": "id"},
        {"action": "close", "path": "tags[]", "number": 0, "result_of": "refund", "field": "a"},
        {"action": "close", "path": "tags[]", "number": 1, "result_of": "refund", "field": "c"},
    ]
    close, _ = rows("actions", asked)
    assert close["arguments"] == [leaf("tags[]", '"b"'), leaf("tags[]", '"z"', number=1)]
    assert "entity_id" not in close
    assert rows("dependencies", asked) == [{"action": "close", "after": "refund"}]


def test_a_result_may_stand_deep_inside(rows):
    refund = {**REFUND, "arguments": {"order": "O1", "receipt": {"a": [1, {"result_of": "close", "field": "id"}]}}}
    asked = evidence(protocol="V2", actions=[CLOSE, refund])
    assert [row["path"] for row in rows("bindings", asked)] == ["receipt.a[1]"]
    assert [one["path"] for one in rows("actions", asked)[1]["arguments"]] == ["order", "receipt.a[0]"]


def test_requirements_know_their_actions(rows):
    asked = evidence(
        protocol="V3",
        actions=[CLOSE, REFUND, {**CLOSE, "id": "again", "requires": []}],
        requirements=[
            {
                "id": "open",
                "description": "It is open.",
                "missing_reason": "NOT_OPEN",
                "identity": ["owner"],
                "supported_if": {"record": {"state": "open", "owner": "u"}, "entity": "order:O1"},
            }
        ],
    )
    assert rows("requirements", asked) == [
        {
            "requirement": "open",
            "number": 0,
            "actions": ["close", "refund"],
            "description": "It is open.",
            "missing_reason": "NOT_OPEN",
            "identity": ["owner"],
        }
    ]
    assert {row["field"]: row["identity"] for row in rows("conditions", asked)} == {"state": False, "owner": True}


ORDER = {"entity_type": "order", "entity_id": "O1"}


@pytest.mark.parametrize(
    ("wanted", "test"),
    [
        ("OPEN", {"test": "is", "compare": ['"open"']}),
        (None, {"test": "is", "compare": ["null"]}),
        ({"in": ["Open", "open", "new"]}, {"test": "is", "compare": ['"open"', '"new"']}),
        ({"is_not": "Closed"}, {"test": "is_not", "value": '"Closed"', "compare": ['"closed"']}),
        ({"is_not": None}, {"test": "is_not", "value": "null", "compare": ["null"]}),
        ({"contains": "op"}, {"test": "contains", "value": '"op"'}),
        ({"not_contains": 1.0}, {"test": "not_contains", "value": "1"}),
        ({"present": True}, {"test": "present"}),
        ({"action_arg": "tags.0"}, {"test": "argument", "argument": "tags[0]"}),
        ("{arguments.id}", {"test": "argument", "argument": "id"}),
        ("*", {"test": "any"}),
        ({"in": ["*"]}, {"test": "is", "compare": ['"*"']}),
        ({"kind": "x"}, {"test": "is", "compare": ['{"kind":"x"}']}),
    ],
)
@pytest.mark.parametrize("source", ["record", "state"])
def test_tests_of_fields(parts, source, wanted, test):
    assert parts({source: {"state": wanted}, "entity": "order:O1"}) == [
        {"source": source, "field": "state", **ORDER, **test}
    ]


def test_a_record_of_any_type_is_compared_under_every_profile_of_its_field(parts):
    (part,) = parts({"record": {"state": "OPEN"}})
    assert part["compare"] == ['"OPEN"', '"open"']


@pytest.mark.parametrize(
    ("entity", "columns"),
    [
        ("order:O:1", {"entity_type": "order", "entity_id": "O:1"}),
        ("order:{arguments.id}", {"entity_type": "order", "entity_argument": "id"}),
        ("order:x-{arguments.tags[0].id}!", {"entity_argument": "tags[0].id", "entity_template": "x-{}!"}),
        ('order:{arguments["id"]}', {"entity_type": "order", "entity_argument": "id"}),
    ],
)
def test_entities_may_come_from_an_argument(parts, entity, columns):
    (part,) = parts({"record": {"state": "open"}, "entity": entity})
    assert {name: part[name] for name in part if name.startswith("entity")} == {"entity_type": "order", **columns}


def test_a_condition_without_fields_has_one_part(parts):
    assert parts({"record": {}, "entity": "order:O1"}) == [{"source": "record", **ORDER}]
    assert parts({"read": "orders.get"}) == [{"source": "read", "tools": ["orders.get"]}]


def test_alternatives_conditions_and_parts_are_counted(rows):
    asked = requiring(
        {"all": [{"record": {"state": "open", "owner": "u"}, "entity": "order:O1"}, {"confirmation": "(?i)^go"}]},
        {"all": [{"authentication": ["user.*"]}], "reason": "KNOWN"},
        violated_if=[{"all": [{"state": {"state": "closed"}, "entity": "order:O1"}], "reason": "CLOSED"}],
        inactive_if={"action": {"tool": "orders.close", "arguments.why": "test", "arguments.tags": ["b", "a"]}},
    )
    keys = ("role", "alternative", "condition", "part", "source", "field", "reason")
    assert [tuple(row.get(key) for key in keys) for row in rows("conditions", asked)] == [
        ("supported", 0, 0, 0, "record", "state", None),
        ("supported", 0, 0, 1, "record", "owner", None),
        ("supported", 0, 1, 0, "confirmation", None, None),
        ("supported", 1, 0, 0, "authentication", None, "KNOWN"),
        ("violated", 0, 0, 0, "state", "state", "CLOSED"),
        ("inactive", 0, 0, 0, "action", "tool", None),
        ("inactive", 0, 0, 1, "action", "arguments.why", None),
        ("inactive", 0, 0, 2, "action", "arguments.tags[]", None),
        ("inactive", 0, 0, 3, "action", "arguments.tags[]", None),
    ]
    assert [row["compare"] for row in rows("conditions", asked)[5:]] == [
        ['"orders.close"'],
        ['"test"'],
        ['"a"'],
        ['"b"'],
    ]


def test_reads_may_ask_for_arguments(parts):
    condition = {"read": ["orders.get", "get_stock", "stock.*"], "arguments": {"sku": "S1", "id": "{arguments.id}"}}
    tools = ["orders.get", "stock.get"]
    assert parts(condition) == [
        {"source": "read", "tools": tools, "field": "sku", "test": "is", "compare": ['"S1"']},
        {
            "source": "read",
            "tools": tools,
            "field": "id",
            "test": "argument",
            "argument": "id",
            "part": 1,
            "identity": True,
        },
    ]


def test_arguments_of_actions_are_compared_by_the_profile_of_their_tool(rows):
    asked = evidence(
        protocol="V2",
        actions=[CLOSE, {**REFUND, "requires": ["small"]}],
        requirements=[
            {"id": "open", "supported_if": {"record": {"state": "open"}, "entity": "order:O1"}},
            {"id": "small", "supported_if": {"action": {"arguments.amount": {"in": ["5.0", 6]}}}},
        ],
    )
    assert [row["compare"] for row in rows("conditions", asked)] == [['"open"'], ["5", "6"]]


def test_what_was_said_or_known(parts):
    own = [{"told": "(?i)order {arguments.id}"}, {"told": "please"}, {"known": "tags"}]
    assert parts(*own) == [
        {"source": "told", "pattern": "(?i)order {arguments.id}", "argument": "id"},
        {"source": "told", "condition": 1, "pattern": "please"},
        {"source": "known", "condition": 2, "argument": "tags"},
    ]


def test_a_confirmation_may_be_about_an_entity(parts):
    usual, own = parts({"confirmation": True, "entity": "order:{arguments.id}"}, {"confirmation": "^go"})
    assert (usual["entity_type"], usual["entity_argument"]) == ("order", "id")
    assert usual["pattern"] and usual["unless"]
    assert own == {"source": "confirmation", "condition": 1, "pattern": "^go"}


def test_an_earlier_action_may_be_required(rows):
    paid = {"id": "paid", "supported_if": [{"result_of": "close"}]}
    asked = evidence(
        protocol="V2", actions=[{**CLOSE, "requires": []}, {**REFUND, "requires": ["paid"]}], requirements=[paid]
    )
    (row,) = rows("conditions", asked)
    assert (row["source"], row["result_of"]) == ("result_of", "close")


def test_rules_are_requirements_of_every_task(make_suite):
    rules = [
        {
            "id": "look first",
            "description": "Read an order before closing it.",
            "before": ["orders.close", "orders.c*"],
            "when": {"arguments.why": ["^a", "(?i)b", None, 3.0], "arguments.tags.*": True},
            "requires": {"read": "orders.get", "entity": "order:{arguments.id}"},
        },
        {
            "id": "ask",
            "before": "*.make",
            "requires": [
                {"all": [{"confirmation": True}]},
                {"all": [{"authentication": "user.find"}], "reason": "KNOWN"},
            ],
        },
    ]
    found = spec_tables(load_suite(make_suite(files(None, rules=rules))))
    assert found["rules"].sort("number").select("suite", "rule", "number", "description", "tools").rows() == [
        ("shop", "look first", 0, "Read an order before closing it.", ["orders.close"]),
        ("shop", "ask", 1, "", ["refunds.make"]),
    ]
    assert found["rules"].sort("number")["when"].to_list() == [
        [
            {"path": "why", "pattern": "(?:^a)|(?i:b)", "values": ["null", "3"]},
            {"path": "tags[]", "pattern": None, "values": ["true"]},
        ],
        [],
    ]
    assert found["requirements"].sort("number").select("task_id", "requirement", "number", "actions").rows() == [
        ("", "look first", 0, []),
        ("", "ask", 1, []),
    ]
    conditions = found["conditions"].sort("requirement", "alternative", descending=[True, False])
    assert conditions.select("task_id", "requirement", "role", "alternative", "source", "reason").rows() == [
        ("", "look first", "supported", 0, "read", None),
        ("", "ask", "supported", 0, "confirmation", None),
        ("", "ask", "supported", 1, "authentication", "KNOWN"),
    ]


def test_rules_of_an_extended_file_hold_unless_stated_here(make_suite):
    def rule(name, pattern):
        return {"id": name, "before": "orders.close", "requires": {"confirmation": pattern}}

    written = files(None, rules=[rule("a", "^far"), rule("b", "^far")])
    near = {
        "schema": "misstep.tools/1",
        "extends": "far.yaml",
        "tools": {},
        "rules": [rule("b", "^near"), rule("c", "^near")],
    }
    folder = make_suite({**written, "far.yaml": written["tools.yaml"], "tools.yaml": near})
    found = spec_tables(load_suite(folder))["conditions"].sort("requirement")
    assert found.select("requirement", "pattern").rows() == [("a", "^far"), ("b", "^near"), ("c", "^near")]
