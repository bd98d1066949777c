"""Does a value pass the test of a field?"""

from __future__ import annotations

import polars as pl

from misstep.label.containment import contains

_WITHIN = ("contains", "not_contains")


def with_truth(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows (value, key, hidden; test, wanted, keys, values, vague) with `truth`: null where not known.

    A field that is there passes `any`, even if its value is not known.
    """
    within = pl.col("test").is_in(_WITHIN)
    found = contains(pl.col("value"), pl.col("value"), pl.col("wanted"), pl.col("wanted"))
    inside = pl.when(~pl.col("hidden")).then(pl.when(pl.col("test") == "contains").then(found).otherwise(~found))
    return pl.concat(
        [
            rows.filter(~within).with_columns(_compared().alias("truth")),
            rows.filter(within).with_columns(inside.alias("truth")),
        ]
    )


def _compared() -> pl.Expr:
    hit = pl.col("keys").list.contains(pl.col("key")) | pl.col("values").list.contains(pl.col("value"))
    argument = pl.when(hit).then(pl.lit(True)).when(~pl.col("vague")).then(pl.lit(False))
    nothing_wanted = ~pl.col("vague") & (pl.col("keys").list.len() == 0)
    blank = (pl.col("value") == "null") | pl.col("value").str.contains(r'^"(?:\s|\\[nrt])*"$')
    test = pl.col("test")
    return (
        pl.when(test == "any")
        .then(pl.lit(True))
        .when((test == "argument") & nothing_wanted)
        .then(pl.lit(False))
        .when("hidden")
        .then(pl.lit(None, dtype=pl.Boolean))
        .when(test == "is")
        .then(pl.col("keys").list.contains(pl.col("key")))
        .when(test == "is_not")
        .then(~pl.col("keys").list.contains(pl.col("key")))
        .when(test == "present")
        .then(~blank)
        .otherwise(argument)
    )
