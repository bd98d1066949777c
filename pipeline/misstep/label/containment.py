"""Does a value hold a member, or a text another text?"""

from __future__ import annotations

import polars as pl

from misstep.contracts.values import canonical, parse
from misstep.label.mapped import mapped


def holds(collection: pl.Expr, keyed: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a list has a member of this canonical value or key; null where it is no list.

    Args:
        collection: the list as canonical JSON.
        keyed: the key of the list under the profile of its field, which lists the keys of its members if it can.
        value: the member as canonical JSON.
        key: its key.
    """
    return mapped(_holds, collection, keyed, value, key)


def contains(whole: pl.Expr, keyed: pl.Expr, value: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return whether a text contains a text (case counts) or a list has the member; null where it is not known.

    Arguments are those of `holds`.
    """
    return mapped(_contains, whole, keyed, value, key)


def _holds(whole: str | None, keyed: str | None, value: str | None, key: str | None) -> bool | None:
    if whole is None or (value is None and key is None):
        return None
    items = parse(whole)
    if not isinstance(items, list):
        return None
    texts = {canonical(item) for item in items}
    return value in texts or key in texts or key in _member_keys(keyed)


def _contains(whole: str | None, keyed: str | None, value: str | None, key: str | None) -> bool | None:
    if whole is None or value is None:
        return None
    held, wanted = parse(whole), parse(value)
    if isinstance(held, str):
        return isinstance(wanted, str) and wanted in held
    return isinstance(held, list) and _holds(whole, keyed, value, key)


def _member_keys(keyed: str | None) -> set[str]:
    """Return the keys of the members of a list; none where its key does not tell them (rows, free members)."""
    try:
        keys = parse(keyed) if keyed is not None else None
    except ValueError:
        return set()
    return {canonical(key) for key in keys} if isinstance(keys, list) else set()
