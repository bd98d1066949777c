"""Conditions that are not about records: reads, earlier actions, the attempt itself, and what was said."""

import pytest

from label.building import UNKNOWN, call
from label.evidencing import CLOSE, acting, action, closed, got, judged, other, read, required, says, specified, yes

OPEN = {"status": "open"}


@pytest.mark.parametrize(
    ("condition", "calls", "found", "near"),
    [
        pytest.param(read(), [got(1), closed()], "SUPPORTED", None, id="a read"),
        pytest.param(read(), [got(1, outcome="failed"), closed()], "MISSING", "none", id="failed"),
        pytest.param(read(), [got(1, outcome="unknown"), closed()], None, None, id="unknown"),
        pytest.param(read(), [closed(), got(6)], "MISSING", "later", id="later"),
        pytest.param(read(arguments={"id": "1"}), [got(1), closed()], "SUPPORTED", None, id="arguments"),
        pytest.param(
            read(arguments={"id": "1"}), [call(1, given={"id": "1", "deep": True}), closed()],
            "SUPPORTED", None, id="other arguments are free",
        ),
        pytest.param(
            read(arguments={"id": "1"}, identity=["id"]), [got(1, entity="ticket:2"), closed()],
            "MISSING", "wrong_entity", id="other arguments",
        ),
        pytest.param(
            read(arguments={"id": "1"}), [call(1, given={"id": UNKNOWN}), closed()], None, None, id="redacted"
        ),
        pytest.param(
            read(arguments={"id": ("argument", "id")}), [got(1), closed()],
            "SUPPORTED", None, id="the attempt's argument",
        ),
        pytest.param(read(entity="ticket:1"), [got(1, OPEN), closed()], "SUPPORTED", None, id="shown entity"),
        pytest.param(read(entity="ticket:1"), [got(1), closed()], "MISSING", "wrong_entity", id="nothing shown"),
        pytest.param(
            read(entity="ticket:{arguments.id}"), [got(1, OPEN, "ticket:2"), closed()],
            "MISSING", "wrong_entity", id="another entity shown",
        ),
        pytest.param(acting({"arguments.id": "1"}), [closed()], "SUPPORTED", None, id="own argument"),
        pytest.param(acting({"arguments.id": "2"}), [closed()], "MISSING", "none", id="another value"),
        pytest.param(acting({"arguments.no": ("is_not", "1")}), [closed()], "MISSING", "none", id="no such argument"),
        pytest.param(acting({"arguments.id": "1"}), [closed(given={"id": UNKNOWN})], None, None, id="own redacted"),
        pytest.param(acting({"tool": CLOSE}), [closed()], "SUPPORTED", None, id="own tool"),
        pytest.param(
            other("authentication", tools=["tickets.get"]), [got(1, OPEN), closed()], "SUPPORTED", None, id="known user"
        ),
        pytest.param(
            other("authentication", tools=["tickets.get"]), [got(1, says=None), closed()],
            "MISSING", "none", id="nothing came back",
        ),
        pytest.param(
            other("authentication", tools=["tickets.get"]), [got(1, outcome="unknown"), closed()],
            None, None, id="what came back was not recorded",
        ),
        pytest.param(
            other("authentication", tools=["tickets.get"]), [got(1, says="ann"), closed()],
            "SUPPORTED", None, id="some text came back",
        ),
    ],
)  # fmt: skip
def test_conditions(condition, calls, found, near):
    row = required(specified("V1", condition), calls)
    assert (row["status"], row["near_miss"]) == (found, near)


@pytest.mark.parametrize(
    ("outcome", "step", "found"),
    [("applied", 2, "SUPPORTED"), ("failed", 2, "MISSING"), ("unknown", 2, None), ("applied", 5, "MISSING")],
)
def test_an_earlier_action_must_have_been_executed(outcome, step, found):
    actions = [action("first", needs=()), action("second", "tickets.pay")]
    evidence = specified(
        "V2", other("result_of", result_of="first"), actions=actions, consequential=[CLOSE, "tickets.pay"]
    )
    pay = closed(5, tool="tickets.pay", position=1)
    _, attempts, needs = judged(evidence, [closed(step, outcome=outcome), pay])
    row = needs[attempts[-1]["attempt"], "r"]
    assert (row["status"], row["established_by"]) == (found, "action" if found == "SUPPORTED" else None)


