"""Which actions can an attempt be taken for, and what is right about it then?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.equality import equal


def actions(spec_actions: pl.LazyFrame, codes: pl.LazyFrame) -> pl.LazyFrame:
    """Return the actions of tasks with codes: task, action, number, tool, arguments, entity and `wanted` (code)."""
    return (
        spec_actions.join(codes, on=["suite", "task_id"], how="inner")
        .drop("suite", "task_id")
        .sort("task", "number")
        .with_row_index("wanted")
    )


def action_candidates(
    attempts: pl.LazyFrame,
    actions: pl.LazyFrame,
    bindings: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    texts: pl.LazyFrame,
    runs: pl.LazyFrame,
    writes: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the pairs (run, attempt, action) of the same tool with arguments_ok and target_ok.

    Further columns: task, number (of the action), step, position, outcome, gated (executed by verdict, not by outcome).
    """
    pairs = (
        attempts.filter("consequential")
        .join(actions.drop("arguments"), on=["task", "tool"], how="inner")
        .with_columns(
            ((pl.col("profile") == "safeact") & (pl.col("protocol") == "V2")).alias("strict"),
        )
    )
    return (
        pairs.join(
            _arguments(pairs, actions, bindings, codes, leaves, texts), on=["arguments_id", "wanted"], how="left"
        )
        .join(_placeholders(leaves), on="arguments_id", how="left")
        .join(_first_writes(pairs, runs, writes), on=["run", "step", "position"], how="left")
        .with_columns(
            pl.when((pl.col("profile") == "safeact") & pl.col("placeholder").fill_null(False))
            .then(pl.lit(False))
            .otherwise("equal")
            .alias("arguments_ok"),
            _target_ok().alias("target_ok"),
        )
        .select(
            *("run", "task", "attempt", "call", "action", "number", "step", "position", "outcome", "done"),
            *("profile", "arguments_id", "arguments_ok", "target_ok"),
        )
    )


def _arguments(
    pairs: pl.LazyFrame,
    actions: pl.LazyFrame,
    bindings: pl.LazyFrame,
    codes: pl.LazyFrame,
    leaves: pl.LazyFrame,
    texts: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return (arguments_id, wanted, equal): references apart; of a list without order each stands for any member."""
    strictly = pairs.select("wanted", "strict").unique("wanted")
    used = actions.join(strictly, on="wanted", how="inner")
    fixed = (
        used.select("wanted", "strict", "arguments")
        .explode("arguments")
        .filter(pl.col("arguments").is_not_null())
        .unnest("arguments")
        .with_columns(
            pl.when(pl.col("compare").is_not_null())
            .then(pl.when("strict").then("value").otherwise("compare"))
            .alias("key")
        )
        .select("wanted", "path", "key")
    )
    bound = (
        bindings.join(codes, on=["suite", "task_id"], how="inner")
        .join(used.select("task", "action", "wanted"), on=["task", "action"], how="inner")
        .select("wanted", "path")
    )
    some_member = pl.col("path").str.ends_with("[]")
    apart = bound.filter(~some_member).unique()
    wanted = pl.concat(
        [
            fixed.join(apart, on=["wanted", "path"], how="anti"),
            bound.filter(some_member).with_columns(pl.lit(None, dtype=pl.String).alias("key")),
        ]
    )
    return equal(pairs, wanted, apart, leaves, texts)


def _placeholders(leaves: pl.LazyFrame) -> pl.LazyFrame:
    """Return (arguments_id, placeholder) of arguments that hold text which begins with `$`."""
    return (
        leaves.filter(pl.col("value").str.starts_with('"$'))
        .select("arguments_id", pl.lit(True).alias("placeholder"))
        .unique("arguments_id")
    )


def _first_writes(pairs: pl.LazyFrame, runs: pl.LazyFrame, writes: pl.LazyFrame) -> pl.LazyFrame:
    """Return the entity of the first write of each call (run, step, position), where there are attempts to compare."""
    return (
        writes.select("episode", "step", "position", "item", "entity_type", "entity_id")
        .join(
            runs.select("run", "episode").join(pairs.select("run").unique(), on="run", how="semi"),
            on="episode",
            how="inner",
        )
        .sort("run", "step", "position", "item")
        .unique(["run", "step", "position"], keep="first", maintain_order=True)
        .select(
            *("run", "step", "position"),
            pl.col("entity_type").alias("written_type"),
            pl.col("entity_id").alias("written_id"),
        )
    )


def _target_ok() -> pl.Expr:
    same = (pl.col("written_type") == pl.col("entity_type")) & (pl.col("written_id") == pl.col("entity_id"))
    return pl.when(pl.col("entity_type").is_null()).then(pl.lit(True)).otherwise(same)
