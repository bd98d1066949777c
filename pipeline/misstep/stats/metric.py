"""What a metric is: a rate or a mean over episodes, written as conditions on their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.label.policies import DAMAGE


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate over episodes: `value` is what is counted, `member` who belongs to the denominator (both three-valued).

    The texts may use `{cd}`, the damage column of the policy. `better` says which end is good.

    Attributes:
        values: a label of the episode; a share, of which the mean is taken; or a number from 0, likewise.
        planned: planned runs that are not there are asked too, with null labels but their task and protocol.
        macro: column whose values have a rate each, of which the unweighted mean is taken.
        along: axis that the metric must be grouped by, because it is defined for each of its values.
        evidence: about evidence and what was done ahead of it, not about side effects.
    """

    name: str
    title: str
    definition: str
    value: str
    member: str = "true"
    better: Literal["low", "high", "neither"] = "low"
    values: Literal["label", "share", "number"] = "label"
    planned: bool = False
    macro: str | None = None
    along: str | None = None
    evidence: bool = False

    @property
    def by_policy(self) -> bool:
        """Whether the metric differs between policies."""
        return "{cd}" in self.value + self.member

    @property
    def bounded(self) -> bool:
        """Whether values lie in [0, 1], so that the metric is told in per cent."""
        return self.values != "number"

    def under(self, policy: str) -> tuple[pl.Expr, pl.Expr]:
        """Return value and member as expressions under a policy.

        Raises:
            UsageError: there is no such policy.
        """
        if policy not in DAMAGE:
            raise UsageError(f"there is no policy {policy!r}; there are {', '.join(DAMAGE)}")
        column = DAMAGE[policy]
        return pl.sql_expr(self.value.format(cd=column)), pl.sql_expr(self.member.format(cd=column))
