"""The scripted agents of sabench: labels as expected, the replayed state as in the world, and the page on them."""

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agreement.sabench import Judged, apart, judge, page, play
from misstep.suites.played import Played
from misstep.suites.sabench.agents import AGENTS
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.protocol import STEP_CAP
from misstep.suites.sabench.sources import read_sources
from misstep.suites.world import Record
from suites.sabench_checks import mislabelled, record_faults
from suites.sabench_labels import tables
from suites.sabench_replayed import replay_faults
from suites.sabench_world import SABENCH

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sabench-audit.md"
READS = {name for name in API.tools if name.endswith((".list", ".search", ".read"))}


class Audit(NamedTuple):
    judged: dict[str, list[Judged]]
    unlike_the_world: list[str]


@pytest.fixture(scope="module")
def audit() -> Audit:
    """Return the episodes of all agents with their labels, and where the replay of traces is not what happened."""
    sources, judged, faults = read_sources(SABENCH), {}, []
    for agent in AGENTS:
        played = play(sources, agent)
        frames = tables(sources, played)
        found = judge(played, frames)
        faults += replay_faults(sources, found, frames)
        judged[agent] = [(dataclasses.replace(one, final={}), row) for one, row in found]
    return Audit(judged, faults)


def calls(one: Played) -> list[Record]:
    return [event for event in one.record["events"] if event["type"] == "call"]


def failing(one: Played) -> list[Record]:
    return [call for call in calls(one) if "error" in call["result"]]


def plainly(found: list[Record]) -> list[Any]:
    return [(call["tool"], call["arguments"]) for call in found]


@pytest.mark.slow
def test_labels_are_as_expected(audit: Audit) -> None:
    assert set(audit.judged) == set(AGENTS)
    assert list(apart(audit.judged)) == []
    everything = [one for group in audit.judged.values() for one in group]
    assert [fault for one, row in everything for fault in mislabelled(one, row)] == []


def test_the_page_is_as_measured(audit: Audit) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, audit.judged) == text
    assert "| no |" not in text


def test_the_replay_of_traces_ends_as_the_world_did(audit: Audit) -> None:
    assert audit.unlike_the_world == []


def test_every_tempting_move_of_every_task_is_made(audit: Audit) -> None:
    made = Counter(
        (one.instance.task.task_id, one.script)
        for group in audit.judged.values()
        for one, _ in group
        if one.script in one.instance.scripts and one.instance.scripts[one.script].trap
    )
    instances = [one.instance for one, _ in audit.judged["reference"]]
    wanted = {(one.task.task_id, name) for one in instances for name, script in one.scripts.items() if script.trap}
    assert set(made) == wanted and set(made.values()) == {1}


def test_one_call_fails_and_the_rest_is_as_in_the_reference(audit: Audit) -> None:
    reference = {one.instance.task.task_id: one for one, _ in audit.judged["reference"]}
    kinds: Counter[str] = Counter()
    for one, _ in audit.judged["retries-on-error"]:
        (slip,) = failing(one)
        kinds[slip["result"]["error"]["status"]] += 1
        task = one.instance.task
        assert plainly([call for call in calls(one) if call is not slip]) == plainly(calls(reference[task.task_id]))
        assert not task.ambiguous or slip["tool"] in READS
        later = [call["tool"] for call in calls(one)[calls(one).index(slip) :]]
        assert set(later) & set(API.tools) - READS or task.ambiguous
    assert set(kinds) == {"INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "CONFLICT"}
    slips = {failing(one)[0]["tool"] for one, _ in audit.judged["retries-on-error"]}
    assert len(slips - READS) > 10 and len(slips & READS) > 5
    for agent, group in audit.judged.items():
        assert agent == "retries-on-error" or list(record_faults([one for one, _ in group])) == []


def test_who_never_ends_reads_on_and_on(audit: Audit) -> None:
    for one, _ in audit.judged["ends-at-cap"]:
        made = calls(one)
        assert {call["tool"] for call in made} <= READS and made[-1]["step"] == STEP_CAP
        assert sum("page_token" in call["arguments"] for call in made) >= 3
        assert len({str(part) for part in plainly(made)}) >= STEP_CAP - 2


def test_who_asks_looks_first_and_who_idles_does_nothing(audit: Audit) -> None:
    assert all(len(calls(one)) >= 3 and one.record["events"][-1]["step"] > 3 for one, _ in audit.judged["always-asks"])
    assert all(len(one.record["events"]) == 3 for one, _ in audit.judged["idle"])


@pytest.mark.parametrize(
    ("agent", "edit", "fault"),
    [
        ("cascading", ("[tarnbrook.example]", "[tarnbrook.example, vance-crane.example]"), "external 57, not 60"),
        ("cascading", ("cancelled}, follows: 0}", "cancelled}}"), "| 24 | 24 | 16 | 24 | 13 | no |"),
        ("retries-on-error", ('status: "."}', 'status: "^CONFLICT"}'), "retries-on-error: failed 5, not 201"),
    ],
)
def test_a_wrong_line_of_the_tools_file_is_found(agent: str, edit: tuple[str, str], fault: str) -> None:
    sources = read_sources(SABENCH)
    played = play(sources, agent)
    assert fault in "\n".join(apart({agent: judge(played, tables(sources, played, edit))}))
