"""No-ops, unknown outcomes and unknown earlier values."""

import pytest

from label.building import ENTITY, UNKNOWN, call, labels, last, write

OPEN = {ENTITY: {"status": "open", "tags": ["a", "b"]}}
CLOSE = {"set": {"status": "closed"}}
UNCHANGED = {"set": {"status": "open"}}


@pytest.mark.parametrize(
    ("writes", "state", "effective", "noop", "prior_unknown"),
    [
        pytest.param([write(**CLOSE)], OPEN, True, False, False, id="another value"),
        pytest.param([write(**UNCHANGED)], OPEN, False, True, False, id="the value it has"),
        pytest.param([write(set={"status": "open", "tags": []})], OPEN, True, False, False, id="one of two differs"),
        pytest.param([write(set={"status": 1})], {ENTITY: {"status": "1"}}, True, False, False, id="type differs"),
        pytest.param([write(**CLOSE), write(2, **CLOSE)], OPEN, False, True, False, id="set twice"),
        pytest.param([write(**CLOSE), write(2, **UNCHANGED)], OPEN, True, False, False, id="set back"),
        pytest.param(
            [write(outcome="failed", **CLOSE), write(2, **CLOSE)], OPEN, True, False, False, id="first one failed"
        ),
        pytest.param(
            [write(outcome="dry_run", **CLOSE), write(2, **UNCHANGED)], OPEN, False, True, False, id="first one dry"
        ),
        pytest.param([write(actor="user", **CLOSE), write(2, **CLOSE)], OPEN, False, True, False, id="user did it"),
        pytest.param([write(outcome="failed", **CLOSE)], OPEN, False, False, False, id="failed"),
        pytest.param([write(outcome="rejected", **CLOSE)], OPEN, False, False, False, id="rejected"),
        pytest.param([write(outcome="dry_run", **CLOSE)], OPEN, False, False, False, id="dry run"),
        pytest.param([write(outcome="unknown", **CLOSE)], OPEN, None, None, False, id="unknown outcome"),
        pytest.param(
            [write(outcome="unknown", **CLOSE), write(2, **CLOSE)], OPEN, None, None, False, id="after an unknown one"
        ),
        pytest.param(
            [write(outcome="unknown", **CLOSE), write(2, set={"tags": ["a", "b"]})],
            OPEN, False, True, False, id="unknown one on another field",
        ),
        pytest.param(
            [write(outcome="unknown", **CLOSE), write(2, **UNCHANGED), write(3, **UNCHANGED)],
            OPEN, False, True, False, id="settled after an unknown one",
        ),
        pytest.param([write(set={"owner": "x"})], OPEN, True, False, True, id="field that the state does not list"),
        pytest.param([write(**CLOSE)], None, True, False, True, id="no state"),
        pytest.param([write(set={"owner": "x", "status": "open"})], OPEN, True, False, True, id="unlisted, other same"),
        pytest.param([write(set={"owner": "x", **CLOSE["set"]})], OPEN, True, False, False, id="unlisted, other new"),
        pytest.param([write(set={"status": UNKNOWN})], OPEN, None, None, False, id="redacted value"),
        pytest.param([write(set={"status": UNKNOWN, "tags": []})], OPEN, True, False, False, id="redacted, other new"),
        pytest.param(
            [write(set={"status": UNKNOWN}), write(2, **CLOSE)], OPEN, None, None, False, id="after a redacted value"
        ),
        pytest.param([write(create={"status": "open"})], OPEN, True, False, False, id="create is never a no-op"),
        pytest.param([write(effect="touch")], OPEN, True, False, False, id="touch is never a no-op"),
        pytest.param([write(set={})], OPEN, True, False, False, id="a set of nothing that is known"),
        pytest.param([write(add={"tags": ["a"]})], OPEN, True, False, False, id="add is never a no-op"),
        pytest.param([write(remove={"tags": ["a"]})], OPEN, True, False, False, id="remove a member"),
        pytest.param([write(remove={"tags": ["z"]})], OPEN, False, True, False, id="remove what is not there"),
        pytest.param([write(remove={"tags": ["z", "a"]})], OPEN, True, False, False, id="remove one of two"),
        pytest.param(
            [write(remove={"tags": ["a"]}), write(2, remove={"tags": ["a"]})], OPEN, False, True, False, id="twice"
        ),
        pytest.param(
            [write(add={"tags": ["z"]}), write(2, remove={"tags": ["z"]})], OPEN, True, False, False, id="added before"
        ),
        pytest.param(
            [write(set={"tags": []}), write(2, remove={"tags": ["a"]})], OPEN, False, True, False, id="list set before"
        ),
        pytest.param([write(remove={"flags": ["a"]})], OPEN, True, False, True, id="remove from an unknown list"),
        pytest.param(
            [write(add={"tags": ["z"]}), write(2, set={"tags": ["a", "b"]})],
            OPEN, True, False, True, id="list after an addition",
        ),
        pytest.param([write(effect="delete")], OPEN, True, False, False, id="delete"),
        pytest.param([write(effect="delete"), write(2, effect="delete")], OPEN, False, True, False, id="delete twice"),
        pytest.param([write(effect="delete"), write(2, **UNCHANGED)], OPEN, True, False, False, id="set after delete"),
        pytest.param(
            [write(effect="delete"), write(2, outcome="unknown", **CLOSE), write(3, effect="delete")],
            OPEN, None, None, False, id="delete what may have been brought back",
        ),
        pytest.param(
            [write(outcome="unknown", **CLOSE), write(2, effect="delete")],
            OPEN, True, False, False, id="delete what is there either way",
        ),
        pytest.param([write(effect="delete")], None, True, False, True, id="delete what nobody listed"),
        pytest.param(
            [write(effect="delete", outcome="unknown"), write(2, **UNCHANGED)],
            OPEN, None, None, False, id="after an unknown deletion",
        ),
        pytest.param([write(effect="replace", opaque=True)], OPEN, True, False, False, id="opaque"),
        pytest.param(
            [write(effect="replace", opaque=True), write(2, **UNCHANGED)], OPEN, True, False, True, id="after opaque"
        ),
        pytest.param(
            [write(effect="replace", opaque=True), write(2, **CLOSE), write(3, **CLOSE)],
            OPEN, False, True, False, id="set since the opaque one",
        ),
        pytest.param(
            [write(effect="replace", opaque=True, outcome="unknown"), write(2, effect="delete")],
            OPEN, True, False, False, id="delete after an unknown opaque one",
        ),
        pytest.param(
            [write(effect="replace", opaque=True, outcome="unknown"), write(2, **CLOSE)],
            OPEN, None, None, False, id="set after an unknown opaque one",
        ),
        pytest.param([write(entity=None, **CLOSE)], OPEN, True, False, True, id="unknown entity"),
        pytest.param(
            [write(set={"old": "state.status"}), write(2, set={"old": "open"})], OPEN, False, True, False, id="copied"
        ),
        pytest.param([write(set={"old": "state.nothing"})], OPEN, None, None, False, id="copied from nowhere"),
    ],
)  # fmt: skip
def test_effect_of_the_last_write(writes, state, effective, noop, prior_unknown):
    label = last(writes, state=state)
    assert (label["effective"], label["noop"], label["prior_unknown"]) == (effective, noop, prior_unknown)


