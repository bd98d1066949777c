"""Does an episode leave anything different from how it was?"""

from __future__ import annotations

import polars as pl

from misstep.label.kleene import some


def net(
    deeds: pl.LazyFrame,
    effects: pl.LazyFrame,
    settings: pl.LazyFrame,
    ends: pl.LazyFrame,
    end_members: pl.LazyFrame,
    created: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row an episode: net_changed, over the writes of every actor.

    Something changed when a field ends with another value than it had (a field of which the initial state says nothing
    counts as changed once written), a created entity is still there, an opaque write took effect (of any kind, also
    one whose arguments could not be read), or a write other than a touch did whose entity is not known. Source: [S],
    net view.
    """
    own = deeds.filter(~pl.col("reference"))
    fields = ends.filter(pl.col("changed").fill_null(True)).select("entity", pl.col("changed").alias("part"))
    members = end_members.select("entity", (pl.col("net") != 0).alias("part"))
    old = pl.concat([fields, members]).join(created, on="entity", how="anti")
    new = created.select("entity", (pl.when("surely").then(pl.lit(True)) & pl.col("there")).alias("part"))
    at_large = pl.col("opaque") | (pl.col("entity").is_null() & (pl.col("effect") != "touch"))
    took = (
        own.filter(at_large)
        .join(effects.select("deed", "effective"), on="deed", how="inner")
        .select("scope", pl.col("effective").alias("part"))
    )
    scopes = own.select("scope", "episode").unique(subset="scope")
    of_entities = pl.concat([old, new]).join(
        own.select(pl.col("deed").alias("entity"), "scope"), on="entity", how="inner"
    )
    answers = (
        pl.concat([of_entities.select("scope", "part"), took])
        .group_by("scope")
        .agg(some(pl.col("part")).alias("part"))
        .join(scopes, on="scope", how="inner")
        .with_columns(asked=pl.lit(True))
    )
    return (
        settings.select("episode", "calls_lost")
        .join(answers, on="episode", how="left")
        .select(
            "episode",
            pl.when("calls_lost")
            .then(None)
            .when(pl.col("asked").is_null())
            .then(pl.lit(False))
            .otherwise("part")
            .alias("net_changed"),
        )
    )
