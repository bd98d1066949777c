"""Sums of clusters as matrices: what draws of clusters are multiplied with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from misstep.contracts.errors import ClusterError
from misstep.stats.draws import FloatArray
from misstep.stats.sums import KEYS


@dataclass(frozen=True, slots=True)
class Matrices:
    """Cluster sums as matrices.

    Attributes:
        numerator: rows are the (group, replicate, part) triples that have a denominator, columns the clusters.
        denominator: the same shape.
        pairs: the row at which each (group, replicate) begins.
        groups: the place among `pairs` at which each group begins.
    """

    numerator: FloatArray
    denominator: FloatArray
    pairs: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]


def matrices(sums: pl.DataFrame, clusters: pl.Series) -> Matrices:
    """Return the sums as matrices over the sorted `clusters`; groups without a denominator have no row."""
    triple = [*KEYS, "replicate", "part"]
    rows = (
        sums.group_by(triple)
        .agg(pl.col("denominator").sum().alias("total"))
        .filter(pl.col("total") > 0)
        .sort(triple)
        .with_row_index("row")
    )
    columns = pl.DataFrame({"cluster": clusters}).with_row_index("column")
    cells = sums.join(rows, on=triple, nulls_equal=True).join(columns, on="cluster")
    numerator = np.zeros((rows.height, len(clusters)))
    denominator = np.zeros((rows.height, len(clusters)))
    at = (cells["row"].to_numpy(), cells["column"].to_numpy())
    numerator[at] = cells["numerator"].to_numpy()
    denominator[at] = cells["denominator"].to_numpy()
    pairs = rows.group_by(*KEYS, "replicate", maintain_order=True).agg(pl.col("row").first()).with_row_index("pair")
    groups = pairs.group_by(KEYS, maintain_order=True).agg(pl.col("pair").first())
    return Matrices(
        numerator, denominator, pairs["row"].to_numpy().astype(np.int64), groups["pair"].to_numpy().astype(np.int64)
    )


def cluster_order(rows: pl.DataFrame | pl.LazyFrame, universe: pl.Series | None = None) -> pl.Series:
    """Return the distinct values of the column `cluster`, sorted: the columns of the weight matrix.

    A `universe` is returned instead, after a check that it holds all of them.

    Raises:
        ClusterError: a cluster is null or not in the `universe`.
    """
    seen = rows.lazy().select(pl.col("cluster").cast(pl.String).unique().sort()).collect()["cluster"]
    if seen.null_count():
        raise ClusterError("an episode has no cluster")
    if universe is None:
        return seen
    order = universe.cast(pl.String).drop_nulls().unique().sort().rename("cluster")
    strange = seen.filter(~seen.is_in(order.implode()))
    if len(strange):
        raise ClusterError(f"cluster {strange[0]} is not among the clusters to draw from")
    return order
