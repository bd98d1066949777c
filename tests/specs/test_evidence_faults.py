"""Evidence and rules that could not be kept are refused, with file, line and field."""

import json

import pytest

from misstep.contracts.errors import SpecificationError
from misstep.specs.load import load_suite
from specs.evidence_suite import CLOSE, OPEN, READ, REFUND, evidence, files, requiring

AT = "requirements[0].supported_if[0]"


@pytest.fixture
def told(make_suite):
    """Return a function that gives the places and messages about a suite: of the evidence of its task, or its rules."""

    def found(asked=None, **options):
        with pytest.raises(SpecificationError) as caught:
            load_suite(make_suite(files(None, asked, **options)))
        folder = str(caught.value.place.file).rpartition("/")[0] + "/"
        return str(caught.value).replace(folder, "").splitlines()

    return found


def with_actions(*actions, **more):
    return evidence(protocol=more.pop("protocol", "V3"), actions=list(actions), **more)


NAMED = [
    (evidence(reads=[{"tool": "stock.gte"}]), "reads[0].tool: the tools file has no tool 'stock.gte'"),
    (
        evidence(reads=[READ, {**READ, "arguments": {"skuu": 1}}]),
        "reads[1].arguments.skuu: no parameter 'skuu' is declared",
    ),
    (evidence(reads=[READ, {**READ, "id": "reads[0]"}]), "reads[1].id: 'reads[0]' is the name of reads[0] as well"),
    (evidence(reads=[{**READ, "id": "minimum_reads"}]), "reads[0].id: 'minimum_reads' is the name of a least number"),
    (evidence(reads=[{**READ, "id": ""}]), "reads[0].id: String should have at least 1 character"),
    (evidence(read_facts=[{"tool": "x", "shows": []}]), "read_facts[0].tool: the tools file has no tool 'x'"),
    (
        evidence(read_facts=[{**READ, "arguments": {"x": 1}, "shows": []}]),
        "read_facts[0].arguments.x: no parameter 'x'",
    ),
    (evidence(actions=[{**CLOSE, "tool": "x"}]), "actions[0].tool: the tools file has no tool 'x'"),
    (evidence(actions=[{**CLOSE, "arguments": {"x": 1}}]), "actions[0].arguments.x: no parameter 'x' is declared"),
    (evidence(consequential=["log", "mail.*"]), "consequential[1]: the tools file has no tool 'mail.*'"),
    (evidence(information=["x"]), "information[0]: the tools file has no tool 'x'"),
    (evidence(information=["orders.get"]), "reads[0].tool: stock.get is not among the reads in scope"),
    (evidence(reads=[{"tool": "log"}]), "reads[0].tool: log is not among the reads in scope"),
    (evidence(read_facts=[{"tool": "log", "shows": []}]), "read_facts[0].tool: log is not among the reads in scope"),
    (evidence(consequential=["refunds.make"]), "actions[0].tool: orders.close is not consequential"),
    (evidence(reads=[READ, {**READ, "id": "again"}], max_reads=1), "max_reads: 2 reads are required"),
    (evidence(min_reads=3, max_reads=2), "max_reads: at least 3 reads are asked for"),
    (evidence(min_read_tools=2, max_reads=1), "max_reads: reads by at least 2 tools are asked for"),
    (evidence(min_read_tools=99), "min_read_tools: there are 3 tools to read with"),
    (evidence(requirements=[OPEN, OPEN]), "requirements[1].id: 'open' is the name of requirements[0] as well"),
    (with_actions(CLOSE, CLOSE), "actions[1].id: 'close' is the name of actions[0] as well"),
    (evidence(actions=[{**CLOSE, "requires": ["opne"]}]), "actions[0].requires[0]: the task has no requirement 'opne'"),
    (evidence(actions=[{**CLOSE, "requires": []}]), "requirements[0].id: no action requires 'open'"),
    (evidence(context=[{"entity": "order", "facts": {"a": 1}}]), "context[0].entity: String should match pattern"),
    (evidence(context=[{"facts": {}}]), "context[0].facts: Dictionary should have at least 1 item"),
]


@pytest.mark.parametrize(("asked", "message"), NAMED)
def test_what_is_not_there_cannot_be_asked_for(told, asked, message):
    assert told(asked)[0].startswith(f"tasks.jsonl:2: evidence.{message}")


def result(of, field="id"):
    return {"result_of": of, "field": field}


