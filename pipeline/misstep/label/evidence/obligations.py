"""What must be established when, and of which conditions does it consist?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.cases import LAST

_CLAUSE = ["task", "requirement", "role", "alternative", "condition"]
#: Sources whose conditions look at the attempt itself.
_OWN = ("action", "told", "known", "confirmation")


def obligations(
    attempts: pl.LazyFrame,
    ruled: pl.LazyFrame,
    matched: pl.LazyFrame,
    actions: pl.LazyFrame,
    cases: pl.LazyFrame,
    runs: pl.LazyFrame,
    requirements: pl.LazyFrame,
    codes: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row a requirement at an attempt, or at the end: obligation (code), run, attempt (-1: the end), kind.

    Further columns: limit (what counts comes in an earlier step), given (arguments: `arguments_id`, at the end those of
    the action), tool, action and its number, task (of the requirement), requirement, missing_reason, applies (null: a
    rule that may be about the call), candidate (of V0), lost. At an attempt: the requirements of the action that it is
    taken for, and rules about it. At the end: those of every action without an attempt, in V0 (and where the end may
    cut off attempts) of every action.
    """
    known = requirements.join(codes, on=["suite", "task_id"], how="inner")
    of_action = (
        known.select("task", "requirement", "missing_reason", pl.col("actions").alias("action"))
        .explode("action")
        .filter(pl.col("action").is_not_null())
    )
    at = attempts.select(
        "run", "attempt", "call", pl.col("step").alias("limit"), pl.col("arguments_id").alias("given"), "tool", "task"
    )
    numbers = actions.select("task", "action", "number")
    first = (
        matched.select("run", "attempt", "action")
        .join(at, on=["run", "attempt"], how="inner")
        .join(of_action, on=["task", "action"], how="inner")
        .join(numbers, on=["task", "action"], how="left")
        .with_columns(kind=pl.lit("requirement"), applies=pl.lit(True), candidate=pl.lit(False))
    )
    rules = (
        ruled.join(at.drop("task"), on=["run", "call"], how="inner")
        .rename({"rulebook": "task", "rule": "requirement"})
        .join(known.select("task", "requirement", "missing_reason"), on=["task", "requirement"], how="left")
        .with_columns(
            kind=pl.lit("rule"), action=pl.lit(""), number=pl.lit(None, dtype=pl.Int64), candidate=pl.lit(False)
        )
    )
    done = matched.select("run", "action", pl.lit(True).alias("done")).unique(["run", "action"])
    last = (
        cases.select("run", "task", "protocol", "profile")
        .join(actions.select("task", "action", "number", "tool"), on="task", how="inner")
        .join(done, on=["run", "action"], how="left")
        .filter(pl.col("done").is_null() | (pl.col("protocol") == "V0") | (pl.col("profile") == "safeact"))
        .join(of_action, on=["task", "action"], how="inner")
        .with_columns(
            attempt=pl.lit(-1, dtype=pl.Int64),
            limit=pl.lit(LAST, dtype=pl.Int64),
            given=set_of_action(),
            kind=pl.lit("requirement"),
            applies=pl.lit(True),
            candidate=pl.col("protocol") == "V0",
        )
    )
    columns = [
        *("run", "attempt", "limit", "kind", "given", "tool", "action", "number", "task", "requirement"),
        *("missing_reason", "applies", "candidate"),
    ]
    return (
        pl.concat([one.select(columns) for one in (first, rules, last)])
        .join(runs.select("run", "lost"), on="run", how="left")
        .sort("run", "attempt", "kind", "action", "task", "requirement")
        .with_row_index("obligation")
    )


def set_of_action() -> pl.Expr:
    """Return the name of the arguments that the specification of an action (task, action) gives it."""
    return pl.concat_str("task", pl.lit("/"), "action")


