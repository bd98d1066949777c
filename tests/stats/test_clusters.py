"""Which episodes are resampled together, and what happens to those without a template."""

from math import nan

import polars as pl
import pytest

from misstep.contracts.errors import ClusterError, InputError
from misstep.stats.clusters import cluster_keys


def episodes(templates: list[object], tasks: list[str | None] | None = None) -> pl.DataFrame:
    names = [f"e{i}" for i in range(len(templates))]
    return pl.DataFrame(
        {
            "episode": names,
            "task_id": pl.Series(tasks or [f"t{i}" for i in range(len(templates))], dtype=pl.String),
            "template_id": pl.Series(templates, strict=False),
        }
    )


@pytest.mark.parametrize("lazy", [False, True])
def test_the_cluster_is_the_template(lazy: bool) -> None:
    frame = episodes(["A", "B", "A"])
    result = cluster_keys(frame.lazy() if lazy else frame)
    assert result.frame.rows() == [("e0", "A"), ("e1", "B"), ("e2", "A")]
    assert (result.own_clusters, result.own_episodes) == (0, 0)


@pytest.mark.parametrize("missing", [None, "", "  ", "\t\n", "nan", "NaN", "null", "None", "<NA>"])
def test_fault_62_a_missing_template_is_an_error_naming_the_episode(missing: object) -> None:
    with pytest.raises(ClusterError, match=r"episode e1 \(task t1\).*--missing-template own") as caught:
        cluster_keys(episodes(["A", missing, "A"]))
    assert isinstance(caught.value, InputError)
    assert caught.value.exit_code == 3


def test_fault_62_a_numeric_template_may_be_nan() -> None:
    with pytest.raises(ClusterError, match="episode e1 "):
        cluster_keys(episodes([1.0, nan]))
    own = cluster_keys(episodes([1.0, nan]), "own")
    assert own.frame["cluster"].n_unique() == 2


def test_fault_62_a_table_without_the_column_misses_every_template() -> None:
    frame = episodes(["A", "B"]).drop("template_id")
    with pytest.raises(ClusterError, match=r"episode e0 .*and 1 more"):
        cluster_keys(frame)
    assert cluster_keys(frame, "own").own_clusters == 2


def test_fault_62_own_gives_each_task_a_cluster_and_counts_them() -> None:
    frame = episodes(["A", None, None, "", None], ["t1", "t2", "t2", "t3", None])
    result = cluster_keys(frame, "own")
    keys = result.frame["cluster"].to_list()
    assert keys[0] == "A"
    assert keys[1] == keys[2]
    assert len(set(keys)) == 4
    assert (result.own_clusters, result.own_episodes) == (3, 4)


def test_an_own_cluster_never_meets_a_template_of_that_name() -> None:
    alone = cluster_keys(episodes([None], ["t1"]), "own").frame["cluster"][0]
    both = cluster_keys(episodes([alone, None], ["t0", "t1"]), "own").frame["cluster"]
    assert both[0] != both[1]


def test_equal_names_in_two_suites_are_two_clusters() -> None:
    frame = episodes(["0", "0", None, None], ["t", "t", "t", "t"])
    one = frame.with_columns(suite=pl.lit("airline"))
    two = frame.with_columns(suite=pl.Series(["airline", "retail"] * 2))
    assert cluster_keys(one, "own").frame["cluster"].n_unique() == 2
    assert cluster_keys(two, "own").frame["cluster"].n_unique() == 4


def test_an_episode_must_be_named_once() -> None:
    frame = episodes(["A", "B"])
    with pytest.raises(ClusterError, match="'e0' stands in more than one row"):
        cluster_keys(pl.concat([frame, frame.head(1)]))
    with pytest.raises(ClusterError, match="row 1 names no episode"):
        cluster_keys(frame.with_columns(episode=pl.Series(["e0", None])))
