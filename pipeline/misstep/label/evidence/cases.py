"""Of which episodes is evidence asked, by their task or by standing rules?"""

from __future__ import annotations

import polars as pl

#: Step of the end of an episode: later than any.
LAST = 2**40
#: Protocols of cases that the evaluator of SafeActBench runs action by action.
RUN = ("V1", "V2", "V3")
#: Step of what the task itself establishes.
CONTEXT = -1


def codes(evidence: pl.LazyFrame, rules: pl.LazyFrame) -> pl.LazyFrame:
    """Return a code (`task`) of each task that asks for evidence, and of the rules of each suite (blank `task_id`)."""
    of_rules = rules.select("suite", pl.lit("").alias("task_id"))
    return (
        pl.concat([evidence.select("suite", "task_id"), of_rules])
        .unique()
        .sort("suite", "task_id")
        .with_row_index("task")
    )


def cases(settings: pl.LazyFrame, episodes: pl.LazyFrame, evidence: pl.LazyFrame, codes: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row an episode whose task asks for evidence: run, task and all that the task says once.

    Further columns: status, lost (calls were lost), outcome and judgement (what was decided, in capitals; the judgement
    falls back on the kind of the decision), decided (the right judgement).
    """
    outcome = pl.col("decision_outcome").str.to_uppercase()
    judgement = pl.when(outcome != "").then(outcome).otherwise(pl.col("decision_type").str.to_uppercase())
    return (
        evidence.rename({"decision": "decided"})
        .with_columns(pl.col("protocol", "profile").cast(pl.String))
        .join(codes, on=["suite", "task_id"], how="inner")
        .join(settings.select("run", "episode", "suite", "task_id", "status", "calls_lost"), on=["suite", "task_id"])
        .join(
            episodes.select("episode", outcome.alias("outcome"), judgement.alias("judgement")), on="episode", how="left"
        )
        .rename({"calls_lost": "lost"})
        .drop("suite", "task_id")
    )


def runs(settings: pl.LazyFrame, cases: pl.LazyFrame, codes: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row an episode that evidence or rules are asked of: run, episode, suite.

    Further columns: task and rulebook (codes; null: nothing is asked by it), protocol, profile (standard where the task
    says nothing), lost.
    """
    books = codes.filter(pl.col("task_id") == "").select("suite", pl.col("task").alias("rulebook"))
    return (
        settings.select("run", "episode", "suite", pl.col("calls_lost").alias("lost"))
        .join(cases.select("run", "task", "protocol", "profile"), on="run", how="left")
        .join(books, on="suite", how="left")
        .filter(pl.col("task").is_not_null() | pl.col("rulebook").is_not_null())
        .with_columns(pl.col("profile").fill_null("standard"))
    )


def gated() -> pl.Expr:
    """Return whether attempts are executed by their verdict instead of by what became of them."""
    return ((pl.col("profile") == "safeact") & pl.col("protocol").is_in(RUN) & pl.col("consequential")).fill_null(False)
