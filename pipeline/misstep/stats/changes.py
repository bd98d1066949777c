"""Rules of published files about what conditions change: differences, and what is said of them in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.contracts.published import Change, Claims, Falls, Less, Rule
from misstep.stats.values import Source, Value

_TIE = 1e-9


def check_metrics(rule: Rule, compared: Sequence[str]) -> None:
    """Check that conditions are compared on what a rule asks for.

    Args:
        rule: of a published file.
        compared: names of the metrics that conditions are compared on.

    Raises:
        UsageError: one of its metrics is not compared.
    """
    asked = [rule.metric] if isinstance(rule, Change) else []
    for claim in rule.claims if isinstance(rule, Claims) else ():
        asked += [change.metric for change in claim.less] if isinstance(claim, Less) else [claim.falls]
    for name in asked:
        if name not in compared:
            raise UsageError(f"conditions are not compared on {name!r}, but on {', '.join(compared) or 'nothing'}")


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


def changed(rule: Change, conditions: pl.DataFrame) -> Value:
    """Return the range of what a condition changes over the configurations, or why there is none."""
    changes = _changes(rule, conditions)
    if not changes:
        return Value(reason=f"no configuration has {rule.metric} under {rule.condition} and the baseline")
    found, unknown = _known(rule, changes)
    if unknown:
        return Value(reason=unknown)
    told = ", ".join(f"{name} {100 * value:.1f}" for name, value in found.items())
    return Value(value=min(found.values()), greatest=max(found.values()), share=True, reason=told)


def claimed(rule: Claims, source: Source) -> Value:
    """Return whether all claims hold, or why that is not known."""
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
