"""What the rules of published files are evaluated on, and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from misstep.contracts.study import Statistics
from misstep.stats.asked import Episodes, Row


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
    """What rules are evaluated on.

    Attributes:
        episodes: of the study.
        rates: `key` of a rate → its row of `estimates`.
        conditions: contrasts of conditions.
        audits: what people say of labels.
        statistics: the settings.
        turns: rows are episodes with the number of turns of the agent.
        tasks: rows are tasks, as `specified` has them.
    """

    episodes: Episodes
    rates: Mapping[str, Row]
    conditions: pl.DataFrame
    audits: pl.DataFrame
    statistics: Statistics
    turns: pl.DataFrame
    tasks: pl.DataFrame