ORDER = [
    (with_actions({**CLOSE, "after": ["closed"]}), "actions[0].after[0]: the task has no action 'closed'"),
    (with_actions({**CLOSE, "after": ["close"]}), "actions[0].after: 'close' would have to come before itself"),
    (
        with_actions({**CLOSE, "after": ["refund"]}, REFUND),
        "actions[0].after: 'close' would have to come before itself",
    ),
    (
        with_actions({**REFUND, "after": ["close"]}, CLOSE),
        "actions[0].after[0]: 'close' stands later: list actions in a possible order",
    ),
    (
        with_actions(CLOSE, {**REFUND, "after": []}, protocol="V2"),
        "actions[1].after: protocol V2 is a chain: 'refund' must come after 'close'",
    ),
    (
        with_actions(CLOSE, {**REFUND, "after": [], "arguments": {"receipt": result("close")}}),
        "actions[1].arguments.receipt: 'refund' takes a result of 'close' and does not come after it",
    ),
    (
        with_actions(CLOSE, {**REFUND, "arguments": {"receipt": ["x", result("clsoe")]}}),
        "actions[1].arguments.receipt: the task has no action 'clsoe'",
    ),
    (
        with_actions(CLOSE, {**REFUND, "arguments": {"lines": [result("close")], "counts": [1]}}),
        "actions[1].arguments.lines: an earlier result cannot stand in arguments that are compared as a whole",
    ),
    (
        with_actions(CLOSE, {**REFUND, "arguments": {"receipt": {"result_of": "close"}}}),
        "actions[1].arguments.receipt: an earlier result is written",
    ),
    (
        with_actions(
            {**CLOSE, "requires": []},
            {**REFUND, "after": []},
            requirements=[{"id": "open", "supported_if": {"result_of": "close"}}],
        ),
        "requirements[0].supported_if.result_of: 'refund' requires it and does not come after 'close'",
    ),
    (requiring({"result_of": "x"}), f"{AT}.result_of: the task has no action 'x'"),
    (requiring({"result_of": "close"}), f"{AT}.result_of: 'close' requires it and does not come after 'close'"),
    (evidence(protocol="V2", actions=[]), ": protocol V2 needs actions"),
    (with_actions(CLOSE, REFUND, protocol="V1"), ": protocol V1 has exactly one action, not 2"),
    (evidence(protocol="V0"), ": protocol V0 needs stop"),
]


@pytest.mark.parametrize(("asked", "message"), ORDER)
def test_actions_can_be_done_in_the_order_that_they_need(told, asked, message):
    assert told(asked)[0].startswith(f"tasks.jsonl:2: evidence{'' if message.startswith(':') else '.'}{message}")


def test_a_longer_way_round_is_a_way(make_suite):
    last = {**CLOSE, "id": "last", "after": ["refund"], "arguments": {"id": result("close")}}
    for protocol in ("V2", "V3"):
        load_suite(make_suite(files(with_actions(CLOSE, REFUND, last, protocol=protocol))))


