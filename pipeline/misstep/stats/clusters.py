"""The one place that decides which episodes are resampled together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from misstep.contracts.errors import ClusterError

COLUMNS = ("episode", "suite", "task_id", "template_id")
MISSING_TEXTS = ("", "nan", "null", "none", "<na>")
"""Texts, in lower case, that stand for "no template": what exporters write for an absent value."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of every episode, and how many had to do without a template.

    Attributes:
        frame: rows are episodes in the order given; columns `episode`, `cluster`.
        own_clusters: clusters that consist of one task (or episode) because its template is missing.
        own_episodes: episodes in those clusters.
    """

    frame: pl.DataFrame
    own_clusters: int
    own_episodes: int


def cluster_keys(episodes: pl.DataFrame | pl.LazyFrame, missing: Literal["error", "own"] = "error") -> Clusters:
    """Return the cluster of every episode: its template, or on request its own where it has none.

    A template is missing when the column is absent or the value is null, NaN, blank or a text such as
    "nan". A cluster of its own holds all episodes of the task, because several runs of one task are no
    independent evidence; an episode without a task stands alone. Where the frame has a column `suite` with
    more than one suite in it, equal template names of different suites stay apart.

    Args:
        episodes: rows are episodes; columns `episode`, `task_id`, `template_id`, optionally `suite`.
        missing: what to do with an episode that has no template.

    Raises:
        ClusterError: an episode has no template and `missing` is "error", no key of its own, or two rows.
    """
    lazy = episodes.lazy()
    present = lazy.collect_schema().names()
    if "episode" not in present:
        raise ClusterError("cluster: there is no column episode")
    table = lazy.select(name if name in present else pl.lit(None, pl.String).alias(name) for name in COLUMNS).collect()
    table = table.with_columns(_text(table, name) for name in COLUMNS)
    _check_episodes(table["episode"])
    without = table.filter(pl.col("template_id").is_null())
    if missing == "error" and without.height:
        raise ClusterError(_complaint(without))

    suites = table["suite"].fill_null("").n_unique()
    scope = pl.col("suite").fill_null("") + "/" if suites > 1 else pl.lit("")
    template = scope + pl.col("template_id")
    own = pl.coalesce("task " + scope + pl.col("task_id"), pl.lit("episode ") + pl.col("episode"))
    mark = _unused_mark(table.select(template.alias("key"))["key"])
    key = pl.coalesce(template, pl.lit(mark) + own)
    frame = table.select("episode", key.alias("cluster"))
    alone = frame.filter(table["template_id"].is_null())
    return Clusters(frame, alone["cluster"].n_unique(), alone.height)


def _text(table: pl.DataFrame, name: str) -> pl.Expr:
    """Return a column as trimmed text in which everything that means "missing" is null."""
    column = pl.col(name)
    if table.schema[name].is_float():
        column = column.fill_nan(None)
    text = column.cast(pl.String).str.strip_chars()
    return pl.when(text.str.to_lowercase().is_in(MISSING_TEXTS)).then(None).otherwise(text).alias(name)


def _check_episodes(episode: pl.Series) -> None:
    if episode.null_count():
        raise ClusterError(f"cluster: row {episode.is_null().arg_max()} names no episode")
    twice = episode.filter(episode.is_duplicated())
    if len(twice):
        raise ClusterError(f"cluster: episode {twice.sort()[0]!r} stands in more than one row")


def _complaint(without: pl.DataFrame) -> str:
    """Return the message that names the first episode without a template and counts the others."""
    first = without.sort("episode").row(0, named=True)
    task = f" (task {first['task_id']})" if first["task_id"] is not None else ""
    others = f", and {without.height - 1} more" if without.height > 1 else ""
    return (
        f"episode {first['episode']}{task}{others}: template_id is missing, so nothing to resample by; "
        "name the template, or let each such task be its own cluster (--missing-template own)"
    )


def _unused_mark(templates: pl.Series) -> str:
    """Return a prefix that no template begins with, so that an own key cannot meet a template's."""
    mark = "own: "
    while templates.drop_nulls().str.starts_with(mark).any():
        mark = "~" + mark
    return mark
