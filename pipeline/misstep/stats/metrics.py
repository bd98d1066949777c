"""The registry of metrics: what each counts, among which episodes, and where its definition stands."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.label.policies import DAMAGE
from misstep.stats.evidence import EVIDENCE
from misstep.stats.metric import Metric
from misstep.stats.side_effects import SIDE_EFFECTS

__all__ = ["AXES", "DAMAGE", "METRICS", "Metric", "group_name", "metric", "scored"]

#: What may name a configuration or a group, besides strata and the axes along which an episode counts several times.
AXES = ("model", "harness", "condition", "replicate", "suite", "status", "protocol", "ambiguous")

#: By name. [S] and [E] as in the documentation of the metrics.
METRICS: dict[str, Metric] = {metric.name: metric for metric in (*SIDE_EFFECTS, *EVIDENCE)}


def metric(name: str) -> Metric:
    """Return a registered metric.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in METRICS:
        raise UsageError(f"there is no metric {name!r}; there are {', '.join(METRICS)}")
    return METRICS[name]


def scored(episodes: pl.LazyFrame, of: Metric, policy: str, by: Sequence[str] = ()) -> pl.LazyFrame:
    """Return the labels that `estimate` and `contrast` take: a row an episode.

    Args:
        episodes: rows are episodes: `cluster`, the columns of `episodes` and `episode_labels`, strata as columns.
        of: the metric.
        policy: name of the policy.
        by: columns that make a group; none makes one group `all`. By `rule`, members are those that made a call which
            the rule is about.

    Returns:
        Rows are episodes: episode, task_id, cluster, group (`name=value, …`), replicate, part (of a mean over parts),
        value (Boolean, or Float64 of a mean of numbers), member, label_version.

    Raises:
        UsageError: the episodes lack the column whose values the metric is a mean over.
    """
    if of.macro is not None and of.macro not in episodes.collect_schema():
        raise UsageError(f"{of.name} is a mean over the values of {of.macro}, which no task has as a stratum")
    value, member = of.under(policy)
    if "rule" in by:
        member &= pl.col("ruled")
    return episodes.select(
        "episode",
        "task_id",
        "cluster",
        group_name(by).alias("group"),
        "replicate",
        (pl.lit(None) if of.macro is None else pl.col(of.macro)).cast(pl.String).alias("part"),
        value.cast(pl.Boolean if of.values == "label" else pl.Float64).alias("value"),
        member.cast(pl.Boolean).alias("member"),
        "label_version",
    )


def group_name(by: Sequence[str]) -> pl.Expr:
    """Return the text that names a group: `model=a, condition=b`; a missing value reads `(none)`."""
    if not by:
        return pl.lit("all")
    parts = [pl.format("{}={}", pl.lit(name), pl.col(name).cast(pl.String).fill_null("(none)")) for name in by]
    return pl.concat_str(parts, separator=", ")
