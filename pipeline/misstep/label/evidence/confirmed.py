"""Did the user say yes to what the agent proposed?"""

from __future__ import annotations

import polars as pl

from misstep.label.clarification import AGENT
from misstep.label.evidence.said import heard, of_user
from misstep.label.evidence.texts import worded
from misstep.label.facts import EXISTS, before
from misstep.label.kleene import some


def answers(
    demands: pl.LazyFrame, clauses: pl.LazyFrame, queries: pl.LazyFrame, utterances: pl.LazyFrame
) -> pl.LazyFrame:
    """Return the confirmations that are asked for, each with the user's latest message before its limit, and `agreed`.

    It must fit the pattern, must not fit what makes it none, and something that the agent said must stand before it.
    Further columns: demand, run, step, position (of the message), entity_type, entity_ids, vague, nothing.
    """
    asked = (
        demands.filter(pl.col("source") == "confirmation")
        .join(clauses.select("clause", "pattern", "unless"), on="clause", how="inner")
        .join(
            queries.select("run", "clause", "of", "entity_type", "entity_ids", "vague", "nothing"),
            on=["run", "clause", "of"],
            how="left",
        )
        .select("demand", "run", "limit", "pattern", "unless", "entity_type", "entity_ids", "vague", "nothing")
    )
    speaks = (
        (pl.col("role") == "assistant")
        & (pl.col("actor") == AGENT)
        & (pl.col("text").str.strip_chars().str.len_chars() > 0).fill_null(False)
    )
    last = (
        utterances.join(asked.select("run").unique(), on="run", how="semi")
        .with_columns(speaks.cum_sum().over("run").alias("proposals"))
        .filter(of_user())
        .unique(["run", "step"], keep="last", maintain_order=True)
        .select("run", "step", "position", "text", "proposals", pl.col("step").alias("limit"))
    )
    found = before(asked, last, ["run"], on="limit")
    agrees, refuses = (pl.col("text").str.contains(pl.col(name)).fill_null(False) for name in ("pattern", "unless"))
    return found.with_columns((agrees & ~refuses & (pl.col("proposals").fill_null(0) > 0)).alias("agreed")).drop(
        "text", "pattern", "unless", "proposals", "limit"
    )


def confirmed(answers: pl.LazyFrame, utterances: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, holds, step, position) of confirmations: the user's latest message says yes to a proposal.

    Where an entity is named, it must have been shown or spoken of before, too. Null where the user is never heard.
    """
    named = answers.filter(pl.col("agreed") & pl.col("entity_type").is_not_null())
    spoken = (
        pl.concat([_shown_before(named, ledger), _named_before(named, utterances)])
        .group_by("demand")
        .agg(some(pl.col("spoken")).alias("spoken"))
    )
    about = (
        pl.when(pl.col("entity_type").is_null())
        .then(pl.lit(True))
        .when(pl.col("spoken"))
        .then(pl.lit(True))
        .when(pl.col("vague") | pl.col("spoke_perhaps").fill_null(False))
        .then(pl.lit(None, dtype=pl.Boolean))
        .otherwise(pl.lit(False))
    )
    return (
        answers.join(spoken, on="demand", how="left")
        .join(
            spoken.filter(pl.col("spoken").is_null()).select("demand", pl.lit(True).alias("spoke_perhaps")),
            on="demand",
            how="left",
        )
        .join(heard(utterances), on="run", how="left")
        .select(
            "demand",
            pl.when(pl.col("heard").is_not_null()).then(pl.col("agreed") & about).alias("holds"),
            "step",
            "position",
        )
    )


def _shown_before(named: pl.LazyFrame, ledger: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, spoken) of yeses before which a record of the entity was shown or written (null: perhaps)."""
    records = ledger.filter(pl.col("field") == EXISTS).select(
        "run", "entity_type", "entity_id", "unbound", pl.col("step").alias("shown_step"), "sure"
    )
    typed = pl.col("entity_type").is_not_null()
    same = pl.col("unbound") | pl.col("entity_ids").is_null() | pl.col("entity_ids").list.contains(pl.col("entity_id"))
    asked = named.filter(~pl.col("nothing"))
    certain = pl.when(~pl.col("vague") & ~pl.col("unbound")).then(pl.lit(True))
    return (
        pl.concat(
            [
                asked.join(records, on=["run", "entity_type"], how="inner"),
                asked.join(records.filter(pl.col("unbound") & ~typed).drop("entity_type"), on="run", how="inner"),
            ],
            how="diagonal",
        )
        .filter((pl.col("shown_step") < pl.col("step")) & same)
        .select("demand", (pl.col("sure") & certain).alias("spoken"))
    )


def _named_before(named: pl.LazyFrame, utterances: pl.LazyFrame) -> pl.LazyFrame:
    """Return (demand, spoken) of yeses before which the user or the agent had named the entity."""
    texts = utterances.filter(pl.col("role").is_in(["user", "assistant"])).select(
        "run", pl.col("step").alias("said_step"), pl.col("text").alias("said")
    )
    return (
        named.select("demand", "run", "step", "entity_ids")
        .explode("entity_ids")
        .filter(pl.col("entity_ids").is_not_null())
        .join(texts, on="run", how="inner")
        .filter(pl.col("said_step") < pl.col("step"))
        .filter(pl.col("said").str.contains(pl.col("entity_ids"), literal=True))
        .filter(worded(pl.col("said"), pl.col("entity_ids")))
        .select("demand", pl.lit(True).alias("spoken"))
        .unique()
    )
