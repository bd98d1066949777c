"""Which writes are judged, under which task, and with which modified fields?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT
from misstep.label.kept import without_kept
from misstep.label.replay import KNOWN


def subjects(deeds: pl.LazyFrame, effects: pl.LazyFrame, settings: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a write of an episode: its columns, its effect, its task's columns, ready for matching.

    Further columns: judged (a write of the configured actor), root and is_root, target (type:id).
    """
    of_task = settings.select("episode", "task_known", "ambiguous", "authorized_after")
    return (
        deeds.filter(~pl.col("reference"))
        .join(effects, on="deed", how="left")
        .join(of_task, on="episode", how="left")
        .with_columns(
            (pl.col("actor") == AGENT).alias("judged"),
            (pl.col("root") == pl.col("deed")).alias("is_root"),
            (pl.col("entity_type") + ":" + pl.col("entity_id")).alias("target"),
        )
        .drop("parent", "reference", "thing", "state", "has_state")
    )


def stated_contents(
    deeds: pl.LazyFrame, contents: pl.LazyFrame, sources: pl.LazyFrame, kept: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the contents of the writes of episodes, less the fields that they keep; `doubtful` may be kept.

    Values taken from the state stand in `fields` as resolved.
    """
    found = sources.filter(pl.col("status") == KNOWN).select(
        "deed",
        pl.col("field").alias("from_state"),
        pl.col("key").alias("found_key"),
        pl.coalesce("value", "key").alias("found_value"),
    )
    resolved = (
        contents.join(found.select("deed").unique(), on="deed", how="semi")
        .select("deed", "fields")
        .explode("fields")
        .unnest("fields")
        .join(found, on=["deed", "from_state"], how="left", maintain_order="left")
        .select(
            "deed",
            pl.struct(
                "field",
                pl.coalesce("value", "found_value").alias("value"),
                pl.coalesce("compare", "found_key").alias("compare"),
                "from_state",
                "free",
            ).alias("fields"),
        )
        .group_by("deed", maintain_order=True)
        .agg("fields")
    )
    own = contents.join(deeds.filter(~pl.col("reference")).select("deed"), on="deed", how="semi")
    columns = ["deed", "fields", "names", "arguments", "argument_names", "recipients"]
    whole = pl.concat(
        [
            own.join(resolved, on="deed", how="anti").select(columns),
            own.drop("fields").join(resolved, on="deed", how="inner").select(columns),
        ]
    )
    return without_kept(whole, kept)
