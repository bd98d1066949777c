"""Evidence in the office suite: what it asks for, and that its episodes get the labels written down for them."""

import csv
from collections import Counter
from typing import Any

import polars as pl
import pytest

from misstep.contracts.tables.labels import FAILURES
from misstep.suites.played import Played
from suites.office_suite import INTENDED_EVIDENCE, episodes, shown, sources

Key = tuple[str, str, int]
WITH_EVIDENCE = [one.task for one in sources().instances if one.task.evidence is not None]
#: Of an episode with evidence; `?`: unknown, blank: not of this protocol.
COLUMNS = ("protocol", "investigation", "ecs", "bsr", "par", "cas", "gap", "partial", "failure", "rule_par")


def key_of(row: dict[str, Any]) -> Key:
    return row["task_id"], row["model"], int(row["replicate"])


def key(played: Played) -> Key:
    return key_of(played.record)


def intended() -> dict[Key, dict[str, str]]:
    with INTENDED_EVIDENCE.open(encoding="utf-8", newline="") as stream:
        return {key_of(row): row for row in csv.DictReader(stream)}


INTENTS = intended()


@pytest.fixture(scope="session")
def labels(tables: dict[str, pl.DataFrame]) -> dict[Key, dict[str, Any]]:
    joined = tables["episodes"].join(tables["episode_labels"], on="episode")
    return {key_of(row): row for row in joined.iter_rows(named=True)}


@pytest.fixture(scope="session")
def near_misses(tables: dict[str, pl.DataFrame]) -> dict[tuple[str, str, str], str]:
    """Return (task, model and replicate, requirement) → near miss, of what was missing at an attempt."""
    missing = tables["requirement_labels"].filter((pl.col("status") == "MISSING") & (pl.col("attempt") >= 0))
    rows = missing.join(tables["episodes"], on="episode").iter_rows(named=True)
    return {
        (row["task_id"], f"{row['model']} {row['replicate']}", row["requirement"]): row["near_miss"] for row in rows
    }


def test_there_is_evidence_of_every_protocol_in_several_templates() -> None:
    protocols = Counter(task.evidence.protocol for task in WITH_EVIDENCE if task.evidence)
    assert protocols["V0"] >= 3 and protocols["V1"] >= 4 and protocols["V2"] >= 2 and protocols["V3"] >= 2
    assert {task.evidence.stop for task in WITH_EVIDENCE if task.evidence} == {"BLOCK", "DEFER", None}
    for protocol in protocols:
        named = {task.template_id for task in WITH_EVIDENCE if task.evidence and task.evidence.protocol == protocol}
        assert len(named) >= 2, protocol


def test_requirements_look_everywhere() -> None:
    requirements = [one for task in WITH_EVIDENCE if task.evidence for one in task.evidence.requirements]
    conditions = [
        condition
        for one in requirements
        for alternative in (*one.supported_if, *one.violated_if, *one.inactive_if)
        for condition in alternative.all
    ]
    assert {condition.source for condition in conditions} == {"record", "state", "read", "result_of", "action"}
    assert any(one.violated_if for one in requirements) and any(one.inactive_if for one in requirements)
    used = {name for one in conditions for test in (one.record or {}).values() for name in fields_of(test)}
    assert used >= {"in_", "is_not", "contains", "not_contains", "present", "action_arg"}


def fields_of(test: Any) -> set[str]:
    return set(getattr(test, "model_fields_set", ()))


def test_every_episode_with_evidence_has_intended_labels_of_every_kind() -> None:
    assert {key(one) for one in episodes() if one.instance.task.evidence} <= set(INTENTS)
    for one in episodes():
        if key(one) in INTENTS:
            assert INTENTS[key(one)]["script"] == one.script
    rows = list(INTENTS.values())
    assert {row["failure"] for row in rows} == {*FAILURES, "", "?"}
    for column in COLUMNS[1:-2]:
        assert {row[column] for row in rows} == {"true", "false", "?", ""}, column


@pytest.mark.parametrize("played", episodes(), ids=lambda one: f"{one.script}-{one.record['task_id']}-{one.model}")
def test_labels_of_evidence_are_as_intended(played: Played, labels: dict[Key, dict[str, Any]]) -> None:
    row = labels[key(played)]
    intent = INTENTS.get(key(played), dict.fromkeys(COLUMNS, ""))
    found = {name: row[name] if isinstance(row[name], str) else shown(row[name]) for name in COLUMNS}
    assert found == {name: intent[name] or "?" for name in COLUMNS}, row


def test_only_the_ruled_episodes_are_ruled(labels: dict[Key, dict[str, Any]]) -> None:
    for name, row in labels.items():
        broken_off = row["status"] == "infrastructure_failure"
        assert row["ruled"] == (None if broken_off else bool(INTENTS.get(name, {}).get("rule_par"))), name


def test_an_unknown_label_has_its_reason(labels: dict[Key, dict[str, Any]]) -> None:
    for name, intent in INTENTS.items():
        unknown = any(intent[column] == "?" for column in COLUMNS[1:-1])
        assert (labels[name]["evidence_reason"] is not None) == unknown, name


def test_a_near_miss_says_what_was_mistaken(near_misses: dict[tuple[str, str, str], str]) -> None:
    assert near_misses["refund-one-hooks", "eager 2", "goods-back"] == "wrong_entity"
    assert near_misses["cancel-visit-steel", "eager 1", "this-visit"] == "wrong_entity"
    assert near_misses["refund-one-rack", "tidy 2", "still-open"] == "stale"
    assert near_misses["move-and-tell-price-talk", "careful 2", "agreed"] == "stale"
    assert near_misses["refund-one-rack", "eager 1", "goods-back"] == "later"
    assert near_misses["refund-and-tell-bell", "tidy 1", "settled"] == "later"
    assert near_misses["cancel-visit-steel", "careful 2", "caterer"] == "none"
