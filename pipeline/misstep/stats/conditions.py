"""What a condition changes: each configuration under it and under the baseline, on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from misstep.contracts.study import Conditions
from misstep.stats.contrasts import SCHEMA as CONTRASTS
from misstep.stats.contrasts import contrast, shared_tasks
from misstep.stats.families import adjusted
from misstep.stats.matrices import cluster_order
from misstep.stats.metrics import METRICS, group_name, scored
from misstep.stats.population import Population
from misstep.stats.sides import reduction_interval, sides
from misstep.stats.sums import checked_labels, sums_of

#: Metrics that conditions are compared on, and those of them of which a relative reduction is told.
METRICS_COMPARED = ("cd", "goal", "external_cd", "unnecessary_clarification")
REDUCED = ("cd", "external_cd")
SCHEMA = pl.Schema(
    {
        "configuration": pl.String(),
        "condition": pl.String(),
        **CONTRASTS,
        **{name: pl.Float64() for name in ("reduction", "reduction_low", "reduction_high")},
    }
)


def condition_contrasts(
    episodes: Population,
    conditions: Conditions,
    by: Sequence[str],
    policy: str = "standard",
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    adjustment: Literal["holm", "bh"] = "holm",
) -> pl.DataFrame:
    """Return a row a (configuration, condition, metric): condition − baseline on the tasks that both have.

    Columns are those of `contrasts` (a: the condition, b: the baseline), configuration and condition, and the reduction
    1 − a / b of damage with its interval. p-values are adjusted over all configurations and
    conditions of a metric. A configuration that was not run under a condition has no row of it.

    Args:
        episodes: of all conditions; with a column `configuration`.
        conditions: the baseline, and what is compared with it.
        by: columns that make a configuration.
        policy: policy of the metrics that depend on one.
        level: coverage of the intervals.
        draws: draws of clusters, and swaps.
        seed: seed of both.
        adjustment: how p-values are adjusted.
    """
    columns = [*by, "condition"]
    named = episodes.frame.select("configuration", group_name(by).alias("group"), condition=_condition()).unique()
    there = set(named.select("group", "condition").iter_rows())
    groups = named.select("configuration", "group").unique().sort("configuration").rows()
    families = []
    for metric in METRICS_COMPARED:
        known = METRICS[metric]
        labels = scored(episodes.asked(known, columns), known, policy, columns).collect()
        rows = []
        for configuration, group in groups:
            for condition in conditions.compare:
                if not {(group, condition), (group, conditions.baseline)} <= there:
                    continue
                a, b = (f"{group}, condition={side}" for side in (condition, conditions.baseline))
                row = contrast(
                    labels, metric, a, b, policy if known.by_policy else "standard", group=group,
                    level=level, draws=draws, seed=seed, clusters=episodes.clusters,
                )  # fmt: skip
                reduced = _reduction(labels, row, level, draws, seed, episodes.clusters, told=metric in REDUCED)
                told = [pl.lit(configuration).alias("configuration"), pl.lit(condition).alias("condition")]
                rows.append(row.with_columns(*told, *reduced))
        if rows:
            families.append(adjusted(pl.concat(rows), adjustment))
    return pl.concat(families).select(SCHEMA.names()) if families else SCHEMA.to_frame()


def _condition() -> pl.Expr:
    return pl.col("condition").fill_null("(none)")


def _reduction(
    labels: pl.DataFrame, row: pl.DataFrame, level: float, draws: int, seed: int, clusters: pl.Series, *, told: bool
) -> list[pl.Expr]:
    """Return the columns of the reduction from b to a, null where there is none."""
    found = row.row(0, named=True)
    value: float | None = None
    low: float | None = None
    high: float | None = None
    if told and found["difference"] is not None and found["estimate_b"] > 0:
        value = 1 - found["estimate_a"] / found["estimate_b"]
        both = checked_labels(labels.filter(pl.col("group").is_in([found["a"], found["b"]])), "group", ("task_id",))
        kept, _, _ = shared_tasks(both, paired=True)
        if found["method"] != "one_cluster":
            pair = sides(sums_of(kept, found["metric"], found["policy"]), cluster_order(labels, clusters), found["b"])
            low, high = reduction_interval(pair, level, draws, seed)
    columns = {"reduction": value, "reduction_low": low, "reduction_high": high}
    return [pl.lit(number, pl.Float64).alias(name) for name, number in columns.items()]
