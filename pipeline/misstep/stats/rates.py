"""Rates of several metrics under several policies, from one draw of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast, get_args

import polars as pl

from misstep.contracts.errors import UsageError
from misstep.stats.contrasts import contrast
from misstep.stats.estimates import OF_EPISODES, SCHEMA, Method, estimate_sums
from misstep.stats.families import adjusted
from misstep.stats.metrics import metric, scored
from misstep.stats.population import Population
from misstep.stats.sums import cluster_sums, one_label_version


def rates(
    episodes: Population,
    metrics: Sequence[str],
    by: Sequence[str],
    policies: Sequence[str] = ("standard",),
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    method: str = "percentile",
) -> pl.DataFrame:
    """Return the `estimates` of metrics × policies × groups.

    A metric whose definition does not name the damage of a policy is estimated once, under `standard`.

    Raises:
        UsageError: a metric, policy, group or method is unknown, or they do not go together.
    """
    if method not in get_args(Method):
        raise UsageError(f"there is no method {method!r}; there are {', '.join(get_args(Method))}")
    asked = [metric(name) for name in dict.fromkeys(metrics)]
    groups, sums = episodes.checked(by, asked), []
    for known in asked:
        if method in OF_EPISODES and (known.values != "label" or known.macro is not None):
            raise UsageError(f"{method} is for shares of episodes; {known.name} is a mean")
        for policy in policies if known.by_policy else policies[:1]:
            labels = scored(episodes.asked(known, groups), known, policy, groups)
            sums.append(cluster_sums(labels, known.name, policy if known.by_policy else "standard", "group"))
    if not sums or episodes.frame.is_empty():
        return SCHEMA.to_frame()
    return estimate_sums(
        pl.concat(sums),
        level=level,
        draws=draws,
        seed=seed,
        method=cast(Method, method),
        label_version=one_label_version(episodes.frame, None),
        clusters=episodes.clusters,
        unbounded=[known.name for known in asked if not known.bounded],
    )


def differences(
    episodes: Population,
    metrics: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    by: Sequence[str],
    policies: Sequence[str] = ("standard",),
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    adjustment: Literal["holm", "bh"] = "holm",
) -> pl.DataFrame:
    """Return the `contrasts` of pairs of groups; p-values are adjusted over all rows of a metric and policy.

    Args:
        episodes: whose groups are compared.
        metrics: names of metrics.
        pairs: (a, b), group names as `rates` gives them: `model=x`.
        by: columns that make a group.
        policies: names of policies.
        level: coverage of the intervals.
        draws: draws of clusters, and swaps.
        seed: seed of both.
        adjustment: how p-values are adjusted.

    Raises:
        UsageError: a metric, policy or column is unknown, or they do not go together.
        ContractError: a side has no episode.
    """
    asked = [metric(name) for name in dict.fromkeys(metrics)]
    groups, families = episodes.checked(by, asked), []
    for known in asked:
        for policy in policies if known.by_policy else policies[:1]:
            labels = scored(episodes.asked(known, groups), known, policy, groups).collect()
            rows = [
                contrast(
                    labels, known.name, a, b, policy,
                    level=level, draws=draws, seed=seed, clusters=episodes.clusters, bounded=known.bounded,
                )
                for a, b in pairs
            ]  # fmt: skip
            if rows:
                families.append(adjusted(pl.concat(rows), adjustment))
    return pl.concat(families) if families else pl.DataFrame()
