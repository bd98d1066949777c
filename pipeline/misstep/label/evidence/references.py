"""Is an argument what an earlier action returned?"""

from __future__ import annotations

import polars as pl

from misstep.label.kleene import every, some

REFERENCE = r'^"result:([A-Za-z0-9_-]+)\.(.+)"$'
_PAIR = ["run", "attempt", "action"]


def references(
    candidates: pl.LazyFrame,
    bindings: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    observations: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    told: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return, of candidates with bindings, whether the argument is what an earlier attempt returned.

    One row a (run, attempt, action, binding, source: an earlier attempt that `result_of` can be taken for); `fits` is
    true for a reference to its result, and for a value of its result that nothing showed before (shown: null); null
    too where the result, or the argument, is not known. `told` are the values that the context and reads establish
    (run, step, value). Source: [E], result binding.
    """
    bound = bindings.join(codes, on=["suite", "task_id"], how="inner").select(
        "task", "action", "path", pl.col("number").alias("binding"), "result_of", "field"
    )
    sources = candidates.select(
        "run",
        pl.col("action").alias("result_of"),
        pl.col("attempt").alias("source"),
        pl.col("step").alias("source_step"),
        pl.col("call").alias("source_call"),
    )
    ids = agent_calls.select(
        pl.col("call").alias("source_call"), pl.col("call_id").alias("source_id"), "observation_id"
    )
    asked = (
        candidates.join(bound, on=["task", "action"], how="inner")
        .join(sources, on=["run", "result_of"], how="inner")
        .filter(pl.col("source_step") < pl.col("step"))
        .join(ids, on="source_call", how="left")
        .join(
            leaves.select("arguments_id", "path", "value", "compare", "hidden"),
            on=["arguments_id", "path"],
            how="left",
        )
        .sort(*_PAIR, "path", "binding", "source", "value")
        .with_row_index("question")
    )
    refers = pl.col("value").str.extract(REFERENCE, 1)
    by_name = (refers == pl.col("source_id")) & (pl.col("value").str.extract(REFERENCE, 2) == pl.col("field"))
    missing = pl.col("value").is_null() & pl.col("arguments_id").is_not_null()
    answered = (
        asked.join(_returned(asked, observations), on="question", how="left")
        .join(_shown_before(asked, observations, agent_calls, leaves, told), on="question", how="left")
        .with_columns(
            pl.when(pl.col("arguments_id").is_null() | pl.col("hidden"))
            .then(pl.lit(None, dtype=pl.Boolean))
            .when(missing)
            .then(pl.lit(False))
            .when(refers.is_not_null())
            .then(by_name.fill_null(False))
            .when(pl.col("profile") == "safeact")
            .then(pl.lit(False))
            .when(pl.col("returned") & pl.col("before").fill_null(False))
            .then(pl.lit(None, dtype=pl.Boolean))
            .otherwise("returned")
            .alias("fits")
        )
    )
    return answered.group_by(*_PAIR, "path", "binding", "result_of", "source").agg(some(pl.col("fits")).alias("fits"))


def receipts(
    candidates: pl.LazyFrame, bindings: pl.LazyFrame, codes: pl.LazyFrame, leaves: pl.LazyFrame, attempts: pl.LazyFrame
) -> pl.LazyFrame:
    """Return (run, attempt, action, receipts_ok) where the evaluator of SafeActBench wants a list of results.

    Every member of a list in which a result is bound refers to the result of an attempt of an earlier step, none twice.
    """
    lists = (
        bindings.filter(pl.col("path").str.ends_with("[]"))
        .join(codes, on=["suite", "task_id"], how="inner")
        .select("task", "action", "path")
        .unique()
    )
    asked = candidates.filter(pl.col("profile") == "safeact").join(lists, on=["task", "action"], how="inner")
    members = asked.join(
        leaves.select("arguments_id", "path", "value", "hidden"),
        on=["arguments_id", "path"],
        how="inner",
    ).with_columns(pl.col("value").str.extract(REFERENCE, 1).alias("call_id"))
    earlier = attempts.filter(pl.col("call_id").is_not_null()).select(
        "run", "call_id", pl.col("step").alias("done_step"), pl.col("done").alias("took_effect")
    )
    member = [*_PAIR, "path", "value"]
    of_members = (
        members.join(earlier, on=["run", "call_id"], how="left")
        .with_columns(
            pl.when("hidden")
            .then(pl.lit(None, dtype=pl.Boolean))
            .when((pl.col("done_step") < pl.col("step")).fill_null(False))
            .then("took_effect")
            .otherwise(pl.lit(False))
            .alias("executed")
        )
        .group_by(member)
        .agg(some(pl.col("executed")).alias("executed"))
    )
    twice = members.filter(~pl.col("hidden")).select((pl.len().over(member) > 1).alias("twice"), *_PAIR)
    return (
        pl.concat(
            [
                of_members.select(*_PAIR, pl.col("executed").alias("fits")),
                twice.filter("twice").select(*_PAIR, pl.lit(False).alias("fits")),
                asked.filter(pl.col("arguments_id").is_null()).select(
                    *_PAIR, pl.lit(None, dtype=pl.Boolean).alias("fits")
                ),
            ]
        )
        .group_by(_PAIR)
        .agg(every(pl.col("fits")).alias("receipts_ok"), pl.lit(True).alias("receipts"))
    )


def _returned(asked: pl.LazyFrame, observations: pl.LazyFrame) -> pl.LazyFrame:
    """Return (question, returned) of questions whose field the source's own result shows."""
    fields = observations.select("observation_id", "field", result="value", result_key=pl.coalesce("compare", "value"))
    key = pl.coalesce("compare", "value")
    return (
        asked.join(fields, on=["observation_id", "field"], how="inner")
        .group_by("question")
        .agg(((pl.col("result") == pl.col("value")) | (pl.col("result_key") == key)).any().alias("returned"))
    )


def _shown_before(
    asked: pl.LazyFrame,
    observations: pl.LazyFrame,
    agent_calls: pl.LazyFrame,
    leaves: pl.LazyFrame,
    told: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (question, before) of questions whose value the agent knew before the source's call returned it."""
    sought = asked.select("question", "run", "value", "source_step").drop_nulls()
    wanted = sought.select("run", "value").unique()
    calls = agent_calls.join(wanted.select("run").unique(), on="run", how="semi")
    seen = calls.filter(pl.col("outcome").is_in(["applied", "unknown"])).join(
        observations.select("observation_id", "value"), on="observation_id", how="inner"
    )
    given = calls.join(leaves.select("arguments_id", "value"), on="arguments_id", how="inner")
    known = pl.concat(
        [
            seen.select("run", "value", "step"),
            given.select("run", "value", pl.col("step") - 1),
            told.select("run", "value", "step"),
        ]
    ).join(wanted, on=["run", "value"], how="semi")
    first = known.group_by("run", "value").agg(pl.col("step").min().alias("since"))
    return sought.join(first, on=["run", "value"], how="inner").select(
        "question", (pl.col("since") < pl.col("source_step")).alias("before")
    )
