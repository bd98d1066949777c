"""Ratios of sums, averaged over replicates: of the data, of every draw, and with one cluster left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from misstep.stats.draws import CELLS_AT_ONCE, FloatArray, weights
from misstep.stats.sums import Matrices


def rates(numerator: FloatArray, denominator: FloatArray, first: npt.NDArray[np.int64]) -> FloatArray:
    """Return every group's rate: N / D of each replicate, averaged with equal weight over those that have a D.

    A draw can miss all clusters of a replicate with few of them. Leaving out the whole draw would keep those draws
    that happen to take these clusters, and so tilt the interval towards them.

    Args:
        numerator: last axis are the (group, replicate) pairs.
        denominator: the same shape.
        first: where each group begins on that axis.

    Returns:
        The last axis are groups; NaN where no replicate has a denominator.
    """
    present = denominator > 0
    ratio = np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=present)
    count = np.add.reduceat(present, first, axis=-1, dtype=np.int64)
    mean = np.full(count.shape, np.nan)
    np.divide(np.add.reduceat(ratio, first, axis=-1), count, out=mean, where=count > 0)
    return mean


def observed(sums: Matrices) -> FloatArray:
    """Return the rate of every group in the data."""
    return rates(sums.numerator.sum(axis=1), sums.denominator.sum(axis=1), sums.first)


def resampled(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the rate of every group in every draw: rows are draws, columns groups, NaN where undefined."""
    parts = [
        rates(weight @ sums.numerator.T, weight @ sums.denominator.T, sums.first)
        for weight in _weights(sums, draws, seed)
    ]
    return np.concatenate(parts)


def _weights(sums: Matrices, draws: int, seed: int) -> Iterator[FloatArray]:
    """Return the weights in slices whose resampled sums, a column a (group, replicate), take no more room than they."""
    pairs, clusters = sums.numerator.shape
    return weights(clusters, draws, seed, CELLS_AT_ONCE * clusters // max(clusters, pairs))


def left_out(sums: Matrices) -> FloatArray:
    """Return the rate of every group with one cluster left out: rows are clusters, columns groups."""
    numerator = sums.numerator.sum(axis=1) - sums.numerator.T
    denominator = sums.denominator.sum(axis=1) - sums.denominator.T
    return rates(numerator, denominator, sums.first)


def standard_errors(sums: Matrices, weight: FloatArray) -> FloatArray:
    """Return the linearized standard error of every group's rate under given weights.

    A cluster's influence on a ratio of sums is (N_c − rate × D_c) / D; the error is the root of the weighted
    sum of squares; in the mean over replicates, each one with a denominator has the same share. The factor for the
    number of clusters is left out: it cancels in a studentized interval.

    Args:
        sums: cluster sums.
        weight: rows are draws, columns clusters.

    Returns:
        Rows are draws, columns groups; NaN where no replicate has a denominator.
    """
    total = weight @ sums.denominator.T
    present = total > 0
    ratio = np.divide(weight @ sums.numerator.T, total, out=np.zeros(total.shape), where=present)
    ends = np.append(sums.first, total.shape[1])
    errors = np.empty((weight.shape[0], len(sums.first)))
    for group, (start, end) in enumerate(pairwise(ends)):
        here = present[:, start:end]
        count = here.sum(axis=1, keepdims=True)
        share = np.divide(1.0, count * total[:, start:end], out=np.zeros(here.shape), where=here)
        influence = share @ sums.numerator[start:end]
        influence -= (share * ratio[:, start:end]) @ sums.denominator[start:end]
        errors[:, group] = np.where(count[:, 0] > 0, np.sqrt(np.sum(weight * influence**2, axis=1)), np.nan)
    return errors


def resampled_errors(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the linearized standard error of every group in every draw of `resampled`."""
    return np.concatenate([standard_errors(sums, weight) for weight in _weights(sums, draws, seed)])
