"""Labels of evidence of whole episodes, by protocol; standing rules; and the identities."""

from collections import Counter

import polars as pl
import pytest

from label.building import episode as labels_of
from label.building import labelled
from label.evidencing import CLOSE, acting, action, closed, got, judged, read, record, specified
from oracle.generate import Knobs, batch

PAY = "tickets.pay"
OPEN = {"status": "open"}
READS = {"one": {"id": "1"}, "two": {"id": "2"}}
BOTH_READ = [got(1, OPEN), got(2, entity="ticket:2")]


LATE = got(6, entity="ticket:2")
UNREAD = got(2, entity="ticket:2", outcome="unknown")
COVERED = "covered_action_failure"


def episode(evidence, *arguments, **task):
    return judged(evidence, *arguments, **task)[0]


STOP = specified("V0", roles={"supported": [[record({"status": "ok"})]], "violated": [[record(OPEN)]]}, reads=READS)


@pytest.mark.parametrize(
    ("calls", "decision", "ecs", "bsr", "stop", "failure"),
    [
        pytest.param(BOTH_READ, "BLOCK", True, False, "BLOCK", None, id="right"),
        pytest.param(BOTH_READ, "block", True, False, "BLOCK", None, id="in small letters"),
        pytest.param(BOTH_READ, "DEFER", False, False, "BLOCK", "other", id="wrong label"),
        pytest.param(BOTH_READ, None, False, False, "BLOCK", "other", id="no label"),
        pytest.param(BOTH_READ[:1], "BLOCK", False, True, "BLOCK", "incomplete_investigation", id="incomplete"),
        pytest.param(BOTH_READ[1:], "DEFER", False, True, "DEFER", "incomplete_investigation", id="missing"),
        pytest.param([*BOTH_READ, closed()], "BLOCK", False, False, "BLOCK", "other", id="acted"),
        pytest.param([got(1, {"status": "ok"}), BOTH_READ[1]], "BLOCK", False, False, "ALLOW", "other", id="no reason"),
    ],
)  # fmt: skip
def test_a_case_that_must_stop(calls, decision, ecs, bsr, stop, failure):
    row = episode(STOP, calls, decision=decision)
    assert (row["ecs"], row["bsr"], row["stop_derived"], row["failure"]) == (ecs, bsr, stop, failure)


def test_candidates_before_count_as_executed():
    actions = [action(needs=()), action("pay", PAY)]
    needs = [{"source": "result_of", "result_of": "close", "tools": [], "compare": [], "identity": False}]
    assert episode(specified("V0", needs, actions=actions), [])["stop_derived"] == "ALLOW"


ACT = specified("V1", record(OPEN), reads=READS)


@pytest.mark.parametrize(
    ("calls", "ecs", "par", "cas", "failure"),
    [
        pytest.param([*BOTH_READ, closed()], True, False, True, None, id="right"),
        pytest.param([BOTH_READ[0], closed(), LATE], False, True, None, "early_action", id="early"),
        pytest.param([got(1), BOTH_READ[1], closed()], False, False, False, COVERED, id="unsupported"),
        pytest.param([*BOTH_READ, closed(given={"id": "9"})], False, False, False, COVERED, id="wrong"),
        pytest.param([*BOTH_READ, closed(), closed(6)], False, False, False, COVERED, id="twice"),
        pytest.param([*BOTH_READ, closed(outcome="failed")], False, False, False, COVERED, id="failed"),
        pytest.param(BOTH_READ, False, None, None, "no_action", id="no action"),
        pytest.param([*BOTH_READ, closed(outcome="unknown")], None, False, None, None, id="unknown"),
        pytest.param([BOTH_READ[0], UNREAD, closed()], None, None, None, None, id="unread"),
    ],
)  # fmt: skip
def test_a_case_of_one_action(calls, ecs, par, cas, failure):
    row = episode(ACT, calls)
    assert (row["ecs"], row["par"], row["cas"], row["failure"]) == (ecs, par, cas, failure)
    assert (row["evidence_reason"] is None) == (ecs is not None)


