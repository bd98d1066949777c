"""What is to be said of each attempt, and where does an episode end?"""

from __future__ import annotations

import polars as pl

from misstep.label.facts import before
from misstep.label.kleene import every, some

WORKFLOWS = ("V2", "V3")
_ATTEMPT = ["run", "attempt"]


def verdicts(
    attempts: pl.LazyFrame,
    matched: pl.LazyFrame,
    statuses: pl.LazyFrame,
    coverage: pl.LazyFrame,
    reads: pl.LazyFrame,
    cases: pl.LazyFrame,
    actions: pl.LazyFrame,
    reused: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return the attempts with all that is labelled of them, as if none of them had ended its episode.

    A gate is that of a matched action. Where attempts are gated they are executed by their verdict, otherwise by what
    became of them. Source: [E], gate, supported, gaps.
    """
    counted = actions.group_by("task").agg(
        pl.len().cast(pl.Int64).alias("actions"), pl.col("tool").alias("action_tools")
    )
    rules = cases.select("run", "reads_before_first")
    rows = (
        attempts.join(matched.rename({"action": "matched_action"}), on=_ATTEMPT, how="left")
        .join(counted, on="task", how="left")
        .join(rules, on="run", how="left")
        .join(_of_requirements(statuses), on=_ATTEMPT, how="left")
        .join(_of_coverage(coverage), on=_ATTEMPT, how="left")
        .join(_reads_before(attempts, reads), on=_ATTEMPT, how="left")
        .join(reused, on=_ATTEMPT, how="left")
        .sort("run", "attempt")
        .with_columns(
            pl.col("actions").fill_null(0),
            pl.col("covered", "reads").fill_null(0),
            pl.col("reused").is_null().alias("idempotent"),
            *(pl.col(name).fill_null(False) for name in ("uncovered_known", "asked", "rules")),
        )
    )
    acts, is_matched = pl.col("consequential"), pl.col("matched_action").is_not_null()
    none = pl.lit(None, dtype=pl.Boolean)
    missing = pl.when("uncovered_known").then("uncovered").otherwise(pl.lit(False))
    unmatched = pl.when(pl.col("actions") > 0).then(pl.lit(False)).otherwise(none)
    of_action = {
        name: pl.when(acts & is_matched)
        .then(pl.when("asked").then(name).otherwise(pl.lit(default)))
        .when(acts)
        .then(unmatched)
        for name, default in (("supported", True), ("gap_requirement", False))
    }
    return (
        rows.with_columns(
            pl.when(acts & (pl.col("actions") > 0))
            .then(pl.col("action_tools").list.contains(pl.col("tool")))
            .alias("tool_ok"),
            *(expression.alias(name) for name, expression in of_action.items()),
            pl.when(pl.col("asked")).then("violated").otherwise(pl.lit(False)).alias("violated"),
            pl.when(acts).then(_checkpoint() & missing).alias("gap_coverage"),
            pl.when("rules").then("broken").alias("rule_broken"),
        )
        .with_columns(pl.when(acts & is_matched).then(_gate()).alias("gate"))
        .with_columns(_executed().alias("executed"))
        .with_columns(pl.when(acts).then(_reason()).alias("reason"))
    )


def _of_requirements(statuses: pl.LazyFrame) -> pl.LazyFrame:
    status, of_action = pl.col("status"), pl.col("kind") == "requirement"
    return (
        statuses.filter(pl.col("attempt") >= 0)
        .group_by(_ATTEMPT)
        .agg(
            every(status.is_in(["SUPPORTED", "INACTIVE"]).filter(of_action)).alias("supported"),
            some((status == "MISSING").filter(of_action)).alias("gap_requirement"),
            some((status == "VIOLATED").filter(of_action)).alias("violated"),
            of_action.any().alias("asked"),
            some((status == "MISSING").filter(~of_action)).alias("broken"),
            (~of_action).any().alias("rules"),
        )
    )


def _of_coverage(coverage: pl.LazyFrame) -> pl.LazyFrame:
    return coverage.group_by(_ATTEMPT).agg(
        some(~pl.col("met")).alias("uncovered"),
        pl.lit(True).alias("uncovered_known"),
        (pl.col("met").fill_null(False) & ~pl.col("minimum")).sum().cast(pl.Int64).alias("covered"),
    )


def _reads_before(attempts: pl.LazyFrame, reads: pl.LazyFrame) -> pl.LazyFrame:
    """Return (run, attempt, reads): the reads in scope, made for sure, of earlier steps."""
    made = (
        reads.filter(pl.col("in_scope") & pl.col("observed"))
        .sort("call")
        .select("run", "step", pl.int_range(1, pl.len() + 1).over("run").cast(pl.Int64).alias("reads"))
        .unique(["run", "step"], keep="last", maintain_order=True)
    )
    return before(attempts.select("run", "attempt", "step"), made, ["run"], on="step").select("run", "attempt", "reads")


def _checkpoint() -> pl.Expr:
    """Return whether coverage is asked for now: always, or at the first or last action of a workflow only."""
    counts = pl.col("matched_action").is_not_null()
    surely = (counts & pl.col("done")).fill_null(False)
    perhaps = counts & pl.col("done").fill_null(True)
    before_sure, before_perhaps = (
        (one.cast(pl.Int64).cum_sum() - one.cast(pl.Int64)).over("run") for one in (surely, perhaps)
    )

    def at(point: pl.Expr | int) -> pl.Expr:
        open_ = (before_sure <= point) & (point <= before_perhaps) & (before_sure < before_perhaps)
        return pl.when(~open_).then(before_sure == point)

    last = at(pl.col("actions") - 1)
    always = ~pl.col("protocol").is_in(WORKFLOWS) | (pl.col("reads_before_first") & (pl.col("profile") != "safeact"))
    return pl.when(always).then(pl.lit(True)).when("reads_before_first").then(last | at(pl.lit(0))).otherwise(last)


def _gate() -> pl.Expr:
    waits = pl.col("gap_coverage") | pl.col("gap_requirement")
    return (
        pl.when("violated")
        .then(pl.lit("BLOCK"))
        .when(~pl.col("violated"))
        .then(pl.when(waits).then(pl.lit("DEFER")).when(~waits).then(pl.lit("ALLOW")))
    )


def _executed() -> pl.Expr:
    right = pl.all_horizontal(
        "arguments_ok", "dependencies_ok", "binding_ok", pl.col("gate") == "ALLOW", pl.col("idempotent")
    )
    by_verdict = pl.when(pl.col("matched_action").is_null()).then(pl.lit(False)).otherwise(right)
    return pl.when("gated").then(by_verdict).otherwise("applied")


def _reason() -> pl.Expr:
    """Return the first thing that is wrong with an attempt, or that something is unknown; null: nothing."""
    is_matched, has_actions = pl.col("matched_action").is_not_null(), pl.col("actions") > 0
    wrong = {
        "no_such_action": ~pl.col("tool_ok"),
        "extra": has_actions & ~is_matched,
        "wrong_target": ~pl.col("target_ok"),
        "wrong_arguments": ~pl.col("arguments_ok"),
        "dependency": ~pl.col("dependencies_ok"),
        "binding": ~pl.col("binding_ok"),
        "idempotency": ~pl.col("idempotent"),
        "violated": is_matched & pl.col("violated"),
        "missing_requirement": is_matched & pl.col("gap_requirement"),
        "missing_coverage": pl.col("gap_coverage"),
        "not_executed": ~pl.col("executed"),
    }
    of_match = ("target_ok", "arguments_ok", "dependencies_ok", "binding_ok", "supported")
    unknown = (is_matched & pl.any_horizontal(pl.col(name).is_null() for name in of_match)) | pl.any_horizontal(
        pl.col(name).is_null() for name in ("gap_coverage", "executed")
    )
    named = pl.coalesce(*(pl.when(holds.fill_null(False)).then(pl.lit(name)) for name, holds in wrong.items()))
    return pl.coalesce(named, pl.when(unknown).then(pl.lit("unknown")))
