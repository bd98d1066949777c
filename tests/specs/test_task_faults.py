"""Suites that could only give wrong numbers are refused, with the field at fault."""

import copy

import pytest

from ingest_run.traces import SUITE
from misstep.contracts.errors import SpecificationError
from misstep.contracts.suite import Format
from misstep.ingest.readers import READERS
from misstep.specs.load import load_suite


def task(name="a", **more):
    return {"task_id": name, "template_id": "t", "instruction": "x", **more}


@pytest.fixture
def fault(make_suite):
    """Return a function that gives the message about a suite with these files in place of the usual ones."""

    def found(**files):
        with pytest.raises(SpecificationError) as caught:
            load_suite(make_suite({**SUITE, **{name.replace("_", "."): value for name, value in files.items()}}))
        return str(caught.value)

    return found


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"goal": [{"entity": "ordre:1", "field": "state", "is": "closed"}]}, "goal[0].entity: no tool writes"),
        ({"goal": [{"where": {"type": "ordre"}, "count": 0}]}, "goal[0].where.type: no tool writes"),
        ({"authorized": [{"action": "clsoe"}]}, "authorized[0].action: no effect of a tool is called 'clsoe'"),
        (
            {"authorized": [{"tool": "orders.create", "action": "close"}]},
            "authorized[0].action: no effect of orders.create is called 'close'",
        ),
        ({"authorized": [{"action": "close", "entity": "ordre:1"}]}, "authorized[0].entity: no tool writes"),
        ({"authorized": [{"entity_in": ["order:1", "ordre:1"]}]}, "authorized[0].entity_in[1]: no tool writes"),
        (
            {"authorized_after_clarification": [{"entity": "ordre:1"}]},
            "authorized_after_clarification[0].entity: no tool writes",
        ),
        (
            {"authorized": [{"tool": "orders.close", "arguments": {"idd": "1"}}]},
            "authorized[0].arguments.idd: no parameter 'idd' is declared by orders.close",
        ),
        ({"authorized": [{"action": "close", "arguments": {"sku": "1"}}]}, "authorized[0].arguments.sku: no parameter"),
        (
            {"reference": [{"tool": "orders.close", "arguments": {"idd": "1"}}]},
            "reference[0].arguments.idd: no parameter",
        ),
        ({"goal": [{"entity": "order:1", "field": "state", "exists": True}]}, "goal[0]: is and contains need a field"),
        ({"goal": [{"where": {"type": "order"}, "count": True}]}, "goal[0].count: Input should be a valid integer"),
        ({"authorized": [{"action": "close", "max": 2**70}]}, "authorized[0].max: "),
        ({"authorized": [{"action": "close", "max": True}]}, "authorized[0].max: Input should be a valid integer"),
    ],
)
def test_a_task_that_can_never_be_met_is_refused(fault, more, told):
    assert f"tasks.jsonl:1: {told}" in fault(tasks_jsonl=[task(**more)])


@pytest.mark.parametrize(
    "more",
    [
        {"overrides": {"depot:1": {"open": True}}},
        {"links": [["depot:1", "holds", "order:1"]]},
        {"state": "s"},
    ],
)
def test_an_entity_that_is_written_nowhere_may_be_held_or_linked(make_suite, more):
    of_depot = task(goal=[{"entity": "depot:1", "exists": True}], **more)
    state = [{"entity": "depot:1", "fields": {"open": True}}]
    assert load_suite(make_suite({**SUITE, "tasks.jsonl": [of_depot], "states/s.jsonl": state})).tasks


def test_two_lines_of_one_recorded_task_need_versions_or_instructions_of_their_own(make_suite, fault):
    same = [task(name, replaces="z") for name in ("a", "b")]
    assert "tasks.jsonl:2: versions: line 1 is for the same versions of 'z'" in fault(tasks_jsonl=same)
    assert "tasks.jsonl:2: versions: " in fault(tasks_jsonl=[task(replaces="z"), task("z")])
    shared = [task(name, replaces="z", versions=["v1", name]) for name in ("a", "b")]
    assert "tasks.jsonl:2: versions: " in fault(tasks_jsonl=shared)
    apart = [task(replaces="z"), task("b", replaces="z", instruction="y"), task("c", replaces="z", versions=["v1"])]
    assert len(load_suite(make_suite({**SUITE, "tasks.jsonl": apart})).tasks) == 3


def test_the_format_of_a_suite_is_that_of_a_reader(make_suite, fault):
    file = SUITE["suite.yaml"]
    assert "suite.yaml:" in (told := fault(suite_yaml={**file, "format": "zz"}))
    assert "format: Input should be 'misstep_trace'" in told
    suite = load_suite(make_suite({**SUITE, "suite.yaml": {**file, "format": "tau2-bench"}}))
    assert suite.file.format == "tau2_bench"
    assert set(Format.__args__) == set(READERS)


CLOSE = {"action": "close", "entity": "order:{arguments.id}"}


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ({"writes": [{**CLOSE, "entity": "order:{arguments.idd}"}]}, "writes[0].entity: 'arguments.idd': the tool"),
        ({"writes": [{**CLOSE, "entity": "order:{arguments.id"}]}, "writes[0].entity: '{arguments.id' has a brace"),
        ({"writes": [{**CLOSE, "set": {"a": "arguments.idd"}}]}, "writes[0].set.a: 'arguments.idd': the tool"),
        ({"writes": [{**CLOSE, "set": {"a": "is {arguments.id"}}]}, "writes[0].set.a: 'is {arguments.id' has a brace"),
        ({"writes": [{**CLOSE, "set": {"a": {"path": "arguments.idd"}}}]}, "writes[0].set.a: 'arguments.idd'"),
        (
            {"writes": [{**CLOSE, "recipients": ["arguments.id", "arguments.to"]}]},
            "writes[0].recipients: 'arguments.to'",
        ),
        ({"writes": [{**CLOSE, "for_each": "zip(arguments.id, arguments.n)"}]}, "writes[0].for_each: 'arguments.n'"),
        ({"writes": [{**CLOSE, "for_each": "links(order:{arguments.n}, has)"}]}, "writes[0].for_each: 'arguments.n'"),
        ({"writes": [{**CLOSE, "recipients": "argument.id"}]}, "writes[0].recipients: 'argument.id' is neither a path"),
        ({"writes": [{**CLOSE, "when": {"arguments.n": 1}}]}, "writes[0].when.arguments.n: 'arguments.n'"),
        ({"writes": [CLOSE], "needs": [{"arguments.n": {"in": "state.x"}}]}, "needs[0].arguments.n: 'arguments.n'"),
        ({"writes": [CLOSE], "idempotency_key": "arguments.n"}, "idempotency_key: 'arguments.n'"),
        (
            {"writes": [CLOSE], "observes": [{"entity": "order:{arguments.n}", "facts": "result"}]},
            "observes[0].entity: 'arguments.n'",
        ),
    ],
)
def test_a_rule_names_declared_parameters_alone(make_suite, fault, tool, told):
    tools = copy.deepcopy(SUITE["tools.yaml"])
    tools["tools"]["orders.close"] = {"kind": "write", "parameters": {"id": "text"}, **tool}
    assert f"tools.orders.close.{told}" in fault(tools_yaml=tools)
    del tools["tools"]["orders.close"]["parameters"]
    if "has a brace" not in told and "neither" not in told:
        load_suite(make_suite({**SUITE, "tools.yaml": tools}))
