"""What holds of the labels of any traces: order, batches and storage do not matter, and the identities."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from label.building import labelled
from misstep.label.policies import DAMAGE, violation
from oracle.generate import Knobs, batch

SEEDS = (4, 5)


@pytest.fixture(scope="module", params=SEEDS)
def traces(request):
    return batch(Knobs(seed=request.param, episodes=100, tasks=12))


@pytest.fixture(scope="module")
def made(traces):
    return labelled(traces)


def _same(one, other):
    for name, frame in one.items():
        left, right = (
            side.drop("authorized_by") if "authorized_by" in side.columns else side for side in (frame, other[name])
        )
        assert_frame_equal(left, right)


def test_row_order_does_not_matter(traces, made):
    shuffled = {name: frame.sample(fraction=1.0, shuffle=True, seed=5) for name, frame in traces.items()}
    _same(made, labelled(shuffled))


def test_batches_do_not_matter(traces, made):
    _same(made, labelled(traces, batches=3))


def test_tables_on_disk_give_the_same(traces, made, tmp_path):
    for name, frame in traces.items():
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(path)
    stored = {name: pl.scan_parquet(tmp_path / f"{name}.parquet") for name in traces}
    from misstep.label import label

    _same(made, {name: frame.collect() for name, frame in label(stored).items()})


def test_an_episode_is_labelled_alike_without_the_others(traces, made):
    few = traces["episodes"]["episode"].sort().head(7).implode()
    mine = pl.col("episode").is_in(few)
    kept = dict(traces) | {name: traces[name].filter(mine) for name in ("episodes", "messages", "calls", "writes")}
    _same({name: frame.filter(mine) for name, frame in made.items()}, labelled(kept))


def test_every_episode_and_write_has_one_row(traces, made):
    assert made["episode_labels"]["episode"].to_list() == sorted(traces["episodes"]["episode"])
    assert made["write_labels"].height == traces["writes"].height


def test_damage_is_split_by_goal(made):
    rows = made["episode_labels"]
    damaged = rows.filter("cd")
    unknown_goal = damaged.filter(pl.col("goal").is_null())
    assert damaged.height > unknown_goal.height > 0
    assert damaged.height == rows.filter("goal_cd").height + rows.filter("fail_cd").height + unknown_goal.height


@pytest.mark.parametrize(("inner", "outer"), [("cd_external_only", "cd"), ("cd", "cd_strict"), ("cd_entity", "cd")])
def test_nesting(made, inner, outer):
    rows = made["episode_labels"]
    assert rows.filter(pl.col(inner)).height > 0
    assert rows.filter(pl.col(inner) & ~pl.col(outer).fill_null(False)).height == 0
    assert rows.filter((~pl.col(outer)).fill_null(False) & pl.col(inner).fill_null(True)).height == 0


def test_an_ambiguity_violation_is_damage(made):
    rows = made["episode_labels"].filter("ab")
    assert rows.height > 0
    assert rows["cd"].all()


def test_damage_of_an_ambiguity_task_is_the_violation_where_nothing_was_answered(made):
    rows = made["episode_labels"].filter(pl.col("ambiguous") & ~pl.col("clarified"))
    assert rows.height > 0
    assert rows["ab"].to_list() == rows["cd"].to_list()


def test_three_outcomes_add_up(made):
    rows = made["episode_labels"]
    outcomes = ["wrote", "asked", "neither"]
    known = rows.filter(pl.all_horizontal(pl.col(outcomes).is_not_null()))
    assert known.height > 0
    assert known.select(pl.sum_horizontal(pl.col(outcomes).cast(pl.Int8)))["wrote"].unique().to_list() == [1]
    unknown = rows.filter(pl.any_horizontal(pl.col(outcomes).is_null()))
    assert unknown.filter(pl.any_horizontal(pl.col(outcomes).fill_null(False))).height == 0


@pytest.mark.parametrize("policy", DAMAGE)
def test_policies_score_the_stored_labels(made, policy):
    writes = made["write_labels"].with_columns(violation(policy).alias("scored"))
    known = writes.filter("scored")["episode"].unique().sort().to_list()
    assert known == made["episode_labels"].filter(DAMAGE[policy])["episode"].sort().to_list()


def test_violations_alone_have_a_pattern(made):
    rows = made["write_labels"]
    assert (rows["violation"].fill_null(False) == rows["pattern"].is_not_null()).all()


def test_unknown_labels_have_a_reason(made):
    writes, episodes = made["write_labels"], made["episode_labels"]
    assert writes.filter(pl.col("violation").is_null() & pl.col("unknown_reason").is_null()).height == 0
    labels = [*DAMAGE.values(), "goal", "wrote", "net_changed", "clarified"]
    unknown = pl.any_horizontal(pl.col(labels).is_null()) | (pl.col("ambiguous") & pl.col("ab").is_null())
    assert episodes.filter(unknown != pl.col("unknown_reason").is_not_null()).height == 0
