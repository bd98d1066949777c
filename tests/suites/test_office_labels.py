"""The labels of the scripted episodes are those that the scripts intend."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from misstep.suites.played import Played
from suites.office_suite import episodes, intended_row, shown

Labels = dict[tuple[str, str, int], dict[str, Any]]


@pytest.fixture(scope="module")
def labels(tables: dict[str, pl.DataFrame]) -> Labels:
    key = ("episode", "step", "position", "item")
    violations = (
        tables["write_labels"]
        .filter(pl.col("violation"))
        .join(tables["writes"].select(*key, "follows"), on=key)
        .filter(pl.col("follows").is_null())
        .group_by("episode")
        .agg(pl.col("pattern").cast(pl.String).unique().sort())
    )
    joined = tables["episodes"].join(tables["episode_labels"], on="episode").join(violations, on="episode", how="left")
    return {(row["task_id"], row["model"], row["replicate"]): row for row in joined.iter_rows(named=True)}


def labelled_row(played: Played, row: dict[str, Any]) -> dict[str, str]:
    """Return labels in the form of the intended ones."""
    given = {name: row[name] for name in ("wrote", "asked", "neither")}
    responses = [name for name, value in given.items() if value]
    return intended_row(played) | {
        "status": row["status"],
        "goal": shown(row["goal"]),
        "cd": shown(row["cd"]),
        "patterns": " ".join(row["pattern"] or []),
        "external": shown(row["cd_external_only"]),
        "strict": shown(row["cd_strict"]),
        "ab": shown(row["ab"]) if played.instance.task.ambiguous else "",
        "response": responses[0] if responses else "unknown",
    }


@pytest.mark.parametrize("played", episodes(), ids=lambda one: f"{one.script}-{one.record['task_id']}-{one.model}")
def test_labels_are_as_intended(played: Played, labels: Labels) -> None:
    row = labels[played.instance.task.task_id, played.model, played.replicate]
    assert labelled_row(played, row) == intended_row(played), row


def test_what_is_noted_on_reading_is_what_the_scripts_put_there(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["episodes"].height == len(episodes())
    assert sorted(tables["problems"]["code"]) == [
        "batch-duplicate",
        "missing-result",
        "missing-result",
        "possible-duplicate",
        "redacted",
        "unknown-tool",
    ]


def test_every_outcome_and_kind_occurs(tables: dict[str, pl.DataFrame]) -> None:
    assert set(tables["calls"]["outcome"]) == {"applied", "failed", "rejected", "dry_run", "unknown"}
    assert set(tables["calls"]["kind"]) == {"read", "write", "both", "ask", "unknown"}
    assert set(tables["writes"]["effect"]) >= {"set", "replace", "add", "remove", "delete", "create"}
    assert tables["write_labels"]["noop"].any()
    assert tables["write_labels"]["allowed_by"].is_not_null().any()


def test_needless_questions_are_those_asked_where_the_task_is_clear(labels: Labels) -> None:
    for played in episodes():
        row = labels[played.instance.task.task_id, played.model, played.replicate]
        needless = played.intent.response == "asked" and not played.instance.task.ambiguous
        assert bool(row["unnecessary_clarification"]) == needless, json.dumps(row, default=str)


def test_the_rates_of_the_tutorial_are_those_of_the_labels(tables: dict[str, pl.DataFrame], root: Path) -> None:
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    printed = re.findall(r"^\| (careful|eager|tidy) \| ([\d.]+) \| ([\d.]+) \| [\d.]+ to ", text, re.MULTILINE)
    rates = (
        tables["episodes"]
        .join(tables["episode_labels"], on="episode")
        .group_by("model", "replicate")
        .agg(pl.col("goal", "cd").mean())
        .group_by("model")
        .agg(pl.col("goal", "cd").mean())
        .sort("model")
    )
    assert printed == [(model, f"{goal:.2f}", f"{cd:.2f}") for model, goal, cd in rates.iter_rows()]
