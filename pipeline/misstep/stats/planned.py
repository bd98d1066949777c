"""The runs that were planned and are not there: they are unscored, never left out in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from misstep.contracts.study import Planned

_RUN = ("suite", "task_id", "model", "harness", "condition")


def missing_runs(
    episodes: pl.DataFrame, tasks: pl.DataFrame, evidence: pl.DataFrame, planned: Planned | None
) -> pl.DataFrame:
    """Return the planned runs that are not there: the columns of `episodes`, labels null but for task and protocol.

    Planned are tasks × configurations × replicates. A configuration (model, harness, condition) is planned in the
    suites that it has a run in. A missing run gets a number of a replicate that the task lacks; where replicates have
    no numbers it gets none.

    Args:
        episodes: rows are episodes with their configuration and labels.
        tasks: suite, task_id.
        evidence: suite, task_id, protocol.
        planned: what was planned; None: the runs that are there.
    """
    if planned is None or episodes.is_empty():
        return episodes.clear()
    ran = episodes.filter("task_known").select("suite", "task_id").unique()
    wanted = ran if planned.tasks == "run" else tasks.select("suite", "task_id")
    rows = [row for suite in ran["suite"].unique().sort() for row in _of_suite(suite, episodes, wanted, planned)]
    if not rows:
        return episodes.clear()
    made = pl.DataFrame(rows, schema_overrides={name: episodes.schema[name] for name in (*_RUN, "replicate")})
    told = made.join(evidence, on=["suite", "task_id"], how="left", maintain_order="left").with_columns(
        pl.lit(True).alias("task_known"),
        pl.lit(False).alias("scored"),
        pl.col("protocol").cast(episodes.schema["protocol"]),
        pl.lit(episodes["label_version"].drop_nulls().first()).alias("label_version"),
    )
    return pl.concat([episodes.clear(), told], how="diagonal")


def _of_suite(suite: str, episodes: pl.DataFrame, wanted: pl.DataFrame, planned: Planned) -> Iterator[dict[str, Any]]:
    mine = episodes.filter(pl.col("suite") == suite)
    found: dict[tuple[Any, ...], list[int | None]] = {}
    for *run, replicate in mine.select(*_RUN, "replicate").iter_rows():
        found.setdefault(tuple(run), []).append(replicate)
    count = planned.replicates or max(map(len, found.values()))
    numbers: list[int | None] = list(mine["replicate"].drop_nulls().unique().sort())
    while numbers and len(numbers) < count:
        numbers.append((numbers[-1] or 0) + 1)
    configurations = mine.select(_RUN[2:]).unique().sort(pl.all(), nulls_last=True)
    for task in wanted.filter(pl.col("suite") == suite)["task_id"].sort():
        for configuration in configurations.iter_rows():
            run_of = (suite, task, *configuration)
            there = found.get(run_of, [])
            left = [number for number in numbers if number not in there] or [None] * count
            for place in range(count - len(there)):
                key = " ".join(str(part) for part in ("missing", *run_of, place))
                yield {"episode": key, **dict(zip(_RUN, run_of, strict=True)), "replicate": left[place]}
