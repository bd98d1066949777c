"""Three-valued "some", "all" and "if": null is unknown, and decides nothing that the known parts decide."""

from __future__ import annotations

import polars as pl


def some(parts: pl.Expr) -> pl.Expr:
    """Return, per group: true if any part is true, else null if any is unknown, else false (also without parts)."""
    return parts.any(ignore_nulls=False)


def every(parts: pl.Expr) -> pl.Expr:
    """Return, per group: false if any part is false, else null if any is unknown, else true (also without parts)."""
    return parts.all(ignore_nulls=False)


def unless_true(label: pl.Expr, unknown: pl.Expr) -> pl.Expr:
    """Return the label, but null where `unknown` holds and it is not true: more evidence could only add to it."""
    return pl.when(unknown & ~label.fill_null(False)).then(None).otherwise(label)


def known(label: pl.Expr, *, count: str) -> pl.Expr:
    """Return, per group, how many parts are known to be true, as a column named `count`."""
    return label.fill_null(False).sum().cast(pl.Int64).alias(count)
