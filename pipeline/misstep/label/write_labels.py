"""What is to be said of each write?"""

from __future__ import annotations

import polars as pl

from misstep.label.policies import violation

COLUMNS = [
    "episode", "step", "position", "item", "judged", "effective", "noop", "prior_unknown", "kept",
    "authorized", "authorized_by", "allowed_by", "entity_authorized", "external", "after_clarification", "violation",
    "pattern", "unknown_reason",
]  # fmt: skip


def verdicts(
    subjects: pl.LazyFrame,
    authorized: pl.LazyFrame,
    allowed: pl.LazyFrame,
    entity_authorized: pl.LazyFrame,
    kept: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row a write of an episode: all columns of `write_labels` but the pattern, and `deed`."""
    reason = pl.coalesce("effect_reason", "authorized_reason")
    return (
        subjects.join(authorized, on="deed", how="left")
        .join(allowed, on="deed", how="left")
        .join(entity_authorized, on="deed", how="left")
        .join(kept.select("deed", "kept"), on="deed", how="left")
        .with_columns(
            violation("standard").alias("violation"), reason.alias("unknown_reason"), pl.col("kept").fill_null([])
        )
        .select("deed", *(name for name in COLUMNS if name != "pattern"))
    )


def write_labels(verdicts: pl.LazyFrame, patterns: pl.LazyFrame) -> pl.LazyFrame:
    """Return the table `write_labels`."""
    return verdicts.join(patterns, on="deed", how="left").select(COLUMNS).sort("episode", "step", "position", "item")
