"""Goal conditions and reference goals, and the net view."""

import pytest

from label.building import ENTITY, UNKNOWN, condition, episode, gold, write

STATE = {
    ENTITY: {"status": "open", "title": "Fix pump", "tags": ["a"]},
    "ticket:2": {"status": "open", "title": "Paint wall"},
    "ticket:3": None,
}
CLOSE = {"set": {"status": "closed"}}
OTHER, GONE = "ticket:2", "ticket:3"
CALL = {"effect": "replace", "opaque": True, "arguments": {"id": 1}}
NEW = "ticket:new:1.0.0"
ALL_OPEN = {"entity": "ticket:", "where": {"status": "open"}}


@pytest.mark.parametrize(
    ("writes", "goal", "reached"),
    [
        pytest.param([], condition("is", "open", "status"), True, id="as it was"),
        pytest.param([write(**CLOSE)], condition("is", "closed", "status"), True, id="is"),
        pytest.param([write(**CLOSE, outcome="failed")], condition("is", "closed", "status"), False, id="failed"),
        pytest.param([write(**CLOSE, outcome="unknown")], condition("is", "closed", "status"), None, id="unknown"),
        pytest.param([write(**CLOSE, actor="user")], condition("is", "closed", "status"), True, id="user did it"),
        pytest.param(
            [write(**CLOSE), write(2, set={"status": "open"})], condition("is", "closed", "status"), False, id="undone"
        ),
        pytest.param(
            [write(**CLOSE, outcome="unknown"), write(2, **CLOSE)],
            condition("is", "closed", "status"), True, id="applied after an unknown one",
        ),
        pytest.param([write(set={"status": UNKNOWN})], condition("is", "closed", "status"), None, id="redacted"),
        pytest.param([], condition("is", 1, "owner"), None, id="unlisted field"),
        pytest.param([], condition("is", 1, "owner", entity="ticket:9"), False, id="no such entity"),
        pytest.param([write(entity=None, **CLOSE)], condition("is", "open", "status"), None, id="unknown entity"),
        pytest.param(
            [write(entity="ticket:9", outcome="unknown", set={"a": 1})],
            condition("exists", True, entity="ticket:9"), None, id="unlisted, but maybe written",
        ),
        pytest.param([], condition("contains", "pump", "title"), True, id="contains text"),
        pytest.param([], condition("contains", "Pump", "title"), False, id="case counts"),
        pytest.param([], condition("contains", "a", "tags"), True, id="contains a member"),
        pytest.param([write(set={"title": 1})], condition("contains", 1, "title"), False, id="a number contains none"),
        pytest.param([write(add={"tags": ["b"]})], condition("contains", "b", "tags"), True, id="member added"),
        pytest.param([write(remove={"tags": ["a"]})], condition("contains", "a", "tags"), False, id="member removed"),
        pytest.param([write(set={"tags": ["c"]})], condition("contains", "a", "tags"), False, id="list replaced"),
        pytest.param([], condition("exists", True), True, id="exists"),
        pytest.param([], condition("exists", True, entity="ticket:9"), False, id="does not exist"),
        pytest.param([write(effect="delete")], condition("exists", True), False, id="deleted"),
        pytest.param([write(effect="delete")], condition("absent", True), True, id="absent"),
        pytest.param([write(effect="delete", outcome="unknown")], condition("absent", True), None, id="maybe absent"),
        pytest.param([write(**CLOSE, outcome="unknown")], condition("exists", True), True, id="there either way"),
        pytest.param([write(**CALL, outcome="unknown")], condition("absent", True), False, id="opaque either way"),
        pytest.param(
            [write(**CLOSE), write(2, **CALL, outcome="unknown")],
            condition("absent", True), False, id="written, then maybe opaque",
        ),
        pytest.param(
            [write(effect="delete"), write(2, **CLOSE, outcome="unknown")],
            condition("exists", True), None, id="maybe brought back",
        ),
        pytest.param(
            [write(effect="delete"), write(2, **CLOSE, outcome="unknown"), write(3, **CLOSE)],
            condition("exists", True), True, id="brought back",
        ),
        pytest.param(
            [write(entity=GONE, outcome="unknown")], condition("absent", True, entity=GONE), None, id="maybe never gone"
        ),
        pytest.param([write(effect="delete")], condition("is", "open", "status"), False, id="field of a deleted one"),
        pytest.param([], condition("count", 2, **ALL_OPEN), True, id="count"),
        pytest.param([write(**CLOSE)], condition("count", 1, **ALL_OPEN), True, id="count after a write"),
        pytest.param([write(**CLOSE, outcome="unknown")], condition("count", 1, **ALL_OPEN), None, id="count open"),
        pytest.param([write(**CLOSE, outcome="unknown")], condition("count", 3, **ALL_OPEN), False, id="too high"),
        pytest.param(
            [write(entity=NEW, create={"status": "open"})], condition("count", 3, **ALL_OPEN), True, id="count created"
        ),
        pytest.param([write(effect="delete")], condition("count", 1, **ALL_OPEN), True, id="count without deleted"),
        pytest.param(
            [write(entity=NEW, create={"title": "x"})],
            condition("exists", True, entity="ticket:", where={"title": "x"}), True, id="one that matches exists",
        ),
        pytest.param(
            [], condition("absent", True, entity="ticket:", where={"title": "x"}), True, id="none that matches"
        ),
        pytest.param(
            [write(entity=OTHER, set={"owner": "me"})],
            condition("is", "me", "owner", entity="ticket:", where={"title": "Paint wall"}), True, id="where and is",
        ),
        pytest.param(
            [write(entity=OTHER, set={"owner": "me"})],
            condition("is", "me", "owner", entity="ticket:", where={"title": "Fix pump"}), None, id="where, unlisted",
        ),
    ],
)  # fmt: skip
def test_condition(writes, goal, reached):
    assert episode(writes, goals=[goal], state=STATE)["goal"] is reached


