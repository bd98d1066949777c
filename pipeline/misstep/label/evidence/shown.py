"""What did the context, reads, results and own writes show?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT
from misstep.label.evidence.cases import CONTEXT
from misstep.label.evidence.coverage import equal_to
from misstep.label.facts import EXISTS, TRUE

COLUMNS = [
    "run",
    "step",
    "position",
    "by",
    "source",
    "number",
    "sure",
    "entity_type",
    "entity_id",
    "field",
    "key",
    "value",
]
_BASE = ("set", "replace", "create")


def tested(conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the fields that some condition tests in records (field; a type alone: whether it is there at all)."""
    in_records = conditions.filter(pl.col("source").cast(pl.String).is_in(["record", "state"]))
    return in_records.select("field").drop_nulls().unique()


def about(conditions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the types of entities of which it counts that a record was shown at all, whatever it says."""
    whole = pl.col("source").cast(pl.String).is_in(["read", "confirmation"]) | pl.col("field").is_null()
    return conditions.filter(whole).select("entity_type").drop_nulls().unique()


def shown(
    runs: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    reads: pl.LazyFrame,
    observations: pl.LazyFrame,
    read_facts: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    texts: pl.LazyFrame,
    fields: pl.LazyFrame,
    types: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the fields of records that the context, reads and results established (null `sure`: perhaps).

    Of tasks with `read_facts`, a read establishes the records that the task has for its tool and arguments; a result of
    a call of any kind those that it shows. Fields that nothing tests are left out; `@exists` stands for a record of an
    entity of one of `types`.
    """
    told = read_facts.join(codes, on=["suite", "task_id"], how="inner").rename({"record": "number"})
    kept = _kept(told, ["task", "source", "number"], fields, types)
    context = (
        kept.filter(pl.col("source") == -1)
        .join(runs.select("run", "task"), on="task", how="inner")
        .with_columns(
            pl.lit(CONTEXT, dtype=pl.Int64).alias("step"),
            pl.lit(-1, dtype=pl.Int64).alias("position"),
            pl.lit("context").alias("by"),
            pl.lit(True).alias("sure"),
        )
    )
    return pl.concat(
        [
            context.select(COLUMNS),
            _by_reads(reads, told, kept, leaves, texts).select(COLUMNS),
            _by_results(agent_calls, observations, fields, types).select(COLUMNS),
        ]
    )


def _kept(
    rows: pl.LazyFrame, record: list[str], fields: pl.LazyFrame, types: pl.LazyFrame, *, unbound: bool = False
) -> pl.LazyFrame:
    """Return the rows of fields that are tested, and one more (`@exists`) for each record of one of the types.

    Records without an id are of an unknown entity, if they are `unbound`.
    """
    nameless = pl.col("entity_id").is_null()
    whole = pl.concat(
        [
            rows.filter(~nameless).join(types, on="entity_type", how="semi"),
            rows.filter(nameless & unbound),
        ]
    ).unique(record)
    return pl.concat(
        [
            rows.join(fields, on="field", how="semi").with_columns(pl.coalesce("compare", "value").alias("key")),
            whole.with_columns(pl.lit(EXISTS).alias("field"), pl.lit(TRUE).alias("value"), pl.lit(TRUE).alias("key")),
        ]
    )


def _by_reads(
    reads: pl.LazyFrame, told: pl.LazyFrame, kept: pl.LazyFrame, leaves: pl.LazyFrame, texts: pl.LazyFrame
) -> pl.LazyFrame:
    of_read = pl.col("source") >= 0
    wanted = (told.filter(of_read).unique(["task", "source"]).sort("task", "source").with_row_index("wanted")).select(
        "task", "source", "tool", "arguments", "wanted"
    )
    observed = reads.filter(pl.col("in_scope") & pl.col("observed").fill_null(True))
    pairs = observed.join(wanted.drop("arguments"), on=["task", "tool"], how="inner")
    found = (
        pairs.join(equal_to(pairs, wanted, leaves, texts), on=["arguments_id", "wanted"], how="left")
        .with_columns((pl.col("observed") & pl.col("equal")).alias("sure"))
        .filter(pl.col("sure").fill_null(True))
        .select("run", "task", "source", "step", "position", "sure", pl.lit("read").alias("by"))
    )
    return found.join(kept.filter(of_read), on=["task", "source"], how="inner")


def _by_results(
    agent_calls: pl.LazyFrame, observations: pl.LazyFrame, fields: pl.LazyFrame, types: pl.LazyFrame
) -> pl.LazyFrame:
    calls = agent_calls.filter(
        pl.col("outcome").is_in(["applied", "unknown"]) & pl.col("observation_id").is_not_null()
    ).select(
        *("run", "step", "position", "observation_id"),
        pl.when(pl.col("outcome") == "applied").then(pl.lit(True)).alias("sure"),
        pl.lit("observation").alias("by"),
        pl.lit(0, dtype=pl.Int64).alias("source"),
    )
    rows = _kept(observations, ["observation_id", "record"], fields, types, unbound=True).rename({"record": "number"})
    return calls.join(rows, on="observation_id", how="inner")


def written(
    runs: pl.LazyFrame, deeds: pl.LazyFrame, facts: pl.LazyFrame, fields: pl.LazyFrame, types: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the fields that the agent's own writes set; perhaps, where their outcome is unknown."""
    own = (
        deeds.filter((pl.col("actor") == AGENT) & ~pl.col("opaque") & pl.col("effect").is_in(_BASE))
        .filter(pl.col("outcome").is_in(["applied", "unknown"]))
        .select(
            *("deed", "episode", "step", "position", "item", "entity_type", "entity_id"),
            (pl.col("outcome") == "applied").alias("applied"),
        )
        .join(runs.select("run", "episode"), on="episode", how="inner")
    )
    stated = (
        facts.filter((pl.col("kind") == "base") & (pl.col("field") != EXISTS))
        .select("deed", "field", "key", pl.coalesce("value", "key").alias("value"))
        .join(fields, on="field", how="semi")
        .join(own, on="deed", how="inner")
    )
    nameless = pl.col("entity_id").is_null()
    there = pl.concat(
        [own.filter(~nameless).join(types, on="entity_type", how="semi"), own.filter(nameless)]
    ).with_columns(field=pl.lit(EXISTS), key=pl.lit(TRUE), value=pl.lit(TRUE))
    return pl.concat([stated, there.select(stated.collect_schema().names())]).select(
        *("run", "step", "position"),
        pl.lit("write").alias("by"),
        pl.lit(0, dtype=pl.Int64).alias("source"),
        pl.col("item").alias("number"),
        pl.when("applied").then(pl.lit(True)).alias("sure"),
        *("entity_type", "entity_id", "field", "key", "value"),
    )


def before_results(
    runs: pl.LazyFrame,
    reads: pl.LazyFrame,
    read_facts: pl.LazyFrame,
    bindings: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    texts: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return every value (run, step, value) that the context and reads of tasks with bindings established."""
    asking = read_facts.join(bindings.select("suite", "task_id").unique(), on=["suite", "task_id"], how="semi")
    every_field = asking.select("field").unique()
    told = asking.join(codes, on=["suite", "task_id"], how="inner").rename({"record": "number"})
    kept = _kept(told, ["task", "source", "number"], every_field, asking.select("entity_type").drop_nulls().clear())
    context = (
        kept.filter(pl.col("source") == -1)
        .join(runs.select("run", "task"), on="task", how="inner")
        .select("run", pl.lit(CONTEXT, dtype=pl.Int64).alias("step"), "value")
    )
    return pl.concat([context, _by_reads(reads, told, kept, leaves, texts).select("run", "step", "value")])
