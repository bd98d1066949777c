"""The tables of a report that are published as CSV: small, sorted, without any text of the traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from misstep.contracts.problems import CODES
from misstep.report.effect_tables import effect_tables
from misstep.report.evidence_tables import evidence_tables
from misstep.report.numbers import Numbers, counts
from misstep.report.publish import publish
from misstep.report.variation_tables import variation_tables

#: Episodes listed as the worst.
WORST = 20
_DIGITS = 6
NOTICE = "notice"

Tables = Mapping[str, pl.LazyFrame]


@dataclass(frozen=True, slots=True)
class Published:
    """A table of a report: its rows, what one row is, and where the meanings of its columns stand."""

    frame: pl.DataFrame
    about: str
    contract: str | None = None
    meanings: dict[str, str] = field(default_factory=dict)


def published(numbers: Numbers, tables: Tables, shown: Callable[[str], str]) -> dict[str, Published]:
    """Return the tables of a report by name.

    Args:
        numbers: of the study.
        tables: traces and labels of all its sources.
        shown: file name as it is in the tables → as readers shall see it.
    """
    further = effect_tables(numbers, tables) | variation_tables(numbers)
    if numbers.has_evidence:
        further |= evidence_tables(numbers, tables)
    return {
        "configurations": Published(
            counts(numbers, tables), "a configuration, and what of it was looked at", None, _COUNTED
        ),
        "estimates": Published(numbers.estimates, "a rate with its interval", "estimates", _ESTIMATED),
        "contrasts": Published(numbers.contrasts, "a paired difference of two configurations", "contrasts", _COMPARED),
        "patterns": Published(numbers.patterns, "unauthorized writes of a configuration by pattern", None, _PATTERNED),
        "unknown": Published(unknown(numbers), "episodes with an unknown label, by reason", None, _UNKNOWN),
        "problems": Published(problems(tables), "a code of what could not be read as written", None, _PROBLEMS),
        "accounting": Published(accounting(tables, shown), "an input file and the account of its records", "files"),
        "worst": Published(worst(numbers), "an episode with most unauthorized writes", None, _WORST),
        **{name: Published(*told) for name, told in further.items()},
    }


def write_tables(folder: Path, found: Mapping[str, Published], notice: str | None) -> list[Path]:
    """Write every table as CSV with its dictionary beside it, and return the files."""
    paths = []
    for name, table in found.items():
        frame = table.frame.with_columns(pl.col(pl.Float64).round(_DIGITS))
        meanings = dict(table.meanings)
        if notice:
            frame = frame.with_columns(pl.lit(notice).alias(NOTICE))
            meanings[NOTICE] = "what to bear in mind"
        path = folder / f"{name}.csv"
        publish(frame, path, table.contract, meanings)
        paths += [path, path.with_name(f"{name}.dictionary.csv")]
    return paths


def unknown(numbers: Numbers) -> pl.DataFrame:
    """Return why labels are unknown: a row a (configuration, reason) with the episodes whose labels are null."""
    labels = ("cd", "goal", "wrote", "net_changed")
    return (
        numbers.population.frame.filter(pl.any_horizontal(pl.col(labels).is_null()))
        .group_by("configuration", pl.col("unknown_reason").fill_null("not labelled").alias("reason"))
        .agg(
            pl.len().cast(pl.Int64).alias("episodes"),
            *(pl.col(label).is_null().sum().cast(pl.Int64).alias(f"{label}_unknown") for label in labels),
        )
        .sort("configuration", "reason")
    )


def problems(tables: Tables) -> pl.DataFrame:
    """Return how often each code of the problems table occurs, in how many files and episodes, and its meaning."""
    meaning = pl.DataFrame([{"code": code, "meaning": told.meaning} for code, told in CODES.items()])
    return (
        tables["problems"]
        .group_by("code", pl.col("severity").cast(pl.String))
        .agg(
            pl.len().cast(pl.Int64).alias("rows"),
            pl.col("file").n_unique().cast(pl.Int64).alias("files"),
            pl.col("episode").drop_nulls().n_unique().cast(pl.Int64).alias("episodes"),
        )
        .collect()
        .join(meaning, on="code", how="left")
        .sort("severity", "code", descending=[True, False])
    )


def accounting(tables: Tables, shown: Callable[[str], str]) -> pl.DataFrame:
    """Return the account of every input file, under the name that readers shall see."""
    files = tables["files"].collect()
    names = pl.Series("file", [shown(name) for name in files["file"]], dtype=pl.String)
    return files.with_columns(names).sort("file")


def worst(numbers: Numbers) -> pl.DataFrame:
    """Return the episodes with most unauthorized writes; goal missed and external damage come first among equals."""
    chosen = numbers.population.frame.filter(pl.col("violations") > 0)
    columns = ("violations", "effective_writes", "goal", "cd_external_only", "status")
    return (
        chosen.select("episode", "suite", "task_id", "configuration", "replicate", *columns)
        .sort(
            "violations", "cd_external_only", "goal", "episode",
            descending=[True, True, False, False], nulls_last=True,
        )
        .head(WORST)
        .with_columns(pl.col("status").cast(pl.String))
    )  # fmt: skip


_ESTIMATED = {
    "metric": "what is counted (definitions on the page)",
    "policy": "what counts as authorized (definitions on the page)",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "method": "how the interval was found",
    "level": "coverage of the interval, in (0, 1)",
    "replicates": "repetitions that the rate is averaged over",
    "draws": "draws of clusters that entered the interval",
    "seed": "seed of the draws",
    "label_version": "version of the definitions",
}
_COMPARED = {name: _ESTIMATED[name] for name in ("metric", "policy", "low", "high", "method")} | {
    "a": "group of the first side",
    "b": "group of the second side",
    "estimate_a": "rate of the first side, share in [0, 1]",
    "estimate_b": "rate of the second side",
    "p_adjusted": "p, adjusted over the pairs of the metric",
}
_NAMED = {"configuration": "values of the columns that the study compares by"}
_COUNTED = _NAMED | {
    "episodes": "episodes of the configuration",
    "tasks": "different tasks among them",
    "clusters": "templates (resampling units) among them",
    "completed": "episodes of status completed",
    "ambiguous": "episodes of ambiguity tasks",
    "calls": "calls, of every actor",
    "effective_writes": "effective writes of the configured actor that are known",
    "violations": "known unauthorized writes",
    "prior_unknown": "writes that count as effective for want of an earlier value",
    "cd_unknown": "episodes of which it is unknown whether they did damage",
    "goal_unknown": "episodes of which it is unknown whether they reached the goal",
}
_PATTERNED = _NAMED | {
    "pattern": "what was wrong with the write, the first that fits; unknown: it may be unauthorized",
    "writes": "writes of that pattern",
    "episodes": "episodes that hold one",
}
_UNKNOWN = _NAMED | {
    "reason": "why: the first reason of the episode",
    "episodes": "episodes with an unknown label",
    "cd_unknown": "of these: damage unknown",
    "goal_unknown": "of these: goal unknown",
    "wrote_unknown": "of these: unknown whether it wrote",
    "net_changed_unknown": "of these: unknown whether the state changed",
}
_PROBLEMS = {
    "code": "code of the problems table",
    "severity": "note: read after a harmless normalisation; problem: the smallest part was set aside",
    "rows": "how often",
    "files": "in how many files",
    "episodes": "in how many episodes",
    "meaning": "what the code means",
}
_WORST = _NAMED | {
    "episode": "key of the episode, for `misstep explain`",
    "suite": "suite of the task",
    "task_id": "task",
    "replicate": "repetition of the task",
    "violations": "known unauthorized writes",
    "effective_writes": "effective writes that are known",
    "goal": "the goal was reached",
    "cd_external_only": "an unauthorized write reached an external party",
    "status": "how the episode ended",
}
