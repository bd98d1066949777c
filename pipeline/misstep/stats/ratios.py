"""Ratios of sums, averaged over replicates: of the data, of every draw, and with one cluster left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from misstep.stats.draws import FloatArray, weights
from misstep.stats.sums import Matrices


def rates(numerator: FloatArray, denominator: FloatArray, first: npt.NDArray[np.int64]) -> FloatArray:
    """Return every group's rate: N / D of each replicate, averaged with equal weight over replicates.

    Args:
        numerator: last axis are the (group, replicate) pairs.
        denominator: the same shape.
        first: where each group begins on that axis.

    Returns:
        The last axis are groups; NaN where a denominator vanishes.
    """
    ratio = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    if len(first) == numerator.shape[-1]:
        return ratio
    replicates = np.diff(np.append(first, numerator.shape[-1]))
    return np.asarray(np.add.reduceat(ratio, first, axis=-1) / replicates, dtype=np.float64)


def observed(sums: Matrices) -> FloatArray:
    """Return the rate of every group in the data."""
    return rates(sums.numerator.sum(axis=1), sums.denominator.sum(axis=1), sums.first)


def resampled(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the rate of every group in every draw: rows are draws, columns groups, NaN where undefined."""
    parts = [
        rates(weight @ sums.numerator.T, weight @ sums.denominator.T, sums.first)
        for weight in weights(sums.numerator.shape[1], draws, seed)
    ]
    return np.concatenate(parts)


def left_out(sums: Matrices) -> FloatArray:
    """Return the rate of every group with one cluster left out: rows are clusters, columns groups."""
    numerator = sums.numerator.sum(axis=1) - sums.numerator.T
    denominator = sums.denominator.sum(axis=1) - sums.denominator.T
    return rates(numerator, denominator, sums.first)


def standard_errors(sums: Matrices, weight: FloatArray) -> FloatArray:
    """Return the linearized standard error of every group's rate under given weights.

    A cluster's influence on a ratio of sums is (N_c − rate × D_c) / D; the error is the root of the weighted
    sum of squares. The factor for the number of clusters is left out: it cancels in a studentized interval.

    Args:
        sums: cluster sums.
        weight: rows are draws, columns clusters.

    Returns:
        Rows are draws, columns groups; NaN where a denominator vanishes.
    """
    total = weight @ sums.denominator.T
    ratio = rates(weight @ sums.numerator.T, total, np.arange(total.shape[1]))
    ends = np.append(sums.first, total.shape[1])
    errors = np.empty((weight.shape[0], len(sums.first)))
    for group, (start, end) in enumerate(pairwise(ends)):
        share = np.full((weight.shape[0], end - start), np.nan)
        np.divide(1 / (end - start), total[:, start:end], out=share, where=total[:, start:end] > 0)
        influence = share @ sums.numerator[start:end]
        influence -= (share * ratio[:, start:end]) @ sums.denominator[start:end]
        errors[:, group] = np.sqrt(np.sum(weight * influence**2, axis=1))
    return errors


def resampled_errors(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the linearized standard error of every group in every draw of `resampled`."""
    return np.concatenate([standard_errors(sums, weight) for weight in weights(sums.numerator.shape[1], draws, seed)])
