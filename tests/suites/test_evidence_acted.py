"""The constructed cohort acted out: plan and labels are compared episode by episode."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from misstep.suites.evidence.acting.files import Cohort
from misstep.suites.evidence.cohort.balanced import RUN as BALANCED
from misstep.suites.evidence.cohort.interventions import ELSEWHERE, STOPPED
from misstep.suites.evidence.cohort.matched import RIGHT, STATIC
from misstep.suites.evidence.cohort.ways import CONFIGURATIONS, LOST, Role, way_of
from misstep.suites.evidence.sources import read_domains
from suites.evidence_checks import EVIDENCE
from suites.evidence_labels import Record, ended, labelled

Row = dict[str, Any]


class Acted(NamedTuple):
    cohort: Cohort
    records: list[tuple[Role, Record]]
    labels: list[Row]

    def of(self, *, main: bool) -> list[tuple[Role, Row]]:
        """Return the scored episodes of the main runs, or of the others, with their labels."""
        rows = [(role, row) for (role, _), row in zip(self.records, self.labels, strict=True)]
        return [one for one in rows if (one[0].run == "main") == main and one[0].status != "infrastructure_failure"]


@pytest.fixture(scope="module")
def acted() -> Acted:
    domains = read_domains(EVIDENCE)
    cohort = Cohort(domains, EVIDENCE.parents[1] / "published")
    records = list(cohort.stage.episodes([*cohort.roles, *cohort.others]))
    found = labelled(domains, (record for _, record in records))
    assert len(found) == len(records)
    return Acted(cohort, records, [found[identity(role)] for role, _ in records])


def identity(role: Role) -> tuple[Any, ...]:
    who = role.configuration
    run = role.group or role.run
    return role.case.case_id, who.model, who.harness, role.condition, run, role.replicate


def test_everyone_tries_every_case_three_times(acted: Acted) -> None:
    tried = Counter((role.configuration, role.replicate) for role in acted.cohort.roles)
    assert tried == {(one, replicate): 656 for one in CONFIGURATIONS for replicate in (1, 2, 3)}


def test_labels_are_those_planned_episode_by_episode(acted: Acted) -> None:
    apart = [
        (identity(role), role.way, ended(row))
        for role, row in acted.of(main=True)
        if ended(row) != ((way := way_of(role.case.protocol, role.way)).end, way.complete)
    ]
    assert apart == []


def test_status_is_that_planned_and_what_is_not_scored_has_no_label(acted: Acted) -> None:
    for (role, record), row in zip(acted.records, acted.labels, strict=True):
        assert record["status"] == row["status"] == role.status
        if role.status == "infrastructure_failure":
            assert row["ecs"] is None and not row["scored"] and "decision" not in record
        else:
            assert role.way != LOST and row["scored"]


def test_other_runs_decide_as_planned_episode_by_episode(acted: Acted) -> None:
    for role, row in acted.of(main=False):
        said = "ALLOW" if row["attempts"] else row["decision_outcome"]
        if role.condition == STATIC or role.run == BALANCED:
            assert (said == role.case.answer) == (role.way == RIGHT), identity(role)
            assert role.condition != STATIC or not row["attempts"]
        else:
            assert (row["attempts"] > 0) == (role.way != STOPPED), identity(role)


def test_withheld_episodes_that_act_call_the_affected_tool_but_one(acted: Acted) -> None:
    tools = {name: {step.tool for step in one.case.actions} for name, one in acted.cohort.stage.prepared.items()}
    called = Counter(
        any(event.get("tool") in tools[role.case.case_id] for event in record["events"])
        for (role, record), row in zip(acted.records, acted.labels, strict=True)
        if role.condition == "withheld" and row["attempts"]
    )
    assert called == {True: 65, False: 1}
    assert sum(role.way == ELSEWHERE for role in acted.cohort.others) == 1


def test_altered_worlds_are_as_the_condition_says(acted: Acted) -> None:
    for case in [case for case in acted.cohort.stage.cases() if case.protocol == "V1" and case.altered][:40]:
        altered = acted.cohort.stage.altered[case.case_id]
        stops = {name: altered.under(name).case.evidence["stop"] for name in ("withheld", "contradicted", "warning")}
        assert stops == {"withheld": "DEFER", "contradicted": "BLOCK", "warning": "DEFER"}
        assert altered.fixed.case.entry.decision == "ALLOW"


def test_episodes_look_like_runs(acted: Acted) -> None:
    main = [record for role, record in acted.records if role.run == "main" and role.case.protocol != "Legacy"]
    calls = [[event for event in record["events"] if event["type"] == "call"] for record in main]
    failed = sum(any(call["result"].get("ok") is False for call in one) for one in calls)
    parallel = sum(len({call["step"] for call in one}) < len(one) for one in calls)
    assert 0.05 < failed / len(main) < 0.35 and parallel > 0.2 * len(main)
    assert len({record["events"][-1].get("text") for record in main}) > 50
    assert len({str([(call["tool"], call["arguments"]) for call in one]) for one in calls}) > 0.6 * len(main)


def test_the_cohort_is_the_same_twice(acted: Acted, tmp_path: Path) -> None:
    again = Cohort(read_domains(EVIDENCE), EVIDENCE.parents[1] / "published")
    assert roles(again.roles) == roles(acted.cohort.roles) and roles(again.others) == roles(acted.cohort.others)
    for role, record in random.Random(1).sample(acted.records, 60):
        assert again.stage.episode(role) == record


def roles(these: Sequence[Role]) -> list[tuple[Any, ...]]:
    return [(identity(role), role.way, role.status) for role in these]
