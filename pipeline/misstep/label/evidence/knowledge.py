"""Could the agent know the values that it uses?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.said import BEFORE_ALL, as_hits, heard, of_user, perhaps, unanswerable
from misstep.label.evidence.texts import spelled, worded


def known_hits(
    queries: pl.LazyFrame,
    utterances: pl.LazyFrame,
    given: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    results: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return since when all values at a path of the attempt's arguments were known, as whole words of some text.

    Texts are those of the user and of the system, and results of the agent's calls. A lost result may have said it.
    """
    asked = queries.filter(pl.col("source") == "known").select(
        "query", "run", "given", "blind", "attempt", pl.col("about").alias("top"), "known_anyway"
    )
    sure = asked.filter(~unanswerable())
    at = (
        (pl.col("path") == pl.col("top"))
        | pl.col("path").str.starts_with(pl.col("top") + ".")
        | (pl.col("path").str.starts_with(pl.col("top") + "["))
    )
    values = (
        sure.join(given, on="given", how="inner")
        .filter(at)
        .with_columns(spelled(pl.col("value")).str.strip_chars().str.to_lowercase().alias("word"))
        .filter(
            pl.col("hidden") | ((pl.col("word") != "") & ~pl.col("value").is_in(["null", "true", "false", "[]", "{}"]))
        )
        .filter(pl.col("hidden") | ~pl.col("known_anyway").list.contains(pl.col("word")))
        .select("query", "run", "word", "hidden")
        .unique()
    )
    asking = sure.select("run").unique()
    calls = agent_calls.filter(pl.col("outcome").is_in(["applied", "unknown"])).join(asking, on="run", how="semi")
    spoken = utterances.join(asking, on="run", how="semi")
    lost_result = (pl.col("outcome") == "unknown") & pl.col("result_id").is_null()
    texts = pl.concat(
        [
            spoken.filter(of_user() | (pl.col("role") == "system")).select(
                "run", "step", "position", "text", pl.lit("message").alias("by")
            ),
            calls.join(results, on="result_id", how="inner").select(
                "run", "step", "position", "text", pl.lit("observation").alias("by")
            ),
        ]
    )
    lost = calls.filter(lost_result).group_by("run").agg(pl.col("step").min().alias("lost_step"))
    words = values.filter(~pl.col("hidden")).select("run", "word").unique()
    since = (
        words.join(texts.with_columns(pl.col("text").str.to_lowercase()), on="run", how="inner")
        .filter(pl.col("text").str.contains(pl.col("word"), literal=True))
        .filter(worded(pl.col("text"), pl.col("word")))
        .sort("run", "word", "step", "position", "by", descending=[False] * 4 + [True])
        .unique(["run", "word"], keep="first", maintain_order=True)
        .select("run", "word", "step", "position", "by")
    )
    all_of_it = (
        values.join(since, on=["run", "word"], how="left")
        .join(lost, on="run", how="left")
        .join(heard(utterances), on="run", how="left")
        .with_columns(
            pl.when(pl.col("hidden") | pl.col("heard").is_null())
            .then(pl.lit(BEFORE_ALL, dtype=pl.Int64))
            .otherwise(pl.min_horizontal("step", "lost_step"))
            .alias("maybe_step")
        )
        .sort("step", "position")
        .group_by("query", maintain_order=True)
        .agg(
            pl.when(pl.col("step").is_not_null().all()).then(pl.col("step").last()).alias("step"),
            pl.when(pl.col("step").is_not_null().all()).then(pl.col("position").last()).alias("position"),
            pl.col("by").last(),
            pl.when(pl.col("maybe_step").is_not_null().all()).then(pl.col("maybe_step").max()).alias("maybe_step"),
        )
    )
    nothing = sure.join(values.select("query").unique(), on="query", how="anti").select(
        "query",
        pl.lit(-1, dtype=pl.Int64).alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(True).alias("ok"),
    )
    doubted = all_of_it.filter(pl.col("maybe_step").is_not_null()).select(
        "query",
        pl.col("maybe_step").alias("step"),
        pl.lit(-1, dtype=pl.Int64).alias("position"),
        pl.lit(None, dtype=pl.Boolean).alias("ok"),
    )
    certain = all_of_it.filter(pl.col("step").is_not_null()).select(
        "query", "step", "position", pl.lit(True).alias("ok"), "by"
    )
    unsure = pl.concat([doubted, perhaps(asked.filter(unanswerable()).select("query"))])
    return pl.concat(
        [
            as_hits(certain.filter(pl.col("by") == "message").drop("by"), "message"),
            as_hits(certain.filter(pl.col("by") == "observation").drop("by"), "observation"),
            as_hits(nothing, "context"),
            as_hits(unsure, "message"),
        ]
    )
