"""Does a value hold a member, or a text another text?"""

from __future__ import annotations

import polars as pl

from misstep.contracts.values import canonical, parse
from misstep.label.mapped import mapped


def holds(collection: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a list (canonical JSON) has a member of this canonical value or key; null where it is no list."""
    return mapped(_holds, collection, value, key)


def contains(whole: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a text contains a text (case counts) or a list has the member; null where it is not known."""
    return mapped(_contains, whole, value, key)


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
