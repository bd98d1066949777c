"""Numbers in words: rates as a page shows them, and the summary of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from misstep.report.numbers import Numbers
from misstep.stats.metrics import METRICS

Row = Mapping[str, Any]


class Rate(NamedTuple):
    """A rate as it is shown: never without its interval and what it is from."""

    value: str
    interval: str
    basis: str
    bounds: str


def rate(row: Row) -> Rate:
    """Return the texts of a row of `estimates`."""
    counts = (
        f"{row['denominator']} {_many('episode', row['denominator'])}, "
        f"{row['clusters']} {_many('cluster', row['clusters'])}, {row['unknown']} unknown"
    )
    if row["estimate"] is None:
        return Rate("–", "no interval", counts, bounds(row))
    told = percent if METRICS[row["metric"]].bounded else number
    if row["low"] is None or row["high"] is None:
        return Rate(told(row["estimate"]), f"no interval ({row['method']})", counts, bounds(row))
    low, high = (told(row[end]).removesuffix(" %") for end in ("low", "high"))
    return Rate(told(row["estimate"]), f"[{low}, {high}]", counts, bounds(row))


def bounds(row: Row) -> str:
    """Return the least and the greatest rate that the unknown episodes leave possible."""
    if row["floor"] is None:
        return "nothing known"
    told = percent if METRICS[row["metric"]].bounded else number
    return (
        f"at least {told(row['floor'])}"
        if row["ceiling"] is None
        else f"{told(row['floor'])} to {told(row['ceiling'])}"
    )


def percent(share: float) -> str:
    """Return a share in [0, 1] as per cent with one decimal."""
    return f"{100 * share:.1f} %"


def number(mean: float) -> str:
    """Return a mean that is no share, with two decimals."""
    return f"{mean:.2f}"


def _many(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


class Part(NamedTuple):
    """A piece of a sentence: words, or a rate with what belongs to it."""

    text: str
    rate: Rate | None = None


def summary(numbers: Numbers) -> list[list[Part]]:
    """Return the summary of a study: sentences of parts, in which each rate carries its interval."""
    return [
        *_population(numbers),
        *_extremes(numbers, "cd", f"Under the {numbers.policy} policy, collateral damage"),
        *_extremes(numbers, "goal", "Goals reached"),
        *(line for metric, subject in _OF_EVIDENCE.items() for line in _extremes_of(numbers, metric, subject)),
        *_patterns(numbers),
        *_contrasts(numbers),
    ]


def _population(numbers: Numbers) -> list[list[Part]]:
    frame = numbers.population.frame
    if frame.is_empty():
        return [[Part("There is no episode to analyse.")]]
    configurations, tasks = len(numbers.configurations), frame.select("suite", "task_id").n_unique()
    completed = int((frame["status"] == "completed").sum())
    return [
        [
            Part(
                f"{configurations} {_many('configuration', configurations)} ran {tasks} {_many('task', tasks)} from "
                f"{frame['cluster'].n_unique()} {_many('template', frame['cluster'].n_unique())}: {frame.height} "
                f"{_many('episode', frame.height)}, of which {completed} completed."
            )
        ]
    ]


#: Metrics of evidence that the summary tells, where they apply → how their sentence begins.
_OF_EVIDENCE = {
    "ecs": "Cases solved exactly",
    "bsr": "Stops ahead of the investigation",
    "par": "Actions ahead of the investigation",
    "gold_bsr": "Stops ahead of the gold reads",
    "gold_par": "Actions ahead of the gold reads",
    "rule_par": "First calls that broke a standing rule",
}


def _extremes_of(numbers: Numbers, metric: str, subject: str) -> list[list[Part]]:
    return _extremes(numbers, metric, subject) if metric in numbers.applied else []


def _extremes(numbers: Numbers, metric: str, subject: str) -> list[list[Part]]:
    policy = numbers.policy if METRICS[metric].by_policy else "standard"
    found = numbers.of([metric], [policy]).sort("estimate", "configuration").to_dicts()
    rows = [row for row in found if row["estimate"] is not None]
    if not rows:
        return [[Part(f"{subject}: unknown in every configuration.")]]
    least, most = rows[0], rows[-1]
    if len(rows) == 1:
        return [[Part(f"{subject}: "), Part("", rate(least)), Part(f" ({least['configuration']}).")]]
    return [
        [
            Part(f"{subject}: from "),
            Part("", rate(least)),
            Part(f" ({least['configuration']}) to "),
            Part("", rate(most)),
            Part(f" ({most['configuration']})."),
        ]
    ]


def _patterns(numbers: Numbers) -> list[list[Part]]:
    known = numbers.patterns.filter(pl.col("pattern") != "unknown")
    if known.is_empty():
        return [[Part("No write is known to be unauthorized.")]]
    totals = known.group_by("pattern").agg(pl.col("writes").sum()).sort("writes", "pattern", descending=[True, False])
    first, total = totals.row(0, named=True), int(known["writes"].sum())
    share = f"{first['writes']} of {total}"
    return [[Part(f"The most common pattern of unauthorized writes is {first['pattern']} ({share} writes).")]]


def _contrasts(numbers: Numbers) -> list[list[Part]]:
    damage = numbers.contrasts.filter(pl.col("metric") == "cd", pl.col("low").is_not_null())
    if damage.is_empty():
        return []
    apart = damage.filter((pl.col("low") > 0) | (pl.col("high") < 0)).height
    return [
        [
            Part(
                f"Of {damage.height} paired {_many('difference', damage.height)} in damage, {apart} "
                f"{'has' if apart == 1 else 'have'} an interval that excludes zero."
            )
        ]
    ]
