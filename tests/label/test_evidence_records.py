"""Requirements by the ledger: what was established, when, about which entity, and what came nearest."""

import pytest

from label.building import UNKNOWN, call, write
from label.evidencing import changed, closed, got, read, record, required, specified, state

OPEN = {"status": "open"}
WANTS_OPEN = specified("V1", record(OPEN))


def status(evidence, *arguments, **task):
    row = required(evidence, *arguments, **task)
    return row["status"], row["near_miss"]


@pytest.mark.parametrize(
    ("calls", "writes", "found"),
    [
        pytest.param([got(1, OPEN), closed()], [], ("SUPPORTED", None), id="read before"),
        pytest.param([got(5, OPEN), closed(position=1)], [], ("MISSING", "later"), id="parallel sibling"),
        pytest.param([closed(), got(6, OPEN)], [], ("MISSING", "later"), id="too late"),
        pytest.param(
            [got(5, OPEN), closed(position=1)],
            [changed(5, "done", position=1)], ("MISSING", "later"), id="parallel sibling, superseded by the attempt",
        ),
        pytest.param(
            [closed(), got(6, OPEN)],
            [changed(7, "done", actor="user")], ("MISSING", "later"), id="too late, then stale",
        ),
        pytest.param([got(1, OPEN, "ticket:2"), closed()], [], ("MISSING", "wrong_entity"), id="wrong entity"),
        pytest.param([got(1, {"status": "closed"}), closed()], [], ("MISSING", "none"), id="another value"),
        pytest.param([got(1, OPEN, outcome="failed"), closed()], [], ("MISSING", "none"), id="failed read"),
        pytest.param([got(1), closed()], [], ("MISSING", "none"), id="empty read"),
        pytest.param([got(1, {"title": "x"}), closed()], [], ("MISSING", "none"), id="truncated before the field"),
        pytest.param(
            [got(1, OPEN, flags=["truncated-result"]), closed()],
            [], ("SUPPORTED", None), id="truncated after the field",
        ),
        pytest.param([got(1, OPEN, outcome="unknown"), closed()], [], (None, None), id="unknown outcome"),
        pytest.param([got(1, OPEN, actor="user"), closed()], [], ("MISSING", "none"), id="another actor's read"),
        pytest.param(
            [call(1, tool="tickets.open", kind="write", shows={"ticket:1": OPEN}), closed()],
            [], ("SUPPORTED", None), id="result of a write",
        ),
        pytest.param([closed()], [changed(1, "open")], ("SUPPORTED", None), id="own write"),
        pytest.param([closed()], [changed(1, "open", actor="user")], ("MISSING", "none"), id="another actor's write"),
        pytest.param([closed()], [changed(1, "open", outcome="failed")], ("MISSING", "none"), id="failed write"),
        pytest.param([closed()], [changed(1, "open", outcome="unknown")], (None, None), id="write of unknown outcome"),
        pytest.param([closed()], [changed(1, UNKNOWN)], (None, None), id="write of an unknown value"),
        pytest.param([], [], ("MISSING", "none"), id="at the end"),
        pytest.param([got(1, OPEN)], [], ("SUPPORTED", None), id="established by the end"),
    ],
)  # fmt: skip
def test_what_establishes_a_record(calls, writes, found):
    assert status(WANTS_OPEN, calls, writes) == found


@pytest.mark.parametrize(
    ("writes", "found"),
    [
        pytest.param([changed(2, "done")], ("MISSING", "stale"), id="own write"),
        pytest.param([changed(2, "done", actor="user")], ("MISSING", "stale"), id="another actor's write"),
        pytest.param([changed(2, "done", outcome="unknown")], (None, None), id="unknown outcome"),
        pytest.param([changed(2, "done", outcome="failed")], ("SUPPORTED", None), id="failed"),
        pytest.param([changed(2, "open")], ("SUPPORTED", None), id="the same value again"),
        pytest.param([write(2, set={"title": "x"})], ("SUPPORTED", None), id="another field"),
        pytest.param([changed(2, "done", entity="ticket:2")], ("SUPPORTED", None), id="another entity"),
        pytest.param([write(2, effect="delete")], ("MISSING", "stale"), id="deletion"),
        pytest.param([write(2, effect="replace", opaque=True)], ("MISSING", "stale"), id="opaque replacement"),
        pytest.param([write(2, add={"status": ["x"]})], ("MISSING", "stale"), id="member added"),
        pytest.param([changed(5, "done")], ("SUPPORTED", None), id="in the attempt's own step"),
        pytest.param([changed(1, "done")], ("SUPPORTED", None), id="by the very call that showed it"),
        pytest.param([changed(1, "done", position=1)], ("MISSING", "stale"), id="by a parallel call after it"),
        pytest.param([changed(0, "done")], ("SUPPORTED", None), id="before it was shown"),
    ],
)  # fmt: skip
def test_a_superseded_fact_is_stale(writes, found):
    assert status(WANTS_OPEN, [got(1, OPEN), closed()], writes) == found


