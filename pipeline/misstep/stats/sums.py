"""Labels of episodes to sums of clusters, and those to totals."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from misstep.contracts.errors import ClusterError, ContractError, LabelVersionError

KEYS = ("metric", "policy", "group")
UNVERSIONED = "unversioned"
NO_GROUP = "(none)"
"""Name of the group of episodes whose group is null; they are never dropped."""


def cluster_sums(
    labels: pl.DataFrame | pl.LazyFrame, metric: str, policy: str = "standard", by: str | None = "group"
) -> pl.DataFrame:
    """Return the sums of a metric: one row a (group, replicate, part, cluster) that has an episode.

    An episode is known when its membership in the denominator is known and, if it is a member, its value
    too. Everything else is unknown and in no sum but `unknown`.

    Args:
        labels: rows are (episode, group); columns `episode`, `cluster`, `replicate` (whole number or null),
            `value` (Boolean, a number from 0, or null) and `member` (Boolean or null), the column named by `by`,
            and optionally `part` (text): then a rate is the unweighted mean of those of the parts.
        metric: name written into the key.
        policy: name written into the key.
        by: column whose text names the group; None puts all episodes into the group "all".

    Returns:
        Columns metric, policy, group, replicate, part, cluster, numerator (sum of the values), and whole numbers
        denominator, unknown, episodes; sorted by key.

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
        frame.group_by("group", "replicate", "part", "cluster")
        .agg(
            pl.col("value").filter(counted).sum().alias("numerator"),
            counted.sum().cast(pl.Int64).alias("denominator"),
            unknown.sum().cast(pl.Int64).alias("unknown"),
            pl.len().cast(pl.Int64).alias("episodes"),
        )
        .select(pl.lit(metric).alias("metric"), pl.lit(policy).alias("policy"), pl.all())
        .sort("group", "replicate", "part", "cluster")
    )


def checked_labels(labels: pl.DataFrame | pl.LazyFrame, by: str | None, extra: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return the label columns with their types, sorted: those that are needed, `group` (from `by`), `part`, `extra`.

    Values are numbers: 1 for true, 0 for false. A part of null is a part too; without the column there is one part.

    Raises:
        ContractError: a column is missing or of the wrong type, a value is negative, or an episode counts twice in a
            group.
        ClusterError: an episode has no cluster.
    """
    lazy = labels.lazy()
    schema = lazy.collect_schema()
    wanted = ["episode", "cluster", "replicate", "value", "member", *([by] if by else [])]
    absent = [name for name in wanted if name not in schema]
    if absent:
        raise ContractError(f"labels have no column {', '.join(absent)}")
    if schema["member"] not in (pl.Boolean, pl.Null):
        raise ContractError(f"labels: member must be Boolean, it is {schema['member']}")
    if schema["value"] not in (pl.Boolean, pl.Null) and not schema["value"].is_numeric():
        raise ContractError(f"labels: value must be Boolean or a number, it is {schema['value']}")
    frame = (
        lazy.select(
            "episode",
            pl.col("cluster").cast(pl.String),
            pl.col("replicate").cast(pl.Int64),
            pl.col("value").cast(pl.Float64).fill_nan(None),
            pl.col("member").cast(pl.Boolean),
            (pl.col(by).cast(pl.String).fill_null(NO_GROUP) if by else pl.lit("all")).alias("group"),
            (pl.col("part").cast(pl.String) if "part" in schema else pl.lit(None, pl.String)).alias("part"),
            *(name for name in extra if name in schema),
        )
        .sort("episode", "group")
        .collect()
    )
    if (frame["value"] < 0).any():
        raise ContractError("labels: a value is negative")
    lost = frame.filter(pl.col("cluster").fill_null("").str.strip_chars() == "")
    if lost.height:
        raise ClusterError(f"episode {lost['episode'].sort()[0]} has no cluster")
    twice = frame.select("episode", "group").is_duplicated()
    if twice.any():
        raise ContractError(f"episode {frame.filter(twice)['episode'].sort()[0]} counts twice in a group")
    return frame


def group_totals(sums: pl.DataFrame, unbounded: Collection[str] = ()) -> pl.DataFrame:
    """Return totals and rates of every group: one row a (metric, policy, group), sorted.

    Rates are computed within a part of a replicate, then averaged with equal weight: over the parts of the replicate in
    which they are defined, then over the replicates. Numerator, denominator, unknown and episodes are totals. `floor`
    counts every unknown episode as a member of value 0, `ceiling` as one of value 1, so floor ≤ estimate ≤ ceiling.

    Args:
        sums: `cluster_sums`, one metric below the other.
        unbounded: metrics whose values may exceed 1: they have a ceiling only where nothing is unknown.

    Returns:
        Columns metric, policy, group, numerator, denominator, unknown, episodes, estimate, floor, ceiling (null where
        no replicate has a denominator), replicates (those with one), ratios (as many as rows of `matrices`) and
        clusters (those with a denominator).
    """
    n, d, u = pl.col("numerator"), pl.col("denominator"), pl.col("unknown")
    counts, shares = ("numerator", "denominator", "unknown", "episodes"), ("estimate", "floor", "ceiling")
    parts = sums.group_by(*KEYS, "replicate", "part").agg(pl.col(counts).sum()).sort(*KEYS, "replicate", "part")
    of_parts = parts.with_columns(
        pl.when(d > 0).then(n / d).alias("estimate"),
        pl.when(d + u > 0).then(n / (d + u)).alias("floor"),
        pl.when(d + u > 0).then((n + u) / (d + u)).alias("ceiling"),
        (d > 0).cast(pl.Int64).alias("ratios"),
    )
    of_replicates = of_parts.group_by(*KEYS, "replicate", maintain_order=True).agg(
        pl.col(*counts, "ratios").sum(), pl.col(shares).mean()
    )
    groups = of_replicates.group_by(KEYS, maintain_order=True).agg(
        pl.col(*counts, "ratios").sum(),
        pl.col(shares).mean(),
        (d > 0).sum().cast(pl.Int64).alias("replicates"),
    )
    open_ended = pl.col("metric").is_in(list(unbounded)) & (u > 0)
    spread = sums.group_by(KEYS).agg(pl.col("cluster").filter(d > 0).n_unique().cast(pl.Int64).alias("clusters"))
    return groups.with_columns(pl.when(~open_ended).then("ceiling").alias("ceiling")).join(
        spread, on=KEYS, how="left", maintain_order="left"
    )


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
