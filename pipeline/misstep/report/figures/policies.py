"""Damage under each policy: how much depends on what counts as authorized."""

from __future__ import annotations

import altair as alt
import polars as pl

from misstep.report.figures.theme import Style, dots_and_whiskers, finished, told
from misstep.report.numbers import Numbers
from misstep.stats.metrics import DAMAGE

#: From the strictest to the most lenient.
_ORDER = ("strict", "standard", "entity", "external_only")


def frame(numbers: Numbers) -> pl.DataFrame:
    """Return the damage of every configuration under every policy of the study."""
    policies = [policy for policy in _ORDER if policy in numbers.study.policies and policy in DAMAGE]
    return numbers.of(["cd"], policies).with_columns(pl.col("policy").alias("series"))


def chart(frame: pl.DataFrame, style: Style) -> alt.Chart:
    """Return a row of dots with whiskers a policy."""
    policies = [policy for policy in _ORDER if policy in set(frame["series"])]
    return finished(
        dots_and_whiskers(told(frame), style, policies, "collateral damage"),
        "Collateral damage under each policy",
        "The same writes, scored again: strict counts allowed bookkeeping too, entity accepts any write to an "
        "authorized entity, external_only looks at external writes alone.",
        style,
    )
