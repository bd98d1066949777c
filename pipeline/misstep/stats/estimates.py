"""Rates with intervals that resample clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from misstep.contracts.errors import UsageError
from misstep.stats import intervals, ratios
from misstep.stats.sums import (
    KEYS,
    UNVERSIONED,
    Matrices,
    cluster_order,
    cluster_sums,
    group_totals,
    matrices,
    one_label_version,
)

Method = Literal["percentile", "bca", "studentized", "wilson", "clopper_pearson"]

SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "policy": pl.String,
        "group": pl.String,
        "numerator": pl.Int64,
        "denominator": pl.Int64,
        "estimate": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "method": pl.String,
        "level": pl.Float64,
        "clusters": pl.Int64,
        "episodes": pl.Int64,
        "replicates": pl.Int64,
        "draws": pl.Int64,
        "seed": pl.Int64,
        "unknown": pl.Int64,
        "floor": pl.Float64,
        "ceiling": pl.Float64,
        "label_version": pl.String,
    }
)

RATES_AT_ONCE = 2**23
"""Resampled rates held at a time (64 MiB of float64); more groups than fit are taken in turns."""

MOST_DRAWS = 1_000_000
"""More draws change no digit that is told, and cost memory and hours."""


class Bounds(NamedTuple):
    """An interval, how it was found, and the draws that entered it (0 where it needs none)."""

    low: float | None
    high: float | None
    method: str
    draws: int


def estimate(
    labels: pl.DataFrame | pl.LazyFrame,
    metric: str,
    by: str | None = "group",
    policy: str = "standard",
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    method: Method = "percentile",
    label_version: str | None = None,
    clusters: pl.Series | None = None,
) -> pl.DataFrame:
    """Return one row a group with its rate, interval and counts ([S], [E]; metrics.md §3).

    Args:
        labels: rows are (episode, group); see `cluster_sums`. A column `label_version` is checked and kept.
        metric: name of the metric.
        by: column that names the group, or None for one group "all".
        policy: name of the policy under which the labels were scored.
        level: coverage of the interval in (0, 1).
        draws: number of draws of clusters.
        seed: seed of the draws; equal seeds and clusters give equal draws for every metric.
        method: how to find the interval; `wilson` and `clopper_pearson` take episodes for independent.
        label_version: version of the definitions, where the labels do not carry it.
        clusters: all clusters to draw from; default are those of the labels, members or not. Give it where
            metrics with different episodes shall share their draws.

    Raises:
        UsageError: an argument is out of range.
        ContractError, ClusterError, LabelVersionError: the labels cannot give a right number.
    """
    version = one_label_version(labels, label_version)
    return estimate_sums(
        cluster_sums(labels, metric, policy, by),
        level=level, draws=draws, seed=seed, method=method, label_version=version, clusters=clusters,
    )  # fmt: skip


def estimate_sums(
    sums: pl.DataFrame,
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    method: Method = "percentile",
    label_version: str = UNVERSIONED,
    clusters: pl.Series | None = None,
) -> pl.DataFrame:
    """Return the estimates of several metrics at once: `sums` are `cluster_sums`, one below the other.

    Cheaper than one call a metric, and equal to it where all metrics have the same clusters: the weight
    matrix is drawn once. Arguments, columns and errors as in `estimate`.
    """
    check_options(level, draws)
    if method not in get_args(Method):
        raise UsageError(f"method {method!r} is none of {', '.join(get_args(Method))}")
    totals = group_totals(sums)
    found: dict[tuple[str, ...], Bounds] = {}
    spread = pl.col("numerator").is_between(1, pl.col("denominator") - 1) & (pl.col("clusters") > 1)
    if method in ("percentile", "bca", "studentized"):
        order = cluster_order(sums, clusters)
        for block in _blocks(totals.filter(spread), draws):
            part = matrices(sums.join(block.select(KEYS), on=KEYS, how="semi"), order)
            bounds_of = _resampled(part, level, draws, seed, method)
            found.update(zip(block.select(KEYS).rows(), bounds_of, strict=True))
    rows = []
    for total in totals.iter_rows(named=True):
        key = tuple(total[name] for name in KEYS)
        bounds = found.get(key) or _counted(total, level, method)
        if bounds.low is not None and bounds.high is not None and bounds.high - bounds.low <= intervals.TIE:
            exact = intervals.exact_clusters(total["estimate"], total["clusters"], level)
            bounds = Bounds(*exact, "exact_clusters", 0)
        told = {"level": level, "seed": seed, "label_version": label_version}
        rows.append({**total, **bounds._asdict(), **told})
    return pl.DataFrame(rows, schema_overrides=SCHEMA).select(SCHEMA.names()) if rows else SCHEMA.to_frame()


def check_options(level: float, draws: int) -> None:
    """Raise UsageError unless 0 < level < 1 and there are draws, but not too many."""
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1, it is {level}")
    if not 1 <= draws <= MOST_DRAWS:
        raise UsageError(f"draws must lie between 1 and {MOST_DRAWS:,}, it is {draws:,}")


def _blocks(totals: pl.DataFrame, draws: int) -> Iterator[pl.DataFrame]:
    """Return the groups in portions whose resampled sums fit in bounded memory."""
    if totals.is_empty():
        return
    portion = (pl.col("replicates").cum_sum() * draws // RATES_AT_ONCE).alias("portion")
    yield from totals.with_columns(portion).partition_by("portion", maintain_order=True, include_key=False)


def _resampled(sums: Matrices, level: float, draws: int, seed: int, method: Method) -> Iterator[Bounds]:
    """Return the interval of every group from its draws; draws without a denominator are left out."""
    drawn = ratios.resampled(sums, draws, seed).T.copy()
    estimates = ratios.observed(sums)
    without = ratios.left_out(sums).T if method == "bca" else None
    whole = np.ones((1, sums.numerator.shape[1]))
    error = ratios.standard_errors(sums, whole)[0] if method == "studentized" else None
    errors = ratios.resampled_errors(sums, draws, seed).T if method == "studentized" else None
    for group, row in enumerate(drawn):
        defined = ~np.isnan(row)
        kept = row[defined]
        if not len(kept):
            yield Bounds(None, None, method, 0)
            continue
        pair = None
        if without is not None:
            pair = intervals.bca(kept, estimates[group], without[group][~np.isnan(without[group])], level)
        elif error is not None and errors is not None:
            pair = intervals.studentized(kept, errors[group][defined], estimates[group], error[group], level)
        if pair is None:
            yield Bounds(*intervals.percentile(kept, level), "percentile", len(kept))
        else:
            yield Bounds(*pair, method, len(kept))


def _counted(total: dict[str, int], level: float, method: Method) -> Bounds:
    """Return the interval of a group that needs no draws."""
    numerator, denominator, clusters = total["numerator"], total["denominator"], total["clusters"]
    if denominator == 0:
        return Bounds(None, None, "zero_denominator", 0)
    if method == "wilson":
        return Bounds(*intervals.wilson(numerator, denominator, level), "wilson", 0)
    if method == "clopper_pearson":
        return Bounds(*intervals.clopper_pearson(numerator, denominator, level), "clopper_pearson", 0)
    if clusters == 1:
        return Bounds(None, None, "one_cluster", 0)
    return Bounds(*intervals.exact_clusters(numerator / denominator, clusters, level), "exact_clusters", 0)