CONDITIONS = [
    ({"record": {"state": {"action_arg": "idd"}}}, f"{AT}.record.state.action_arg: no parameter 'idd' is declared"),
    ({"record": {"state": {"action_arg": "a b"}}}, f"{AT}.record.state.action_arg: 'a b' is no path of an argument"),
    ({"record": {"state": "{arguments.idd}"}}, f"{AT}.record.state: no parameter 'idd' is declared by orders.close"),
    ({"record": {"state": "a {arguments.id}"}}, f"{AT}.record.state: 'a {{arguments.id}}': nothing may stand around"),
    ({"record": {"state": {"in": []}}}, f"{AT}.record.state.in: List should have at least 1 item"),
    ({"record": {"state": {"in": [1], "present": True}}}, f"{AT}.record.state: name exactly one of in, is_not"),
    ({"record": {"state": {"present": False}}}, f"{AT}.record.state.present: Input should be True"),
    ({"record": {}}, f"{AT}: a record has fields, or an entity"),
    ({"record": {"a": 1}, "entity": "O1"}, f"{AT}.entity: 'O1' is no entity"),
    ({"record": {"a": 1}, "entity": "order:{arguments.idd}"}, f"{AT}.entity: no parameter 'idd' is declared"),
    ({"record": {"a": 1}, "entity": "order:{arguments.id"}, f"{AT}.entity: 'order:{{arguments.id' has a brace"),
    ({"record": {"a": 1}, "entity": "order:{result.id}"}, f"{AT}.entity: 'result.id' is no path of an argument"),
    ({"record": {"a": 1}, "entity": "order:{arguments.id}{arguments.why}"}, f"{AT}.entity: "),
    ({"record": {"a": 1}, "entity": "ordre:O1"}, f"{AT}.entity: no tool shows or writes an entity of type 'ordre'"),
    ({"state": {"a": 1}}, f"{AT}: state needs an entity"),
    ({"action": {}}, f"{AT}.action: Dictionary should have at least 1 item"),
    ({"action": {"id": "O1"}}, f"{AT}.action.id: 'id' is no path of an argument: it must start at arguments"),
    ({"action": {"arguments.idd": "O1"}}, f"{AT}.action.arguments.idd: no parameter 'idd' is declared"),
    ({"action": {"tool": "x"}}, f"{AT}.action.tool: the tools file has no tool 'x'"),
    ({"read": "x.*"}, f"{AT}.read: the tools file has no tool 'x.*'"),
    ({"read": ["orders.get", "x"]}, f"{AT}.read[1]: the tools file has no tool 'x'"),
    ({"read": []}, f"{AT}.read: no tool is named"),
    ({"read": "orders.close"}, f"{AT}.read: orders.close is a tool of kind write: a call of it is no read"),
    ({"read": "log"}, f"{AT}.read: log is a tool of kind none: a call of it is no read"),
    (
        {"read": "orders.get", "arguments": {"idd": 1}},
        f"{AT}.arguments.idd: no parameter 'idd' is declared by orders.get",
    ),
    ({"read": "orders.get", "arguments": {"id": "{arguments.x}"}}, f"{AT}.arguments.id: no parameter 'x' is declared"),
    ({"read": "orders.get", "arguments": {"i d": 1}}, f"{AT}.arguments.i d: 'i d' is no path of an argument"),
    ({"read": "stock.get", "entity": "order:O1"}, f"{AT}.read: no call of stock.get shows an entity of type 'order'"),
    ({"authentication": "x"}, f"{AT}.authentication: the tools file has no tool 'x'"),
    ({"authentication": []}, f"{AT}.authentication: no tool is named"),
    ({"confirmation": False}, f"{AT}: confirmation is true, or a pattern"),
    ({"confirmation": "yes"}, f"{AT}: confirmation is true, or a pattern"),
    ({"confirmation": "yes("}, f"{AT}.confirmation: 'yes(' is no pattern (unclosed group)"),
    ({"confirmation": "a(?!b)"}, f"{AT}.confirmation: 'a(?!b)' is no pattern (look-around"),
    ({"told": "{arguments.idd}"}, f"{AT}.told: no parameter 'idd' is declared"),
    ({"told": "{arguments.id} {arguments.why}"}, f"{AT}.told: "),
    ({"told": "["}, f"{AT}.told: '[' is no pattern"),
    ({"told": ""}, f"{AT}.told: String should have at least 1 character"),
    ({"known": "idd"}, f"{AT}.known: no parameter 'idd' is declared"),
    ({"record": {"a": 1}, "read": "orders.get"}, f"{AT}: name exactly one of record, state"),
    ({"confirmation": True, "arguments": {"id": 1}}, f"{AT}: arguments belong to a read"),
    ({"told": "x", "entity": "order:O1"}, f"{AT}: entity belongs to a record, a state, a read or a confirmation"),
]


@pytest.mark.parametrize(("condition", "message"), CONDITIONS)
def test_conditions_say_what_can_be_looked_for(told, condition, message):
    assert told(requiring(condition))[0].startswith(f"tasks.jsonl:2: evidence.{message}")


def test_a_fault_is_told_where_the_condition_was_written(told):
    bad, good = {"read": "x"}, {"record": {"state": "open"}, "entity": "order:O1"}
    for written, at in (
        (bad, ""),
        ([good, bad], "[1]"),
        ({"all": [good, bad]}, ".all[1]"),
        ([{"all": [good]}, {"all": [good, bad]}], "[1].all[1]"),
    ):
        asked = evidence(requirements=[{**OPEN, "violated_if": written}])
        assert told(asked) == [
            f"tasks.jsonl:2: evidence.requirements[0].violated_if{at}.read: the tools file has no tool 'x'"
        ]


SHOWN = {"tool": "stock.get", "arguments": {"sku": "S1"}, "shows": [{"facts": {"left": 3, "name": "pen"}}]}


def without_observations(*asked):
    """Return the files of a suite in which only the records of the tasks show anything."""
    made = files(*asked)
    look = {"kind": "read", "parameters": {"id": "text"}}
    return {**made, "tools.yaml": {**made["tools.yaml"], "tools": {**made["tools.yaml"]["tools"], "orders.get": look}}}


