"""Small label frames for the tests of rates."""

from collections.abc import Iterable

import polars as pl

Row = tuple[str, str, int | None, bool | None, bool | None]


def labels_of(rows: Iterable[Row]) -> pl.DataFrame:
    """Return labels from (group, cluster, replicate, value, member), one episode a row."""
    given = list(rows)
    frame = pl.DataFrame(
        given,
        schema={
            "group": pl.String,
            "cluster": pl.String,
            "replicate": pl.Int64,
            "value": pl.Boolean,
            "member": pl.Boolean,
        },
        orient="row",
    )
    return frame.with_columns(pl.Series("episode", [f"e{i:04}" for i in range(len(given))], dtype=pl.String))


def simple(group: str, values: dict[str, str]) -> list[Row]:
    """Return rows of one group: per cluster a text of 1 (true), 0 (false) and ? (unknown)."""
    meaning = {"1": True, "0": False, "?": None}
    return [(group, cluster, None, meaning[mark], True) for cluster, marks in values.items() for mark in marks]
