"""Printed quantities, rebuilt: a rule of a published file → a value, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from misstep.contracts.asked import Count, Paired, Rate, Specified, Spread, Unbuilt
from misstep.contracts.errors import UsageError
from misstep.contracts.published import (
    Audit,
    Change,
    Claims,
    Difference,
    Greatest,
    Least,
    Ratio,
    Rule,
    Setting,
    Single,
)
from misstep.stats.asked import Episodes, key
from misstep.stats.changes import changed, claimed
from misstep.stats.pairs import of_specification, paired, replicates, spread
from misstep.stats.values import Source, Value

_TIE = 1e-9


def rates_of(rule: Rule, episodes: Episodes) -> Iterator[Rate]:
    """Yield the rates that a rule rests on, those of each configuration for an extreme one."""
    if isinstance(rule, Rate):
        yield rule
    elif isinstance(rule, (Least, Greatest)):
        yield from _of_configurations(rule, episodes)
    elif isinstance(rule, Difference):
        for part in rule.difference:
            yield from rates_of(part, episodes)
    elif isinstance(rule, Ratio):
        for part in rule.ratio:
            yield from rates_of(part, episodes)
    elif isinstance(rule, Spread) and len(rule.spread) == 1:
        yield from replicates(rule.spread[0], episodes)


def questions_of(rule: Rule, episodes: Episodes) -> Iterator[Rate | Count]:
    """Yield everything that a rule asks of episodes, to be checked."""
    yield from rates_of(rule, episodes)
    if isinstance(rule, Count):
        yield rule
    elif isinstance(rule, Paired):
        yield from rule.paired
    elif isinstance(rule, Spread):
        yield from rule.spread


def rebuilt(rule: Rule, source: Source) -> Value:
    """Return the value of a rule; a reason says why there is none.

    Raises:
        UsageError: the rule asks for a column that is not there.
    """
    match rule:
        case Rate() | Least() | Greatest():
            return _single(rule, source)
        case Difference():
            return _difference(*(_single(part, source) for part in rule.difference))
        case Ratio():
            return _ratio(*(_single(part, source) for part in rule.ratio))
        case Count():
            return _count(rule, source)
        case Setting():
            number = float(getattr(source.statistics, rule.setting))
            return Value(value=number, greatest=number)
        case Audit():
            return _audit(rule, source.audits)
        case Change():
            return changed(rule, source.conditions)
        case Claims():
            return claimed(rule, source)
        case Paired():
            return paired(rule, source)
        case Spread():
            return spread(rule, source)
        case Specified():
            return of_specification(rule, source)
        case Unbuilt():
            return Value(reason=rule.unbuilt)


def _of_configurations(rule: Least | Greatest, episodes: Episodes) -> list[Rate]:
    rate = rule.least if isinstance(rule, Least) else rule.greatest
    return [
        rate.model_copy(update={"where": {**rate.where, "configuration": name}})
        for name in episodes.values("configuration")
    ]


def _single(rule: Single, source: Source) -> Value:
    if isinstance(rule, Rate):
        return _rate(rule, source)
    found = [
        replace(value, reason=str(rate.where["configuration"]))
        for rate in _of_configurations(rule, source.episodes)
        if (value := _rate(rate, source)).value is not None
    ]
    if not found:
        return Value(reason="no configuration has such episodes")
    best = (min if isinstance(rule, Least) else max)(value.value or 0.0 for value in found)
    reached = [value for value in found if abs((value.value or 0.0) - best) <= _TIE]
    return replace(reached[0], reason=", ".join(value.reason for value in reached))


def _rate(rate: Rate, source: Source) -> Value:
    row = source.rates.get(key(rate))
    if row is None or row["estimate"] is None:
        return Value(reason="no known episode" if rate.where else "no episode")
    unknown = f"{row['unknown']} unknown" if row["unknown"] else ""
    return Value(
        row["numerator"], row["denominator"], row["estimate"], row["estimate"], row["low"], row["high"], share=True,
        reason=unknown,
    )  # fmt: skip


def _difference(first: Value, second: Value) -> Value:
    if first.value is None or second.value is None:
        return Value(reason=first.reason if first.value is None else second.reason)
    value = first.value - second.value
    if first.denominator != second.denominator or first.numerator is None or second.numerator is None:
        return Value(value=value, greatest=value, share=True)
    return Value(first.numerator - second.numerator, first.denominator, value, value, share=True)


def _ratio(first: Value, second: Value) -> Value:
    if first.value is None or second.value is None:
        return Value(reason=first.reason if first.value is None else second.reason)
    if second.value == 0:
        return Value(reason="the second rate is zero")
    value = first.value / second.value
    names = " over ".join(name for name in (first.reason, second.reason) if name)
    return Value(value=value, greatest=value, reason=names)


def _count(rule: Count, source: Source) -> Value:
    frame = source.episodes.of(rule).frame
    match rule.count:
        case "episodes":
            number = frame.height
        case "tasks":
            number = frame.select("suite", "task_id").n_unique()
        case "templates":
            number = frame["cluster"].n_unique()
        case "configurations":
            number = frame["configuration"].n_unique()
        case "turns":
            most: Any = frame.join(source.turns, on="episode")["turns"].max()
            number = most or 0
    return Value(denominator=number, value=float(number), greatest=float(number))


def _audit(rule: Audit, audits: pl.DataFrame) -> Value:
    rows = audits.filter(label=rule.audit)
    if rows.is_empty():
        return Value(reason=f"no audit judges {rule.audit}")
    if rows.height > 1:
        raise UsageError(f"{rule.audit} is judged of {' and '.join(rows['of'])}")
    row = rows.row(0, named=True)
    known, number = row["decisive"] - row["unknown"], row[rule.share]
    if not known:
        return Value(reason="nobody decided")
    ends = {"low": row["low"], "high": row["high"]} if rule.share == "agreeing" else {}
    return Value(number, known, number / known, number / known, share=True, **ends)
