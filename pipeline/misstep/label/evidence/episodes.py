"""What does evidence say of each episode, as its protocol has it?"""

from __future__ import annotations

import polars as pl

from misstep.contracts.evidence import PROTOCOLS
from misstep.contracts.tables import LABELS
from misstep.label.evidence.success import ACTING, NOT_ENDED, STOPPING, diagnoses, ecs, failure
from misstep.label.evidence.verdicts import WORKFLOWS
from misstep.label.kleene import every, some

COLUMNS = (
    *("protocol", "scored", "attempts", "investigation", "ecs", "bsr", "par", "cas", "gap", "partial", "failure"),
    *("stop_derived", "coverage_at_stop", "coverage_before_action", "reads_before_action", "gate_support"),
    *("query_cost", "ruled", "rule_par", "evidence_reason"),
)


def investigated(coverage: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a moment (run, attempt): investigation (complete), share of the required reads that is covered."""
    read = ~pl.col("minimum")
    return coverage.group_by("run", "attempt").agg(
        every(pl.col("met")).alias("investigation"),
        pl.when(pl.col("met").filter(read).is_not_null().all())
        .then(pl.col("met").filter(read).cast(pl.Float64).mean().fill_null(1.0))
        .alias("share"),
        pl.lit(True).alias("asked"),
    )


def evidence_episodes(
    settings: pl.LazyFrame,
    runs: pl.LazyFrame,
    cases: pl.LazyFrame,
    actions: pl.LazyFrame,
    closed: pl.LazyFrame,
    ends: pl.LazyFrame,
    reads: pl.LazyFrame,
    required_reads: pl.LazyFrame,
    codes: pl.LazyFrame,
    at_attempts: pl.LazyFrame,
    at_end: pl.LazyFrame,
    stops: pl.LazyFrame,
) -> pl.LazyFrame:
    """Return one row an episode: its labels of evidence, and by rules; null where nothing is asked, or it is unknown.

    Nothing is said of infrastructure failures, and where calls were lost. Source: [E], exact case success, BSR, PAR,
    CAS, Gap, Partial.
    """
    made = closed.filter(~pl.col("closed"))
    wanted = (
        required_reads.join(codes, on=["suite", "task_id"], how="inner")
        .group_by("task")
        .agg(pl.len().cast(pl.Int64).alias("required"))
    )
    asked = reads.filter("in_scope").group_by("run").agg(pl.len().cast(pl.Int64).alias("asked"))
    found = (
        cases.join(_of_attempts(made, at_attempts), on="run", how="left")
        .join(_of_actions(cases, actions, made), on="run", how="left")
        .join(
            at_end.select("run", "investigation", coverage_at_stop="share", reads_known="asked"), on="run", how="left"
        )
        .join(ends.select("run", "invalid", "after", "unsure"), on="run", how="left")
        .join(stops, on="run", how="left")
        .join(wanted, on="task", how="left")
        .join(asked, on="run", how="left")
        .with_columns(
            pl.col("attempts", "actions", "asked").fill_null(0),
            pl.col("invalid", "after", "unsure").fill_null(False),
            pl.col("coverage_at_stop").fill_null(pl.when(pl.col("reads_known").is_null()).then(pl.lit(1.0))),
            pl.when(pl.col("reads_known").is_null())
            .then(pl.lit(True))
            .otherwise("investigation")
            .alias("investigation"),
        )
        .with_columns(diagnoses())
        .with_columns(ecs().alias("ecs"))
        .with_columns(
            pl.when((pl.col("protocol") == "V1") & ~pl.col("par")).then("ecs").alias("cas"),
            pl.when(~pl.col("ecs")).then(failure()).alias("failure"),
        )
    )
    return _as_labels(settings, runs, found, _of_rules(made))


def _of_attempts(made: pl.LazyFrame, at_attempts: pl.LazyFrame) -> pl.LazyFrame:
    """Return, per run, what its consequential attempts were like, and the first of them."""
    right = pl.all_horizontal(
        *(
            "target_ok",
            "arguments_ok",
            "dependencies_ok",
            "binding_ok",
            "supported",
            ~pl.col("gap_coverage"),
            "executed",
        )
    )
    is_right = pl.when(pl.col("matched_action").is_null()).then(pl.lit(False)).otherwise(right)
    acts = (
        made.filter("consequential")
        .join(at_attempts.rename({"asked": "covering"}), on=["run", "attempt"], how="left")
        .with_columns(
            pl.when(pl.col("covering").is_null()).then(pl.lit(True)).otherwise("investigation").alias("investigation"),
            pl.when(pl.col("covering").is_null()).then(pl.lit(1.0)).otherwise("share").alias("share"),
            is_right.alias("right"),
        )
        .sort("run", "attempt")
    )
    return acts.group_by("run", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("attempts"),
        every(pl.col("right")).alias("all_right"),
        some(pl.col("gap_requirement") | pl.col("gap_coverage")).alias("some_gap"),
        pl.when(pl.col("supported").is_not_null().all())
        .then(pl.col("supported").cast(pl.Float64).mean())
        .alias("support"),
        pl.col("investigation").first().alias("ready"),
        pl.col("share").first().alias("coverage_before_action"),
        pl.col("reads").first().alias("reads_before_action"),
    )


def _of_actions(cases: pl.LazyFrame, actions: pl.LazyFrame, made: pl.LazyFrame) -> pl.LazyFrame:
    """Return, per run, the number of actions of its task, and whether some and all of them were done.

    An action is done where an attempt with its target, arguments and references was executed.
    """
    as_it_is = pl.all_horizontal("executed", "target_ok", "arguments_ok", "binding_ok")
    done = (
        made.filter(pl.col("matched_action").is_not_null())
        .with_columns(pl.when("gated").then("executed").otherwise(as_it_is).alias("done"))
        .group_by("run", pl.col("matched_action").alias("action"))
        .agg(some(pl.col("done")).alias("done"), pl.lit(True).alias("tried"))
    )
    executed = pl.when(pl.col("tried").is_null()).then(pl.lit(False)).otherwise("done")
    return (
        cases.select("run", "task")
        .join(actions.select("task", "action"), on="task", how="inner")
        .join(done, on=["run", "action"], how="left")
        .group_by("run")
        .agg(
            pl.len().cast(pl.Int64).alias("actions"),
            some(executed).alias("some_done"),
            every(executed).alias("all_done"),
        )
    )


def _of_rules(made: pl.LazyFrame) -> pl.LazyFrame:
    first = pl.col("step") == pl.col("step").min().over("run")
    return (
        made.filter("ruled")
        .filter(first)
        .group_by("run")
        .agg(some(pl.col("rule_broken")).alias("rule_par"), pl.lit(True).alias("ruled"))
    )


def _as_labels(settings: pl.LazyFrame, runs: pl.LazyFrame, found: pl.LazyFrame, rules: pl.LazyFrame) -> pl.LazyFrame:
    """Return the labels of all episodes, with the reason why one that applies is null."""
    own = [
        *("attempts", "investigation", "ecs", "bsr", "par", "cas", "gap", "partial", "failure", "stop_derived"),
        *("coverage_at_stop", "coverage_before_action", "reads_before_action", "gate_support", "query_cost"),
    ]
    scored = pl.col("status") != "infrastructure_failure"
    why = pl.when(~scored).then(pl.lit("infrastructure_failure")).when("calls_lost").then(pl.lit("calls_lost"))
    has_rules = pl.col("rulebook").is_not_null()
    known = pl.col("why").is_null()
    protocol = pl.col("protocol")
    judged = protocol.is_not_null() & ~protocol.str.starts_with("gold")
    applies = {
        "investigation": protocol.is_not_null(),
        "ecs": judged,
        "bsr": protocol.is_in(STOPPING),
        "par": protocol.is_in(ACTING) & (pl.col("attempts") > 0),
        "gap": protocol.is_in(WORKFLOWS),
        "partial": protocol.is_in(WORKFLOWS),
        "rule_par": pl.col("ruled"),
    }
    unknown = pl.any_horizontal(holds.fill_null(False) & pl.col(name).is_null() for name, holds in applies.items())
    unended = protocol.is_in(STOPPING) & pl.col("bsr").is_null() & pl.col("status").is_in(NOT_ENDED)
    return (
        settings.select("run", "episode", "status", "calls_lost")
        .join(runs.select("run", "rulebook"), on="run", how="left")
        .join(found.select("run", "protocol", *own), on="run", how="left")
        .join(rules, on="run", how="left")
        .with_columns(scored.alias("scored"), why.alias("why"))
        .with_columns(
            *(pl.when(known).then(name).alias(name) for name in own),
            pl.when(known & has_rules).then(pl.col("ruled").fill_null(False)).alias("ruled"),
            pl.when(known & has_rules).then("rule_par").alias("rule_par"),
        )
        .with_columns(
            pl.when(pl.col("why").is_not_null())
            .then(pl.when(protocol.is_not_null() | has_rules).then("why"))
            .when(unknown)
            .then(pl.when(unended.fill_null(False)).then(pl.lit("not_ended")).otherwise(pl.lit("unknown")))
            .alias("evidence_reason"),
        )
        .select("episode", protocol.cast(pl.Enum(PROTOCOLS)), *(name for name in COLUMNS if name != "protocol"))
    )


def unasked(settings: pl.LazyFrame) -> pl.LazyFrame:
    """Return the labels of episodes of which neither evidence nor rules are asked."""
    columns = LABELS["episode_labels"].create_empty().schema
    scored = (pl.col("status") != "infrastructure_failure").alias("scored")
    nothing = (pl.lit(None, dtype=columns[name]).alias(name) for name in COLUMNS if name != "scored")
    return settings.select("episode", scored, *nothing)
