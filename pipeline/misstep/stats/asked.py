"""Rates of arbitrary groups of episodes, many at once: what is asked is written in a `Rate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.published import Rate, Where
from misstep.contracts.study import Statistics
from misstep.stats.axes import AXES_ALONG
from misstep.stats.estimates import estimate_sums
from misstep.stats.metric import Metric
from misstep.stats.metrics import metric, scored
from misstep.stats.population import Population
from misstep.stats.sums import cluster_sums, one_label_version

Row = Mapping[str, Any]


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
        return self.whole if "condition" in where else self.baseline

    def groups(self, where: Where) -> dict[str, str]:
        """Return the parts of a question that choose episodes by what they are, as texts.

        Raises:
            UsageError: there is no such column.
        """
        frame = self.baseline.frame
        for name in where:
            if name not in self._columns() and frame.schema.get(name) != pl.Boolean:
                known = ", ".join([*self._columns(), *(n for n, kind in frame.schema.items() if kind == pl.Boolean)])
                raise UsageError(f"episodes have no {name!r}; there are {known}")
        return {name: _text(value) for name, value in where.items() if name in self._columns()}

    def labels(self, where: Where) -> dict[str, bool]:
        """Return the parts of a question that choose episodes by a label; it may be unknown.

        Raises:
            UsageError: the value of a label is neither true nor false.
        """
        labels = {name: value for name, value in where.items() if name not in self.groups(where)}
        for name, value in labels.items():
            if not isinstance(value, bool):
                raise UsageError(f"{name} is true or false, not {value!r}")
        return {name: bool(value) for name, value in labels.items()}

    def of(self, where: Where) -> Population:
        """Return the episodes of which all is known to hold."""
        episodes = self.asked(where)
        for name, text in self.groups(where).items():
            episodes = episodes.where(pl.col(name).cast(pl.String).fill_null("(none)") == text)
        for name, value in self.labels(where).items():
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
        ]


def key(rate: Rate) -> str:
    """Return a text that equal questions share: whatever the order of their parts."""
    policy = rate.policy if metric(rate.rate).by_policy else "standard"
    return f"{rate.rate} {policy} {sorted((name, _text(value)) for name, value in rate.where.items())}"


def check(rate: Rate, episodes: Episodes) -> None:
    """Check that a rate can be taken.

    Raises:
        UsageError: there is no such metric or column, or the metric is not one of single episodes.
    """
    known = metric(rate.rate)
    if known.along is not None or known.macro is not None:
        raise UsageError(f"{known.name} is no rate of chosen episodes")
    episodes.labels(rate.where)


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


def _sums(rates: Mapping[str, Rate], episodes: Episodes) -> Iterator[pl.DataFrame]:
    for name, rate in rates.items():
        check(rate, episodes)
        groups = {column: value for column, value in rate.where.items() if column in episodes.groups(rate.where)}
        chosen = episodes.of(groups) if groups else episodes.baseline
        labels = episodes.labels(rate.where)
        known = _among(metric(rate.rate), labels)
        rows = scored(chosen.asked(known, []), known, rate.policy).with_columns(pl.lit(name).alias("group")).collect()
        if rows.height:
            yield cluster_sums(rows, known.name, rate.policy if known.by_policy else "standard")


def _among(known: Metric, labels: Mapping[str, bool]) -> Metric:
    """Return the metric among the episodes with these labels; those of which one is unknown are unknown members."""
    conditions = [name if value else f"NOT {name}" for name, value in labels.items()]
    return replace(known, member=" AND ".join([f"({known.member})", *conditions]))


def _text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
