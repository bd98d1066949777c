"""The episode that somebody means: the beginning of its key, or `task@model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from misstep.contracts.errors import UsageError

Row = dict[str, Any]
_SHOWN = 8


def find(tables: Mapping[str, pl.LazyFrame], wanted: str) -> Row:
    """Return the row of `episodes` whose key begins with `wanted`, or whose task and model it names.

    Raises:
        UsageError: no episode, or more than one, is meant.
    """
    episodes = tables["episodes"]
    found = episodes.filter(pl.col("episode").str.starts_with(wanted.lower())).collect() if wanted else None
    if found is None or found.is_empty():
        task, at, model = wanted.rpartition("@")
        named = pl.col("task_id") == task if at else pl.col("task_id") == wanted
        if at:
            named &= pl.col("model").fill_null("") == model
        found = episodes.filter(named).collect()
    if found.height == 1:
        return found.row(0, named=True)
    if found.is_empty():
        raise UsageError(
            f"there is no episode {wanted!r}: give the beginning of an episode's key, or task@model; "
            "`misstep sql` lists them: SELECT episode, task_id, model FROM episodes"
        )
    listed = [
        f"{row['episode'][:12]} ({row['task_id']}@{row['model']}, replicate {row['replicate']})"
        for row in found.sort("episode").head(_SHOWN).to_dicts()
    ]
    more = f", and {found.height - _SHOWN} more" if found.height > _SHOWN else ""
    raise UsageError(f"{wanted!r} means {found.height} episodes: {', '.join(listed)}{more}")
