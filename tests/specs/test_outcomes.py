import pytest

from misstep.contracts.trace import Call

ONE_RULE = """
failed_when: {result: "^Error"}
tools:
  close: {kind: none}
  pay:
    kind: none
    failed_when: {result: "denied|not signed in"}
  start:
    kind: none
    succeeded_when: {result.status: ^started}
  both:
    kind: none
    succeeded_when: {result.status: ^started}
    failed_when: {result.text: denied}
"""


@pytest.mark.parametrize(
    ("tool", "parts", "outcome"),
    [
        ("close", {"result": "Error: no such ticket"}, "failed"),
        ("close", {"result": "Closed, no Error"}, "applied"),
        ("close", {"result": "2 lines: Traceback (most recent call last)"}, "applied"),
        ("pay", {"result": "denied before running"}, "failed"),
        ("pay", {"result": "Error is no rule of this tool"}, "applied"),
        ("pay", {"result": "pay failed: not signed in", "failed": False}, "failed"),
        ("pay", {"result": "fine", "failed": True}, "failed"),
        ("start", {"result": '{"status": "started"}'}, "applied"),
        ("start", {"result": '{"status": "refused"}'}, "failed"),
        ("start", {"result": "no"}, "failed"),
        ("close", {"has_result": False}, "unknown"),
        ("close", {"result": "fine", "outcome": "rejected"}, "rejected"),
        ("close", {"result": "", "error": "Error: no"}, "failed"),
        ("both", {"result": '{"status": "started", "text": "ok"}'}, "applied"),
        ("both", {"result": '{"status": "no", "text": "denied"}'}, "failed"),
        ("both", {"result": '{"status": "no", "text": "?"}'}, "failed"),
    ],
)
def test_outcome_of_a_call(tools_of, run, tool, parts, outcome):
    ran = run(tools_of(ONE_RULE), tool, {}, **parts)
    assert (ran.outcome, ran.codes) == (outcome, [])


@pytest.mark.parametrize(
    "parts",
    [
        {"result": '{"status": "started and stopped", "text": "denied before running"}'},
        {"result": '{"status": "no", "text": "denied"}', "failed": False},
        {"result": '{"status": "started", "text": "ok"}', "failed": True},
        {"result": '{"status": "no", "text": "denied"}', "outcome": "applied"},
    ],
)
def test_status_and_text_that_contradict_each_other_leave_the_outcome_unknown(tools_of, run, parts):
    ran = run(tools_of(ONE_RULE), "both", {}, **parts)
    assert (ran.outcome, ran.codes) == ("unknown", ["conflicting-outcome"])


@pytest.mark.parametrize(
    ("result", "codes"),
    [
        ("pay failed: not signed in", ["error-like-text"]),
        ("Error 503", ["error-like-text"]),
        ('{"error": "no"}', ["error-like-text"]),
        ("2 lines: Traceback", []),
        ("Sent. The report lists every error of last week.", []),
        ('{"error": null}', []),
    ],
)
def test_a_text_like_an_error_is_noted_where_no_rule_says_what_it_is(tools_of, run, result, codes):
    ran = run(tools_of("tools: {pay: {kind: none}}"), "pay", {}, result=result)
    assert (ran.outcome, ran.codes) == ("applied", codes)


DRY = """
tools:
  set_price:
    kind: write
    dry_run: {arguments.dry_run: [true, "^true$"]}
    writes: [{action: update, entity: "price:{arguments.id}", set: {amount: arguments.amount}}]
"""


@pytest.mark.parametrize(
    ("dry_run", "outcome"),
    [(True, "dry_run"), ("true", "dry_run"), (False, "applied"), ("maybe", "applied"), (None, "applied")],
)
def test_a_dry_run_is_what_the_tools_file_says_it_is(tools_of, run, dry_run, outcome):
    ran = run(tools_of(DRY), "set_price", {"id": "P1", "amount": 5, "dry_run": dry_run}, result="ok")
    assert [row.outcome for row in ran.writes] == [outcome]


def test_what_the_harness_ran_decides_and_not_what_was_asked_for(tools_of, run):
    arguments = {"id": "P1", "amount": 5, "dry_run": True}
    ran = run(tools_of(DRY), "set_price", arguments, executed={"id": "P1", "amount": 6}, result="ok")
    assert ran.outcome == "applied"
    assert ran.fields == [{"amount": "6"}]


def test_a_call_of_an_unknown_tool_did_not_run_where_its_result_says_so(tools_of):
    tools = tools_of("unknown_tool_when: {result: is not a valid tool}\ntools: {}")
    assert tools.get("delete_everything") is None
    told = Call(1, 0, "delete_everything", {}, result="delete_everything is not a valid tool, try one of []")
    assert tools.unknown_outcome(told) == "rejected"
    assert tools.unknown_outcome(Call(1, 0, "x", {}, result="", error="x is not a valid tool")) == "rejected"
    assert tools.unknown_outcome(Call(1, 0, "delete_everything", {}, result="deleted")) == "applied"
    assert tools.unknown_outcome(Call(1, 0, "delete_everything", {}, has_result=False)) == "unknown"
