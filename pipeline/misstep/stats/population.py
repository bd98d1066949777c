"""The episodes that rates are taken over: labels, configuration, strata and cluster in one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.study import Conditions, Planned
from misstep.stats.axes import AXES_ALONG, along
from misstep.stats.clusters import cluster_keys
from misstep.stats.decisions import decisions
from misstep.stats.metric import Metric
from misstep.stats.metrics import AXES
from misstep.stats.planned import missing_runs

_CONFIGURATION = ("suite", "task_id", "run", "model", "harness", "condition", "replicate", "status")

Tables = Mapping[str, pl.LazyFrame]


@dataclass(frozen=True, slots=True)
class Population:
    """Episodes to take rates over.

    Attributes:
        frame: rows are episodes: configuration, task, every stratum as a column, `cluster`, all episode labels,
            `required_reads` of the task, what it `asks` (its protocol, `none`, or null where the suite lacks it), and
            what was decided, as `decisions` has it.
        strata: names of the stratum columns.
        own_clusters: clusters of tasks without a template (only with `missing="own"`).
        missing: planned runs that are not there, with the same columns; their labels are null, `scored` false.
        along: axis → rows are (episode, value of the axis), with the labels that there are for that value.
    """

    frame: pl.DataFrame
    strata: tuple[str, ...]
    own_clusters: int
    missing: pl.DataFrame
    along: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """Columns that may make a group."""
        return (*AXES, *self.strata, *self.along)

    @property
    def clusters(self) -> pl.Series:
        """Clusters of all planned runs: what is drawn from."""
        return pl.concat([self.frame["cluster"], self.missing["cluster"]])

    def checked(self, by: Sequence[str], metrics: Sequence[Metric] = ()) -> list[str]:
        """Return the names, each of which may make a group of the metrics.

        Raises:
            UsageError: one of them may not, or a metric needs another one.
        """
        for name in by:
            if name not in self.axes:
                raise UsageError(f"cannot group by {name!r}; there are {', '.join(self.axes)}")
        for metric in metrics:
            if metric.along is not None and metric.along not in by:
                raise UsageError(f"{metric.name} is defined along {metric.along}: group by it too")
            for name in by:
                if AXES_ALONG.get(name) is not None and metric.along != name:
                    raise UsageError(f"{metric.name} does not depend on {name}: group by something else")
        return list(by)

    def asked(self, metric: Metric, by: Sequence[str]) -> pl.LazyFrame:
        """Return the rows that a metric is asked of: episodes (and missing runs), or one for each value of an axis."""
        rows = pl.concat([self.frame, self.missing]) if metric.planned else self.frame
        for name in by:
            if name in self.along:
                labels = self.along[name]
                kept = rows.select(pl.exclude(set(labels.columns) - {"episode"}))
                rows = kept.join(labels, on="episode", maintain_order="left")
        return rows.lazy()

    def where(self, condition: pl.Expr) -> Population:
        """Return the episodes of which the condition is true; missing runs are left out."""
        return replace(self, frame=self.frame.filter(condition), missing=self.missing.clear())

    def chosen(self, condition: pl.Expr) -> Population:
        """Return the episodes, and the missing runs, of which the condition is true."""
        return replace(self, frame=self.frame.filter(condition), missing=self.missing.filter(condition))

    def of_baseline(self, conditions: Conditions) -> Population:
        """Return the episodes of the baseline, and the missing runs of it."""
        return self.chosen(is_baseline(conditions))

    def with_columns(self, *expressions: pl.Expr) -> Population:
        """Return the population with further columns."""
        return replace(self, frame=self.frame.with_columns(expressions), missing=self.missing.with_columns(expressions))


def is_baseline(conditions: Conditions) -> pl.Expr:
    """Return whether an episode is of the baseline: of its condition (`(none)`: of none) and, where it has one, run."""
    it_is = pl.col("condition").fill_null("(none)") == conditions.baseline
    if conditions.run is None:
        return it_is
    return it_is & (pl.col("run") == conditions.run)


def population(
    tables: Tables,
    missing: Literal["error", "own"] = "error",
    planned: Planned | None = None,
    conditions: Conditions | None = None,
) -> Population:
    """Return the episodes of labelled tables.

    Episodes of a task that the suite does not have belong to no template of the suite: each such task is a cluster
    of its own, whatever `missing` says of tasks without a template (its labels are unknown in any case).

    Args:
        tables: traces, labels and specification by the names of `contracts.tables`.
        missing: what to do with a task that has no template.
        planned: which runs were planned (default: those that are there).
        conditions: what is compared; runs were planned of the baseline then.

    Raises:
        ClusterError: a task has no template and `missing` is "error".
        UsageError: a stratum has the name of another column.
    """
    labelled = (
        tables["episodes"]
        .select("episode", *_CONFIGURATION)
        .join(tables["episode_labels"], on="episode", how="left")
        .collect()
        .join(decisions(tables), on="episode", how="left")
        .sort("episode")
    )
    tasks = tables["spec/tasks"].select("suite", "task_id", "template_id").collect()
    evidence = tables["spec/evidence"].select("suite", "task_id", "protocol").collect()
    of_plan = labelled if conditions is None else labelled.filter(is_baseline(conditions))
    absent = missing_runs(of_plan, tasks, evidence, planned)
    if conditions is not None and conditions.run is not None:
        absent = absent.with_columns(run=pl.lit(conditions.run))
    rows = pl.concat([labelled.with_columns(there=pl.lit(True)), absent.with_columns(there=pl.lit(False))])
    wide, names = _wide(tables["spec/strata"].collect())
    for name in names:
        if name in rows.columns or name in AXES_ALONG:
            raise UsageError(f"a stratum cannot be called {name!r}: episodes have a column of that name")
    required = tables["spec/required_reads"].group_by("suite", "task_id").agg(pl.len().cast(pl.Int64)).collect()
    asks = pl.when("task_known").then(pl.col("protocol").cast(pl.String).fill_null("none"))
    whole = (
        rows.join(wide, on=["suite", "task_id"], how="left", maintain_order="left")
        .join(required.rename({"len": "required_reads"}), on=["suite", "task_id"], how="left", maintain_order="left")
        .with_columns(pl.col("required_reads").fill_null(0), asks.alias("asks"))
    )
    unknown = pl.when(~pl.col("task_known")).then(pl.format("unknown task {}", "task_id"))
    keyed = whole.join(tasks, on=["suite", "task_id"], how="left", maintain_order="left").with_columns(
        pl.coalesce("template_id", unknown).alias("template_id")
    )
    clusters = cluster_keys(keyed, missing)
    joined = whole.join(clusters.frame, on="episode", how="left", maintain_order="left")
    there, missed = (joined.filter(pl.col("there") == flag).drop("there") for flag in (True, False))
    return Population(there, tuple(names), clusters.own_clusters, missed, along(there, tables))


def _wide(strata: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return one row a task with a column for every stratum, and the names of those columns."""
    if strata.is_empty():
        return strata.select("suite", "task_id"), []
    wide = strata.sort("name").pivot("name", index=["suite", "task_id"], values="value")
    return wide, [name for name in wide.columns if name not in ("suite", "task_id")]
