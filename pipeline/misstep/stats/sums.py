"""Labels of episodes to sums of clusters, and those to matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from misstep.contracts.errors import ClusterError, ContractError, LabelVersionError
from misstep.stats.draws import FloatArray

KEYS = ("metric", "policy", "group")
UNVERSIONED = "unversioned"
NO_GROUP = "(none)"
"""Name of the group of episodes whose group is null; they are never dropped."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """Cluster sums as matrices.

    Attributes:
        numerator: rows are the (group, replicate) pairs that have a denominator, columns the clusters.
        denominator: the same shape.
        first: the row at which each group begins.
    """

    numerator: FloatArray
    denominator: FloatArray
    first: npt.NDArray[np.int64]


def cluster_sums(
    labels: pl.DataFrame | pl.LazyFrame, metric: str, policy: str = "standard", by: str | None = "group"
) -> pl.DataFrame:
    """Return the sums of a metric: one row a (group, replicate, cluster) that has an episode.

    An episode is known when its membership in the denominator is known and, if it is a member, its value
    too. Everything else is unknown and in no sum but `unknown`.

    Args:
        labels: rows are (episode, group); columns `episode`, `cluster`, `replicate` (whole number or null),
            `value` and `member` (Boolean or null), and the column named by `by`.
        metric: name written into the key.
        policy: name written into the key.
        by: column whose text names the group; None puts all episodes into the group "all".

    Returns:
        Columns metric, policy, group, replicate, cluster, and whole numbers numerator, denominator,
        unknown, episodes; sorted by key.

    Raises:
        ContractError: a column is missing or of the wrong type, or an episode counts twice in a group.
        ClusterError: an episode has no cluster.
    """
    return sums_of(checked_labels(labels, by), metric, policy)


def sums_of(frame: pl.DataFrame, metric: str, policy: str) -> pl.DataFrame:
    """Return the `cluster_sums` of labels that `checked_labels` has passed."""
    known_value = pl.col("value").is_not_null()
    counted = (pl.col("member") & known_value).fill_null(value=False)
    unknown = pl.col("member").is_null() | (pl.col("member") & ~known_value).fill_null(value=False)
    return (
        frame.group_by("group", "replicate", "cluster")
        .agg(
            (counted & pl.col("value").fill_null(value=False)).sum().cast(pl.Int64).alias("numerator"),
            counted.sum().cast(pl.Int64).alias("denominator"),
            unknown.sum().cast(pl.Int64).alias("unknown"),
            pl.len().cast(pl.Int64).alias("episodes"),
        )
        .select(pl.lit(metric).alias("metric"), pl.lit(policy).alias("policy"), pl.all())
        .sort("group", "replicate", "cluster")
    )


def checked_labels(labels: pl.DataFrame | pl.LazyFrame, by: str | None, extra: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return the label columns with their types, the column named by `by` as `group`, and `extra` if there.

    Raises:
        ContractError: a column is missing or of the wrong type, or an episode counts twice in a group.
        ClusterError: an episode has no cluster.
    """
    lazy = labels.lazy()
    schema = lazy.collect_schema()
    wanted = ["episode", "cluster", "replicate", "value", "member", *([by] if by else [])]
    absent = [name for name in wanted if name not in schema]
    if absent:
        raise ContractError(f"labels have no column {', '.join(absent)}")
    for name in ("value", "member"):
        if schema[name] not in (pl.Boolean, pl.Null):
            raise ContractError(f"labels: {name} must be Boolean, it is {schema[name]}")
    frame = lazy.select(
        "episode",
        pl.col("cluster").cast(pl.String),
        pl.col("replicate").cast(pl.Int64),
        pl.col("value").cast(pl.Boolean),
        pl.col("member").cast(pl.Boolean),
        (pl.col(by).cast(pl.String).fill_null(NO_GROUP) if by else pl.lit("all")).alias("group"),
        *(name for name in extra if name in schema),
    ).collect()
    lost = frame.filter(pl.col("cluster").fill_null("").str.strip_chars() == "")
    if lost.height:
        raise ClusterError(f"episode {lost['episode'].sort()[0]} has no cluster")
    twice = frame.select("episode", "group").is_duplicated()
    if twice.any():
        raise ContractError(f"episode {frame.filter(twice)['episode'].sort()[0]} counts twice in a group")
    return frame


