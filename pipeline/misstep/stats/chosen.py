"""Rows that are chosen by the values of their columns, as hand-written files say it."""

from __future__ import annotations

import re
from collections.abc import Collection

import polars as pl

from misstep.contracts.asked import Other

Wanted = str | bool | int | list[str | int] | Other


def fits(column: str, wanted: Wanted) -> pl.Expr:
    """Return whether a column has a value: one of a list, any other than one, or text that fits a pattern with `*`.

    Values are compared as text; a missing one is `(none)`.
    """
    told = pl.col(column).cast(pl.String).fill_null("(none)")
    if isinstance(wanted, Other):
        return ~fits(column, wanted.not_)
    if isinstance(wanted, list):
        return pl.any_horizontal([fits(column, one) for one in wanted])
    text = as_text(wanted)
    return told.str.contains(pattern(text)) if "*" in text else told == text


def as_text(value: Wanted) -> str:
    """Return a value as text that equal ones share."""
    if isinstance(value, Other):
        return f"not {as_text(value.not_)}"
    if isinstance(value, list):
        return str(sorted(as_text(one) for one in value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def there(wanted: Wanted, values: Collection[str]) -> bool:
    """Return whether some value is wanted."""
    frame = pl.DataFrame({"value": list(values)}, schema={"value": pl.String})
    return bool(frame.select(fits("value", wanted).any()).item())


def pattern(text: str) -> str:
    """Return the regular expression of a text in which `*` stands for any characters."""
    return f"^{'.*'.join(re.escape(part) for part in text.split('*'))}$"
