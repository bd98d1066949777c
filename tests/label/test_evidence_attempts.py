"""Attempts: which action they are taken for, and what is right and wrong about them."""

import pytest

from label.building import UNKNOWN, call, write
from label.evidencing import CLOSE, action, closed, got, judged, record, specified

PAY, NEW = "tickets.pay", "tickets.create"
BOTH = {"consequential": [CLOSE, PAY, NEW]}


def attempts(evidence, *arguments, **task):
    return judged(evidence, *arguments, **task)[1]


def pays(step=6, given=None, **parts):
    return closed(step, given=given, tool=PAY, **parts)


@pytest.mark.parametrize(
    ("wanted", "given", "found"),
    [
        ({"id": "1"}, {"id": "1"}, True),
        ({"id": "1"}, {"id": "2"}, False),
        ({"id": "1"}, {"id": "1", "note": "x"}, False),
        ({"id": "1", "note": "x"}, {"id": "1"}, False),
        ({"id": "*"}, {"id": "7"}, True),
        ({"id": "*"}, {"id.a": "7", "id.b": "8"}, True),
        ({"id": "*"}, {"other": "7"}, False),
        ({"id": "1"}, {"id": UNKNOWN}, None),
        ({"id": "1", "note": "x"}, {"id": UNKNOWN, "note": "y"}, False),
        ({"ids[]": ["a", "b"]}, {"ids[]": ["b", "a"]}, True),
        ({"ids[]": ["a", "b"]}, {"ids[]": ["a", "a"]}, False),
        ({"ids[]": ["a", "*"]}, {"ids[]": ["z", "a"]}, True),
        ({"ids[]": ["a", "b"]}, {"ids[]": ["a", UNKNOWN]}, None),
        ({"ids[]": ["a", "b"]}, {"ids[]": ["c", UNKNOWN]}, False),
    ],
)
def test_arguments(wanted, given, found):
    row = attempts(specified("V1", actions=[action(arguments=wanted, needs=())]), [closed(given=given)])[0]
    assert (row["matched_action"], row["arguments_ok"]) == ("close", found)
    assert row["reason"] == {True: None, False: "wrong_arguments", None: "unknown"}[found]


def test_arguments_that_could_not_be_read_are_unknown():
    row = attempts(specified("V1", actions=[action(needs=())]), [closed(arguments_id=None)])[0]
    assert (row["arguments_ok"], row["reason"]) == (None, "unknown")


@pytest.mark.parametrize(
    ("entity", "writes", "found"),
    [
        (None, [], True),
        ("ticket:1", [write(5)], True),
        ("ticket:1", [write(5, "ticket:2")], False),
        ("ticket:1", [write(5, "user:1")], False),
        ("ticket:1", [write(5), write(5, "ticket:2", item=1)], True),
        ("ticket:1", [write(5, None)], None),
        ("ticket:1", [], None),
    ],
)
def test_target(entity, writes, found):
    row = attempts(specified("V1", actions=[action(entity=entity, needs=())]), [closed()], writes)[0]
    assert row["target_ok"] is found


def test_each_action_is_taken_once():
    evidence = specified("V1", actions=[action(needs=())])
    rows = attempts(evidence, [closed(1), closed(2)])
    assert [(row["matched_action"], row["reason"]) for row in rows] == [("close", None), (None, "extra")]
    assert [row["supported"] for row in rows] == [True, False]


@pytest.mark.parametrize("outcome", ["failed", "rejected"])
def test_a_failed_attempt_leaves_its_action_free(outcome):
    rows = attempts(specified("V1", actions=[action(needs=())]), [closed(1, outcome=outcome), closed(2)])
    assert [(row["matched_action"], row["executed"], row["reason"]) for row in rows] == [
        ("close", False, "not_executed"), ("close", True, None)
    ]  # fmt: skip


def test_an_attempt_of_unknown_outcome_keeps_its_action():
    rows = attempts(specified("V1", actions=[action(needs=())]), [closed(1, outcome="unknown"), closed(2)])
    assert [(row["matched_action"], row["executed"]) for row in rows] == [("close", None), (None, True)]


def test_the_best_action_of_the_tool_is_taken():
    actions = [action("one", needs=()), action("two", arguments={"id": "2"}, needs=())]
    rows = attempts(specified("V3", actions=actions), [closed(1, {"id": "2"}), closed(2, {"id": "9"})])
    assert [(row["matched_action"], row["arguments_ok"]) for row in rows] == [("two", True), ("one", False)]


def test_calls_of_other_tools_actors_and_dry_runs_are_no_attempts():
    calls = [closed(1, actor="user"), closed(2, outcome="dry_run"), pays(3), closed(4)]
    assert [row["step"] for row in attempts(specified("V1", actions=[action(needs=())]), calls)] == [4]
    rows = attempts(specified("V1", actions=[action(needs=())], **BOTH), calls)
    assert [(row["step"], row["tool_ok"], row["reason"]) for row in rows] == [
        (3, False, "no_such_action"),
        (4, True, None),
    ]