def group_totals(sums: pl.DataFrame) -> pl.DataFrame:
    """Return totals and rates of every group: one row a (metric, policy, group), sorted.

    Rates are computed within a replicate and averaged over the replicates in which they are defined;
    numerator, denominator, unknown and episodes are totals. `floor` counts every unknown episode as a
    member without the label, `ceiling` as a member with it, so floor ≤ estimate ≤ ceiling.

    Returns:
        Columns metric, policy, group, numerator, denominator, unknown, episodes, estimate, floor, ceiling
        (shares in [0, 1], null where no replicate has a denominator), replicates and clusters (those with a
        denominator).
    """
    n, d, u = pl.col("numerator"), pl.col("denominator"), pl.col("unknown")
    counts = ("numerator", "denominator", "unknown", "episodes")
    within = sums.group_by(*KEYS, "replicate").agg(pl.col(counts).sum()).sort(*KEYS, "replicate")
    groups = within.group_by(KEYS, maintain_order=True).agg(
        pl.col(counts).sum(),
        (n / d).filter(d > 0).mean().alias("estimate"),
        (n / (d + u)).filter(d + u > 0).mean().alias("floor"),
        ((n + u) / (d + u)).filter(d + u > 0).mean().alias("ceiling"),
        (d > 0).sum().cast(pl.Int64).alias("replicates"),
    )
    spread = sums.group_by(KEYS).agg(pl.col("cluster").filter(d > 0).n_unique().cast(pl.Int64).alias("clusters"))
    return groups.join(spread, on=KEYS, how="left", maintain_order="left")


def matrices(sums: pl.DataFrame, clusters: pl.Series) -> Matrices:
    """Return the sums as matrices over the sorted `clusters`; groups without a denominator have no row."""
    pair = [*KEYS, "replicate"]
    rows = (
        sums.group_by(pair)
        .agg(pl.col("denominator").sum().alias("total"))
        .filter(pl.col("total") > 0)
        .sort(pair)
        .with_row_index("row")
    )
    columns = pl.DataFrame({"cluster": clusters}).with_row_index("column")
    cells = sums.join(rows, on=pair, nulls_equal=True).join(columns, on="cluster")
    numerator = np.zeros((rows.height, len(clusters)))
    denominator = np.zeros((rows.height, len(clusters)))
    at = (cells["row"].to_numpy(), cells["column"].to_numpy())
    numerator[at] = cells["numerator"].to_numpy()
    denominator[at] = cells["denominator"].to_numpy()
    first = rows.group_by(KEYS, maintain_order=True).agg(pl.col("row").first())["row"]
    return Matrices(numerator, denominator, first.to_numpy().astype(np.int64))


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


def one_label_version(labels: pl.DataFrame | pl.LazyFrame, given: str | None = None) -> str:
    """Return the label version of the rows, or `given` where they carry none, or "unversioned".

    Raises:
        LabelVersionError: the rows, or the rows and `given`, were labelled under different definitions.
    """
    lazy = labels.lazy()
    found: set[str] = set() if given is None else {given}
    if "label_version" in lazy.collect_schema():
        version = pl.col("label_version").cast(pl.String).fill_null(UNVERSIONED)
        found.update(lazy.select(version.unique()).collect()["label_version"])
    if len(found) > 1:
        raise LabelVersionError(
            f"label versions {', '.join(sorted(found))} do not mean the same: label again before comparing"
        )
    return found.pop() if found else UNVERSIONED