@pytest.mark.parametrize(
    ("goals", "reached"),
    [
        ([], True),
        ([condition("exists", True), condition("is", 1, "owner")], None),
        ([condition("absent", True), condition("is", 1, "owner")], False),
        ([condition("exists", True), condition("is", "open", "status")], True),
    ],
)
def test_all_conditions_must_hold(goals, reached):
    assert episode(goals=goals, state=STATE)["goal"] is reached


def test_without_a_state_nothing_is_known_of_what_was_not_written():
    assert episode(goals=[condition("exists", True)])["goal"] is None
    assert episode([write(**CLOSE)], goals=[condition("is", "closed", "status")])["goal"] is True


@pytest.mark.parametrize(
    ("task", "reached"),
    [
        ({"status": "aborted"}, False),
        ({"status": "infrastructure_failure"}, False),
        ({"status": "budget_exhausted"}, False),
        ({"calls_lost": True}, None),
        ({"calls_lost": True, "status": "aborted"}, False),
        ({"goals": None}, None),
        ({"goals": None, "ambiguous": True}, True),
        ({"ambiguous": True, "calls_lost": True}, True),
        ({"ambiguous": True, "status": "aborted"}, False),
        ({"task_known": False}, None),
    ],
)
def test_goal_by_status_and_task(task, reached):
    assert episode(**({"goals": [condition("exists", True)], "state": STATE} | task))["goal"] is reached


SENT = {"entity": "email:new:1.0.1", "create": {"to": "a"}, "item": 1, "follows": 0}


