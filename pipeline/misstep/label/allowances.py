"""Is a write mechanical bookkeeping that is never damage?"""

from __future__ import annotations

import polars as pl


def allowed(subjects: pl.LazyFrame, contents: pl.LazyFrame, allowances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (deed, allowed_by) of the writes that an allowance of the suite fits; the first by id counts.

    Every part that an allowance names must fit; a write whose fields are not known fits no allowance that names
    fields. What follows an allowed write is allowed with it. Source: [S], mechanical allowances.
    """
    rules = allowances.rename({name: f"a_{name}" for name in ("action", "entity_type", "entity_id", "fields")}).rename(
        {"tool": "pattern"}
    )
    whole = pl.concat_str(pl.lit("^(?:"), pl.col("pattern"), pl.lit(")$"))
    for_tools = (
        subjects.select("suite", "tool")
        .unique()
        .join(rules, on="suite", how="inner")
        .filter(pl.col("pattern").is_null() | pl.col("tool").str.contains(whole))
        .drop("pattern")
    )
    beyond = pl.col("names").list.set_difference("a_fields").list.len() > 0
    unread = pl.col("opaque") | ~pl.col("arguments_known")
    own = (
        subjects.filter("judged")
        .select("deed", "suite", "tool", "action", "entity_type", "entity_id", "opaque", "arguments_known")
        .join(for_tools, on=["suite", "tool"], how="inner")
        .filter(
            (pl.col("a_action").is_null() | (pl.col("a_action") == pl.col("action")))
            & (pl.col("a_entity_type").is_null() | (pl.col("a_entity_type") == pl.col("entity_type")))
            & (pl.col("a_entity_id").is_null() | (pl.col("a_entity_id") == pl.col("entity_id")))
        )
        .join(contents.select("deed", "names"), on="deed", how="left")
        .filter(pl.col("a_fields").is_null() | (~beyond & ~unread))
        .group_by("deed")
        .agg(pl.col("allowance").min().alias("own"))
    )
    return (
        subjects.filter("judged")
        .select("deed", "root")
        .join(own, on="deed", how="left")
        .join(own.select(pl.col("deed").alias("root"), pl.col("own").alias("roots")), on="root", how="left")
        .select("deed", pl.coalesce("own", "roots").alias("allowed_by"))
        .filter(pl.col("allowed_by").is_not_null())
    )
