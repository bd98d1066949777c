"""What did the agent call, with which arguments, and which of its calls are reads?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT

_SHOWN_BY_ANY = ("V0", "V1")


def agent_calls(runs: pl.LazyFrame, calls: pl.LazyFrame) -> pl.LazyFrame:
    """Return the agent's calls in order, numbered (`call`), of the episodes that evidence is asked of.

    `applied`: by its outcome (null: unknown); `strange`: nobody knows the tool, and nothing says what came of it.
    """
    unknown = pl.col("outcome") == "unknown"
    return (
        calls.filter(pl.col("actor") == AGENT)
        .select(
            *("episode", "step", "position", "tool", "arguments_id", "observation_id", "result_id", "call_id"),
            pl.col("kind", "outcome").cast(pl.String),
        )
        .join(runs.select("run", "episode"), on="episode", how="inner")
        .drop("episode")
        .with_columns(
            pl.when(~unknown).then(pl.col("outcome") == "applied").alias("applied"),
            (unknown & (pl.col("kind") == "unknown")).alias("strange"),
        )
        .sort("run", "step", "position")
        .with_row_index("call")
    )


def leaves(agent_calls: pl.LazyFrame, arguments: pl.LazyFrame) -> pl.LazyFrame:
    """Return the leaves of the arguments of these calls; `hidden` ones count, and their value was taken out."""
    used = agent_calls.select("arguments_id").drop_nulls().unique()
    hidden = pl.col("counted") & pl.col("compare").is_null()
    return arguments.join(used, on="arguments_id", how="semi").with_columns(hidden.alias("hidden"))


def reads(agent_calls: pl.LazyFrame, cases: pl.LazyFrame) -> pl.LazyFrame:
    """Return the reads of cases, in order: run, task, call, step, position, tool, arguments_id, observed, in_scope.

    `observed` is null where the outcome is not known. The evaluator of SafeActBench takes failed reads of V0 and V1 for
    reads; there, calls of neither kind of tools are rows too: reads out of scope.
    """
    of_case = cases.select("run", "task", "protocol", "profile", "information", "consequential")
    scope = pl.col("information").list.contains(pl.col("tool"))
    safeact = pl.col("profile") == "safeact"
    outside = safeact & ~pl.col("consequential").list.contains(pl.col("tool")) & ~pl.col("strange")
    observed = pl.when(safeact & pl.col("protocol").is_in(_SHOWN_BY_ANY)).then(pl.lit(True)).otherwise("applied")
    return (
        agent_calls.select("run", "call", "step", "position", "tool", "arguments_id", "outcome", "applied", "strange")
        .join(of_case, on="run", how="inner", maintain_order="left")
        .with_columns(scope.alias("in_scope"), observed.alias("observed"))
        .filter(pl.col("in_scope") | outside)
        .select("run", "task", "call", "step", "position", "tool", "arguments_id", "outcome", "observed", "in_scope")
    )