@pytest.mark.parametrize(
    "condition",
    [
        {"record": {"left": {"in": [4, 3]}, "name": {"contains": "pe"}}},
        {"record": {"left": {"action_arg": "id"}, "name": {"present": True}}},
        {"record": {"amount": 3}, "entity": "refund:R1"},  # a write of the agent
        {"read": "stock.get"},
        {"confirmation": True},
    ],
)
def test_a_requirement_that_can_be_met_is_taken(make_suite, condition):
    load_suite(make_suite(without_observations({**requiring(condition), "read_facts": [SHOWN]})))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"record": {"left": 4}}, "record: nothing can establish 'left' as it is asked for"),
        ({"record": {"left": {"is_not": 3}}}, "record: nothing can establish 'left'"),
        ({"record": {"left": 3, "colour": "*"}}, "record: nothing can establish 'left' and 'colour'"),
        ({"record": {"name": {"contains": "ink"}}}, "record: nothing can establish 'name'"),
        ({"record": {"left": 3}, "entity": "refund:R1"}, "record: nothing can establish 'left' of refund:R1"),
        ({"state": {"left": 3}, "entity": "refund:R1"}, "state: nothing can establish 'left' of refund:R1"),
    ],
)
def test_a_requirement_that_nothing_can_meet_is_refused(make_suite, condition, message):
    with pytest.raises(SpecificationError) as caught:
        load_suite(make_suite(without_observations({**requiring(condition), "read_facts": [SHOWN]})))
    assert f"tasks.jsonl:1: evidence.{AT}.{message}" in str(caught.value)


def test_a_tool_may_show_any_field(make_suite):
    load_suite(make_suite(files(requiring({"record": {"left": 4}}))))


def test_one_way_to_meet_a_requirement_is_enough(make_suite):
    never = {"all": [{"record": {"left": 3}, "entity": "refund:R1"}]}
    way = {"all": [{"confirmation": True}]}
    load_suite(make_suite(files(requiring(never, way), requiring(never, inactive_if=[way]))))
    with pytest.raises(SpecificationError, match="nothing can establish 'left' of refund:R1"):
        load_suite(make_suite(files(requiring(never, never))))


def test_a_requirement_without_alternatives_is_refused(told):
    assert told(requiring()) == [
        "tasks.jsonl:2: evidence.requirements[0].supported_if: there is no way to establish it"
    ]


def stopping(stop, *conditions, **more):
    requirement = {"id": "open", "supported_if": list(conditions), **more}
    return evidence(protocol="V0", stop=stop, read_facts=[SHOWN], requirements=[requirement])


BLOCKED = {"violated_if": [{"record": {"left": 3}}]}


@pytest.mark.parametrize(
    "asked",
    [
        stopping("DEFER", {"record": {"left": 4}}),
        stopping("BLOCK", {"record": {"left": 3}}, **BLOCKED),
        stopping("BLOCK", {"confirmation": True}),  # only a run can tell
    ],
)
def test_a_task_that_is_stopped_as_it_says_is_taken(make_suite, asked):
    load_suite(make_suite(without_observations(asked)))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (stopping("DEFER", {"record": {"left": 3}}), "nothing stands against the actions, not to DEFER"),
        (stopping("BLOCK", {"record": {"left": 4}}), "the evidence leads to DEFER, not to BLOCK"),
        (stopping("DEFER", {"record": {"left": 3}}, **BLOCKED), "the evidence leads to BLOCK, not to DEFER"),
        (stopping("DEFER", {"record": {"left": 4}}, inactive_if={"record": {"name": "pen"}}), "nothing stands against"),
        (stopping("DEFER", {"action": {"arguments.id": "O1"}}), "nothing stands against"),
        (stopping("BLOCK", {"action": {"arguments.id": "O2"}}), "the evidence leads to DEFER"),
        (stopping("BLOCK", {"record": {"name": {"action_arg": "id"}}}), "the evidence leads to DEFER"),
        (stopping("BLOCK", {"record": {"left": 3}, "entity": "refund:{arguments.id}"}), "the evidence leads to DEFER"),
    ],
)
def test_a_task_that_would_be_stopped_otherwise_is_refused(make_suite, asked, message):
    with pytest.raises(SpecificationError) as caught:
        load_suite(make_suite(without_observations(asked)))
    assert f"tasks.jsonl:1: evidence.stop: {message}" in str(caught.value)


def test_what_tools_may_show_leaves_the_stop_open(make_suite):
    load_suite(make_suite(files(stopping("BLOCK", {"record": {"left": 4}, "entity": "order:O1"}))))


