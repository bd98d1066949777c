"""Ratios of sums, averaged over parts and replicates: of the data, of every draw, and with one cluster left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from misstep.stats.draws import CELLS_AT_ONCE, FloatArray, weights
from misstep.stats.matrices import Matrices

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


def rates(numerator: FloatArray, denominator: FloatArray, sums: Matrices) -> FloatArray:
    """Return every group's rate: N / D of each part, averaged over the parts of a replicate, then over replicates.

    Averages have equal weights and leave out what has no D. A draw can miss all clusters of a replicate with few of
    them. Leaving out the whole draw would keep those draws that happen to take these clusters, and so tilt the interval
    towards them.

    Args:
        numerator: last axis are the rows of `sums`.
        denominator: the same shape.
        sums: says which rows belong together.

    Returns:
        The last axis are groups; NaN where no replicate has a denominator.
    """
    present = denominator > 0
    ratio = np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=present)
    mean, present = _averaged(ratio, present, sums.pairs)
    mean, present = _averaged(mean, present, sums.groups)
    return np.where(present, mean, np.nan)


def _averaged(values: FloatArray, present: Flags, starts: Places) -> tuple[FloatArray, Flags]:
    """Return the means of the present values of each portion of the last axis, and whether there is one."""
    if len(starts) == values.shape[-1]:
        return values, present
    count = np.add.reduceat(present, starts, axis=-1, dtype=np.int64)
    total = np.add.reduceat(values, starts, axis=-1)
    mean = np.divide(total, count, out=np.zeros(count.shape), where=count > 0)
    return mean, count > 0


def observed(sums: Matrices) -> FloatArray:
    """Return the rate of every group in the data."""
    return rates(sums.numerator.sum(axis=1), sums.denominator.sum(axis=1), sums)


def resampled(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the rate of every group in every draw: rows are draws, columns groups, NaN where undefined."""
    parts = [
        rates(weight @ sums.numerator.T, weight @ sums.denominator.T, sums) for weight in _weights(sums, draws, seed)
    ]
    return np.concatenate(parts)


def _weights(sums: Matrices, draws: int, seed: int) -> Iterator[FloatArray]:
    """Return the weights in slices whose resampled sums, a column a row of them, take no more room than they."""
    pairs, clusters = sums.numerator.shape
    return weights(clusters, draws, seed, CELLS_AT_ONCE * clusters // max(clusters, pairs))


def left_out(sums: Matrices) -> FloatArray:
    """Return the rate of every group with one cluster left out: rows are clusters, columns groups."""
    numerator = sums.numerator.sum(axis=1) - sums.numerator.T
    denominator = sums.denominator.sum(axis=1) - sums.denominator.T
    return rates(numerator, denominator, sums)


def standard_errors(sums: Matrices, weight: FloatArray) -> FloatArray:
    """Return the linearized standard error of every group's rate under given weights.

    A cluster's influence on a ratio of sums is (N_c − rate × D_c) / D; the error is the root of the weighted
    sum of squares; in the means over parts and replicates, each one with a denominator has the same share. The factor
    for the number of clusters is left out: it cancels in a studentized interval.

    Args:
        sums: cluster sums.
        weight: rows are draws, columns clusters.

    Returns:
        Rows are draws, columns groups; NaN where no replicate has a denominator.
    """
    total = weight @ sums.denominator.T
    present = total > 0
    ratio = np.divide(weight @ sums.numerator.T, total, out=np.zeros(total.shape), where=present)
    ends = np.append(np.append(sums.pairs, total.shape[1])[sums.groups], total.shape[1])
    parts = np.add.reduceat(present, sums.pairs, axis=1, dtype=np.int64)
    replicates = np.add.reduceat(parts > 0, sums.groups, axis=1, dtype=np.int64)
    parts_of_row = np.repeat(parts, np.diff(np.append(sums.pairs, total.shape[1])), axis=1)
    errors = np.empty((weight.shape[0], len(sums.groups)))
    for group, (start, end) in enumerate(pairwise(ends)):
        here, count = present[:, start:end], replicates[:, group : group + 1]
        equal = count * parts_of_row[:, start:end] * total[:, start:end]
        share = np.divide(1.0, equal, out=np.zeros(here.shape), where=here)
        influence = share @ sums.numerator[start:end]
        influence -= (share * ratio[:, start:end]) @ sums.denominator[start:end]
        errors[:, group] = np.where(count[:, 0] > 0, np.sqrt(np.sum(weight * influence**2, axis=1)), np.nan)
    return errors


def resampled_errors(sums: Matrices, draws: int, seed: int) -> FloatArray:
    """Return the linearized standard error of every group in every draw of `resampled`."""
    return np.concatenate([standard_errors(sums, weight) for weight in _weights(sums, draws, seed)])
