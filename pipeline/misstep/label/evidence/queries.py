"""What is looked for, apart from when: conditions with the attempt's arguments filled in."""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.equality import is_below
from misstep.label.evidence.texts import spelled
from misstep.label.facts import EXISTS

_QUERY = ["run", "clause", "of"]


def queries(
    demands: pl.LazyFrame,
    clauses: pl.LazyFrame,
    obligations: pl.LazyFrame,
    given: pl.LazyFrame,
    open_paths: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row a (run, clause, obligation where it depends on it): query (code), source, entity, parts, given.

    `entity_type`, `entity_ids`: the entity is one of these (null: any); `vague`: which one is not known; `nothing`: the
    argument that names it is not there. `blind`: the arguments of the attempt could not be read.
    """
    found = (
        demands.select(_QUERY)
        .unique()
        .sort(_QUERY)
        .with_row_index("query")
        .join(
            clauses.drop("own", "role", "alternative", "condition", "task", "requirement", "reason"),
            on="clause",
            how="inner",
        )
        .join(
            obligations.select(pl.col("obligation").cast(pl.Int64).alias("of"), "given", "tool", "attempt"),
            on="of",
            how="left",
        )
        .with_columns((pl.col("given").is_null() & (pl.col("of") >= 0)).alias("blind"))
    )
    by_argument = found.filter(pl.col("entity_argument").is_not_null()).select(
        "query", "given", pl.col("entity_argument").alias("path"), "entity_template", "blind"
    )
    text = spelled(pl.col("value"))
    template = pl.col("entity_template")
    entities = (
        at_paths(by_argument, given, open_paths)
        .with_columns(
            pl.when(template.is_null()).then(text).otherwise(template.str.replace("{}", text, literal=True)).alias("id")
        )
        .group_by("query")
        .agg(
            pl.col("id").drop_nulls().unique().alias("argument_ids"),
            pl.col("hidden").any().alias("vague"),
            pl.lit(True).alias("there"),
        )
    )
    asked = pl.col("entity_argument").is_not_null()
    vague = asked & pl.col("vague").fill_null(False)
    named = pl.concat_list("entity_id")
    return (
        found.join(entities, on="query", how="left")
        .with_columns(
            pl.when(vague)
            .then(pl.lit(None, dtype=pl.List(pl.String)))
            .when(asked)
            .then("argument_ids")
            .when(pl.col("entity_id").is_not_null())
            .then(named)
            .alias("entity_ids"),
            vague.alias("vague"),
            (asked & pl.col("there").is_null()).alias("nothing"),
        )
        .drop("argument_ids", "there", "entity_id", "entity_argument", "entity_template")
    )


def at_paths(asked: pl.LazyFrame, given: pl.LazyFrame, open_paths: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows of `asked` (given, path, blind, …) with each leaf there: value, key, hidden; none: left out.

    Arguments that could not be read, or that may be anything, give one hidden leaf.
    """
    unknown = {"value": pl.lit(None, dtype=pl.String), "key": pl.lit(None, dtype=pl.String), "hidden": pl.lit(True)}
    anything = (
        asked.join(open_paths, on="given", how="inner")
        .filter((pl.col("path") == pl.col("top")) | is_below(pl.col("path"), pl.col("top")))
        .select("query", "path")
        .unique()
    )
    rows = asked.filter(~pl.col("blind"))
    return pl.concat(
        [
            asked.filter("blind").with_columns(**unknown),
            rows.join(anything, on=["query", "path"], how="semi").with_columns(**unknown),
            rows.join(anything, on=["query", "path"], how="anti").join(given, on=["given", "path"], how="inner"),
        ]
    )


def query_parts(queries: pl.LazyFrame, given: pl.LazyFrame, open_paths: pl.LazyFrame) -> pl.LazyFrame:
    """Return the tests of queries: query, part, field, test, wanted (canonical value), keys, values, vague, identity.

    What a part must equal of the attempt's arguments stands in `keys` and `values` (vague: some is not known). A query
    for records without a test tests that there is one (`@exists`).
    """
    rows = (
        queries.select("query", "given", "blind", "parts")
        .explode("parts")
        .filter(pl.col("parts").is_not_null())
        .unnest("parts")
        .rename({"value": "wanted", "compare": "keys"})
    )
    in_records = pl.col("source").is_in(["record", "state"]) & (pl.col("parts").list.len() == 0)
    compared = rows.filter(pl.col("test") == "argument")
    leaves = (
        at_paths(
            compared.select("query", "part", "given", "blind", pl.col("argument").alias("path")), given, open_paths
        )
        .group_by("query", "part")
        .agg(
            pl.col("key").drop_nulls().alias("argument_keys"),
            pl.col("value").drop_nulls().alias("values"),
            pl.col("hidden").any().alias("vague"),
        )
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    there = queries.filter(in_records).select(
        "query",
        pl.lit(0, dtype=pl.Int64).alias("part"),
        pl.lit(EXISTS).alias("field"),
        pl.lit("any").alias("test"),
        pl.lit(None, dtype=pl.String).alias("wanted"),
        none.alias("keys"),
        none.alias("values"),
        pl.lit(False).alias("vague"),
        pl.lit(False).alias("identity"),
    )
    tests = (
        rows.join(leaves, on=["query", "part"], how="left")
        .with_columns(
            pl.when(pl.col("test") == "argument")
            .then(pl.col("argument_keys").fill_null(none))
            .otherwise("keys")
            .alias("keys"),
            pl.col("values").fill_null(none),
            pl.col("vague").fill_null(False),
        )
        .select("query", "part", "field", "test", "wanted", "keys", "values", "vague", "identity")
    )
    return pl.concat([tests, there])
