"""Which action is an attempt taken for?"""

from __future__ import annotations

import polars as pl

_TAKEN = pl.Schema(
    {
        "run": pl.UInt32(),
        "action": pl.String(),
        "attempt": pl.Int64(),
        "step": pl.Int64(),
        "executed": pl.Boolean(),
        "free": pl.Boolean(),
    }
)
_PAIR = ["run", "attempt", "action"]


def matched(
    candidates: pl.LazyFrame,
    references: pl.LazyFrame,
    receipts: pl.LazyFrame,
    bindings: pl.LazyFrame,
    dependencies: pl.LazyFrame,
    codes: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row a matched attempt: run, attempt, action, arguments_ok, target_ok, dependencies_ok, binding_ok.

    Attempts take the best free action of their tool, in their order; one that failed leaves its action free. Round by
    round over the candidates of each episode's next attempt. Source: [E]; the order of preference is [m].
    """
    key = ["suite", "task_id"]
    listed = pl.when(pl.col("receipts").is_null()).then(pl.lit(True)).otherwise("receipts_ok")
    open_ = candidates.join(receipts, on=_PAIR, how="left").with_columns(listed.alias("receipts_ok")).collect()
    if open_.is_empty():
        return _nothing(candidates)
    found = references.collect()
    bound = bindings.join(codes, on=key, how="inner").select("task", "action", "path", "number", "result_of").collect()
    needs = dependencies.join(codes, on=key, how="inner").select("task", "action", "after").collect()
    taken, made = pl.DataFrame(schema=_TAKEN), []
    while open_.height:
        now = open_.filter(pl.col("attempt") == pl.col("attempt").min().over("run"))
        open_ = open_.filter(pl.col("attempt") > pl.col("attempt").min().over("run"))
        best = _best(_judged(now, taken, needs, bound, found))
        made.append(best)
        failed = pl.col("outcome").is_in(["failed", "rejected"])
        latest = best.select(
            *("run", "action", "attempt", "step"), pl.col("done").alias("executed"), failed.alias("free")
        ).cast(_TAKEN)
        taken = pl.concat([taken, latest])
        held = latest.filter(~pl.col("free")).select("run", "action")
        open_ = open_.join(held, on=["run", "action"], how="anti")
    columns = [*_PAIR, "arguments_ok", "target_ok", "dependencies_ok", "binding_ok"]
    return pl.concat([one.select(columns) for one in made]).sort("run", "attempt").lazy()


def _nothing(candidates: pl.LazyFrame) -> pl.LazyFrame:
    unknown = pl.lit(None, dtype=pl.Boolean)
    return candidates.select(
        *_PAIR, "arguments_ok", "target_ok", unknown.alias("dependencies_ok"), unknown.alias("binding_ok")
    )


def _judged(
    now: pl.DataFrame, taken: pl.DataFrame, needs: pl.DataFrame, bound: pl.DataFrame, found: pl.DataFrame
) -> pl.DataFrame:
    """Return the candidates with dependencies_ok and binding_ok, as the attempts before have it."""
    done = taken.select("run", pl.col("action").alias("after"), pl.col("step").alias("done_step"), "executed")
    before = pl.when(pl.col("done_step") < pl.col("step")).then("executed").otherwise(pl.lit(False))
    dependencies = (
        now.select("run", "task", "attempt", "action", "step")
        .join(needs, on=["task", "action"], how="inner")
        .join(done, on=["run", "after"], how="left")
        .group_by(*_PAIR, "after")
        .agg(before.any(ignore_nulls=False).alias("done"))
        .group_by(_PAIR)
        .agg(pl.col("done").all(ignore_nulls=False).alias("dependencies_ok"), pl.lit(True).alias("depends"))
    )
    sources = taken.select(
        "run",
        pl.col("action").alias("result_of"),
        pl.col("attempt").alias("source"),
        pl.col("step").alias("done_step"),
        "executed",
    )
    possible = (pl.col("done_step") < pl.col("step")) & pl.col("executed").fill_null(True)
    fits = (
        pl.when(pl.col("arguments_id").is_null())
        .then(pl.lit(None, dtype=pl.Boolean))
        .when(possible.fill_null(False))
        .then(pl.col("fits") & pl.col("executed"))
        .otherwise(pl.lit(False))
    )
    bindings = (
        now.select("run", "task", "attempt", "action", "step", "arguments_id")
        .join(bound, on=["task", "action"], how="inner")
        .join(sources, on=["run", "result_of"], how="left")
        .join(
            found,
            left_on=[*_PAIR, "path", "number", "source"],
            right_on=[*_PAIR, "path", "binding", "source"],
            how="left",
        )
        .group_by(*_PAIR, "path", "number")
        .agg(fits.any(ignore_nulls=False).alias("fits"))
        .group_by(_PAIR)
        .agg(pl.col("fits").all(ignore_nulls=False).alias("binding_ok"), pl.lit(True).alias("binds"))
    )
    return (
        now.join(dependencies, on=_PAIR, how="left")
        .join(bindings, on=_PAIR, how="left")
        .with_columns(
            pl.when(pl.col(asked).is_null()).then(pl.lit(True)).otherwise(name).alias(name)
            for name, asked in (("dependencies_ok", "depends"), ("binding_ok", "binds"))
        )
        .with_columns(pl.col("binding_ok") & pl.col("receipts_ok"))
    )


def _best(judged: pl.DataFrame) -> pl.DataFrame:
    """Return the best candidate of each attempt."""
    wrong = (~(pl.col("arguments_ok") & pl.col("binding_ok"))).fill_null(False)
    early, elsewhere = ((~pl.col(name)).fill_null(False) for name in ("dependencies_ok", "target_ok"))
    return (
        judged.with_columns(wrong.alias("_wrong"), early.alias("_early"), elsewhere.alias("_elsewhere"))
        .sort("run", "attempt", "_wrong", "_early", "_elsewhere", "number")
        .unique("run", keep="first", maintain_order=True)
    )
