"""The label stages say what the slow oracle says, on random batches in which everything happens often."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from agreement.corpus import CORPORA
from oracle.agreement import differences, disagreement, run_stages, smallest
from oracle.generate import Knobs, batch, knobs
from oracle.identities import broken_identities
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


@pytest.mark.slow
@pytest.mark.parametrize("suite", sorted(CORPORA))
def test_stages_agree_on_public_traces(suite: str, corpora: Path, tmp_path: Path) -> None:
    tables = {name: frame.collect() for name, frame in traces_of(suite, corpora, tmp_path).items()}
    assert tables["episodes"].height > 0
    difference = disagreement(tables)
    assert difference is None, difference
    labels = run_stages(tables)
    assert broken_identities(labels["episode_labels"], labels["write_labels"]) == []


@given(knobs(EPISODES))
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate], suppress_health_check=[HealthCheck.too_slow])
def test_identities_hold_for_the_oracle(made: Knobs) -> None:
    labels = judge_tables(batch(made))
    assert broken_identities(labels["episode_labels"].to_dicts(), labels["write_labels"].to_dicts()) == []


def test_the_same_knobs_give_the_same_batch() -> None:
    first, second = batch(Knobs(7, episodes=20)), batch(Knobs(7, episodes=20))
    assert all(first[name].equals(second[name]) for name in first)


def test_every_label_is_frequent() -> None:
    made = [judge_tables(batch(Knobs(seed, EPISODES, tasks=20))) for seed in range(BATCHES)]
    episodes = pl.concat([one["episode_labels"] for one in made])
    writes = pl.concat([one["write_labels"] for one in made])
    for name in (
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
    ):
        share = Counter(episodes[name])
        assert min(share[value] for value in (True, False, None)) > 0.02 * episodes.height, name
    for name in ("effective", "noop", "authorized", "entity_authorized", "violation"):
        share = Counter(writes[name])
        assert min(share[value] for value in (True, False, None)) > 0.02 * writes.height, name
    patterns = Counter(writes.filter(pl.col("violation"))["pattern"])
    assert min(patterns[one] for one in writes["pattern"].dtype.categories) > 0.02 * writes["violation"].sum()


def test_a_disagreement_is_made_small_and_named() -> None:
    tables = batch(Knobs(3, EPISODES))

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
