"""Rates with intervals that resample clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import inf
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from misstep.contracts.errors import UsageError
from misstep.stats import intervals, ratios
from misstep.stats.matrices import Matrices, cluster_order, matrices
from misstep.stats.sums import KEYS, UNVERSIONED, cluster_sums, group_totals, one_label_version

Method = Literal["percentile", "bca", "studentized", "wilson", "clopper_pearson"]
#: Methods that take episodes for independent trials.
OF_EPISODES: tuple[Method, ...] = ("wilson", "clopper_pearson")

SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "policy": pl.String,
        "group": pl.String,
        "numerator": pl.Float64,
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
    bounded: bool = True,
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
        bounded: values lie in [0, 1]. Where they do not there is no ceiling beside unknown ones, and no interval
            where resampling shows no spread.

    Raises:
        UsageError: an argument is out of range, or the method is for labels and the values are numbers.
        ContractError, ClusterError, LabelVersionError: the labels cannot give a right number.
    """
    version = one_label_version(labels, label_version)
    if method in OF_EPISODES and labels.lazy().collect_schema().get("value", pl.Boolean()).is_numeric():
        raise UsageError(f"{method} is for shares of episodes, not for means of numbers")
    return estimate_sums(
        cluster_sums(labels, metric, policy, by),
        level=level, draws=draws, seed=seed, method=method, label_version=version, clusters=clusters,
        unbounded=() if bounded else (metric,),
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
    unbounded: Collection[str] = (),
) -> pl.DataFrame:
    """Return the estimates of several metrics at once: `sums` are `cluster_sums`, one below the other.

    Cheaper than one call a metric, and equal to it where all metrics have the same clusters: the weight
    matrix is drawn once. `unbounded` names the metrics whose values may exceed 1. Other arguments, columns and
    errors as in `estimate`.
    """
    check_options(level, draws)
    if method not in get_args(Method):
        raise UsageError(f"method {method!r} is none of {', '.join(get_args(Method))}")
    totals = group_totals(sums, unbounded).with_columns(pl.col("metric").is_in(list(unbounded)).alias("unbounded"))
    found: dict[tuple[str, ...], Bounds] = {}
    below = pl.col("unbounded") | (pl.col("numerator") < pl.col("denominator") - intervals.TIE)
    spread = (pl.col("numerator") > intervals.TIE) & below & (pl.col("clusters") > 1)
    if method in ("percentile", "bca", "studentized"):
        order = cluster_order(sums, clusters)
        for block in _blocks(totals.filter(spread), draws):
            part = matrices(sums.join(block.select(KEYS), on=KEYS, how="semi"), order)
            most = [inf if open_ended else 1.0 for open_ended in block["unbounded"]]
            bounds_of = _resampled(part, level, draws, seed, method, most)
            found.update(zip(block.select(KEYS).rows(), bounds_of, strict=True))
    rows = []
    for total in totals.iter_rows(named=True):
        key = tuple(total[name] for name in KEYS)
        bounds = found.get(key) or _counted(total, level, method)
        if bounds.low is not None and bounds.high is not None and bounds.high - bounds.low <= intervals.TIE:
            bounds = _without_spread(total, total["estimate"], level)
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
    portion = (pl.col("ratios").cum_sum() * draws // RATES_AT_ONCE).alias("portion")
    yield from totals.with_columns(portion).partition_by("portion", maintain_order=True, include_key=False)


def _resampled(
    sums: Matrices, level: float, draws: int, seed: int, method: Method, most: Sequence[float]
) -> Iterator[Bounds]:
    """Return the interval of every group from its draws, `most` its greatest value; draws without a D are left out."""
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
            pair = intervals.studentized(
                kept, errors[group][defined], estimates[group], error[group], level, most[group]
            )
        if pair is None:
            yield Bounds(*intervals.percentile(kept, level), "percentile", len(kept))
        else:
            yield Bounds(*pair, method, len(kept))


def _counted(total: dict[str, Any], level: float, method: Method) -> Bounds:
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
    return _without_spread(total, numerator / denominator, level)


def _without_spread(total: dict[str, Any], estimate: float, level: float) -> Bounds:
    """Return the exact bound on clusters, or none where values have no greatest one."""
    if total["unbounded"]:
        return Bounds(None, None, "no_spread", 0)
    return Bounds(*intervals.exact_clusters(estimate, total["clusters"], level), "exact_clusters", 0)
