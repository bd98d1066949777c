"""Functions of Python over the rows of expressions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import polars as pl


def mapped(
    function: Callable[..., bool | str | None], *parts: pl.Expr, kind: type[pl.DataType] = pl.Boolean
) -> pl.Expr:
    """Return what a function says of the values of some expressions; equal rows of a batch are asked once."""
    names = [f"part_{number}" for number in range(len(parts))]

    def over(rows: pl.Series) -> pl.Series:
        answer = cache(function)
        columns = rows.struct.unnest().select(names)
        return pl.Series([answer(*row) for row in columns.iter_rows()], dtype=kind)

    struct = pl.struct(part.alias(name) for part, name in zip(parts, names, strict=True))
    return struct.map_batches(over, return_dtype=kind, is_elementwise=True)
