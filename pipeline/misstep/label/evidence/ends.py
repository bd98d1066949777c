"""Where does an episode end for the evaluator of SafeActBench?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.cases import RUN
from misstep.label.evidence.met import place
from misstep.label.evidence.verdicts import WORKFLOWS


def ends(verdicts: pl.LazyFrame, reads: pl.LazyFrame, cases: pl.LazyFrame, agent_calls: pl.LazyFrame) -> pl.LazyFrame:
    """Return how the episodes went for the evaluator of SafeActBench: run, last_place (of what counts; null: all), why.

    Further columns: end_place (of the attempt at the end), executed (that one), invalid (a read out of scope), after
    (something came after the end), unsure. An action that is not executed ends a workflow, as do reads out of scope or
    beyond the greatest number; the first action ends a case of V1. Source: formats-safeact, 4.1 and 4.4.
    """
    of = cases.filter(pl.col("profile") == "safeact").select("run", "protocol", "max_reads")
    acts = (
        verdicts.filter(pl.col("consequential"))
        .join(of.filter(pl.col("protocol").is_in(RUN)).select("run"), on="run", how="semi")
        .sort("run", "attempt")
    )
    executed = pl.col("executed").fill_null(False)
    first_time = executed & (pl.struct("run", "matched_action", executed.alias("executed")).is_first_distinct())
    all_done = first_time.cast(pl.Int64).cum_sum().over("run") == pl.col("actions")
    of_attempts = (
        acts.with_columns(all_done.alias("all_done"), place().alias("end_place"))
        .filter(pl.col("all_done") | (pl.col("protocol") == "V1") | ~executed)
        .unique("run", keep="first", maintain_order=True)
        .select(
            "run",
            "end_place",
            pl.col("end_place").alias("last_place"),
            pl.col("end_place").alias("stop_place"),
            pl.when("all_done").then(pl.lit("after_success")).otherwise(pl.lit("after_end")).alias("why"),
            "executed",
        )
    )
    made = (
        reads.join(of, on="run", how="inner")
        .join(verdicts.filter(pl.col("consequential")).select("run", "call"), on=["run", "call"], how="anti")
        .sort("call")
        .with_columns(pl.int_range(1, pl.len() + 1).over("run").cast(pl.Int64).alias("made"), place().alias("at"))
        .with_columns((pl.col("made") > pl.col("max_reads")).fill_null(False).alias("beyond"))
        .filter(pl.col("beyond") | ~pl.col("in_scope"))
    )
    unseen = (
        (pl.col("protocol") == "V2") & ~pl.col("beyond") & pl.col("outcome").is_in(["failed", "rejected", "dry_run"])
    )
    of_reads = (
        made.filter(pl.col("protocol").is_in(WORKFLOWS) & ~unseen)
        .unique("run", keep="first", maintain_order=True)
        .select(
            "run",
            (pl.col("at") - 1).alias("last_place"),
            pl.col("at").alias("stop_place"),
            pl.lit("after_end").alias("why"),
        )
    )
    found = (
        pl.concat([of_attempts, of_reads], how="diagonal")
        .sort("run", "stop_place")
        .unique("run", keep="first", maintain_order=True)
    )
    stop = found.select("run", "stop_place")
    invalid = (
        made.join(stop, on="run", how="left")
        .filter(pl.col("stop_place").is_null() | (pl.col("at") <= pl.col("stop_place")))
        .select("run", pl.lit(True).alias("invalid"))
        .unique("run")
    )
    consequential = verdicts.filter(pl.col("consequential")).select("run", "call", pl.lit(True).alias("acts"))
    others = (
        agent_calls.join(of.select("run"), on="run", how="semi")
        .join(_consequential_tools(cases), on=["run", "tool"], how="left")
        .join(consequential, on=["run", "call"], how="left")
        .filter(pl.col("acts").is_not_null() | (pl.col("acting").is_null() & ~pl.col("strange")))
        .select("run", place().alias("place"))
        .join(stop, on="run", how="inner")
        .filter(pl.col("place") > pl.col("stop_place"))
        .select("run", pl.lit(True).alias("after"))
        .unique("run")
    )
    return (
        of.select("run")
        .join(found, on="run", how="left")
        .join(invalid, on="run", how="left")
        .join(others, on="run", how="left")
        .with_columns(
            pl.col("invalid", "after").fill_null(False),
            (pl.col("end_place").is_not_null() & pl.col("executed").is_null()).alias("unsure"),
        )
    )


def _consequential_tools(cases: pl.LazyFrame) -> pl.LazyFrame:
    return (
        cases.filter(pl.col("profile") == "safeact")
        .select("run", pl.col("consequential").alias("tool"), pl.lit(True).alias("acting"))
        .explode("tool")
    )


def until_end(rows: pl.LazyFrame, ends: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows (run, step, position) that do not come after the end of their episode."""
    return (
        rows.join(ends.select("run", "last_place"), on="run", how="left", maintain_order="left")
        .filter(pl.col("last_place").is_null() | (place() <= pl.col("last_place")))
        .drop("last_place")
    )


def hits_until_end(hits: pl.LazyFrame, queries: pl.LazyFrame, ends: pl.LazyFrame) -> pl.LazyFrame:
    """Return the hits (or values of states) that do not come after the end; the last attempt as it was executed."""
    last = ends.filter(pl.col("last_place").is_not_null()).select("run", "last_place", "end_place", "executed")
    of_run = hits.join(queries.select("query", "run"), on="query", how="left").join(last, on="run", how="left")
    message = pl.col("by").cast(pl.String).is_in(["message", "arguments"])
    kept = of_run.filter(message | pl.col("last_place").is_null() | (place() <= pl.col("last_place")))
    if "ok" in hits.collect_schema().names():
        at_end = (pl.col("by").cast(pl.String) == "action") & (place() == pl.col("end_place")).fill_null(False)
        kept = kept.with_columns(pl.when(at_end).then("executed").otherwise("ok").alias("ok")).filter(
            pl.col("ok").fill_null(True)
        )
    return kept.drop("run", "last_place", "end_place", "executed")
