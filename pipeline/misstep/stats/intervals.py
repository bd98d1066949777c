"""Two-sided intervals from draws and from counts. Every function returns (low, high)."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from misstep.stats.draws import FloatArray

NORMAL = NormalDist()
TIE = 1e-12
"""Rates nearer than this are equal: they differ by rounding alone."""


def percentile(draws: FloatArray, level: float) -> tuple[float, float]:
    """Return the percentile interval of one group's draws; there must be at least one, none NaN."""
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def bca(draws: FloatArray, estimate: float, left_out: FloatArray, level: float) -> tuple[float, float] | None:
    """Return the bias-corrected and accelerated interval, or None where the correction is not defined.

    Args:
        draws: rates of the draws, none NaN.
        estimate: rate of the data.
        left_out: rates with one cluster left out, none NaN.
        level: coverage in (0, 1).
    """
    below = float(np.mean(draws < estimate - TIE) + np.mean(np.abs(draws - estimate) <= TIE) / 2)
    if not 0 < below < 1:
        return None
    bias = NORMAL.inv_cdf(below)
    away = left_out.mean() - left_out
    spread = float(np.sum(away**2))
    acceleration = float(np.sum(away**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    shares = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shift = bias + NORMAL.inv_cdf(tail)
        if acceleration * shift >= 1:
            return None
        shares.append(NORMAL.cdf(bias + shift / (1 - acceleration * shift)))
    low, high = np.quantile(draws, shares)
    return float(low), float(high)


def studentized(
    draws: FloatArray, errors: FloatArray, estimate: float, error: float, level: float, most: float = 1.0
) -> tuple[float, float] | None:
    """Return the studentized interval inside [0, most], or None where no draw has an error of its own.

    Args:
        draws: rates of the draws, none NaN.
        errors: standard error of each draw; draws without one say nothing and are left out.
        estimate: rate of the data.
        error: standard error of the data.
        level: coverage in (0, 1).
        most: greatest value that there can be.
    """
    usable = errors > TIE
    if not usable.any() or error <= TIE:
        return None
    pivots = (draws[usable] - estimate) / errors[usable]
    tail = (1 - level) / 2
    lower, upper = np.quantile(pivots, [tail, 1 - tail])
    return max(0.0, float(estimate - upper * error)), min(most, float(estimate - lower * error))


def wilson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the Wilson score interval of a single proportion; there must be trials."""
    z2 = NORMAL.inv_cdf((1 + level) / 2) ** 2
    share = successes / trials
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = (z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) ** 0.5 / (1 + z2 / trials)
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    return low, 1.0 if successes >= trials else min(1.0, centre + half)


def clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the exact interval of a single proportion; there must be trials.

    No or only successes have a closed form. A fractional number of successes is allowed: the quantiles of
    the beta distribution are defined for it.
    """
    tail = (1 - level) / 2
    if successes <= 0:
        return 0.0, 1 - tail ** (1 / trials)
    if successes >= trials:
        return tail ** (1 / trials), 1.0
    from scipy.special import betaincinv  # half a second to import, and rarely needed

    low = betaincinv(successes, trials - successes + 1, tail)
    high = betaincinv(successes + 1, trials - successes, 1 - tail)
    return float(low), float(high)


def exact_clusters(estimate: float, clusters: int, level: float) -> tuple[float, float]:
    """Return the exact interval that takes each cluster for one trial.

    For rates in which all clusters agree, so that resampling them shows no spread: all labels false, all
    true, or the same share in every cluster.
    """
    return clopper_pearson(estimate * clusters, clusters, level)
