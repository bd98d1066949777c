"""Random weights of clusters: the only randomness of the package, all of it from one seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from misstep.contracts.errors import UsageError

FloatArray = npt.NDArray[np.float64]

CELLS_AT_ONCE = 2**21
"""Weights held at a time (16 MiB of float64), whatever the number of draws and clusters."""


def weights(clusters: int, draws: int, seed: int, cells: int = CELLS_AT_ONCE) -> Iterator[FloatArray]:
    """Return the multinomial weight matrix in consecutive slices of draws.

    A draw takes as many clusters as there are, with replacement; its row says how often each was taken, so
    every row sums to `clusters`. The matrix depends on (clusters, draws, seed) alone, never on how it is
    sliced, and draw i is the same for any number of draws. Columns follow the sorted cluster keys.

    Args:
        clusters: number of clusters, at least 1.
        draws: number of draws.
        seed: seed of PCG64.
        cells: upper bound of a slice's size; slices have at least one row.

    Returns:
        Slices: rows are draws, columns clusters, values whole numbers as float64.
    """
    generator = _generator(seed, stream=0)
    for rows in _slices(clusters, draws, cells):
        taken = generator.integers(0, clusters, size=(rows, clusters), dtype=np.int32).astype(np.int64)
        taken += (np.arange(rows) * clusters)[:, None]
        counts = np.bincount(taken.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def swaps(clusters: int, draws: int, seed: int, cells: int = CELLS_AT_ONCE) -> Iterator[FloatArray]:
    """Return fair coins for permutation tests in consecutive slices: 1 swaps a cluster's two sides.

    Independent of `weights` under the same seed and, like it, independent of the slicing.

    Returns:
        Slices: rows are permutations, columns clusters, values 0 or 1 as float64.
    """
    generator = _generator(seed, stream=1)
    for rows in _slices(clusters, draws, cells):
        yield (generator.random((rows, clusters)) < 0.5).astype(np.float64)


def _generator(seed: int, stream: int) -> np.random.Generator:
    if seed < 0:
        raise UsageError(f"seed must not be negative, it is {seed}")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream,))))


def _slices(clusters: int, draws: int, cells: int) -> Iterator[int]:
    if clusters < 1 or draws < 1:
        raise UsageError(f"resampling needs clusters and draws, not {clusters} and {draws}")
    at_once = max(1, cells // clusters)
    for start in range(0, draws, at_once):
        yield min(at_once, draws - start)