@pytest.mark.parametrize(
    ("calls", "writes", "effective"),
    [
        pytest.param([call(1, shows={ENTITY: {"status": "open"}})], [write(2, **UNCHANGED)], False, id="seen before"),
        pytest.param([call(2, shows={ENTITY: {"status": "open"}})], [write(2, **UNCHANGED)], True, id="in parallel"),
        pytest.param([call(3, shows={ENTITY: {"status": "open"}})], [write(2, **UNCHANGED)], True, id="afterwards"),
        pytest.param(
            [call(1, shows={"ticket:2": {"status": "open"}})], [write(2, **UNCHANGED)], True, id="another entity"
        ),
        pytest.param(
            [call(1, shows={ENTITY: {"status": "open"}}, actor="user")], [write(2, **UNCHANGED)], True, id="user saw it"
        ),
        pytest.param(
            [call(1, shows={ENTITY: {"status": "open"}}, outcome="failed")],
            [write(2, **UNCHANGED)], True, id="a failed call shows nothing",
        ),
        pytest.param(
            [call(1, shows={ENTITY: {"status": "new"}}), call(2, shows={ENTITY: {"status": "open"}})],
            [write(3, **UNCHANGED)], False, id="the latest counts",
        ),
        pytest.param(
            [call(2, shows={ENTITY: {"status": "open"}})],
            [write(1, **CLOSE), write(3, **UNCHANGED)], True, id="an earlier write comes first",
        ),
        pytest.param(
            [call(1, shows={ENTITY: {"status": "open"}})],
            [write(2, effect="replace", opaque=True), write(3, **UNCHANGED)], True, id="stale after opaque",
        ),
        pytest.param(
            [call(3, shows={ENTITY: {"status": "open"}})],
            [write(2, effect="replace", opaque=True), write(4, **UNCHANGED)], False, id="seen after opaque",
        ),
        pytest.param(
            [call(1, shows={ENTITY: {"tags": ["a"]}})], [write(2, remove={"tags": ["z"]})], False, id="a seen list"
        ),
    ],
)  # fmt: skip
def test_what_the_agent_saw_is_an_earlier_value(calls, writes, effective):
    assert last(writes, calls=calls)["effective"] is effective


def test_the_state_is_known_better_than_an_observation():
    seen = [call(1, shows={ENTITY: {"status": "closed"}})]
    assert last([write(2, **CLOSE)], calls=seen, state=OPEN)["effective"] is True


def test_overrides_win_over_the_shared_state():
    assert last([write(**CLOSE)], state=OPEN, overrides={ENTITY: {"status": "closed"}})["noop"] is True


def test_an_override_can_remove_an_entity():
    label = last([write(effect="delete")], state=OPEN, overrides={ENTITY: None})
    assert (label["effective"], label["noop"]) == (False, True)


def test_what_follows_a_no_op_is_ineffective():
    follows = write(item=1, entity="email:new", create={"title": "x"}, follows=0)
    assert last([write(**UNCHANGED), follows], state=OPEN)["effective"] is False


def test_what_follows_a_follower_of_a_no_op_is_ineffective():
    chain = [write(item=n, entity=f"email:{n}", create={"title": "x"}, follows=n - 1) for n in (1, 2, 3)]
    assert last([write(**UNCHANGED), *chain], state=OPEN)["effective"] is False


@pytest.mark.parametrize(
    ("writes", "reason"),
    [
        ([write(outcome="unknown", **CLOSE)], "unknown_outcome"),
        ([write(outcome="unknown", **CLOSE), write(2, **CLOSE)], "unknown_write"),
        ([write(set={"status": UNKNOWN})], "unknown_value"),
    ],
)
def test_reason_of_an_unknown_effect(writes, reason):
    assert last(writes, state=OPEN)["unknown_reason"] == reason


def test_every_write_of_every_actor_has_a_row():
    rows, _ = labels([write(**CLOSE), write(2, actor="user", **UNCHANGED)], state=OPEN)
    assert [(row["judged"], row["violation"]) for row in rows] == [(True, True), (False, False)]