@pytest.mark.parametrize(
    ("writes", "reference", "reached"),
    [
        pytest.param([], [], True, id="nothing to do"),
        pytest.param([write(**CLOSE)], [], False, id="something done"),
        pytest.param([], [gold(**CLOSE)], False, id="nothing done"),
        pytest.param([write(**CLOSE)], [gold(**CLOSE)], True, id="the same"),
        pytest.param([write(set={"status": "x"})], [gold(**CLOSE)], False, id="another value"),
        pytest.param([write(set={"status": "x"}), write(2, **CLOSE)], [gold(**CLOSE)], True, id="the end counts"),
        pytest.param([write(**CLOSE), write(2, set={"status": "open"})], [], True, id="undone"),
        pytest.param([write(set={"status": "open"})], [gold(set={"status": "open"})], True, id="no-op on both sides"),
        pytest.param([], [gold(set={"status": "open"})], True, id="a no-op of the reference"),
        pytest.param([], [gold(inert=True, **CLOSE)], True, id="an inert write of the reference"),
        pytest.param([write(**CLOSE, outcome="unknown")], [gold(**CLOSE)], None, id="unknown outcome"),
        pytest.param(
            [write(**CLOSE, outcome="unknown"), write(2, entity=OTHER, **CLOSE)],
            [gold(**CLOSE)], False, id="unknown outcome and a mismatch",
        ),
        pytest.param(
            [write(set={"body": "x"}, free=["body"])],
            [gold(set={"body": "y"}, free=["body"])], True, id="free fields are not compared",
        ),
        pytest.param([write(effect="delete")], [gold(effect="delete")], True, id="deleted"),
        pytest.param(
            [write(**CLOSE), write(2, effect="delete")], [gold(effect="delete")], True, id="changed, then deleted"
        ),
        pytest.param(
            [write(add={"tags": ["b"]}), write(2, effect="delete")],
            [gold(**CLOSE), gold(2, effect="delete")], True, id="changed otherwise, then deleted on both sides",
        ),
        pytest.param([write(**CLOSE)], [gold(**CLOSE), gold(2, effect="delete")], False, id="changed, not deleted"),
        pytest.param([write(entity=GONE, **CLOSE, outcome="unknown")], [], None, id="what is not there, maybe written"),
        pytest.param(
            [write(effect="delete"), write(2, **CLOSE, outcome="unknown")],
            [gold(effect="delete")], None, id="deleted, then maybe brought back",
        ),
        pytest.param(
            [write(entity=GONE, **CLOSE, outcome="unknown")],
            [gold(**CLOSE)], False, id="what is not there, maybe written, and a mismatch",
        ),
        pytest.param([write(**CLOSE, actor="user")], [gold(**CLOSE, actor="user")], True, id="other actors count"),
        pytest.param(
            [write(entity="ticket:7", create={"a": 1})], [gold(entity=NEW, create={"a": 1})], True, id="no ids"
        ),
        pytest.param(
            [write(entity="ticket:7", create={"a": 1})], [gold(entity=NEW, create={"a": 2})], False, id="fields do"
        ),
        pytest.param(
            [write(n, entity=f"ticket:{n + 6}", create={"a": 1}) for n in (1, 2)],
            [gold(entity=NEW, create={"a": 1})], False, id="created twice",
        ),
        pytest.param(
            [write(entity="ticket:7", create={"a": 1}), write(2, entity="ticket:7", effect="delete")],
            [], True, id="created and deleted",
        ),
        pytest.param(
            [write(entity="ticket:7", create={"a": 1}), write(2, entity="ticket:7", set={"b": 2})],
            [gold(entity=NEW, create={"a": 1, "b": 2})], True, id="created in two steps",
        ),
        pytest.param(
            [write(entity="ticket:7", create={"a": UNKNOWN})], [gold(entity=NEW, create={"a": 1})], None, id="redacted"
        ),
        pytest.param([write(add={"tags": ["b"]})], [gold(add={"tags": ["b"]})], True, id="member"),
        pytest.param([write(add={"tags": ["b"]})], [gold(add={"tags": ["c"]})], False, id="another member"),
        pytest.param(
            [write(add={"tags": ["b"]}), write(2, add={"tags": ["b"]})], [gold(add={"tags": ["b"]})], False, id="twice"
        ),
        pytest.param(
            [write(add={"tags": ["b"]}), write(2, remove={"tags": ["b"]})], [], True, id="added and removed"
        ),
        pytest.param([write(**CALL)], [gold(**CALL)], True, id="the same call"),
        pytest.param([write(**CALL)], [gold(**CALL | {"arguments": {"id": 2}})], False, id="another argument"),
        pytest.param([write(**CALL | {"arguments": {"id": UNKNOWN}})], [gold(**CALL)], None, id="unknown argument"),
        pytest.param([write(**CALL), write(2, **CALL)], [gold(**CALL)], False, id="the same call twice"),
        pytest.param([write(replace={"a": 1}, arguments={"id": 1})], [gold(**CALL)], True, id="opaque on one side"),
        pytest.param([write(**CALL), write(**SENT)], [gold(**CALL)], True, id="what follows opaque is left out"),
        pytest.param([write(**CLOSE), write(**SENT)], [gold(**CLOSE)], False, id="what follows another call counts"),
        pytest.param(
            [write(entity="ticket:7", effect="create", opaque=True, arguments={"id": 1})],
            [gold(entity=NEW, effect="create", opaque=True, arguments={"id": 1})], True, id="created opaque",
        ),
        pytest.param([write(entity=None, **CLOSE)], [gold(**CLOSE)], False, id="unknown entity and a mismatch"),
        pytest.param([write(**CLOSE), write(2, entity=None, **CLOSE)], [gold(**CLOSE)], None, id="unknown entity"),
    ],
)  # fmt: skip
def test_reference(writes, reference, reached):
    assert episode(writes, reference=reference, state=STATE)["goal"] is reached


