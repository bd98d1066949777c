"""Printed quantities, rebuilt: a rule of a published file → a value, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.published import (
    Audit,
    Change,
    Claims,
    Count,
    Difference,
    Falls,
    Greatest,
    Least,
    Less,
    Rate,
    Ratio,
    Rule,
    Setting,
    Single,
)
from misstep.contracts.study import Statistics
from misstep.stats.asked import Episodes, Row, key
from misstep.stats.conditions import METRICS_COMPARED

_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Value:
    """What a rule gives.

    Attributes:
        numerator: of a rate or a count; null where it is none of whole episodes.
        denominator: likewise.
        value: share in [0, 1] of a rate, else the number itself; the least, where there are several.
        greatest: of several values; equal to `value` where there is one.
        low: end of the interval of a rate.
        high: likewise.
        share: told in per cent or points.
        holds: of claims: whether all of them hold.
        reason: what it rests on, or why there is no value.
    """

    numerator: float | None = None
    denominator: int | None = None
    value: float | None = None
    greatest: float | None = None
    low: float | None = None
    high: float | None = None
    share: bool = False
    holds: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What rules are evaluated on: episodes, their rates, contrasts of conditions, audits, and the settings."""

    episodes: Episodes
    rates: Mapping[str, Row]
    conditions: pl.DataFrame
    audits: pl.DataFrame
    statistics: Statistics
    turns: pl.DataFrame


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


def check_rest(rule: Rule, episodes: Episodes) -> None:
    """Check what a rule asks for besides rates.

    Raises:
        UsageError: there is no such column, or no such metric is compared between conditions.
    """
    match rule:
        case Count():
            episodes.labels(rule.where)
        case Change():
            _check_metric(rule.metric)
        case Claims():
            for claim in rule.claims:
                for metric in [change.metric for change in claim.less] if isinstance(claim, Less) else [claim.falls]:
                    _check_metric(metric)


def _check_metric(name: str) -> None:
    if name not in METRICS_COMPARED:
        raise UsageError(f"conditions are not compared on {name!r}, but on {', '.join(METRICS_COMPARED)}")


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
            return _range(rule, source.conditions)
        case Claims():
            return _claims(rule, source)


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
    frame = source.episodes.of(rule.where).frame
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


def _changes(rule: Change, conditions: pl.DataFrame) -> dict[str, float | None]:
    """Return configuration → what the condition changes, null where that is not known."""
    column = {"difference": pl.col("difference"), "loss": -pl.col("difference")}.get(rule.change, pl.col("reduction"))
    rows = conditions.filter(metric=rule.metric, condition=rule.condition)
    return dict(rows.select("configuration", column.alias("value")).sort("configuration").iter_rows())


def _known(rule: Change, changes: Mapping[str, float | None]) -> tuple[dict[str, float], str]:
    """Return the changes that are known, and what is not known, in words."""
    known = {name: value for name, value in changes.items() if value is not None}
    missing = [name for name in changes if name not in known]
    return known, f"{rule.change} of {rule.metric} is not known of {_listed(missing)}" if missing else ""


def _range(rule: Change, conditions: pl.DataFrame) -> Value:
    changes = _changes(rule, conditions)
    if not changes:
        return Value(reason=f"no configuration has {rule.metric} under {rule.condition} and the baseline")
    found, unknown = _known(rule, changes)
    if unknown:
        return Value(reason=unknown)
    told = ", ".join(f"{name} {100 * value:.1f}" for name, value in found.items())
    return Value(value=min(found.values()), greatest=max(found.values()), share=True, reason=told)


def _claims(rule: Claims, source: Source) -> Value:
    told = [
        _less(claim, source.conditions) if isinstance(claim, Less) else _falls(claim, source) for claim in rule.claims
    ]
    if any(holds is None for holds, _ in told):
        return Value(reason="; ".join(text for _, text in told))
    return Value(holds=all(holds for holds, _ in told), reason="; ".join(text for _, text in told))


def _less(claim: Less, conditions: pl.DataFrame) -> tuple[bool | None, str]:
    changes = [_changes(change, conditions) for change in claim.less]
    both = sorted(set(changes[0]) & set(changes[1]))
    if not both:
        return None, f"no configuration was run under {' and '.join(change.condition for change in claim.less)}"
    (lesser, unknown), (greater, too) = (
        _known(change, {name: one[name] for name in both}) for change, one in zip(claim.less, changes, strict=True)
    )
    if unknown or too:
        return None, "; ".join(filter(None, (unknown, too)))
    told = ", ".join(f"{name} {100 * lesser[name]:.1f} against {100 * greater[name]:.1f}" for name in both)
    what = f"{claim.less[0].change} of {claim.less[0].metric}"
    return all(lesser[name] < greater[name] - _TIE for name in both), f"{what}: {told}"


def _falls(claim: Falls, source: Source) -> tuple[bool | None, str]:
    rows = source.conditions.filter(metric=claim.falls, condition=claim.condition)
    if rows.is_empty():
        return None, f"no configuration has {claim.falls} under {claim.condition} and the baseline"
    open_ = pl.col("difference").is_null() | ((pl.col("difference") < 0) & pl.col("p_adjusted").is_null())
    unknown = rows.filter(open_)["configuration"].sort().to_list()
    if unknown:
        return None, f"whether {claim.falls} falls significantly is not known of {_listed(unknown)}"
    least = 1 - source.statistics.level
    significant = rows.filter(pl.col("difference") < 0, pl.col("p_adjusted") < least)["configuration"].sort().to_list()
    return significant == sorted(claim.only), f"{claim.falls} falls significantly for {_listed(significant)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"