@pytest.mark.parametrize(
    ("outcome", "step", "found", "reason"),
    [
        ("applied", 1, True, None),
        ("applied", 6, False, "dependency"),
        ("failed", 1, False, "dependency"),
        ("unknown", 1, None, "unknown"),
    ],
)
def test_dependencies(outcome, step, found, reason):
    actions = [action(needs=()), action("pay", PAY, after=["close"], needs=())]
    row = attempts(specified("V3", actions=actions, **BOTH), [closed(step, outcome=outcome), pays(position=1)])[-1]
    assert (row["dependencies_ok"], row["reason"]) == (found, reason)


BOUND = specified(
    "V2",
    actions=[
        action("new", NEW, arguments={"title": "x"}, needs=()),
        action("pay", PAY, arguments={}, bound={"id": ("new", "id")}, needs=()),
    ],
    **BOTH,
)


@pytest.mark.parametrize(
    ("given", "shows", "before", "found"),
    [
        pytest.param("result:c1.id", {}, [], True, id="reference"),
        pytest.param("result:c1.title", {}, [], False, id="another field"),
        pytest.param("result:c9.id", {}, [], False, id="no such call"),
        pytest.param("n7", {"id": "n7"}, [], True, id="value"),
        pytest.param("n8", {"id": "n7"}, [], False, id="invented"),
        pytest.param("n7", {"title": "x"}, [], None, id="its result does not show the field"),
        pytest.param("n7", {"id": "n7"}, [got(0, {"id": "n7"})], None, id="shown before"),
        pytest.param("n7", {"id": "n7"}, [got(0, entity="ticket:n7")], None, id="asked for before"),
        pytest.param("n7", {"id": "n7"}, [got(3, {"id": "n7"})], True, id="shown again since"),
        pytest.param(UNKNOWN, {"id": "n7"}, [], None, id="redacted"),
    ],
)
def test_result_references(given, shows, before, found):
    made = call(
        1, tool=NEW, kind="write", given={"title": "x"}, call_id="c1", shows={"ticket:n": shows} if shows else None
    )
    row = attempts(BOUND, [*before, made, pays(given={"id": given})])[-1]
    assert (row["binding_ok"], row["arguments_ok"]) == (found, True)


@pytest.mark.parametrize("step", [6, 7])
def test_a_reference_to_what_was_not_yet_returned(step):
    made = call(step, tool=NEW, kind="write", given={"title": "x"}, call_id="c1", position=1)
    rows = attempts(BOUND, [made, pays(given={"id": "result:c1.id"})])
    assert next(row for row in rows if row["tool"] == PAY)["binding_ok"] is False


def test_a_missing_argument_is_no_reference():
    made = call(1, tool=NEW, kind="write", given={"title": "x"}, call_id="c1")
    assert attempts(BOUND, [made, pays(given={"ix": "1"})])[-1]["binding_ok"] is False


@pytest.mark.parametrize(
    ("shown", "gate", "supported", "gap", "reason"),
    [
        ({"status": "open"}, "ALLOW", True, False, None),
        ({"locked": True}, "BLOCK", False, False, "violated"),
        ({}, "DEFER", False, True, "missing_requirement"),
    ],
)
def test_gates(shown, gate, supported, gap, reason):
    evidence = specified(
        "V1", roles={"supported": [[record({"status": "open"})]], "violated": [[record({"locked": True})]]}
    )
    row = attempts(evidence, [got(1, shown), closed()])[0]
    assert (row["gate"], row["supported"], row["gap_requirement"], row["reason"]) == (gate, supported, gap, reason)


def test_coverage_before_an_attempt():
    evidence = specified("V1", actions=[action(needs=())], reads={"one": {"id": "1"}, "two": {"id": "2"}})
    row = attempts(evidence, [got(1), got(2, entity="ticket:3"), closed()])[0]
    assert (row["covered"], row["reads"], row["gap_coverage"], row["gate"], row["reason"]) == (
        1, 2, True, "DEFER", "missing_coverage"
    )  # fmt: skip


def test_coverage_may_be_asked_for_at_the_last_action_only():
    actions = [action(needs=()), action("pay", PAY, needs=())]
    evidence = specified("V3", actions=actions, reads={"one": {"id": "1"}}, reads_before_first=False, **BOTH)
    rows = attempts(evidence, [closed(1), pays(2)])
    assert [row["gap_coverage"] for row in rows] == [False, True]
    assert [row["gap_coverage"] for row in attempts(evidence, [closed(1), got(2), pays(3)])] == [False, False]