def test_what_is_read_again_is_fresh():
    calls = [got(1, OPEN), got(3, OPEN), closed()]
    assert status(WANTS_OPEN, calls, [changed(2, "done", actor="user")]) == ("SUPPORTED", None)


def test_all_parts_must_hold_in_one_record():
    wanted = specified("V1", record({"status": "open", "owner": "ann"}))
    apart = [got(1, OPEN), got(2, {"owner": "ann"}), closed()]
    assert required(wanted, apart)["status"] == "MISSING"
    assert required(wanted, [got(1, {"status": "open", "owner": "ann"}), closed()])["status"] == "SUPPORTED"
    assert required(specified("V1", state({"status": "open", "owner": "ann"})), apart)["status"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("first", "second", "writes", "found"),
    [
        ("done", "open", [], "SUPPORTED"),
        ("open", "done", [], "MISSING"),
        ("open", "open", [changed(3, "done")], "MISSING"),
        ("done", "open", [changed(3, "gone", outcome="unknown")], None),
        ("done", "gone", [changed(3, "open", outcome="unknown")], None),
        ("done", "gone", [changed(3, "shut", outcome="unknown")], "MISSING"),
    ],
)
def test_a_state_holds_as_its_latest_value_does(first, second, writes, found):
    calls = [got(1, {"status": first}), got(2, {"status": second}), closed()]
    assert required(specified("V1", state(OPEN)), calls, writes)["status"] == found


def test_a_state_that_was_so_is_stale():
    row = required(specified("V1", state(OPEN)), [got(1, OPEN), closed()], [changed(2, "done", actor="user")])
    assert (row["status"], row["near_miss"], row["near_step"]) == ("MISSING", "stale", 1)


@pytest.mark.parametrize(
    ("test", "value", "found"),
    [
        (("is", ["new", "open"]), "open", "SUPPORTED"),
        (("is_not", "open"), "open", "MISSING"),
        (("is_not", "open"), None, "SUPPORTED"),
        (("contains", "pe"), "open", "SUPPORTED"),
        (("contains", "open"), ["open", "x"], "SUPPORTED"),
        (("contains", "ope"), ["open"], "MISSING"),
        (("not_contains", "x"), "open", "SUPPORTED"),
        (("present", None), "open", "SUPPORTED"),
        (("present", None), " ", "MISSING"),
        (("present", None), None, "MISSING"),
        (("any", None), None, "SUPPORTED"),
    ],
)
def test_tests_of_a_field(test, value, found):
    assert required(specified("V1", record({"status": test})), [got(1, {"status": value}), closed()])["status"] == found


@pytest.mark.parametrize("entity", ["ticket:1", "ticket:{arguments.id}", None])
@pytest.mark.parametrize(("given", "found"), [("1", "SUPPORTED"), ("2", "MISSING")])
def test_a_field_must_equal_an_argument_of_the_attempt(entity, given, found):
    wanted = specified("V1", record({"id": ("argument", "id")}, entity=entity))
    assert required(wanted, [got(1, {"id": "1"}), closed(given={"id": given})])["status"] == found


def test_a_missing_argument_names_no_entity():
    wanted = specified("V1", record(OPEN, entity="ticket:{arguments.id}"))
    assert required(wanted, [got(1, OPEN), closed(given={"other": "1"})])["status"] == "MISSING"
    assert required(wanted, [got(1, OPEN), closed(given={"id": UNKNOWN})])["status"] is None
    assert required(wanted, [got(1, OPEN), closed(given=None, arguments_id=None)])["status"] is None


def test_identity_is_dropped_to_find_what_is_near():
    wanted = specified("V1", record({"owner": "ann", "status": "open"}, entity=None, identity=["owner"]))
    row = required(wanted, [got(1, {"owner": "bob", "status": "open"}), got(2, {"owner": "ann"}), closed()])
    assert (row["status"], row["near_miss"], row["near_step"], row["near_position"]) == (
        "MISSING",
        "wrong_entity",
        1,
        0,
    )


