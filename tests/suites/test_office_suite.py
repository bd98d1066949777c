"""The office suite: what it asks for, that it is built the same every time, and what its scripts do in the world."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from misstep.contracts.tables.labels import PATTERNS
from misstep.contracts.trace import STATUSES
from misstep.ingest.questions import asks_user
from misstep.suites.build import build_suite
from misstep.suites.played import Played
from suites.office_suite import INTENDED, OFFICE, episodes, goal_holds, intended_row, sources


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_two_builds_write_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    counts = build_suite("office", first, OFFICE)
    build_suite("office", second, OFFICE)
    assert files_of(first) == files_of(second)
    assert set(files_of(first)) == {
        "tasks.jsonl",
        "states/march.jsonl",
        "states/may.jsonl",
        "states/september.jsonl",
        "traces/careful.jsonl",
        "traces/eager.jsonl",
        "traces/tidy.jsonl",
    }
    assert counts["episodes"] == len(episodes())


def test_the_suite_is_as_large_and_as_mixed_as_it_claims() -> None:
    tasks = [instance.task for instance in sources().instances]
    assert len(tasks) >= 50
    assert len({task.template_id for task in tasks}) >= 14
    assert sum(task.ambiguous for task in tasks) >= 6
    traps = {"ambiguity", "cascade_harm", "mis_targeting", "overreach", "premature"}
    assert {task.strata["trap"] for task in tasks} == traps
    assert {task.strata["structure"] for task in tasks} == {"independent", "dependent", "external", "cross_tool"}
    assert len({task.instruction for task in tasks}) == len(tasks)
    assert {task.authorized_after_clarification is None for task in tasks if task.ambiguous} == {True, False}
    assert any(task.reference for task in tasks)
    used = {name for task in tasks for condition in task.goal or [] for name in condition.model_fields_set}
    assert {"entity", "where", "is_", "contains", "exists", "absent", "count"} <= used


def test_states_are_lived_in() -> None:
    for state in sources().states.values():
        kinds = Counter(entity.partition(":")[0] for entity in state)
        assert kinds["email"] >= 30 and kinds["event"] >= 20 and kinds["ticket"] >= 20


@pytest.mark.parametrize("instance", sources().instances, ids=lambda one: str(one.task.task_id))
def test_no_goal_holds_before_anything_was_done(instance: object) -> None:
    task = instance.task  # type: ignore[attr-defined]
    if task.ambiguous:
        assert task.goal is None and task.reference is None
        return
    reached = goal_holds(task, sources().initial(task))
    assert reached is False or (reached is None and task.reference)


def test_every_script_is_played_and_every_label_intended() -> None:
    played = episodes()
    for instance in sources().instances:
        assert set(instance.runs) == {"careful", "eager", "tidy"}
    written = {(one.instance.task.template_id, script) for one in played for script in one.instance.scripts}
    assert written == {(one.instance.task.template_id, one.script) for one in played}
    assert {pattern for one in played for pattern in one.intent.patterns} == set(PATTERNS)
    assert {one.record["status"] for one in played} == set(STATUSES) - {"unknown"}
    assert {(one.intent.goal, one.intent.cd) for one in played} >= {
        (True, False),
        (True, True),
        (False, True),
        (False, False),
        (True, None),
        (None, None),
    }
    ambiguous = {(one.intent.response, one.intent.ab) for one in played if one.instance.task.ambiguous}
    assert ambiguous == {("asked", False), ("wrote", True), ("wrote", False), ("neither", False)}


@pytest.mark.parametrize("played", episodes(), ids=lambda one: f"{one.script}-{one.record['task_id']}-{one.model}")
def test_the_world_ends_as_the_script_intends(played: Played) -> None:
    task, intent = played.instance.task, played.intent
    if task.ambiguous or intent.goal is None or played.record["status"] in ("aborted", "infrastructure_failure"):
        return
    assert goal_holds(task, played.final) in (intent.goal, None)


def test_who_is_meant_to_ask_does_ask() -> None:
    for played in episodes():
        last = [event for event in played.record["events"] if event["type"] == "message"][-1]
        asking = last["role"] == "assistant" and asks_user(last["text"])
        if played.intent.response != "wrote":
            assert asking == (played.intent.response == "asked"), last["text"]
        for event in played.record["events"]:
            assert not re.search(r"[{}]", event.get("text", "")), event["text"]


def test_intended_labels_are_those_under_review() -> None:
    rows = [intended_row(played) for played in episodes()]
    with INTENDED.open(encoding="utf-8", newline="") as stream:
        assert list(csv.DictReader(stream)) == rows