def test_a_left_out_consequence_does_not_hide_other_writes_on_its_entity():
    follower = {"entity": OTHER, "set": {"status": "paid"}, "item": 1, "follows": 0}
    writes = [write(**CALL), write(**follower), write(2, entity=OTHER, set={"title": "x"})]
    assert episode(writes, reference=[gold(**CALL)], state=STATE)["goal"] is False
    assert (
        episode(writes, reference=[gold(**CALL), gold(2, entity=OTHER, set={"title": "x"})], state=STATE)["goal"]
        is True
    )


@pytest.mark.parametrize(
    ("writes", "changed"),
    [
        ([], False),
        ([write(**CLOSE)], True),
        ([write(**CLOSE), write(2, set={"status": "open"})], False),
        ([write(set={"status": "open"})], False),
        ([write(set={"owner": "x"})], True),
        ([write(**CLOSE, outcome="unknown")], None),
        ([write(**CLOSE, outcome="unknown"), write(2, entity=OTHER, **CLOSE)], True),
        ([write(**CLOSE, actor="user")], True),
        ([write(effect="touch")], False),
        ([write(effect="touch", outcome="unknown")], False),
        ([write(entity=GONE, effect="touch", outcome="unknown")], None),
        ([write(effect="delete")], True),
        ([write(entity=NEW, create={})], True),
        ([write(entity=NEW, create={"a": 1}), write(2, entity=NEW, effect="delete")], False),
        ([write(effect="replace", opaque=True)], True),
        ([write(entity=None, **CLOSE)], True),
        ([write(entity=None, effect="touch")], False),
        ([write(effect="touch", opaque=True)], True),
        ([write(entity=None, effect="touch", opaque=True)], True),
        ([write(entity=None, effect="touch", opaque=True, outcome="unknown")], None),
        ([write(add={"tags": ["z"]})], True),
        ([write(add={"tags": ["z"]}), write(2, remove={"tags": ["z"]})], False),
    ],
)
def test_net_view(writes, changed):
    assert episode(writes, state=STATE)["net_changed"] is changed


def test_net_view_is_unknown_where_calls_were_lost():
    assert episode([write(**CLOSE)], state=STATE, calls_lost=True)["net_changed"] is None
