"""Are the arguments of a call the wanted ones?"""

from __future__ import annotations

import polars as pl

from misstep.label.kleene import every
from misstep.label.stage import made

_PAIR = ["arguments_id", "wanted"]


def texts(leaves: pl.LazyFrame) -> pl.LazyFrame:
    """Return one text a set of arguments, of its keys and of its values, that equals another's where the leaves do.

    `blind`: some leaf is not known.
    """
    by_key, by_value = (pl.col("path") + "\x1e" + pl.col(name) for name in ("compare", "value"))
    return (
        leaves.filter("counted")
        .group_by("arguments_id")
        .agg(
            by_key.sort().str.join("\x1f").alias("by_key"),
            by_value.sort().str.join("\x1f").alias("by_value"),
            pl.col("hidden").any().alias("blind"),
        )
    )


def equal(
    pairs: pl.LazyFrame, wanted: pl.LazyFrame, apart: pl.LazyFrame, leaves: pl.LazyFrame, texts: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the distinct pairs (arguments_id, wanted) with `equal`: null where a value that was taken out decides.

    `wanted` has wanted, path, key (null: any value, objects and lists too) and strict (compared by value instead of by
    key); `apart` (wanted, path) are paths whose leaves do not count. `texts` are those of the leaves: most pairs need
    no more. All that is wanted is in `pairs`.
    """
    given = leaves.filter("counted").select("arguments_id", "path", "value", "compare")
    asked = made(pairs.select(*_PAIR, "strict").drop_nulls("arguments_id").unique())
    mixed = pl.concat(
        [
            wanted.filter(pl.col("key").is_null()).select("wanted"),
            apart.select("wanted"),
        ]
    ).unique()
    leaf = pl.col("path") + "\x1e" + pl.col("key")
    written = wanted.group_by("wanted").agg(leaf.sort().str.join("\x1f").alias("wanted_text"))
    plain = made(
        asked.join(mixed, on="wanted", how="anti")
        .join(written, on="wanted", how="left")
        .join(texts, on="arguments_id", how="left")
        .with_columns(pl.col("blind").fill_null(False), pl.col("wanted_text").fill_null(""))
    )
    text = pl.when("strict").then("by_value").otherwise("by_key").fill_null("")
    sure = plain.filter(~pl.col("blind")).select(*_PAIR, (text == pl.col("wanted_text")).alias("equal"))
    rest = made(
        pl.concat(
            [
                asked.join(mixed, on="wanted", how="semi").select(*_PAIR, "strict"),
                plain.filter("blind").select(*_PAIR, "strict"),
            ]
        )
    )
    return pl.concat([sure, _by_path(rest, wanted, apart, given)])


def _by_path(rest: pl.LazyFrame, wanted: pl.LazyFrame, apart: pl.LazyFrame, given: pl.LazyFrame) -> pl.LazyFrame:
    """Return the pairs with `equal`, path by path: as many leaves, the same keys, and what is open fills the rest."""
    pairs = rest.sort(_PAIR).with_row_index("pair")
    ours = pairs.join(wanted.select("wanted", "path", "key"), on="wanted", how="inner").select("pair", "path", "key")
    known = pl.when(pl.col("compare").is_not_null()).then(pl.when("strict").then("value").otherwise("compare"))
    theirs = (
        pairs.join(given, on="arguments_id", how="inner")
        .join(apart, on=["wanted", "path"], how="anti")
        .select("pair", "path", known.alias("key"))
    )
    sides = pl.concat([ours.with_columns(has=0, needs=1), theirs.with_columns(has=1, needs=0)])
    members = sides.group_by("pair", "path", "key").agg(pl.col("has", "needs").sum())
    open_ = pl.col("key").is_null()
    more = (pl.col("has") - pl.col("needs")).filter(~open_)
    at_path = made(
        members.group_by("pair", "path").agg(
            pl.col("has", "needs").sum(),
            pl.col("has").filter(open_).sum().alias("hidden"),
            pl.col("needs").filter(open_).sum().alias("wild"),
            more.clip(lower_bound=0).sum().alias("surplus"),
            (-more).clip(lower_bound=0).sum().alias("lacking"),
        )
    )
    below = _below(at_path)
    apart_ = (
        (pl.col("has") != pl.col("needs"))
        | (pl.col("surplus") > pl.col("wild"))
        | (pl.col("lacking") > pl.col("hidden"))
    )
    same = pl.when(apart_).then(pl.lit(False)).when(pl.col("lacking") == 0).then(pl.lit(True))
    answers = (
        at_path.join(below, on=["pair", "path"], how="anti")
        .group_by("pair")
        .agg(every(same).alias("equal"), pl.lit(True).alias("asked"))
    )
    answer = pl.when(pl.col("asked").is_null()).then(pl.lit(True)).otherwise("equal")
    return pairs.join(answers, on="pair", how="left").select(*_PAIR, answer.alias("equal"))


def _below(at_path: pl.LazyFrame) -> pl.LazyFrame:
    """Return (pair, path) of leaves inside of a value that may be anything, and of such values that have leaves."""
    wild = at_path.filter(pl.col("wild") > 0).select("pair", pl.col("path").alias("top"), pl.col("has").alias("there"))
    inner = at_path.filter(pl.col("needs") == 0).select("pair", "path")
    found = wild.join(inner, on="pair", how="inner").filter(is_below(pl.col("path"), pl.col("top")))
    return pl.concat(
        [
            found.filter(~pl.col("top").str.ends_with("[]")).select("pair", "path"),
            found.filter(pl.col("there") == 0).select("pair", pl.col("top").alias("path")),
        ]
    ).unique()


def is_below(path: pl.Expr, top: pl.Expr) -> pl.Expr:
    """Return whether a path leads into what stands at another one."""
    return path.str.starts_with(top + ".") | path.str.starts_with(top + "[")
