"""The ledger as it is shown, and the labels of required reads."""

import pytest

from label.building import UNKNOWN, tables, write
from label.evidencing import changed, closed, got, judged, record, specified
from misstep.label import evidence_ledger

OPEN = {"status": "open"}
READS = {"one": {"id": "1"}, "two": {"id": "2"}}


def ledger(evidence, calls=(), writes=()):
    frames = tables(writes, calls=calls, evidence=evidence)
    return evidence_ledger({name: frame.lazy() for name, frame in frames.items()}).collect().to_dicts()


def test_everything_that_was_established_is_in_it():
    evidence = specified(
        "V1", record(OPEN), context={"user:1": {"role": "admin"}}, facts=[({"id": "1"}, None, {"seen": 1})]
    )
    rows = ledger(evidence, [got(1, {"status": "open", "title": "x"}), closed()], [changed(3, "done")])
    found = [(row["step"], row["position"], row["by"], row["entity"], row["field"], row["value"]) for row in rows]
    assert found == [
        (-1, None, "context", "user:1", "role", '"admin"'),
        (1, 0, "read", None, "seen", "1"),
        (1, 0, "observation", "ticket:1", "status", '"open"'),
        (1, 0, "observation", "ticket:1", "title", '"x"'),
        (3, 0, "write", "ticket:1", "status", '"done"'),
    ]
    assert [row["stale_from"] for row in rows] == [None, None, 4, None, None]
    assert len({row["record"] for row in rows}) == 4


def test_what_is_not_sure_is_marked():
    rows = ledger(
        specified("V1", record(OPEN)),
        [got(1, OPEN), got(2, {"owner": "ann"}, outcome="unknown")],
        [changed(3, "done", outcome="unknown"), write(4, set={"owner": UNKNOWN})],
    )
    found = [(row["step"], row["by"], row["sure"], row["value"], row["stale_from"], row["doubt_from"]) for row in rows]
    assert found == [
        (1, "observation", True, '"open"', None, 4),
        (2, "observation", False, '"ann"', None, 5),
        (3, "write", False, '"done"', None, None),
        (4, "write", True, None, None, None),
    ]


def test_under_the_rules_of_safeact_nothing_goes_stale():
    rows = ledger(specified("V1", record(OPEN), profile="safeact"), [got(1, OPEN)], [changed(3, "done")])
    assert {row["stale_from"] for row in rows} == {None}


@pytest.mark.parametrize(
    ("calls", "status", "near", "step"),
    [
        pytest.param([got(1)], "SUPPORTED", None, None, id="covered"),
        pytest.param([], "MISSING", "none", None, id="not read"),
        pytest.param([got(1, entity="ticket:3")], "MISSING", "wrong_entity", 1, id="read of something else"),
        pytest.param([got(7)], "MISSING", "later", 7, id="read later"),
        pytest.param([got(5, position=1)], "MISSING", "later", 5, id="read in the same step"),
        pytest.param([got(1, outcome="failed")], "MISSING", "none", None, id="failed"),
        pytest.param([got(1, outcome="unknown")], None, None, None, id="unknown outcome"),
        pytest.param([got(1, given={"id": UNKNOWN})], None, None, None, id="redacted argument"),
        pytest.param([got(1, given={"id": "1", "deep": True})], "MISSING", "wrong_entity", 1, id="one argument more"),
        pytest.param([got(1, actor="user")], "MISSING", "none", None, id="read by somebody else"),
    ],
)
def test_required_reads(calls, status, near, step):
    _, _, needs = judged(specified("V1", record(OPEN), reads=READS), [*calls, closed()])
    row = needs[0, "one"]
    assert (row["kind"], row["status"], row["near_miss"], row["near_step"]) == ("coverage", status, near, step)
    assert row["established_by"] == ("read" if status == "SUPPORTED" else None)


def test_required_reads_at_the_end():
    _, _, needs = judged(specified("V1", record(OPEN), reads=READS), [closed(), got(7)])
    assert (needs[-1, "one"]["status"], needs[-1, "one"]["established_step"]) == ("SUPPORTED", 7)
    assert needs[-1, "two"]["status"] == "MISSING"
