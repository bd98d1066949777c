"""Which calls are attempts: of consequential tools, or of tools that a standing rule is about?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.cases import gated
from misstep.label.evidence.texts import searched, spelled
from misstep.label.kleene import every, some


def ruled(
    agent_calls: pl.LazyFrame, runs: pl.LazyFrame, rules: pl.LazyFrame, codes: pl.LazyFrame, leaves: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the pairs (run, call, rulebook, rule) of calls that a rule is about; `applies` is null where it may be.

    It is about calls of its tools whose arguments meet all of its conditions; one that is not there is null.
    """
    books = codes.filter(pl.col("task_id") == "").select("suite", pl.col("task").alias("rulebook"))
    of_book = rules.join(books, on="suite", how="inner")
    tools = of_book.select("rulebook", "rule", pl.col("tools").alias("tool")).explode("tool").drop_nulls("tool")
    about = (
        agent_calls.filter(pl.col("outcome") != "dry_run")
        .select("run", "call", "tool", "arguments_id")
        .join(runs.select("run", "rulebook").drop_nulls("rulebook"), on="run", how="inner")
        .join(tools, on=["rulebook", "tool"], how="inner")
    )
    met = _met(about, of_book, leaves)
    applies = pl.when(pl.col("asked").is_null()).then(pl.lit(True)).otherwise("met")
    return (
        about.join(met, on=["call", "rule"], how="left")
        .select("run", "call", "rulebook", "rule", applies.alias("applies"))
        .filter(pl.col("applies").fill_null(True))
    )


def _met(about: pl.LazyFrame, of_book: pl.LazyFrame, leaves: pl.LazyFrame) -> pl.LazyFrame:
    """Return (call, rule, met) of pairs with conditions on the arguments."""
    when = (
        of_book.select("rulebook", "rule", "when")
        .explode("when")
        .filter(pl.col("when").is_not_null())
        .unnest("when")
        .with_columns(pl.int_range(pl.len()).over("rulebook", "rule").alias("number"))
    )
    there = leaves.select("arguments_id", "path", "value", "hidden")
    value = pl.col("value").fill_null("null")
    fits = pl.col("values").list.contains(value) | ((value != "null") & searched(spelled(value), pl.col("pattern")))
    test = pl.when(pl.col("arguments_id").is_not_null() & ~pl.col("hidden").fill_null(False)).then(fits)
    return (
        about.join(when, on=["rulebook", "rule"], how="inner")
        .join(there, on=["arguments_id", "path"], how="left")
        .group_by("call", "rule", "number")
        .agg(some(test).alias("holds"))
        .group_by("call", "rule")
        .agg(every(pl.col("holds")).alias("met"), pl.lit(True).alias("asked"))
    )


def attempts(agent_calls: pl.LazyFrame, cases: pl.LazyFrame, runs: pl.LazyFrame, ruled: pl.LazyFrame) -> pl.LazyFrame:
    """Return the attempts in order: run, attempt (number in the episode), call and its columns, consequential, ruled.

    Dry runs are none. Under the rules of SafeActBench a call that no tools file knows, and that its record does not
    tell as a read by saying what came of it, is a consequential attempt. Columns of the case: task (null: none),
    protocol, profile. `gated`: its verdict decides what takes effect; `done`: it took effect (null: unknown), where it
    is gated and something follows.
    """
    strange = (pl.col("profile") == "safeact") & pl.col("strange")
    named = cases.select("task", pl.col("consequential").alias("tool")).unique("task").explode("tool")
    about = ruled.select("call", pl.lit(True).alias("ruled")).unique("call")
    return (
        agent_calls.filter(pl.col("outcome") != "dry_run")
        .join(runs.select("run", "task", "protocol", "profile"), on="run", how="inner")
        .join(named.with_columns(consequential=True), on=["task", "tool"], how="left")
        .join(about, on="call", how="left")
        .with_columns(
            pl.col("ruled").fill_null(False), pl.col("consequential").fill_null(False) | strange.fill_null(False)
        )
        .filter(pl.col("consequential") | pl.col("ruled"))
        .sort("call")
        .with_columns(pl.int_range(pl.len()).over("run").alias("attempt"))
        .with_columns(gated().alias("gated"))
        .with_columns(pl.when("gated").then(pl.lit(True)).otherwise("applied").alias("done"))
        .drop("result_id", "kind", "strange")
    )
