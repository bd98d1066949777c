"""Two configurations on the same clusters: their difference, its draws, and what swapping them does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from misstep.stats import intervals
from misstep.stats.draws import FloatArray, swaps, weights


class Sides(NamedTuple):
    """Cluster sums of two sides: axes are (side, replicate, part, cluster)."""

    numerator: FloatArray
    denominator: FloatArray


def sides(sums: pl.DataFrame, clusters: pl.Series, b: str) -> Sides:
    """Return the `cluster_sums` of two groups over the sorted clusters; `b` is the second group.

    Replicates must be whole numbers from 1.
    """
    columns = pl.DataFrame({"cluster": clusters}).with_row_index("column")
    parts = sums.select(pl.col("part").unique().sort()).with_row_index("place")
    cells = sums.join(columns, on="cluster").join(parts, on="part", nulls_equal=True)
    replicate = cells["replicate"].to_numpy() - 1
    side = (cells["group"] == b).cast(pl.Int64).to_numpy()
    at = (side, replicate, cells["place"].to_numpy(), cells["column"].to_numpy())
    shape = (2, int(replicate.max(initial=0)) + 1, max(1, parts.height), len(clusters))
    numerator, denominator = np.zeros(shape), np.zeros(shape)
    numerator[at] = cells["numerator"].to_numpy()
    denominator[at] = cells["denominator"].to_numpy()
    return Sides(numerator, denominator)


def side_rates(pair: Sides) -> tuple[float, float]:
    """Return the rates of both sides, averaged over parts and replicates; NaN without a denominator."""
    first, second = _rates(pair.numerator.sum(axis=-1), pair.denominator.sum(axis=-1))
    return float(first), float(second)


def difference_interval(
    pair: Sides, level: float, draws: int, seed: int, *, bounded: bool = True
) -> tuple[float | None, float | None, str]:
    """Return low and high of the difference and the method that found them.

    Percentiles of the jointly resampled difference, without the draws in which a side has no denominator at all.
    Where resampling shows no spread: the difference if as many clusters deviate, as far as they can, as an
    exact bound on an unseen event allows; no interval where values are not `bounded` by 1.
    """
    first, second = _resampled(pair, draws, seed)
    drawn = first - second
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return None, None, "percentile"
    low, high = intervals.percentile(drawn, level)
    if high - low > intervals.TIE:
        return low, high, "percentile"
    if not bounded:
        return None, None, "no_spread"
    clusters = int((pair.denominator.sum(axis=(0, 1, 2)) > 0).sum())
    _, deviating = intervals.exact_clusters(0.0, clusters, level)
    first_rate, second_rate = side_rates(pair)
    centre = (first_rate - second_rate) * (1 - deviating)
    return max(-1.0, centre - deviating), min(1.0, centre + deviating), "exact_clusters"


def reduction_interval(pair: Sides, level: float, draws: int, seed: int) -> tuple[float | None, float | None]:
    """Return low and high of 1 − a / b, the share by which the first side is below the second.

    Percentiles over the jointly resampled draws in which b is above zero; null where these show no spread.
    """
    first, second = _resampled(pair, draws, seed)
    defined = ~np.isnan(first) & (second > 0)
    drawn = 1 - first[defined] / second[defined]
    if not len(drawn):
        return None, None
    low, high = intervals.percentile(drawn, level)
    return (low, high) if high - low > intervals.TIE else (None, None)


def swap_test(pair: Sides, draws: int, seed: int) -> float:
    """Return the two-sided p-value of swapping the sides of whole clusters at random.

    The share (1 + at least as far apart as observed) / (1 + swaps); swaps that leave a side without a
    denominator are left out.
    """
    first, second = side_rates(pair)
    apart = abs(first - second)
    further, count = 0, 0
    for swap in swaps(pair.numerator.shape[-1], draws, seed):
        moved_n = _summed(pair.numerator[1] - pair.numerator[0], swap)
        moved_d = _summed(pair.denominator[1] - pair.denominator[0], swap)
        number, total = pair.numerator.sum(axis=-1), pair.denominator.sum(axis=-1)
        one = _rates(number[0] + moved_n, total[0] + moved_d)
        other = _rates(number[1] - moved_n, total[1] - moved_d)
        difference = np.abs(one - other)
        further += int((difference >= apart - intervals.TIE).sum())
        count += int((~np.isnan(difference)).sum())
    return (1 + further) / (1 + count)


def _resampled(pair: Sides, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the rates of both sides in every draw, NaN without a denominator."""
    parts = []
    for weight in weights(pair.numerator.shape[-1], draws, seed):
        parts.append(_rates(_summed(pair.numerator, weight), _summed(pair.denominator, weight)))
    drawn = np.concatenate(parts)
    return drawn[:, 0], drawn[:, 1]


def _summed(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the weighted sums over the last axis of the values, clusters, in every draw, the first axis.

    One product of two matrices: many small ones take ten times as long.
    """
    rows = values.reshape(-1, values.shape[-1])
    return (weight @ rows.T).reshape(len(weight), *values.shape[:-1])


def _rates(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return rates averaged over parts (last axis), then replicates (the one before), as far as there is a denominator.

    NaN where there is none.
    """
    defined = denominator > 0
    mean = np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=defined)
    for _ in ("parts", "replicates"):
        count = defined.sum(axis=-1)
        mean = np.divide(mean.sum(axis=-1), count, out=np.zeros(count.shape), where=count > 0)
        defined = count > 0
    return np.where(defined, mean, np.nan)
