"""Explanations: a timeline with the rule behind every label."""

import json

import polars as pl
import pytest

from misstep.contracts.errors import UsageError
from misstep.report.explain import as_text, explain
from report.made_tables import HABITS, episode_key, task_id

Tables = dict[str, pl.LazyFrame]


def hasty(tables: Tables, habit: str) -> str:
    return as_text(explain(tables, f"{task_id(HABITS['hasty'].index(habit))}@hasty"))


def test_an_episode_is_found_by_its_key_or_by_task_and_model(tables: Tables) -> None:
    key = episode_key("terse", 7)
    for wanted in (key, key[:3], key[:3].upper(), "t07@terse"):
        assert explain(tables, wanted).episode["episode"] == key


@pytest.mark.parametrize(
    ("wanted", "message"), [("a", "means 20 episodes"), ("t07", "means 3"), ("t99@x", "no episode")]
)
def test_what_names_no_single_episode_is_an_error(tables: Tables, wanted: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        explain(tables, wanted)


def test_messages_and_calls_stand_in_order(tables: Tables) -> None:
    told = explain(tables, "t00@hasty")
    assert [(entry.step, entry.kind) for entry in told.timeline] == [(0, "message"), (1, "call"), (2, "message")]
    assert [entry.actor for entry in told.timeline] == ["user", "agent", "agent"]
    assert told.timeline[1].result == "ok, step 1"


def test_an_authorized_write_names_its_rule(tables: Tables) -> None:
    (write,) = explain(tables, "t01@hasty").timeline[1].writes
    assert (write.verdict, write.rule) == ("authorized", "by authorized[0]")
    assert write.change == 'cancel event:e1: status "open" → "cancelled"'


@pytest.mark.parametrize(
    ("habit", "lines"),
    [
        ("other", ["unauthorized [wrong_entity]", "differs in entity: event:x0; the rule says event:e0"]),
        ("value", ["unauthorized [wrong_value]", 'differs in values: status = "deleted"; the rule says status = "c']),
        ("outside", ["[unintended_recipient]", "differs in recipients: eve@far.example; the rule says ann@home"]),
        ("twice", ["[repetition]", "differs in max: one write more; the rule says at most 1"]),
    ],
)
def test_a_violation_says_what_differs_from_the_nearest_rule(tables: Tables, habit: str, lines: list[str]) -> None:
    text = hasty(tables, habit)
    assert all(line in text for line in lines), text


def test_values_follow_the_writes_before(tables: Tables) -> None:
    assert 'status "cancelled" → "cancelled"' in hasty(tables, "twice")


def test_a_no_op_says_what_was_there_already(tables: Tables) -> None:
    idle = [pl.lit(value).alias(name) for name, value in (("noop", True), ("effective", False), ("violation", False))]
    text = as_text(explain(tables | {"write_labels": tables["write_labels"].with_columns(idle)}, "t01@hasty"))
    assert 'no-op: every field already had its value: status was "open"' in text


def test_an_unknown_outcome_is_told_as_unknown(tables: Tables) -> None:
    told = explain(tables, "t05@terse")
    (write,) = told.timeline[1].writes
    assert "whether it took effect is unknown" in write.rule
    assert told.goal[0].holds is None and told.labels["goal reached"].startswith("unknown: it is unknown whether")


def test_an_allowed_write_names_the_allowance(tables: Tables) -> None:
    allowed = [pl.lit("mark-read").alias("allowed_by"), pl.lit(False).alias("authorized")]
    text = as_text(explain(tables | {"write_labels": tables["write_labels"].with_columns(allowed)}, "t01@hasty"))
    assert "allowed: bookkeeping that the suite allows: mark-read (mark_read, email)" in text


def test_a_write_of_somebody_else_is_not_judged(tables: Tables) -> None:
    label = tables["write_labels"].with_columns(judged=pl.lit(False))
    text = as_text(explain(tables | {"write_labels": label}, "t01@hasty"))
    assert "not judged: made by agent" in text


@pytest.mark.parametrize(
    ("task", "found", "holds"), [("t00@hasty", '"open"', False), ("t01@hasty", '"cancelled"', True)]
)
def test_the_goal_says_what_was_found(tables: Tables, task: str, found: str, holds: bool) -> None:
    (line,) = explain(tables, task).goal
    assert (line.found, line.holds) == (found, holds)


def test_goal_lines_agree_with_the_goal_label(tables: Tables) -> None:
    labels = dict(tables["episode_labels"].select("episode", "goal").collect().iter_rows())
    for task in range(16):
        for model in HABITS:
            key = episode_key(model, task)
            told = explain(tables, key)
            if told.episode["status"] == "completed" and not told.episode["calls_lost"]:
                assert [line.holds for line in told.goal] == [labels[key]], key


def test_a_reference_goal_lists_the_fields_that_it_changes(tables: Tables) -> None:
    reference = tables["writes"].filter(episode=episode_key("careful", 0)).select(
        pl.lit("made").alias("suite"), pl.lit("t00").alias("task_id"),
        pl.all().exclude("episode", "outcome", "arguments_known"), pl.lit(False).alias("inert"),
    )  # fmt: skip
    goal = tables["spec/tasks"].with_columns(
        pl.lit("reference").cast(pl.Enum(["conditions", "reference", "none"])).alias("goal")
    )
    changed = tables | {"spec/reference_writes": reference, "spec/tasks": goal}
    (right,) = explain(changed, "t00@careful").goal
    assert (right.wanted, right.found, right.holds) == ('event:e0 status is "cancelled"', '"cancelled"', True)
    (wrong,) = explain(changed, "t00@hasty").goal
    assert (wrong.found, wrong.holds) == ('"open"', False)


def test_a_task_that_the_suite_lacks_is_told(tables: Tables) -> None:
    text = as_text(explain(tables | {"spec/tasks": tables["spec/tasks"].filter(False)}, "t00@hasty"))
    assert "The suite does not have this task" in text


def test_an_explanation_is_plain_values(tables: Tables) -> None:
    told = json.loads(json.dumps(explain(tables, "t02@hasty").as_dict()))
    assert told["timeline"][2]["writes"][0]["pattern"] == "unintended_recipient"
    assert set(told) == {"episode", "task", "rules", "timeline", "goal", "labels", "evidence"}


def test_long_texts_are_cut_and_lines_are_short(tables: Tables) -> None:
    long = tables | {"messages": tables["messages"].with_columns(pl.lit("word " * 500).alias("text"))}
    text = as_text(explain(long, "t00@hasty"), 100)
    assert " …" in text and max(map(len, text.splitlines())) <= 115
