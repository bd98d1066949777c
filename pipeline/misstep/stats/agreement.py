"""How far two sets of Boolean labels agree: a human audit against the pipeline."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from misstep.contracts.errors import ContractError
from misstep.stats.estimates import check_options
from misstep.stats.intervals import wilson


class Share(NamedTuple):
    """A proportion with its Wilson interval; all three are null where there is no trial."""

    numerator: int
    denominator: int
    estimate: float | None
    low: float | None
    high: float | None


class Agreement(NamedTuple):
    """What an audit found.

    Attributes:
        raw: share of items on which both say the same.
        kappa: Cohen's kappa in [-1, 1]; null where chance alone would agree on everything, or without items.
        false_acceptance: share of the items that the reference rejects which the judge accepts.
        false_rejection: share of the items that the reference accepts which the judge rejects.
        unknown: items left out because one of the two is null.
    """

    raw: Share
    kappa: float | None
    false_acceptance: Share
    false_rejection: Share
    unknown: int


def agreement(reference: pl.Series, judge: pl.Series, level: float = 0.95) -> Agreement:
    """Return how a judge's labels agree with a reference; true means accepted (authorized, supported).

    Args:
        reference: Boolean labels taken for right, one an item.
        judge: Boolean labels to check, in the same order.
        level: coverage of the Wilson intervals in (0, 1).

    Raises:
        ContractError: the two differ in length or are not Boolean.
        UsageError: level is out of range.
    """
    check_options(level, draws=1)
    if len(reference) != len(judge):
        raise ContractError(f"{len(reference)} reference labels cannot be compared with {len(judge)}")
    for name, column in (("reference", reference), ("judge", judge)):
        if column.dtype not in (pl.Boolean, pl.Null):
            raise ContractError(f"{name} labels must be Boolean, they are {column.dtype}")
    items = pl.DataFrame({"reference": reference.cast(pl.Boolean), "judge": judge.cast(pl.Boolean)})
    known = items.drop_nulls()
    right, said = known["reference"], known["judge"]
    both, neither = int((right & said).sum()), int((~right & ~said).sum())
    accepted_wrongly, rejected_wrongly = int((~right & said).sum()), int((right & ~said).sum())
    return Agreement(
        raw=_share(both + neither, known.height, level),
        kappa=_kappa(both, accepted_wrongly, rejected_wrongly, neither),
        false_acceptance=_share(accepted_wrongly, accepted_wrongly + neither, level),
        false_rejection=_share(rejected_wrongly, rejected_wrongly + both, level),
        unknown=items.height - known.height,
    )


def _share(numerator: int, denominator: int, level: float) -> Share:
    if not denominator:
        return Share(numerator, denominator, None, None, None)
    return Share(numerator, denominator, numerator / denominator, *wilson(numerator, denominator, level))


def _kappa(both: int, judge_only: int, reference_only: int, neither: int) -> float | None:
    """Return agreement beyond chance, from the four cells of the table."""
    items = both + judge_only + reference_only + neither
    accepted = (both + judge_only) * (both + reference_only)
    rejected = (neither + judge_only) * (neither + reference_only)
    chance = accepted + rejected
    if chance == items * items:
        return None
    return (items * (both + neither) - chance) / (items * items - chance)
