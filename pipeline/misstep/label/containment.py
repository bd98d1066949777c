"""Does a value hold a member, or a text another text?"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import polars as pl

from misstep.contracts.values import canonical, parse

_Test = Callable[[str | None, str | None, str | None], bool | None]


def holds(collection: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a list (canonical JSON) has a member of this canonical value or key; null where it is no list."""
    return _mapped(_holds, collection, value, key)


def contains(whole: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a text contains a text (case counts) or a list has the member; null where it is not known."""
    return _mapped(_contains, whole, value, key)


def _mapped(function: _Test, *parts: pl.Expr) -> pl.Expr:
    names = ("whole", "value", "key")

    def over(rows: pl.Series) -> pl.Series:
        answer = cache(function)
        columns = rows.struct.unnest()
        return pl.Series([answer(*row) for row in columns.select(names).iter_rows()], dtype=pl.Boolean)

    struct = pl.struct(part.alias(name) for part, name in zip(parts, names, strict=True))
    return struct.map_batches(over, return_dtype=pl.Boolean, is_elementwise=True)


def _holds(whole: str | None, value: str | None, key: str | None) -> bool | None:
    if whole is None or (value is None and key is None):
        return None
    items = parse(whole)
    if not isinstance(items, list):
        return None
    texts = {canonical(item) for item in items}
    return value in texts or key in texts


def _contains(whole: str | None, value: str | None, key: str | None) -> bool | None:
    if whole is None or value is None:
        return None
    held, wanted = parse(whole), parse(value)
    if isinstance(held, str):
        return isinstance(wanted, str) and wanted in held
    return isinstance(held, list) and _holds(whole, value, key)
