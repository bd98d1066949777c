"""Differences between configurations on what both of them ran, jointly resampled."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import isnan
from typing import Any

import polars as pl

from misstep.contracts.errors import ContractError, UsageError
from misstep.stats.estimates import check_options
from misstep.stats.families import Adjustment, adjusted
from misstep.stats.matrices import cluster_order
from misstep.stats.sides import difference_interval, side_rates, sides, swap_test
from misstep.stats.sums import checked_labels, one_label_version, sums_of

SCHEMA = pl.Schema(
    {
        **{name: pl.String() for name in ("metric", "policy", "group", "a", "b")},
        **{name: pl.Float64() for name in ("estimate_a", "estimate_b", "difference", "low", "high")},
        **{name: pl.Float64() for name in ("p", "p_adjusted")},
        **{name: pl.Int64() for name in ("clusters", "pairs", "only_a", "only_b", "dropped")},
        "method": pl.String(),
    }
)


def contrast(
    labels: pl.DataFrame | pl.LazyFrame,
    metric: str,
    a: str,
    b: str,
    policy: str = "standard",
    *,
    by: str = "group",
    group: str = "all",
    paired: bool = True,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    clusters: pl.Series | None = None,
    bounded: bool = True,
) -> pl.DataFrame:
    """Return one row: the difference a − b with its interval and p-value.

    Only tasks that both sides ran, with a known label, are compared; both sides get the same draws of
    clusters. The p-value swaps the two sides' sums of whole clusters at random and recomputes: the share
    (1 + at least as far apart) / (1 + swaps). Where resampling shows no spread, the interval says how far
    the difference could be if as many clusters deviate as an exact bound allows (`exact_clusters`).

    Args:
        labels: rows are episodes; columns as for `cluster_sums`, and `task_id` (without it the cluster is the
            task). Replicates are matched by their order within each side.
        metric: name of the metric.
        a: text in the column `by` of the first side.
        b: text of the second side.
        policy: name of the policy under which the labels were scored.
        by: column that names the configuration.
        group: name of what both sides share, written into the key.
        paired: False compares all that each side ran; then there is no p-value.
        level: coverage of the interval in (0, 1).
        draws: number of draws and of swaps.
        seed: seed of both.
        clusters: all clusters to draw from; default are those of the labels.
        bounded: values lie in [0, 1].

    Raises:
        UsageError: a and b are the same, or an argument is out of range.
        LabelVersionError: the two sides were labelled under different definitions.
        ContractError: a side has no episode, or the labels cannot give a right number.
    """
    check_options(level, draws)
    if a == b:
        raise UsageError(f"{a!r} cannot be compared with itself")
    both = labels.lazy().filter(pl.col(by).is_in([a, b])).collect()
    one_label_version(both)
    frame = checked_labels(both, by, extra=("task_id",))
    for side in (a, b):
        if not (frame["group"] == side).any():
            raise ContractError(f"there is no episode of {side!r} to compare")
    kept, pairs, dropped = shared_tasks(frame, paired=paired)
    sums = sums_of(kept, metric, policy)
    pair = sides(sums, cluster_order(labels, clusters), b)
    rate_a, rate_b = side_rates(pair)
    row: dict[str, Any] = {"metric": metric, "policy": policy, "group": group, "a": a, "b": b}
    row |= {"estimate_a": _number(rate_a), "estimate_b": _number(rate_b), "difference": _number(rate_a - rate_b)}
    row |= {"clusters": sums.filter(pl.col("denominator") > 0)["cluster"].n_unique()}
    row |= {"pairs": pairs, "dropped": dropped}
    if paired and not labels.lazy().collect_schema()["value"].is_numeric():
        row["only_a"], row["only_b"] = _apart(kept, a, b)
    if row["difference"] is None:
        row["method"] = "zero_denominator"
    elif row["clusters"] == 1:
        row["method"] = "one_cluster"
    else:
        row["low"], row["high"], row["method"] = difference_interval(pair, level, draws, seed, bounded=bounded)
        row["p"] = row["p_adjusted"] = swap_test(pair, draws, seed) if paired else None
    return pl.DataFrame([row], schema=SCHEMA)


def all_pairs(
    labels: pl.DataFrame | pl.LazyFrame,
    metric: str,
    policy: str = "standard",
    *,
    by: str = "group",
    adjustment: Adjustment = "holm",
    **options: Any,
) -> pl.DataFrame:
    """Return the contrasts of every two configurations, first in sorted order, p adjusted over the family.

    `options` are those of `contrast`. Raises as `contrast` does; fewer than two configurations give no row.
    """
    names = labels.lazy().select(pl.col(by).drop_nulls().unique().sort()).collect()[by]
    rows = [contrast(labels, metric, a, b, policy, by=by, **options) for a, b in combinations(names, 2)]
    return adjusted(pl.concat(rows), adjustment) if rows else SCHEMA.to_frame()


def sentence(row: Mapping[str, Any], level: float = 0.95, *, shares: bool = True) -> str:
    """Return the contrast as a sentence that says whether the interval includes zero.

    Differences of `shares` are told in points (per cent), those of other means as they are.
    """
    what = f"{row['metric']}, {row['a']} minus {row['b']}"
    tasks = "task" if row["pairs"] == 1 else "tasks"
    basis = f"{row['pairs']} shared {tasks} in {row['clusters']} cluster{'' if row['clusters'] == 1 else 's'}"
    if row.get("only_a") is not None and row.get("only_b") is not None:
        basis += f"; {row['only_a']} runs have it on the first side alone, {row['only_b']} on the second"
    if row["dropped"]:
        basis += f"; {row['dropped']} cluster{'' if row['dropped'] == 1 else 's'} dropped"
    if row["difference"] is None:
        return f"{what}: nothing to compare ({basis})."
    said, unit = ("{:+.1f}", " points") if shares else ("{:+.2f}", "")
    scale = 100 if shares else 1
    points = f"{what}: {said.format(scale * row['difference'])}{unit}"
    if row["low"] is None or row["high"] is None:
        return f"{points}, no interval ({basis})."
    verdict = "includes" if row["low"] <= 0 <= row["high"] else "does not include"
    test = "" if row["p_adjusted"] is None else f"; adjusted p = {row['p_adjusted']:.3g}"
    low, high = (said.format(scale * row[end]) for end in ("low", "high"))
    return f"{points}; the {100 * level:g} % interval {low} to {high} {verdict} zero ({basis}{test})."


def shared_tasks(frame: pl.DataFrame, *, paired: bool) -> tuple[pl.DataFrame, int, int]:
    """Return the known episodes of the compared tasks, the number of shared tasks, and of clusters dropped.

    Rows are `checked_labels` of two groups; replicates come back as numbers from 1, by their order within each group.

    An episode whose label is unknown cannot be one half of a pair; tasks of which no episode belongs to the denominator
    are none that the metric asks about.
    """
    task = "task_id" if "task_id" in frame.columns else "cluster"
    order = pl.col("replicate").fill_null(-(2**62)).rank("dense").over("group")
    known = frame.with_columns(
        pl.struct("cluster", pl.col(task).alias("name")).alias("task"), order.cast(pl.Int64).alias("replicate")
    ).filter(pl.col("member").is_not_null() & (~pl.col("member") | pl.col("value").is_not_null()))
    sides_of = known.group_by("task").agg(pl.col("group").n_unique().alias("sides"), pl.col("member").any())
    shared = sides_of.filter(pl.col("sides") == 2)
    kept = known.join(shared, on="task", how="semi") if paired else known
    return kept, shared.filter("member").height, frame["cluster"].n_unique() - kept["cluster"].n_unique()


def without_halves(labels: pl.DataFrame) -> pl.DataFrame:
    """Return the labels of two groups without the tasks that belong to the denominator on one side alone."""
    member = pl.col("member").fill_null(value=True).any().over("task_id", "group")
    return labels.filter(member.n_unique().over("task_id") == 1)


def _apart(kept: pl.DataFrame, a: str, b: str) -> tuple[int, int]:
    """Return in how many pairs of runs of a task and replicate one side alone has the label: the first, the second."""
    sides_of = [pl.col("value").filter(pl.col("group") == side).max().alias(side) for side in (a, b)]
    pairs = kept.filter("member").group_by("task", "replicate").agg(sides_of).drop_nulls()
    return int((pairs[a] > pairs[b]).sum()), int((pairs[a] < pairs[b]).sum())


def _number(value: float) -> float | None:
    return None if isnan(value) else value
