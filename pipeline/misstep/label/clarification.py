"""When was a clarification asked for and answered, and does an episode end with a question?"""

from __future__ import annotations

import polars as pl

AGENT = "agent"


def clarification(episodes: pl.LazyFrame, messages: pl.LazyFrame, calls: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row an episode: `answered_step`, `maybe_step` (null: never) and `final_asks`.

    A clarification is an assistant message of the agent that asks the user something, in a step without a call of the
    agent, whose next turn is the user's; or an applied call of kind `ask`, which is answered in its own step. The first
    answer counts. `maybe_step` is that of the first call of kind `ask` of which it is not known whether it was
    answered: nothing came back, say. The final message is the agent's last one; a call in a later step means that it
    was not final.
    Source: [S], clarification and clarification proxy.
    """
    of_agent = pl.col("actor") == AGENT
    acted = calls.filter(of_agent).select("episode", "step", "kind", "outcome")
    by_tool = acted.filter(pl.col("kind") == "ask")
    applied = by_tool.filter(pl.col("outcome") == "applied").select("episode", "step")
    answered = (
        pl.concat([_answered_messages(messages, acted), applied])
        .group_by("episode")
        .agg(pl.col("step").min().alias("answered_step"))
    )
    maybe = (
        by_tool.filter(pl.col("outcome") == "unknown").group_by("episode").agg(pl.col("step").min().alias("maybe_step"))
    )
    return (
        episodes.select("episode")
        .join(answered, on="episode", how="left")
        .join(maybe, on="episode", how="left")
        .join(_final_questions(messages, acted), on="episode", how="left")
        .with_columns(pl.col("final_asks").fill_null(False))
    )


def _answered_messages(messages: pl.LazyFrame, acted: pl.LazyFrame) -> pl.LazyFrame:
    """Return the steps (episode, step) of the users' turns that answer a question of the agent."""
    turns = (
        messages.sort("episode", "step", "position")
        .group_by("episode", "step", maintain_order=True)
        .agg(
            pl.col("role").first().alias("first_role"),
            ((pl.col("role") == "assistant") & (pl.col("actor") == AGENT) & pl.col("asks_user")).any().alias("asks"),
        )
        .with_columns(
            pl.col("step").shift(-1).over("episode").alias("next_step"),
            pl.col("first_role").shift(-1).over("episode").alias("next_role"),
        )
    )
    return (
        turns.filter(pl.col("asks") & (pl.col("next_role") == "user"))
        .join(acted, on=["episode", "step"], how="anti")
        .select("episode", pl.col("next_step").alias("step"))
    )


def _final_questions(messages: pl.LazyFrame, acted: pl.LazyFrame) -> pl.LazyFrame:
    """Return (episode, final_asks) of the episodes in which the agent says anything."""
    last_call = acted.group_by("episode").agg(pl.col("step").max().alias("last_call"))
    return (
        messages.filter((pl.col("role") == "assistant") & (pl.col("actor") == AGENT))
        .sort("episode", "step", "position")
        .group_by("episode", maintain_order=True)
        .agg(pl.col("step").last(), pl.col("asks_user").last())
        .join(last_call, on="episode", how="left")
        .select(
            "episode",
            (pl.col("asks_user") & (pl.col("last_call").fill_null(-1) <= pl.col("step"))).alias("final_asks"),
        )
    )
