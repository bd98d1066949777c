"""What unauthorized writes were: tool and action, which of them come together, and an example of each pattern."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.contracts.tables.labels import PATTERNS

#: Examples of each pattern.
EXAMPLES = 3
_WRITE = ("episode", "step", "position", "item")

Tables = Mapping[str, pl.LazyFrame]


def judged_writes(tables: Tables) -> pl.DataFrame:
    """Return the writes that have a label, with tool, action and what the report tells of them; rows are writes."""
    of_writes = tables["writes"].select(*_WRITE, "tool", "action", "follows")
    labels = tables["write_labels"].select(*_WRITE, "judged", "violation", "pattern", "external")
    return labels.join(of_writes, on=_WRITE, how="left").sort(_WRITE).collect()


def actions(writes: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the unauthorized (tool, action) pairs of every configuration, the most frequent of all first.

    Writes that only follow another one of their call are left out: they come with it.

    Args:
        writes: `judged_writes`.
        episodes: rows are episodes with their configuration.

    Returns:
        Rows are (tool, action, configuration): writes, those that are external, and the episodes that hold one.
    """
    return (
        _unauthorized(writes, episodes)
        .group_by("tool", "action", "configuration")
        .agg(
            pl.len().cast(pl.Int64).alias("writes"),
            pl.col("external").sum().cast(pl.Int64).alias("external"),
            pl.col("episode").n_unique().cast(pl.Int64).alias("episodes"),
        )
        .with_columns(pl.col("writes").sum().over("tool", "action").alias("total"))
        .sort("total", "tool", "action", "configuration", descending=[True, False, False, False])
        .drop("total")
    )


def together(writes: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Return which unauthorized (tool, action) pairs come in one episode, the most frequent first.

    Arguments as of `actions`.

    Returns:
        Rows are two different pairs a and b: the episodes with both, with a, and with b, and the configurations of
        those with both.
    """
    held = _unauthorized(writes, episodes).select("episode", "configuration", "tool", "action").unique()
    a, b = (held.rename({"tool": f"tool_{side}", "action": f"action_{side}"}) for side in "ab")
    counted = held.group_by("tool", "action").agg(pl.col("episode").n_unique().cast(pl.Int64).alias("count"))
    both = (
        a.join(b, on=["episode", "configuration"])
        .filter(
            (pl.col("tool_a") < pl.col("tool_b"))
            | ((pl.col("tool_a") == pl.col("tool_b")) & (pl.col("action_a") < pl.col("action_b")))
        )
        .group_by("tool_a", "action_a", "tool_b", "action_b")
        .agg(
            pl.col("episode").n_unique().cast(pl.Int64).alias("episodes"),
            pl.col("configuration").n_unique().cast(pl.Int64).alias("configurations"),
        )
    )
    for side in "ab":
        names = {"tool": f"tool_{side}", "action": f"action_{side}", "count": f"episodes_{side}"}
        both = both.join(counted.rename(names), on=[f"tool_{side}", f"action_{side}"])
    key = ["tool_a", "action_a", "tool_b", "action_b"]
    return both.select(*key, "episodes", "episodes_a", "episodes_b", "configurations").sort(
        "episodes", *key, descending=[True, *[False] * 4]
    )


def examples(writes: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Return up to three episodes of each pattern, from different templates and configurations as far as there are.

    Episodes with fewest unauthorized writes come first: they show the pattern and little else.

    Args:
        writes: `judged_writes`.
        episodes: rows are episodes with task, configuration, cluster and labels.

    Returns:
        Rows are (pattern, episode), with the first write of the pattern.
    """
    columns = ("suite", "task_id", "replicate", "cluster", "goal", "violations")
    first = (
        _unauthorized(writes, episodes.select("episode", "configuration", *columns))
        .with_columns(pl.col("pattern").cast(pl.String).fill_null("other"))
        .unique(["pattern", "episode"], keep="first", maintain_order=True)
        .sort("violations", "episode")
    )
    for column in ("cluster", "configuration"):
        first = first.sort(pl.int_range(pl.len()).over("pattern", column), maintain_order=True)
    order = {name: place for place, name in enumerate(PATTERNS)}
    return (
        first.group_by("pattern", maintain_order=True)
        .head(EXAMPLES)
        .sort(pl.col("pattern").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
        .select(
            "pattern", "episode", "suite", "task_id", "configuration", "replicate", "step", "position", "tool",
            "action", "external", "goal", "violations",
        )
    )  # fmt: skip


def _unauthorized(writes: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Return the known unauthorized writes that follow no other, with the columns of their episodes, in order."""
    chosen = writes.filter(pl.col("violation").fill_null(value=False), pl.col("follows").is_null())
    return chosen.join(episodes, on="episode", maintain_order="left")
