"""What the tasks of a study are: how many of each stratum, from how many templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

Tables = Mapping[str, pl.LazyFrame]
_COUNTS = ("tasks", "templates", "ambiguous")


def corpus(tables: Tables, crossed: Sequence[str]) -> pl.DataFrame:
    """Return how many tasks there are: of every suite, of each value of every stratum, and of each cell of two.

    Args:
        tables: specification of the suites.
        crossed: strata of which the cells are counted too.

    Returns:
        Rows are (suite, name_1, value_1, name_2, value_2), null where all are meant: tasks, templates that they are
        made from, and how many of the tasks are ambiguous.
    """
    tasks = tables["spec/tasks"].select("suite", "task_id", "template_id", "ambiguous").collect()
    strata = tables["spec/strata"].collect()
    names = strata["name"].unique().sort().to_list()
    of: list[tuple[str, ...]] = [(), *((name,) for name in names)]
    of += [pair for pair in combinations(crossed, 2) if set(pair) <= set(names)]
    parts = [_counted(tasks, strata, chosen) for chosen in of]
    return pl.concat(parts)


def _counted(tasks: pl.DataFrame, strata: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    columns = list(_columns(names))
    rows = tasks
    for name, value in columns:
        mine = strata.filter(pl.col("name") == name).select("suite", "task_id", pl.col("value").alias(value))
        rows = rows.join(mine, on=["suite", "task_id"])
    values = [value for _, value in columns]
    counted = rows.group_by("suite", *values).agg(
        pl.len().cast(pl.Int64).alias("tasks"),
        pl.col("template_id").drop_nulls().n_unique().cast(pl.Int64).alias("templates"),
        pl.col("ambiguous").sum().cast(pl.Int64).alias("ambiguous"),
    )
    told: list[Any] = [pl.col("suite")]
    for place in (1, 2):
        there = place <= len(names)
        told.append(pl.lit(names[place - 1] if there else None, pl.String).alias(f"name_{place}"))
        told.append((pl.col(f"value_{place}") if there else pl.lit(None, pl.String)).alias(f"value_{place}"))
    return counted.select(*told, *_COUNTS).sort("suite", "value_1", "value_2")


def _columns(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, name in enumerate(names, start=1):
        yield name, f"value_{place}"
