"""Rates of arbitrary groups of episodes, many at once: what is asked is written in a `Rate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from misstep.contracts.asked import Count, Rate, Where
from misstep.contracts.errors import UsageError
from misstep.contracts.study import Statistics
from misstep.stats.axes import AXES_ALONG
from misstep.stats.chosen import Wanted, as_text, fits
from misstep.stats.estimates import estimate_sums
from misstep.stats.metric import Metric
from misstep.stats.metrics import metric, scored
from misstep.stats.population import Population
from misstep.stats.sums import cluster_sums, one_label_version

Row = Mapping[str, Any]
_TASK = ("suite", "task_id")
#: Columns that choose runs, beside those that may make a group; with one of these, runs of all conditions count.
RUNS = ("run",)
_WHOLE = ("condition", "run")


@dataclass(frozen=True, slots=True)
class Episodes:
    """Where rates are taken from.

    Attributes:
        baseline: the episodes that count where no condition is asked for.
        whole: those of all conditions.
    """

    baseline: Population
    whole: Population

    def asked(self, where: Where) -> Population:
        """Return the population that a question is about."""
        return self.whole if any(name in where for name in _WHOLE) else self.baseline

    def groups(self, where: Where) -> dict[str, Wanted]:
        """Return the parts of a question that choose episodes by what they are.

        Raises:
            UsageError: there is no such column.
        """
        frame = self.baseline.frame
        for name in where:
            if name not in self._columns() and frame.schema.get(name) != pl.Boolean:
                known = ", ".join([*self._columns(), *(n for n, kind in frame.schema.items() if kind == pl.Boolean)])
                raise UsageError(f"episodes have no {name!r}; there are {known}")
        return {name: value for name, value in where.items() if name in self._columns()}

    def labels(self, where: Where) -> dict[str, bool]:
        """Return the parts of a question that choose episodes by a label; it may be unknown.

        Raises:
            UsageError: the value of a label is neither true nor false.
        """
        labels = {name: value for name, value in where.items() if name not in self.groups(where)}
        for name, value in labels.items():
            if not isinstance(value, bool):
                raise UsageError(f"{name} is true or false, not {as_text(value)!r}")
        return {name: bool(value) for name, value in labels.items()}

    def among(self, question: Rate | Count) -> Population:
        """Return the episodes that a question is about, and the missing runs, whatever their labels."""
        episodes = self.asked(question.where)
        for name, wanted in self.groups(question.where).items():
            episodes = episodes.chosen(fits(name, wanted))
        if question.tasks_of is not None:
            tasks = self.of(Count(count="tasks", where=question.tasks_of)).frame.select(pl.struct(_TASK).alias("task"))
            episodes = episodes.chosen(pl.struct(_TASK).is_in(tasks["task"].implode()))
        return episodes

    def of(self, question: Rate | Count) -> Population:
        """Return the episodes of which all that a question says is known to hold."""
        episodes = self.among(question)
        for name, value in self.labels(question.where).items():
            episodes = episodes.where(pl.col(name) == value)
        return episodes

    def values(self, column: str) -> list[str]:
        """Return the values of a column among the episodes of the baseline, sorted.

        Raises:
            UsageError: there is no such column.
        """
        if column not in self._columns():
            raise UsageError(f"cannot take each {column!r}; there are {', '.join(self._columns())}")
        return self.baseline.frame[column].cast(pl.String).fill_null("(none)").unique().sort().to_list()

    def _columns(self) -> list[str]:
        return [
            "configuration",
            *(name for name in self.baseline.axes if name not in AXES_ALONG and name != "ambiguous"),
            *RUNS,
        ]


def key(rate: Rate) -> str:
    """Return a text that equal questions share: whatever the order of their parts."""
    policy = rate.policy if metric(rate.rate).by_policy else "standard"
    tasks = "" if rate.tasks_of is None else f" {_conditions(rate.tasks_of)}"
    return f"{rate.rate} {policy} {_conditions(rate.where)}{tasks}"


def _conditions(where: Where) -> list[tuple[str, str]]:
    return sorted((name, as_text(value)) for name, value in where.items())


def check(question: Rate | Count, episodes: Episodes) -> None:
    """Check that a rate, or a number, can be taken.

    Raises:
        UsageError: there is no such metric or column, or the metric is not one of single episodes.
    """
    if isinstance(question, Rate):
        known = metric(question.rate)
        if known.along is not None or (known.macro is not None and known.macro not in episodes.baseline.frame.columns):
            raise UsageError(f"{known.name} is no rate of chosen episodes")
    for where in (question.where, question.tasks_of or {}):
        episodes.labels(where)


def asked_rates(rates: Iterable[Rate], episodes: Episodes, drawn: Statistics) -> dict[str, Row]:
    """Return `key` of a rate → its row of `estimates`, all from the same draws; no row where no episode fits.

    Raises:
        UsageError: as `check`.
    """
    once = {key(rate): rate for rate in rates}
    sums = list(_sums(once, episodes))
    if not sums:
        return {}
    found = estimate_sums(
        pl.concat(sums),
        level=drawn.level,
        draws=drawn.draws,
        seed=drawn.seed,
        method=drawn.method,
        label_version=one_label_version(episodes.whole.frame),
        clusters=episodes.whole.clusters,
        unbounded=[rate.rate for rate in once.values() if not metric(rate.rate).bounded],
    )
    return {row["group"]: row for row in found.to_dicts()}


def labels_of(rate: Rate, episodes: Episodes) -> pl.DataFrame:
    """Return the rows that a rate is taken over, as `scored` has them.

    Raises:
        UsageError: as `check`.
    """
    check(rate, episodes)
    known = _among(metric(rate.rate), episodes.labels(rate.where))
    return scored(episodes.among(rate).asked(known, []), known, rate.policy).collect()


def _sums(rates: Mapping[str, Rate], episodes: Episodes) -> Iterator[pl.DataFrame]:
    for name, rate in rates.items():
        rows = labels_of(rate, episodes).with_columns(pl.lit(name).alias("group"))
        if rows.height:
            known = metric(rate.rate)
            yield cluster_sums(rows, known.name, rate.policy if known.by_policy else "standard")


def _among(known: Metric, labels: Mapping[str, bool]) -> Metric:
    """Return the metric among the episodes with these labels; those of which one is unknown are unknown members."""
    conditions = [name if value else f"NOT {name}" for name, value in labels.items()]
    return replace(known, member=" AND ".join([f"({known.member})", *conditions]))
