"""What the specification of tasks says of them in numbers: how much is to be read, and what the graph of actions is."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

Tables = Mapping[str, pl.LazyFrame]
_TASK = ("suite", "task_id")
_EDGE = ("action", "after")


def specified(tables: Tables) -> pl.DataFrame:
    """Return a row a task: its protocol (`none`: it asks for no evidence), every stratum as a column, and numbers.

    Numbers are tasks (1 each), required_reads, actions, dependencies (pairs of actions), references (arguments that are
    results of earlier actions), and forks and joins: 1 where some action has several followers, or predecessors.

    Args:
        tables: specification of the suites.
    """
    tasks = tables["spec/tasks"].select(*_TASK)
    protocol = tables["spec/evidence"].select(*_TASK, pl.col("protocol").cast(pl.String))
    frame = tasks.join(protocol, on=_TASK, how="left").with_columns(pl.col("protocol").fill_null("none"))
    edges = tables["spec/dependencies"].select(*_TASK, *_EDGE)
    numbers = {
        "required_reads": _counted(tables["spec/required_reads"]),
        "actions": _counted(tables["spec/actions"]),
        "dependencies": _counted(edges),
        "references": _counted(tables["spec/bindings"]),
        "forks": _several(edges, "after"),
        "joins": _several(edges, "action"),
    }
    for name, counted in numbers.items():
        frame = frame.join(counted.rename({"number": name}), on=_TASK, how="left")
    found = frame.with_columns(pl.col(list(numbers)).fill_null(0), pl.lit(1, pl.Int64).alias("tasks")).collect()
    strata = tables["spec/strata"].collect()
    if strata.height:
        wide = strata.sort("name").pivot("name", index=list(_TASK), values="value")
        clear = [name for name in wide.columns if name in _TASK or name not in found.columns]
        found = found.join(wide.select(clear), on=_TASK, how="left")
    return found.sort(_TASK)


def _counted(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.group_by(_TASK).agg(pl.len().cast(pl.Int64).alias("number"))


def _several(edges: pl.LazyFrame, end: str) -> pl.LazyFrame:
    """Return 1 for the tasks in which some action stands at that end of several edges."""
    of_actions = edges.group_by(*_TASK, end).agg(pl.len().alias("edges"))
    return of_actions.group_by(_TASK).agg((pl.col("edges").max() > 1).cast(pl.Int64).alias("number"))