def given(leaves: pl.LazyFrame, actions: pl.LazyFrame) -> pl.LazyFrame:
    """Return the arguments of attempts and of actions, leaf by leaf: given, path, value, key, hidden (not known)."""
    seen = ~pl.col("hidden")
    of_calls = leaves.select(
        pl.col("arguments_id").alias("given"),
        "path",
        pl.when(seen).then("value").alias("value"),
        pl.when(seen).then(pl.coalesce("compare", "value")).alias("key"),
        "hidden",
    )
    of_actions = (
        actions.select(set_of_action().alias("given"), "arguments")
        .explode("arguments")
        .filter(pl.col("arguments").is_not_null())
        .unnest("arguments")
        .filter(pl.col("compare").is_not_null())
        .select("given", "path", "value", pl.col("compare").alias("key"), pl.lit(False).alias("hidden"))
    )
    return pl.concat([of_calls, of_actions])


def open_paths(actions: pl.LazyFrame, bindings: pl.LazyFrame, codes: pl.LazyFrame) -> pl.LazyFrame:
    """Return (given, top) of the arguments of actions that may be anything, or are what an earlier action returned."""
    anything = (
        actions.select(set_of_action().alias("given"), "arguments")
        .explode("arguments")
        .filter(pl.col("arguments").is_not_null())
        .unnest("arguments")
        .filter(pl.col("compare").is_null())
        .select("given", pl.col("path").alias("top"))
    )
    returned = bindings.join(codes, on=["suite", "task_id"], how="inner").select(
        set_of_action().alias("given"), pl.col("path").alias("top")
    )
    return pl.concat([anything, returned]).unique()


def clauses(conditions: pl.LazyFrame, codes: pl.LazyFrame) -> pl.LazyFrame:
    """Return the conditions of requirements, a row each, coded: `clause`, what it is and what it looks at.

    `own`: it depends on the attempt itself; `parts`: a list of its tests.
    """
    texts = ["role", "source", "test"]
    part = pl.struct("part", "field", "test", "value", "compare", "argument", "identity")
    tested = pl.col("test").is_not_null() & pl.col("field").is_not_null()
    return (
        conditions.join(codes, on=["suite", "task_id"], how="inner")
        .with_columns(pl.col(name).cast(pl.String) for name in texts)
        .sort(*_CLAUSE, "part")
        .group_by(_CLAUSE, maintain_order=True)
        .agg(
            *(
                pl.col(name).first()
                for name in (
                    *("reason", "source", "tools", "result_of", "pattern", "unless"),
                    *("entity_type", "entity_id", "entity_argument", "entity_template"),
                )
            ),
            pl.col("argument").first().alias("about"),
            pl.col("compare").first().alias("known_anyway"),
            part.filter(tested).alias("parts"),
            (pl.col("test") == "argument").fill_null(False).any().alias("_compares"),
        )
        .with_columns(
            (pl.col("_compares") | pl.col("entity_argument").is_not_null() | pl.col("source").is_in(_OWN)).alias("own")
        )
        .drop("_compares")
        .with_row_index("clause")
    )


def demands(obligations: pl.LazyFrame, clauses: pl.LazyFrame, actions: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a condition of an obligation: demand (code), obligation, role, alternative, clause, run, limit.

    `presumed`: it holds of a candidate of V0, since the candidates before it count as executed.
    """
    earlier = actions.select("task", pl.col("action").alias("result_of"), pl.col("number").alias("before"))
    return (
        obligations.select("obligation", "run", "attempt", "limit", "number", "task", "requirement", "candidate")
        .join(
            clauses.select("clause", *_CLAUSE, "source", "own", "reason", "result_of"),
            on=["task", "requirement"],
            how="inner",
        )
        .sort("obligation", "role", "alternative", "condition")
        .with_columns(pl.when("own").then(pl.col("obligation").cast(pl.Int64)).otherwise(-1).alias("of"))
        .join(earlier, on=["task", "result_of"], how="left", maintain_order="left")
        .with_columns((pl.col("candidate") & (pl.col("before") < pl.col("number"))).fill_null(False).alias("presumed"))
        .drop("task", "requirement", "own", "before", "number", "candidate", "result_of")
        .with_row_index("demand")
    )
