"""The label stages say what the slow oracle says, on random batches in which everything happens often."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from agreement.corpus import CORPORA
from misstep.contracts.evidence import PROTOCOLS
from misstep.contracts.tables.evidence import ESTABLISHED_BY, GATES, NEAR_MISSES, STATUSES
from misstep.contracts.tables.labels import PATTERNS
from oracle.agreement import differences, disagreement, run_stages, smallest
from oracle.generate import Knobs, batch, knobs
from oracle.identities import broken_by_evidence, broken_identities
from oracle.tables import judge_tables
from oracle.traces import traces_of

BATCHES = 20
EPISODES = 100


@pytest.mark.slow
@given(knobs(EPISODES))
@settings(
    max_examples=BATCHES,
    phases=[Phase.explicit, Phase.generate],  # `disagreement` makes the episode small itself
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_stages_agree_with_the_oracle(made: Knobs) -> None:
    tables = batch(made)
    difference = disagreement(tables)
    assert difference is None, difference
    labels = run_stages(tables)
    assert broken_identities(labels["episode_labels"], labels["write_labels"]) == []
    assert broken_by_evidence(labels["episode_labels"], labels["action_labels"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("suite", sorted(CORPORA))
def test_stages_agree_on_public_traces(suite: str, corpora: Path, tmp_path: Path) -> None:
    tables = {name: frame.collect() for name, frame in traces_of(suite, corpora, tmp_path).items()}
    assert tables["episodes"].height > 0
    difference = disagreement(tables)
    assert difference is None, difference
    labels = run_stages(tables)
    assert broken_identities(labels["episode_labels"], labels["write_labels"]) == []
    assert broken_by_evidence(labels["episode_labels"], labels["action_labels"]) == []


@given(knobs(EPISODES))
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate], suppress_health_check=[HealthCheck.too_slow])
def test_identities_hold_for_the_oracle(made: Knobs) -> None:
    labels = judge_tables(batch(made))
    rows = {name: frame.to_dicts() for name, frame in labels.items()}
    assert broken_identities(rows["episode_labels"], rows["write_labels"]) == []
    assert broken_by_evidence(rows["episode_labels"], rows["action_labels"]) == []


def test_the_same_knobs_give_the_same_batch() -> None:
    first, second = batch(Knobs(7, episodes=20)), batch(Knobs(7, episodes=20))
    assert all(first[name].equals(second[name]) for name in first)


@pytest.fixture(scope="module")
def many() -> dict[str, pl.DataFrame]:
    """Return the oracle's labels of as many episodes as are compared."""
    made = [judge_tables(batch(Knobs(seed, EPISODES, tasks=20))) for seed in range(BATCHES)]
    return {name: pl.concat([one[name] for one in made]) for name in made[0]}


def rarest(column: pl.Series, values: Iterable[object] = (True, False, None)) -> float:
    """Return the share of the rarest of some values."""
    share = Counter(column)
    return min(share[value] for value in values) / len(column)


DAMAGE = (
    "goal",
    "cd",
    "cd_strict",
    "cd_entity",
    "cd_external_only",
    "goal_cd",
    "fail_cd",
    "ab",
    "wrote",
    "net_changed",
)


@pytest.mark.parametrize("name", DAMAGE)
def test_every_label_of_episodes_is_frequent(name: str, many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["episode_labels"][name]) > 0.02


@pytest.mark.parametrize("name", ["effective", "noop", "authorized", "entity_authorized", "violation"])
def test_every_label_of_writes_is_frequent(name: str, many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["write_labels"][name]) > 0.02


def test_every_pattern_is_frequent(many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["write_labels"].filter(pl.col("violation"))["pattern"], PATTERNS) > 0.02


@pytest.mark.parametrize(
    ("name", "protocols"),
    [
        ("investigation", PROTOCOLS),
        ("ecs", ["V0"]),
        ("ecs", ["V1"]),
        ("ecs", ["V2"]),
        ("ecs", ["V3"]),
        ("bsr", ["V0", "gold-stop"]),
        ("par", ["V1", "gold-action"]),
        ("cas", ["V1"]),
        ("gap", ["V2"]),
        ("gap", ["V3"]),
        ("partial", ["V2"]),
        ("partial", ["V3"]),
    ],
)
def test_every_label_of_evidence_is_frequent(name: str, protocols: list[str], many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["episode_labels"].filter(pl.col("protocol").is_in(protocols))[name]) > 0.02


def test_every_label_of_rules_is_frequent(many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["episode_labels"]["ruled"]) > 0.02
    assert rarest(many["episode_labels"].filter("ruled")["rule_par"]) > 0.02


@pytest.mark.parametrize(
    ("column", "protocols", "values"),
    [
        ("failure", ["V0"], ["incomplete_investigation", "other"]),
        ("failure", ["V1"], ["early_action", "covered_action_failure", "no_action"]),
        ("failure", ["V2", "V3"], ["gap", "partial", "gap_partial", "other"]),
        ("stop_derived", ["V0"], ["ALLOW", "BLOCK", "DEFER"]),
        ("ecs", ["Legacy"], [True, False]),
    ],
)
def test_every_way_to_fail_or_stop_is_frequent(
    column: str, protocols: list[str], values: list[object], many: dict[str, pl.DataFrame]
) -> None:
    assert rarest(many["episode_labels"].filter(pl.col("protocol").is_in(protocols))[column], values) > 0.02


@pytest.mark.parametrize(
    "name",
    [
        *("target_ok", "arguments_ok", "dependencies_ok", "binding_ok", "supported", "gap_requirement", "gap_coverage"),
        *("executed", "rule_broken"),
    ],
)
def test_every_label_of_attempts_is_frequent(name: str, many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["action_labels"][name]) > 0.02


def test_every_gate_is_frequent(many: dict[str, pl.DataFrame]) -> None:
    assert rarest(many["action_labels"]["gate"], [*GATES, None]) > 0.02


def test_every_status_is_frequent(many: dict[str, pl.DataFrame]) -> None:
    asked = many["requirement_labels"].filter(pl.col("kind") == "requirement")
    assert rarest(asked["status"], [*STATUSES, None]) > 0.02
    assert rarest(asked.filter(pl.col("status") == "MISSING")["near_miss"], NEAR_MISSES) > 0.01
    supported = asked.filter(pl.col("status") == "SUPPORTED")
    assert rarest(supported["established_by"], ESTABLISHED_BY) > 0.01


def test_a_disagreement_is_made_small_and_named() -> None:
    tables = batch(Knobs(2, EPISODES))

    def wrong(given: dict[str, pl.DataFrame]) -> dict[str, list[dict[str, object]]]:
        rows = {name: frame.to_dicts() for name, frame in judge_tables(given).items()}
        for row in rows["episode_labels"]:
            row["cd"] = row["cd_strict"]  # allowances forgotten
        return rows

    found = differences(tables, wrong)
    assert {one.column for one in found} == {"cd"}
    small = smallest(tables, found, wrong)
    assert (small["episodes"].height, small["spec/allowances"].height, small["messages"].height) == (1, 1, 0)
    assert small["writes"].height <= 2  # a write, and what it follows
    assert "cd: stages say True, the oracle says" in str(disagreement(tables, wrong))
