"""What did each write state: one fact a field or member, and what was there at the start?"""

from __future__ import annotations

import polars as pl

EXISTS = "@exists"
TRUE, FALSE = "true", "false"
MEMBERS = ("add", "remove")


def key_of(compare: str = "compare", value: str = "value") -> pl.Expr:
    """Return the key of a value: under its profile, else its canonical text; null means that the value is unknown."""
    return pl.coalesce(compare, value)


def before(queries: pl.LazyFrame, events: pl.LazyFrame, by: list[str], on: str = "deed") -> pl.LazyFrame:
    """Return the queries with the columns of the latest event of an earlier deed (or step) that has the same `by`."""
    return queries.sort(on).join_asof(
        events.sort(on), on=on, by=by, strategy="backward", allow_exact_matches=False, check_sortedness=False
    )


def stated(deeds: pl.LazyFrame, contents: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a (deed, field, member) that was applied or may have been; values from the state are still open.

    Columns: deed, entity, thing, world, effect, applied, field, kind (base, add, remove), key, value (null where it is
    the key), from_state, free. Every write but a deletion also states `@exists`: true, a deletion states false
    (`existence.without_idle` says which of those that may not have been made count).
    """
    done = deeds.filter(pl.col("outcome").is_in(["applied", "unknown"])).select(
        "deed", "entity", "thing", "world", "effect", (pl.col("outcome") == "applied").alias("applied")
    )
    kind = pl.when(pl.col("effect").is_in(MEMBERS)).then("effect").otherwise(pl.lit("base"))
    filled = contents.filter(pl.col("names").list.len() > 0).select(
        "deed", "fields", (pl.col("names").list.len() > pl.col("names").list.n_unique()).alias("twice")
    )
    exploded = (
        filled.explode("fields")
        .unnest("fields")
        .join(done, on="deed", how="inner", maintain_order="left")
        .with_columns(kind.alias("kind"), key_of().alias("key"))
        .with_columns(pl.when(pl.col("value") != pl.col("key")).then("value").alias("value"))
    )
    member = pl.when(pl.col("kind") != "base").then("key")
    twice = (
        exploded.filter("twice")
        .with_columns(member.alias("member"))
        .unique(subset=["deed", "field", "member"], keep="last", maintain_order=True)
    )
    existence = done.with_columns(
        pl.lit(EXISTS).alias("field"),
        pl.lit("base").alias("kind"),
        pl.when(pl.col("effect") == "delete").then(pl.lit(FALSE)).otherwise(pl.lit(TRUE)).alias("key"),
        pl.lit(None, dtype=pl.String).alias("value"),
        pl.lit(None, dtype=pl.String).alias("from_state"),
        pl.lit(False).alias("free"),
    )
    columns = [
        "deed", "entity", "thing", "world", "effect", "applied", "field", "kind", "key", "value", "from_state", "free"
    ]  # fmt: skip
    return pl.concat(
        [exploded.filter(~pl.col("twice")).select(columns), twice.select(columns), existence.select(columns)]
    )


def looks(deeds: pl.LazyFrame, contents: pl.LazyFrame) -> pl.LazyFrame:
    """Return the fields whose values writes of any outcome take from the state before: deed, entity, …, field."""
    taken = contents.select("deed", "fields").filter(
        pl.col("fields").list.eval(pl.element().struct.field("from_state").is_not_null()).list.any()
    )
    return (
        taken.explode("fields")
        .unnest("fields")
        .filter(pl.col("from_state").is_not_null())
        .select("deed", pl.col("from_state").alias("field"))
        .unique()
        .join(deeds.select("deed", "entity", "thing", "world"), on="deed", how="inner")
        .filter(pl.col("entity").is_not_null())
    )


def cells(
    stated: pl.LazyFrame, looks: pl.LazyFrame, deeds: pl.LazyFrame, states: pl.LazyFrame, overrides: pl.LazyFrame
) -> pl.LazyFrame:
    """Return one row a (entity of a scope, field) that some fact is about, with its value at the start.

    Columns: cell (code), entity, thing, world, field, listed (the initial state has it), initial_key, initial_value.
    """
    located = stated.filter(pl.col("entity").is_not_null())
    key = ["entity", "thing", "world"]
    found = (
        pl.concat([located.select(*key, "field"), looks.select(*key, "field")])
        .unique()
        .sort("entity", "field")
        .with_row_index("cell")
    )
    return found.join(
        initial(found.select("world", "thing", "field").unique(), deeds, states, overrides),
        on=["world", "thing", "field"],
        how="left",
    ).with_columns(pl.col("listed").fill_null(False))


def initial(wanted: pl.LazyFrame, deeds: pl.LazyFrame, states: pl.LazyFrame, overrides: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows of `wanted` (world, thing, field) that the initial state has, with listed, initial_key, _value.

    A task's own overrides win over the shared state; an entity that they remove has no other field.
    """
    tasks = deeds.select("world", "suite", "task_id", "state").unique(subset="world")
    things = deeds.filter(pl.col("thing").is_not_null()).select("thing", "entity_type", "entity_id").unique()
    entity = ["entity_type", "entity_id"]
    named = wanted.join(tasks, on="world").join(things, on="thing")
    own = overrides.select("suite", "task_id", *entity, "field", own_key=key_of(), own_value=pl.col("value"))
    shared = states.select("suite", "state", *entity, "field", shared_key=key_of(), shared_value=pl.col("value"))
    removed = overrides.filter((pl.col("field") == EXISTS) & (pl.col("value") == FALSE)).select(
        "suite", "task_id", *entity, removed=pl.lit(True)
    )
    kept = pl.col("removed").is_null()
    return (
        named.join(shared, on=["suite", "state", *entity, "field"], how="left")
        .join(own, on=["suite", "task_id", *entity, "field"], how="left")
        .join(removed, on=["suite", "task_id", *entity], how="left")
        .select(
            "world",
            "thing",
            "field",
            pl.coalesce("own_key", pl.when(kept).then("shared_key")).alias("initial_key"),
            pl.coalesce("own_value", pl.when(kept).then("shared_value")).alias("initial_value"),
        )
        .filter(pl.col("initial_key").is_not_null())
        .with_columns(listed=pl.lit(True))
    )


def resolved(stated: pl.LazyFrame, cells: pl.LazyFrame, sources: pl.LazyFrame) -> pl.LazyFrame:
    """Return the facts with their cell, and with the values that come from the state before the call.

    `sources` has the priors of the named fields (deed, field, status, key, value); a source that is not known leaves
    the value unknown.
    """
    looked = sources.filter(pl.col("status") == "known").select(
        "deed",
        pl.col("field").alias("from_state"),
        pl.col("key").alias("source_key"),
        pl.coalesce("value", "key").alias("source_value"),
    )
    return (
        stated.join(cells.select("cell", "entity", "field"), on=["entity", "field"], how="left")
        .join(looked, on=["deed", "from_state"], how="left")
        .with_columns(
            pl.coalesce("key", "source_key").alias("key"), pl.coalesce("value", "source_value").alias("value")
        )
        .drop("source_key", "source_value", "thing", "world")
    )
