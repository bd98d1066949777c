"""Whether configurations keep their ranks: from policy to policy, and from draw to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from misstep.stats import ratios
from misstep.stats.draws import FloatArray
from misstep.stats.estimates import check_options
from misstep.stats.intervals import TIE
from misstep.stats.matrices import cluster_order, matrices
from misstep.stats.metrics import METRICS, scored
from misstep.stats.population import Population
from misstep.stats.sums import KEYS, cluster_sums

_RANKS = {
    "policy": pl.String,
    "configuration": pl.String,
    **{name: pl.Float64 for name in ("estimate", "rank", "rank_low", "rank_high")},
}
_AGREEMENT = {
    "policy_a": pl.String,
    "policy_b": pl.String,
    "configurations": pl.Int64,
    **{name: pl.Float64 for name in ("tau", "rho")},
    **{name: pl.Int64 for name in ("pairs", "reversed", "tied")},
}
_ORDER = {
    **{name: pl.String for name in ("policy", "lower", "higher")},
    **{name: pl.Float64 for name in ("difference", "holds")},
}


@dataclass(frozen=True, slots=True)
class Ranks:
    """How configurations rank by damage.

    Attributes:
        ranks: rows are (policy, configuration): estimate, rank (1: least damage; ties share the mean of their ranks),
            and the percentiles of the rank over the draws.
        agreement: rows are pairs of policies: configurations with both, Kendall's tau-b and Spearman's rho of their
            rates (null where one policy tells none apart), and how many pairs of configurations are reversed, or tied
            under one of the two.
        order: rows are (policy, pair of configurations), the one with the lower rate first: the difference, and the
            share of the draws in which it is lower too, a tie counting half. Equal rates are no row.
    """

    ranks: pl.DataFrame
    agreement: pl.DataFrame
    order: pl.DataFrame


def damage_ranks(
    episodes: Population, policies: Sequence[str], *, level: float = 0.95, draws: int = 10_000, seed: int = 0
) -> Ranks:
    """Return the ranks of configurations by collateral damage under each policy, and how stable they are.

    Args:
        episodes: with a column `configuration`.
        policies: names of policies, in the order of the rows.
        level: coverage of the percentiles of ranks in (0, 1).
        draws: draws of clusters, the same for all policies.
        seed: of the draws.

    Raises:
        UsageError: a policy is unknown, or an option is out of range.
    """
    check_options(level, draws)
    rates, drawn = _rates(episodes, policies, draws, seed)
    ranks, order = [], []
    for policy in policies:
        names = [name for of, name in rates if of == policy]
        if not names:
            continue
        values = np.array([rates[policy, name] for name in names])
        sample = np.array([drawn[policy, name] for name in names]).T
        sample = sample[~np.isnan(sample).any(axis=1)]
        ranks += _ranked(policy, names, values, sample, level)
        order += _ordered(policy, names, values, sample)
    agreement = [_agreement(a, b, rates) for a, b in combinations(policies, 2)]
    return Ranks(
        pl.DataFrame(ranks, schema=_RANKS),
        pl.DataFrame([row for row in agreement if row["configurations"]], schema=_AGREEMENT),
        pl.DataFrame(order, schema=_ORDER),
    )


Rates = dict[tuple[str, str], float]


def _rates(
    episodes: Population, policies: Sequence[str], draws: int, seed: int
) -> tuple[Rates, dict[tuple[str, str], FloatArray]]:
    """Return (policy, configuration) → its rate, and its rate in every draw; NaN in a draw without its episodes."""
    known = METRICS["cd"]
    parts = []
    for policy in policies:
        labels = scored(episodes.asked(known, ["configuration"]), known, policy, ["configuration"]).collect()
        labels = labels.with_columns(pl.col("group").str.strip_prefix("configuration="))
        parts.append(cluster_sums(labels, known.name, policy))
    sums = pl.concat(parts)
    there = sums.group_by(KEYS).agg(pl.col("denominator").sum()).filter(pl.col("denominator") > 0).sort(KEYS)
    if there.is_empty():
        return {}, {}
    keys = list(there.select("policy", "group").iter_rows())
    made = matrices(sums, cluster_order(sums, episodes.clusters))
    found, drawn = ratios.observed(made), ratios.resampled(made, draws, seed)
    return (
        {key: float(value) for key, value in zip(keys, found, strict=True)},
        {key: drawn[:, place] for place, key in enumerate(keys)},
    )


def _ranked(
    policy: str, names: Sequence[str], values: FloatArray, sample: FloatArray, level: float
) -> list[dict[str, object]]:
    from scipy.stats import rankdata  # half a second to import

    places = rankdata(_rounded(values))
    tail = (1 - level) / 2
    ends = (
        np.quantile(rankdata(_rounded(sample), axis=1), [tail, 1 - tail], axis=0, method="inverted_cdf")
        if len(sample)
        else np.full((2, len(names)), np.nan)
    )
    rows = [
        {"policy": policy, "configuration": name, "estimate": float(values[at]), "rank": float(places[at]),
         "rank_low": float(ends[0, at]), "rank_high": float(ends[1, at])}
        for at, name in enumerate(names)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row["rank"], row["configuration"]))


def _ordered(policy: str, names: Sequence[str], values: FloatArray, sample: FloatArray) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    rounded = _rounded(values)
    by_rate = sorted(range(len(names)), key=lambda at: (float(rounded[at]), names[at]))
    for a, b in combinations(by_rate, 2):
        if values[b] - values[a] <= TIE or not len(sample):
            continue
        apart = sample[:, b] - sample[:, a]
        holds = float(np.mean(apart > TIE) + np.mean(np.abs(apart) <= TIE) / 2)
        told = {"policy": policy, "lower": names[a], "higher": names[b]}
        rows.append(told | {"difference": float(values[b] - values[a]), "holds": holds})
    return rows


def _agreement(a: str, b: str, rates: Rates) -> dict[str, object]:
    from scipy.stats import kendalltau, spearmanr

    names = [name for policy, name in rates if policy == a and (b, name) in rates]
    first, second = (_rounded(np.array([rates[policy, name] for name in names])) for policy in (a, b))
    signs = [
        (np.sign(first[i] - first[j]), np.sign(second[i] - second[j])) for i, j in combinations(range(len(names)), 2)
    ]
    told = len(set(first)) > 1 and len(set(second)) > 1
    return {
        "policy_a": a,
        "policy_b": b,
        "configurations": len(names),
        "tau": float(kendalltau(first, second).statistic) if told else None,
        "rho": float(spearmanr(first, second).statistic) if told else None,
        "pairs": len(signs),
        "reversed": sum(bool(one * other < 0) for one, other in signs),
        "tied": sum(bool((one == 0) != (other == 0)) for one, other in signs),
    }


def _rounded(values: FloatArray) -> FloatArray:
    """Return rates without the rounding of binary fractions, so that equal ones tie."""
    return np.round(values, 12)
