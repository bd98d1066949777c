"""Is an attempt a repetition, by its idempotency key?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.texts import spelled


def reused(attempts: pl.LazyFrame, leaves: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, attempt, reused) of attempts whose idempotency key is no new one, where attempts are gated.

    Every attempt before one that counts was executed; a blank or endless key is none. Source: formats-safeact, 4.3.
    """
    key = spelled(pl.col("value")).str.strip_chars()
    is_text = pl.col("value").str.starts_with('"')
    keys = leaves.filter(pl.col("path") == "idempotency_key").select(
        "arguments_id", key.alias("key"), is_text.alias("is_text")
    )
    again = pl.struct("run", "key").is_first_distinct().not_()
    return (
        attempts.filter("gated")
        .join(keys, on="arguments_id", how="inner")
        .sort("run", "attempt")
        .filter(again | ~pl.col("is_text") | (pl.col("key") == "") | (pl.col("key").str.len_chars() > 256))
        .select("run", "attempt", pl.lit(True).alias("reused"))
    )
