"""The episodes that rates are taken over: labels, configuration, strata and cluster in one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.stats.clusters import cluster_keys
from misstep.stats.metrics import AXES

_CONFIGURATION = ("suite", "task_id", "run", "model", "harness", "condition", "replicate", "status")


@dataclass(frozen=True, slots=True)
class Population:
    """Episodes to take rates over.

    Attributes:
        frame: rows are episodes: configuration, task, every stratum as a column, `cluster`, all episode labels.
        strata: names of the stratum columns.
        own_clusters: clusters of tasks without a template (only with `missing="own"`).
    """

    frame: pl.DataFrame
    strata: tuple[str, ...]
    own_clusters: int

    @property
    def axes(self) -> tuple[str, ...]:
        """Columns that may make a group."""
        return (*AXES, *self.strata)

    def checked(self, by: Sequence[str]) -> list[str]:
        """Return the names, each of which may make a group.

        Raises:
            UsageError: one of them may not.
        """
        for name in by:
            if name not in self.axes:
                raise UsageError(f"cannot group by {name!r}; there are {', '.join(self.axes)}")
        return list(by)


def population(tables: Mapping[str, pl.LazyFrame], missing: Literal["error", "own"] = "error") -> Population:
    """Return the episodes of labelled tables.

    Episodes of a task that the suite does not have belong to no template of the suite: each such task is a cluster
    of its own, whatever `missing` says of tasks without a template (its labels are unknown in any case).

    Args:
        tables: `episodes`, `episode_labels`, `spec/tasks` and `spec/strata`.
        missing: what to do with a task that has no template.

    Raises:
        ClusterError: a task has no template and `missing` is "error".
        UsageError: a stratum has the name of another column.
    """
    tasks = tables["spec/tasks"].select("suite", "task_id", "template_id")
    frame = (
        tables["episodes"]
        .select("episode", *_CONFIGURATION)
        .join(tables["episode_labels"], on="episode", how="left")
        .join(tasks, on=["suite", "task_id"], how="left")
        .collect()
        .sort("episode")
    )
    wide, names = _wide(tables["spec/strata"].collect())
    for name in names:
        if name in frame.columns:
            raise UsageError(f"a stratum cannot be called {name!r}: episodes have a column of that name")
    if names:
        frame = frame.join(wide, on=["suite", "task_id"], how="left")
    unknown = pl.when(~pl.col("task_known")).then(pl.format("unknown task {}", "task_id"))
    keyed = frame.with_columns(pl.coalesce("template_id", unknown).alias("template_id"))
    clusters = cluster_keys(keyed, missing)
    joined = frame.join(clusters.frame, on="episode", how="left").drop("template_id")
    return Population(joined, tuple(names), clusters.own_clusters)


def _wide(strata: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return one row a task with a column for every stratum, and the names of those columns."""
    if strata.is_empty():
        return strata.select("suite", "task_id"), []
    wide = strata.sort("name").pivot("name", index=["suite", "task_id"], values="value")
    return wide, [name for name in wide.columns if name not in ("suite", "task_id")]