def test_the_context_and_known_reads_establish_records():
    context = specified("V1", record(OPEN), context={"ticket:1": OPEN})
    row = required(context, [closed()])
    assert (row["status"], row["established_by"], row["established_step"], row["established_position"]) == (
        "SUPPORTED", "context", -1, None
    )  # fmt: skip
    told = specified("V1", record(OPEN), facts=[({"id": "1"}, "ticket:1", OPEN)])
    row = required(told, [got(1, entity="ticket:1"), closed()])
    assert (row["status"], row["established_by"], row["established_step"]) == ("SUPPORTED", "read", 1)
    assert required(told, [got(1, entity="ticket:2"), closed()])["status"] == "MISSING"
    anyone = specified("V1", record(OPEN), facts=[({"id": "*"}, "ticket:1", OPEN)])
    assert required(anyone, [got(1, entity="ticket:2"), closed()])["status"] == "SUPPORTED"


def test_alternatives_and_roles():
    either = {"supported": [[record(OPEN)], [record({"status": "new"})]]}
    assert required(specified("V1", roles=either), [got(1, {"status": "new"}), closed()])["status"] == "SUPPORTED"
    roles = {
        "supported": [[read()]],
        "violated": [[record({"locked": True})]],
        "inactive": [[record({"kind": "test"})]],
    }
    wanted = specified("V1", roles=roles)
    every = got(1, {"locked": True, "kind": "test"})
    assert required(wanted, [every, closed()])["status"] == "INACTIVE"
    row = required(wanted, [got(1, {"locked": True}), closed()])
    assert (row["status"], row["reason"], row["near_miss"]) == ("VIOLATED", "violated 0", "none")
    assert required(wanted, [got(1, {"kind": "real"}), closed()])["status"] == "SUPPORTED"
    assert required(wanted, [closed()])["reason"] == "not known"
    assert required(wanted, [got(1, {"locked": True}, outcome="unknown"), closed()])["status"] is None


def test_it_became_established_when_the_last_condition_did():
    wanted = specified("V1", record({"status": "open"}), record({"owner": "ann"}))
    calls = [got(1, {"owner": "ann"}), got(3, {"status": "open"}), got(4, {"status": "open"}), closed()]
    row = required(wanted, calls)
    assert (row["established_step"], row["established_position"], row["established_by"]) == (3, 0, "observation")


def test_where_calls_were_lost_nothing_is_surely_missing():
    assert status(WANTS_OPEN, [closed()], calls_lost=True) == (None, None)
    assert status(WANTS_OPEN, [got(1, OPEN), closed()], calls_lost=True) == ("SUPPORTED", None)


def hidden(step, **parts):
    return write(step, None, **{"entity_type": "ticket", "set": {"status": "done"}} | parts)


@pytest.mark.parametrize(
    ("doubtful", "found"),
    [
        pytest.param(hidden(2), None, id="which entity is redacted"),
        pytest.param(hidden(2, actor="user", outcome="unknown"), None, id="perhaps, by somebody else"),
        pytest.param(hidden(2, entity_type=None, arguments_known=False, effect="touch", set={}), None, id="undeclared"),
        pytest.param(hidden(2, entity_type=None, arguments_known=False, opaque=True, set={}), None, id="unreadable"),
        pytest.param(hidden(2, effect="delete", set={}), None, id="something was deleted"),
        pytest.param(hidden(2, set={"status": UNKNOWN}), None, id="neither which entity nor which value"),
        pytest.param(hidden(2, set={"status": "open"}), "SUPPORTED", id="to the value that was shown"),
        pytest.param(hidden(2, set={"title": "x"}), "SUPPORTED", id="another field"),
        pytest.param(hidden(2, entity_type="user"), "SUPPORTED", id="another type"),
        pytest.param(hidden(2, effect="create", actor="user"), "SUPPORTED", id="created"),
        pytest.param(hidden(2, outcome="failed"), "SUPPORTED", id="failed"),
        pytest.param(hidden(5), "SUPPORTED", id="in the attempt's own step"),
        pytest.param(hidden(1), "SUPPORTED", id="by the very call that showed it"),
        pytest.param(hidden(1, position=1), None, id="by a parallel call after it"),
        pytest.param(hidden(0), "SUPPORTED", id="before it was shown"),
    ],
)
def test_a_write_of_an_unknown_entity_puts_facts_in_doubt(doubtful, found):
    assert required(WANTS_OPEN, [got(1, OPEN), closed()], [doubtful])["status"] == found
    assert required(specified("V1", state(OPEN)), [got(1, OPEN), closed()], [doubtful])["status"] == found


def test_what_is_in_doubt_is_read_again_or_superseded_for_sure():
    assert status(WANTS_OPEN, [got(1, OPEN), got(3, OPEN), closed()], [hidden(2)]) == ("SUPPORTED", None)
    assert status(WANTS_OPEN, [got(1, OPEN), closed()], [hidden(2), changed(3, "done")]) == ("MISSING", "stale")
    appended = specified("V1", record(OPEN), profile="safeact")
    assert status(appended, [got(1, OPEN), closed()], [hidden(2)]) == ("SUPPORTED", None)


