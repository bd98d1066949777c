"""What a condition changes: each configuration under it and under the baseline, on the same tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.study import Compared, Conditions
from misstep.stats.chosen import fits
from misstep.stats.contrasts import SCHEMA as CONTRASTS
from misstep.stats.contrasts import contrast, shared_tasks, without_halves
from misstep.stats.families import adjusted
from misstep.stats.matrices import cluster_order
from misstep.stats.metrics import group_name, metric, scored
from misstep.stats.population import Population, is_baseline
from misstep.stats.sides import reduction_interval, sides
from misstep.stats.sums import checked_labels, sums_of

#: Metrics of which a relative reduction is told.
REDUCED = ("cd", "external_cd")
SCHEMA = pl.Schema(
    {
        "configuration": pl.String(),
        "condition": pl.String(),
        **CONTRASTS,
        **{name: pl.Float64() for name in ("reduction", "reduction_low", "reduction_high")},
    }
)


def check_conditions(conditions: Conditions | None, episodes: Population) -> None:
    """Check that everything that is to be compared was run.

    Raises:
        UsageError: there is no episode of the baseline, or of something that is compared, or there is no such metric.
    """
    if conditions is None:
        return
    for name in asked_metrics(conditions):
        metric(name)
    there = ", ".join(sorted(set(episodes.frame["condition"].fill_null("(none)"))))
    named = [(conditions.baseline, is_baseline(conditions)), *((one.name, _is(one)) for one in compared(conditions))]
    for name, condition in named:
        if episodes.frame.filter(condition).is_empty():
            raise UsageError(f"no episode is of the condition {name!r}; there are {there}")


def asked_metrics(conditions: Conditions) -> list[str]:
    """Return the metrics that something is compared on, in their order."""
    return list(dict.fromkeys(name for one in compared(conditions) for name in one.metrics or conditions.metrics))


def compared(conditions: Conditions) -> list[Compared]:
    """Return what is compared with the baseline; a name alone is that of a condition, of whatever run."""
    return [Compared(name=one, condition=one, run=None) if isinstance(one, str) else one for one in conditions.compare]


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
    1 − a / b of damage with its interval. p-values are adjusted over all configurations and conditions of a metric. A
    configuration that was not run under a condition has no row of it. Of the baseline only replicates count that the
    condition has too.

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
    sides_of = list(_sides(episodes.frame.with_columns(group_name(by).alias("of")), conditions))
    families = []
    for name in asked_metrics(conditions):
        known = metric(name)
        labels = scored(episodes.asked(known, []), known, policy).collect()
        rows = []
        for configuration, one, group, keys in sides_of:
            if name not in (one.metrics or conditions.metrics):
                continue
            a, b = (f"{group}, condition={side}" for side in (one.name, one.to or conditions.baseline))
            named = keys.with_columns(pl.col("side").replace_strict({"a": a, "b": b}).alias("group")).drop("side")
            both = without_halves(labels.drop("group").join(named, on="episode"))
            if both["group"].n_unique() < 2:
                continue
            row = contrast(
                both, name, a, b, policy if known.by_policy else "standard", group=group,
                level=level, draws=draws, seed=seed, clusters=episodes.clusters, bounded=known.bounded,
            )  # fmt: skip
            reduced = _reduction(both, row, level, draws, seed, episodes.clusters, told=name in REDUCED)
            told = [pl.lit(configuration).alias("configuration"), pl.lit(one.name).alias("condition")]
            rows.append(row.with_columns(*told, *reduced))
        if rows:
            families.append(adjusted(pl.concat(rows), adjustment))
    return pl.concat(families).select(SCHEMA.names()) if families else SCHEMA.to_frame()


def _sides(frame: pl.DataFrame, conditions: Conditions) -> Iterator[tuple[str, Compared, str, pl.DataFrame]]:
    """Yield configuration, what is compared, group, and the episodes of both sides: (episode, side)."""
    pairs = frame.select("configuration", "of").unique().sort("configuration").rows()
    for configuration, group in pairs:
        mine = frame.filter(pl.col("configuration") == configuration)
        for one in compared(conditions):
            first = mine.filter(_is(one))
            second = _beside(mine, conditions, one)
            second = second.filter(pl.col("replicate").is_in(first["replicate"].implode(), nulls_equal=True))
            if first.height and second.height:
                keys = [
                    rows.select("episode", pl.lit(side).alias("side")) for side, rows in (("a", first), ("b", second))
                ]
                yield configuration, one, group, pl.concat(keys)


def _beside(mine: pl.DataFrame, conditions: Conditions, one: Compared) -> pl.DataFrame:
    """Return the episodes of a configuration that a condition is compared with."""
    for run in one.against:
        of_run = Compared(name=run, condition=one.to or conditions.baseline, run=run)
        if (found := mine.filter(_is(of_run))).height:
            return found
    if one.against:
        return mine.clear()
    other = Compared(name=one.name, condition=one.to, run=None) if one.to is not None else None
    return mine.filter(is_baseline(conditions) if other is None else _is(other))


def _is(one: Compared) -> pl.Expr:
    condition = pl.col("condition").fill_null("(none)") == one.condition
    return condition if one.run is None else condition & fits("run", one.run)


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
