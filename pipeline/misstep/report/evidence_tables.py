"""The published tables of evidence: rates by configuration, what was missing, and why labels are unknown."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.contracts.tables.evidence import END
from misstep.report.numbers import Numbers
from misstep.stats.metrics import METRICS

Tables = Mapping[str, pl.LazyFrame]
#: Episodes listed as those that lacked most.
SHOWN = 20
#: Columns of a rate, as they are published.
_RATE = (
    "estimate", "low", "high", "method", "numerator", "denominator", "episodes", "clusters", "unknown", "floor",
    "ceiling",
)  # fmt: skip


def evidence_tables(
    numbers: Numbers, tables: Tables
) -> dict[str, tuple[pl.DataFrame, str, str | None, dict[str, str]]]:
    """Return name → rows, what one row is, contract of its columns, and the meanings of those that no contract has."""
    named = {"configuration": "values of the columns that the study compares by"}
    found: dict[str, tuple[pl.DataFrame, str, str | None, dict[str, str]]] = {
        "evidence": (
            evidence(numbers),
            "a rate of evidence of a configuration, also by protocol, rule and number of reads",
            "estimates",
            named | _EVIDENCE,
        ),
        "gaps": (gaps(numbers, tables), "evidence that was missing before an attempt, by kind", None, named | _GAPS),
        "ahead": (
            ahead(numbers, tables),
            "an episode that came ahead of its evidence, most gaps first",
            None,
            named | _AHEAD,
        ),
    }
    if (reasons := unknown_evidence(numbers)).height:
        found["unknown_evidence"] = (
            reasons, "episodes with an unknown label of evidence, by reason", None, named | _UNKNOWN,
        )  # fmt: skip
    return found


def evidence(numbers: Numbers) -> pl.DataFrame:
    """Return the rates of evidence of every configuration, as far as it has episodes of them."""
    names = [name for name in numbers.applied if METRICS[name].evidence]
    every = pl.col("configuration").is_not_null() & ~pl.col("completed") & pl.col("stratum_1").is_null()
    order = {name: place for place, name in enumerate(METRICS)}
    return (
        numbers.chosen(numbers.groups.filter(every), names, ["standard"])
        .filter(pl.col("denominator") + pl.col("unknown") > 0)
        .select("configuration", "metric", "axis", "at", *_RATE)
        .sort(
            pl.col("metric").replace_strict(order, return_dtype=pl.Int64), "configuration", "axis",
            pl.col("at").cast(pl.Int64, strict=False), "at", nulls_last=False,
        )
    )  # fmt: skip


def gaps(numbers: Numbers, tables: Tables) -> pl.DataFrame:
    """Return what was not established before attempts: a row a (configuration, kind, status, near_miss)."""
    of = numbers.population.frame.lazy().filter("scored").select("episode", "configuration")
    return (
        tables["requirement_labels"]
        .filter(pl.col("status").cast(pl.String).is_in(["MISSING", "VIOLATED"]) & (pl.col("attempt") != END))
        .join(of, on="episode")
        .group_by("configuration", *(pl.col(name).cast(pl.String) for name in ("kind", "status", "near_miss")))
        .agg(
            pl.len().cast(pl.Int64).alias("gaps"),
            pl.struct("episode", "attempt").n_unique().cast(pl.Int64).alias("attempts"),
            pl.col("episode").n_unique().cast(pl.Int64).alias("episodes"),
        )
        .sort("configuration", "kind", "status", "near_miss")
        .collect()
    )


def ahead(numbers: Numbers, tables: Tables) -> pl.DataFrame:
    """Return the episodes that came ahead of their evidence, or stopped ahead of it: those that lacked most first."""
    lacked = (
        tables["requirement_labels"]
        .filter(pl.col("status").cast(pl.String).is_in(["MISSING", "VIOLATED"]) & (pl.col("attempt") != END))
        .group_by("episode")
        .agg(pl.len().cast(pl.Int64).alias("gaps"))
        .collect()
    )
    labels = ("par", "bsr", "gap", "rule_par")
    return (
        numbers.population.frame.filter(pl.any_horizontal(pl.col(labels).fill_null(value=False)))
        .join(lacked, on="episode", how="left")
        .select(
            "episode", "suite", "task_id", "configuration", "replicate", pl.col("protocol").cast(pl.String),
            pl.col("gaps").fill_null(0), *labels, "ecs", "goal",
        )
        .sort("gaps", "episode", descending=[True, False])
        .head(SHOWN)
    )  # fmt: skip


def unknown_evidence(numbers: Numbers) -> pl.DataFrame:
    """Return why labels of evidence are unknown: a row a (configuration, reason)."""
    return (
        numbers.population.frame.filter(pl.col("evidence_reason").is_not_null())
        .group_by("configuration", pl.col("evidence_reason").alias("reason"))
        .agg(
            pl.len().cast(pl.Int64).alias("episodes"), pl.col("ecs").is_null().sum().cast(pl.Int64).alias("ecs_unknown")
        )
        .sort("configuration", "reason")
    )


_EVIDENCE = {
    "metric": "what is counted (definitions on the page)",
    "axis": "what the rate is taken by: protocol, rule, reads or timing; none: all episodes of the metric together",
    "at": "value of the axis",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "method": "how the interval was found",
}
_GAPS = {
    "kind": "coverage: a required read; requirement: of the action; rule: a standing rule",
    "status": "MISSING: not established; VIOLATED: the opposite is",
    "near_miss": "wrong_entity: of another entity; stale: changed since; later: established after it; none",
    "gaps": "pairs of an attempt and what it lacked",
    "attempts": "attempts among them",
    "episodes": "episodes among them",
}
_AHEAD = {
    "episode": "key of the episode, for `misstep explain`",
    "suite": "suite of the task",
    "task_id": "task",
    "replicate": "repetition of the task",
    "protocol": "how the task asks for evidence",
    "gaps": "pairs of an attempt and what it lacked",
    "par": "the first attempt came before the investigation was complete",
    "bsr": "stopped before the investigation was complete",
    "gap": "evidence was missing at some attempt (V2, V3)",
    "rule_par": "the first call that a standing rule is about broke it",
    "ecs": "the case was solved exactly",
    "goal": "the goal was reached",
}
_UNKNOWN = {
    "reason": "why: the first reason of the episode",
    "episodes": "episodes with an unknown label of evidence",
    "ecs_unknown": "of these: unknown whether the case was solved",
}