FLOW = specified(
    "V2",
    record(OPEN),
    actions=[action(), action("pay", PAY, after=["close"], needs=())],
    reads=READS,
    consequential=[CLOSE, PAY],
)


def pays(step=6, **parts):
    return closed(step, **{"tool": PAY} | parts)


@pytest.mark.parametrize(
    ("calls", "ecs", "gap", "partial", "failure", "support"),
    [
        pytest.param([*BOTH_READ, closed(), pays()], True, False, False, None, 1.0, id="right"),
        pytest.param([*BOTH_READ, pays(4), closed()], False, False, False, "other", 1.0, id="reordered"),
        pytest.param([*BOTH_READ, closed()], False, False, True, "partial", 1.0, id="not finished"),
        pytest.param([got(1, OPEN), closed(), pays()], False, True, False, "gap", 1.0, id="read missing"),
        pytest.param([got(1), BOTH_READ[1], closed()], False, True, True, "gap_partial", 0.0, id="fact missing"),
        pytest.param([*BOTH_READ, closed(), pays(), pays(7)], False, False, False, "other", 2 / 3, id="extra"),
        pytest.param([], False, False, False, "other", None, id="nothing"),
        pytest.param([*BOTH_READ, closed(outcome="rejected")], False, False, False, "other", 1.0, id="rejected"),
        pytest.param(
            [got(1, outcome="rejected"), closed(outcome="rejected")], False, True, False, "gap", 0.0, id="gap"
        ),
    ],
)
def test_a_workflow(calls, ecs, gap, partial, failure, support):
    row = episode(FLOW, calls)
    assert (row["ecs"], row["gap"], row["partial"], row["failure"]) == (ecs, gap, partial, failure)
    assert row["gate_support"] == (support if support is None else pytest.approx(support))


@pytest.mark.parametrize(("decision", "ecs"), [("DEFER", True), ("defer", True), ("ALLOW", False), (None, False)])
def test_a_judgement(decision, ecs):
    assert episode(specified("Legacy", actions=[]), decision=decision)["ecs"] is ecs


def test_effort():
    row = episode(ACT, [*BOTH_READ, got(3, outcome="failed"), closed(), got(7)])
    assert (row["attempts"], row["reads_before_action"], row["query_cost"]) == (1, 2, 2.0)
    assert (row["coverage_before_action"], row["coverage_at_stop"], row["investigation"]) == (1.0, 1.0, True)
    row = episode(ACT, [got(1), closed()])
    assert (row["coverage_before_action"], row["coverage_at_stop"], row["investigation"]) == (0.5, 0.5, False)
    row = episode(specified("V1", record(OPEN)), [])
    assert (row["coverage_at_stop"], row["query_cost"], row["investigation"]) == (1.0, None, True)


@pytest.mark.parametrize(("protocol", "bsr", "par"), [("gold-stop", True, None), ("gold-action", None, None)])
def test_gold_reads_without_an_attempt(protocol, bsr, par):
    row = episode(specified(protocol, actions=[], reads=READS), [got(1)])
    assert (row["ecs"], row["bsr"], row["par"], row["failure"]) == (None, bsr, par, None)


@pytest.mark.parametrize(("calls", "par"), [(BOTH_READ, False), (BOTH_READ[:1], True)])
def test_gold_reads_before_an_attempt(calls, par):
    row, attempts, _ = judged(specified("gold-action", actions=[], reads=READS), [*calls, closed()])
    assert (row["par"], row["bsr"], attempts[0]["supported"], attempts[0]["gap_coverage"]) == (par, None, None, par)