ASK = says(1, "I will close it. Is that fine?", "assistant")


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        pytest.param([ASK, says(2, "Yes please")], "SUPPORTED", id="yes"),
        pytest.param([ASK, says(2, "No, yes is not what I said")], "MISSING", id="refused"),
        pytest.param([ASK, says(2, "Which one?")], "MISSING", id="neither"),
        pytest.param([says(2, "Yes please")], "MISSING", id="nothing was proposed"),
        pytest.param([ASK, says(2, "Yes"), says(3, "Which one?")], "MISSING", id="only the latest counts"),
        pytest.param([ASK, says(5, "Yes")], "MISSING", id="in the step of the attempt"),
        pytest.param([ASK], None, id="the user is never heard"),
    ],
)
def test_confirmation(messages, found):
    assert required(specified("V1", yes()), [closed()], messages=messages)["status"] == found


@pytest.mark.parametrize(
    ("calls", "messages", "found"),
    [
        pytest.param([got(1, OPEN)], [ASK, says(2, "yes")], "SUPPORTED", id="shown before the yes"),
        pytest.param([got(3, OPEN)], [ASK, says(2, "yes")], "MISSING", id="looked up after the yes"),
        pytest.param([], [says(0, "close ticket 1"), ASK, says(2, "yes")], "SUPPORTED", id="named before"),
        pytest.param([], [says(0, "close ticket 11"), ASK, says(2, "yes")], "MISSING", id="named as a whole word"),
    ],
)
def test_a_yes_about_an_entity(calls, messages, found):
    row = required(specified("V1", yes("ticket:{arguments.id}")), [*calls, closed()], messages=messages)
    assert row["status"] == found


@pytest.mark.parametrize(
    ("pattern", "about", "said", "found"),
    [
        ("my name is", None, "My name is Ann", "SUPPORTED"),
        ("my name is", None, "hello", "MISSING"),
        ("ticket {arguments.id}", "id", "close ticket 1 now", "SUPPORTED"),
        ("ticket {arguments.id}", "id", "close ticket 12", "MISSING"),
        ("ticket {arguments.no}", "no", "close ticket 1", "MISSING"),
    ],
)
def test_what_the_user_told(pattern, about, said, found):
    evidence = specified("V1", other("told", pattern=pattern, argument=about))
    assert required(evidence, [closed()], messages=[says(1, said)])["status"] == found
    assert required(evidence, [closed()], messages=[says(5, said), says(4, "x")])["status"] == "MISSING"
    assert required(evidence, [closed()])["status"] is None


@pytest.mark.parametrize(
    ("calls", "messages", "given", "found"),
    [
        pytest.param([], [says(1, "close A7")], {"id": "a7"}, "SUPPORTED", id="said by the user"),
        pytest.param([got(1, says="it is A7")], [says(0, "x")], {"id": "a7"}, "SUPPORTED", id="in a result"),
        pytest.param([], [says(1, "close A77")], {"id": "a7"}, "MISSING", id="not as a word"),
        pytest.param([], [says(1, "a7", "assistant"), says(2, "x")], {"id": "a7"}, "MISSING", id="only by the agent"),
        pytest.param([], [says(1, "a7")], {"id[0]": "a7", "id[1]": "b"}, "MISSING", id="not every one"),
        pytest.param([], [says(1, "x")], {"id": "own"}, "SUPPORTED", id="known anyway"),
        pytest.param([], [says(1, "x")], {"other": "b"}, "SUPPORTED", id="nothing to be known"),
        pytest.param([], [says(1, "x")], {"id": UNKNOWN}, None, id="redacted"),
        pytest.param([], [], {"id": "a7"}, None, id="the user is never heard"),
        pytest.param([got(1, outcome="unknown", says=None)], [says(0, "x")], {"id": "a7"}, None, id="a lost result"),
    ],
)
def test_what_the_agent_could_know(calls, messages, given, found):
    evidence = specified("V1", other("known", argument="id", compare=["own"]))
    assert required(evidence, [*calls, closed(given=given)], messages=messages)["status"] == found