LOST = got(1, outcome="unknown", says=None)


@pytest.mark.parametrize("wanted", [record(OPEN), state(OPEN), record(OPEN, entity=None), read(entity="ticket:1")])
@pytest.mark.parametrize(
    ("calls", "found"),
    [
        pytest.param([LOST, closed()], (None, None), id="nothing came back"),
        pytest.param([got(1, says=None), closed()], (None, None), id="applied, but no result is there"),
        pytest.param([got(1, outcome="failed", says=None), closed()], ("MISSING", "none"), id="failed"),
        pytest.param([got(5, says=None), closed(position=1)], ("MISSING", "none"), id="in the attempt's own step"),
        pytest.param([got(1, says=None, actor="user"), closed()], ("MISSING", "none"), id="somebody else's"),
        pytest.param([call(1, tool="other", kind="read"), closed()], ("MISSING", "none"), id="out of scope"),
        pytest.param([LOST, got(2, OPEN), closed()], ("SUPPORTED", None), id="shown by another read"),
        pytest.param([LOST], (None, None), id="at the end"),
    ],
)
def test_a_read_whose_result_is_lost_may_have_shown_anything(wanted, calls, found):
    assert status(specified("V1", wanted), calls) == found


def test_a_lost_result_may_have_violated_or_been_of_no_concern():
    roles = {"supported": [[record(OPEN)]], "violated": [[record({"locked": True})]]}
    assert status(specified("V1", roles=roles), [got(1, OPEN), closed()]) == ("SUPPORTED", None)
    assert status(specified("V1", roles=roles), [got(1, OPEN), got(2, says=None), closed()]) == (None, None)


def test_what_the_task_says_of_a_tool_is_known_though_its_result_is_lost():
    told = specified("V1", record(OPEN), facts=[({"id": "1"}, "ticket:1", OPEN)])
    assert required(told, [LOST, closed()])["status"] is None
    assert required(told, [got(1, says=None), closed()])["status"] == "SUPPORTED"
    assert required(told, [got(1, entity="ticket:2", outcome="unknown", says=None), closed()])["status"] == "MISSING"


def test_no_lost_result_meets_what_names_an_argument_that_is_not_there():
    for wanted in (record(OPEN, entity="ticket:{arguments.id}"), record({"status": ("argument", "id")})):
        evidence = specified("V1", wanted)
        assert required(evidence, [LOST, closed(given={"other": "1"})])["status"] == "MISSING"
        assert required(evidence, [LOST, closed(given={"id": UNKNOWN})])["status"] is None


def test_nothing_is_lost_under_the_rules_of_safeact():
    assert status(specified("V1", record(OPEN), profile="safeact"), [LOST, closed()]) == ("MISSING", "none")


def test_for_a_rule_any_read_may_be_lost():
    ruled = specified("V1", rules={"rule": [[record(OPEN)]]})
    for kind, found in (("read", None), ("both", None), ("ask", "MISSING")):
        lost = call(1, tool="other", kind=kind)
        assert required(ruled, [lost, closed()], name="rule")["status"] == found


@pytest.mark.parametrize("wanted", [record(OPEN), state(OPEN), record(OPEN, entity="ticket:{arguments.id}")])
@pytest.mark.parametrize(
    ("entity", "found"), [("ticket:", (None, None)), ("unknown:", (None, None)), ("user:", ("MISSING", "wrong_entity"))]
)
def test_a_record_of_an_unknown_entity_may_be_of_the_one(wanted, entity, found):
    evidence = specified("V1", wanted)
    assert status(evidence, [got(1, OPEN, entity), closed()]) == found
    assert status(evidence, [got(1, OPEN, entity), got(2, OPEN), closed()]) == ("SUPPORTED", None)
    assert status(evidence, [got(1, {"status": "done"}, entity), closed()])[0] == "MISSING"


def test_where_a_record_of_an_unknown_entity_counts():
    shown = [got(1, OPEN, "ticket:"), closed()]
    assert required(specified("V1", record(OPEN, entity=None)), shown)["status"] == "SUPPORTED"
    assert required(specified("V1", read(entity="ticket:1")), shown)["status"] is None
    assert required(specified("V1", read(entity="user:1")), shown)["status"] == "MISSING"
    nobody = specified("V1", record(OPEN), facts=[({"id": "1"}, None, OPEN)])
    assert required(nobody, [got(1), closed()])["status"] == "MISSING"
    assert required(WANTS_OPEN, [closed()], [hidden(2, set=OPEN)])["status"] is None
