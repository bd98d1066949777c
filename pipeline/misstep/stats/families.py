"""p-values of several contrasts taken together."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from misstep.contracts.errors import UsageError

Adjustment = Literal["holm", "bh"]


def adjusted(contrasts: pl.DataFrame, adjustment: Adjustment = "holm") -> pl.DataFrame:
    """Return the contrasts with `p_adjusted` over all rows as one family; a null p is no member of it.

    `holm` bounds the chance of any false finding, `bh` (Benjamini–Hochberg) the share of false ones.

    Raises:
        UsageError: the adjustment is neither.
    """
    members = contrasts["p"].is_not_null().arg_true()
    values = contrasts["p"].drop_nulls().to_numpy()
    size = len(values)
    order = np.argsort(values, kind="stable")
    if adjustment == "holm":
        scaled = np.maximum.accumulate(values[order] * np.arange(size, 0, -1))
    elif adjustment == "bh":
        scaled = np.minimum.accumulate((values[order] * size / np.arange(1, size + 1))[::-1])[::-1]
    else:
        raise UsageError(f"adjustment {adjustment!r} is neither holm nor bh")
    column: list[float | None] = [None] * contrasts.height
    for place, value in zip(order, np.minimum(scaled, 1.0), strict=True):
        column[members[int(place)]] = float(value)
    return contrasts.with_columns(pl.Series("p_adjusted", column, dtype=pl.Float64))