RULES = [
    ({"before": "x.*"}, 2, "before: the tools file has no tool 'x.*'"),
    ({"before": ["orders.close", "x"]}, 2, "before[1]: the tools file has no tool 'x'"),
    ({"before": []}, 2, "before: no tool is named"),
    ({"id": ""}, 2, "id: String should have at least 1 character"),
    ({"when": {"id": "x"}}, 2, "when.id: 'id' is no path of an argument: it must start at arguments"),
    ({"when": {"arguments.idd": "x"}}, 2, "when.arguments.idd: no parameter 'idd' is declared by orders.close"),
    ({"when": {"arguments.id": ["x", "("]}}, 2, "when.arguments.id: '(' is no pattern (unclosed group)"),
    ({"requires": []}, 2, "requires: nothing is required"),
    ({"requires": {"read": "x"}}, 2, "requires.read: the tools file has no tool 'x'"),
    ({"requires": [{"read": "log"}]}, 2, "requires[0].read: log is a tool of kind none"),
    ({"requires": {"result_of": "close"}}, 2, "requires.result_of: a standing rule knows no actions"),
    ({"requires": {"read": "orders.get", "entity": "user:u"}}, 2, "requires.entity: no tool shows or writes an entity"),
    (
        {"requires": {"read": "stock.get", "entity": "order:o"}},
        2,
        "requires.read: no call of stock.get shows an entity",
    ),
    ({"requires": {"record": {"x": 1}, "entity": "refund:R"}}, 2, "requires.record: nothing can establish 'x'"),
    ({"before": "*", "requires": {"known": "sku"}}, 2, "requires: user.find declares no parameter 'sku'"),
    ({"requires": {"known": "sku"}}, 2, "requires.known: no parameter 'sku' is declared by orders.close"),
]


@pytest.mark.parametrize(("change", "line", "message"), RULES)
def test_rules_that_no_call_could_keep_are_refused(make_suite, change, line, message):
    rule = {"id": "look", "before": "orders.close", "requires": {"read": "orders.get"}, **change}
    made = files(None, rules=[rule])
    text = (
        "schema: misstep.tools/1\nrules: ["
        + json.dumps(rule)
        + "]\ntools: "
        + json.dumps(made["tools.yaml"]["tools"])
        + "\n"
    )
    with pytest.raises(SpecificationError) as caught:
        load_suite(make_suite({**made, "tools.yaml": text}))
    assert f"tools.yaml:{line}: rules[0].{message}" in str(caught.value)


def test_a_rule_has_the_line_that_it_stands_on(make_suite):
    text = """
    schema: misstep.tools/1
    tools:
      look: {kind: read}
      act: {kind: none}
    rules:
      - {id: a, before: act, requires: {read: look}}
      - id: a
        before: act
        requires:
          - read: look
          - read: lok
    """
    with pytest.raises(SpecificationError) as caught:
        load_suite(make_suite({**files(None), "tools.yaml": text}))
    lines = [line.rpartition("/")[2] for line in str(caught.value).splitlines()]
    assert lines == [
        "tools.yaml:8: rules[1].id: two rules are called 'a'",
        "tools.yaml:12: rules[1].requires[1].read: the tools file has no tool 'lok'",
    ]


def test_a_tool_may_keep_a_rule_in_its_own_way(make_suite):
    rule = {
        "id": "seen",
        "before": ["orders.close", "refunds.make"],
        "requires": [{"all": [{"known": "id"}]}, {"all": [{"known": "order"}]}],
    }
    load_suite(make_suite(files(None, rules=[rule])))


def test_a_rule_is_checked_against_the_tools_of_all_files(make_suite):
    near = {
        "schema": "misstep.tools/1",
        "extends": "far.yaml",
        "tools": {},
        "rules": [{"id": "look", "before": "orders.close", "requires": {"read": "orders.gte"}}],
    }
    made = files(None)
    folder = make_suite({**made, "far.yaml": made["tools.yaml"], "tools.yaml": near})
    with pytest.raises(SpecificationError, match=r"tools.yaml:\d+: rules\[0\].requires.read: .* 'orders.gte'"):
        load_suite(folder)


def test_a_number_without_end_is_refused(make_suite):
    text = '{"task_id": "t", "evidence": {"protocol": "V0", "stop": "BLOCK", "context": [{"facts": {"a": 1e999}}]}}\n'
    with pytest.raises(SpecificationError, match=r"tasks.jsonl:1: not valid JSON \(1e999 is too great a number\)"):
        load_suite(make_suite({**files(), "tasks.jsonl": text}))