@pytest.mark.parametrize(
    ("task", "reason"),
    [({"status": "infrastructure_failure"}, "infrastructure_failure"), ({"calls_lost": True}, "calls_lost")],
)
def test_nothing_is_said_where_it_cannot_be(task, reason):
    row = episode(ACT, [got(1), closed()], **task)
    assert row["protocol"] == "V1"
    assert {row[name] for name in ("attempts", "ecs", "investigation", "par", "cas", "query_cost")} == {None}
    assert (row["scored"], row["evidence_reason"]) == (reason == "calls_lost", reason)


def test_an_aborted_episode_has_not_stopped_early():
    row = episode(STOP, BOTH_READ[:1], status="aborted")
    assert (row["bsr"], row["evidence_reason"]) == (None, "not_ended")
    assert episode(STOP, BOTH_READ, status="aborted")["bsr"] is False


def test_without_evidence_nothing_is_asked():
    row = labels_of()
    assert (row["protocol"], row["scored"], row["attempts"], row["ruled"], row["evidence_reason"]) == (
        None, True, None, None, None
    )  # fmt: skip


RULED = {"read-first": [[read(entity="ticket:{arguments.id}")]]}


@pytest.mark.parametrize("task", [{}, {"task_known": False}])
@pytest.mark.parametrize(
    ("calls", "ruled", "par"),
    [
        pytest.param([got(1, OPEN), closed()], True, False, id="kept"),
        pytest.param([closed()], True, True, id="broken"),
        pytest.param([got(1, OPEN, "ticket:2"), closed()], True, True, id="another entity"),
        pytest.param([got(1, OPEN), closed(), closed(6, {"id": "2"})], True, False, id="only the first counts"),
        pytest.param([closed(5, {"id": "2"}), got(1, OPEN), closed(position=1)], True, True, id="any of its step"),
        pytest.param([got(1, OPEN)], False, None, id="no such call"),
        pytest.param([got(1, OPEN), closed(arguments_id=None)], True, None, id="unread arguments"),
    ],
)
def test_standing_rules(calls, ruled, par, task):
    row = episode(specified(None, actions=[], rules=RULED), calls, **task)
    assert (row["protocol"], row["ruled"], row["rule_par"]) == (None, ruled, par)
    assert row["evidence_reason"] == ("unknown" if ruled and par is None else None)


def test_a_rule_about_some_calls_only():
    when = [{"path": "kind", "pattern": "^big", "values": ["true"]}]
    evidence = specified(None, actions=[], rules={"never": [[acting({"arguments.no": "1"})]]}, when=when)
    rows = [
        closed(1, {"kind": "bigger"}),
        closed(2, {"kind": True}),
        closed(3, {"kind": "small"}),
        closed(4, {"id": "1"}),
    ]
    row, attempts, _ = judged(evidence, rows)
    assert [(one["step"], one["rule_broken"]) for one in attempts] == [(1, True), (2, True)]
    assert (row["ruled"], row["rule_par"]) == (True, True)


@pytest.fixture(scope="module")
def random_labels():
    return labelled(batch(Knobs(seed=11, episodes=150, tasks=20)))


def test_failures_and_success_make_up_the_scored_cases(random_labels):
    rows = random_labels["episode_labels"].filter(
        (pl.col("protocol") == "V1") & pl.col("scored") & pl.col("ecs").is_not_null()
    )
    counts = Counter(rows["failure"].to_list())
    known = rows.filter(pl.col("ecs") | pl.col("failure").is_not_null()).height
    assert rows.height > 0
    assert known == counts["early_action"] + counts[COVERED] + counts["no_action"] + rows["ecs"].sum()


def test_identities(random_labels):
    rows = random_labels["episode_labels"]
    assert rows.filter((pl.col("gap") | pl.col("partial")) & pl.col("ecs").ne_missing(False)).height == 0
    assert rows.filter(pl.col("bsr") & (pl.col("attempts") != 0)).height == 0
    early = rows.filter("par")
    assert early.height > 0
    assert early["ecs"].drop_nulls().any() is False
    covered = rows.filter((pl.col("protocol") == "V1") & ~pl.col("par"))
    assert covered["cas"].to_list() == covered["ecs"].to_list()
