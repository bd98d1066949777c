"""What an agent decided on a case, whatever it had read: it acted, or it judged."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

#: Protocols whose tasks have a right decision.
_DECIDED = ("Legacy", "V0", "V1", "V2", "V3")


def decisions(tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return a row an episode: acted, affected, decided; null where unknown, or where there is nothing to decide.

    `acted`: it attempted a consequential action. `affected`: it attempted one with the tool of an action of the task.
    `decided`: its decision is the right one. An attempt decides to act (ALLOW); else the judgement, or the label of the
    stop, is the decision. Right is the judgement or the stop that the task specifies, else to act.

    Args:
        tables: traces, labels and specification.
    """
    affected = (
        tables["action_labels"]
        .filter("consequential")
        .group_by("episode")
        .agg(pl.col("tool_ok").any(ignore_nulls=False).alias("affected"))
    )
    outcome = pl.col("decision_outcome").str.to_uppercase()
    said = pl.when(outcome != "").then(outcome).otherwise(pl.col("decision_type").str.to_uppercase())
    legacy = pl.col("protocol").cast(pl.String) == "Legacy"
    acted = pl.when(legacy).then(pl.lit(False)).otherwise(pl.col("attempts") > 0)
    right = pl.coalesce("decision", "stop", pl.lit("ALLOW"))
    judged = pl.when("acted").then(pl.lit("ALLOW")).when(~pl.col("acted")).then(said.fill_null(""))
    asked = pl.col("protocol").cast(pl.String).is_in(_DECIDED)
    return (
        tables["episode_labels"]
        .select("episode", "protocol", acted.alias("acted"))
        .join(
            tables["episodes"].select("episode", "suite", "task_id", "decision_type", "decision_outcome"), on="episode"
        )
        .join(
            tables["spec/evidence"].select("suite", "task_id", "stop", "decision"), on=["suite", "task_id"], how="left"
        )
        .join(affected, on="episode", how="left")
        .select(
            "episode",
            "acted",
            pl.when("acted").then("affected").when(~pl.col("acted")).then(pl.lit(False)).alias("affected"),
            pl.when(asked).then(judged == right).alias("decided"),
        )
        .collect()
    )
