"""Tables that `estimate` and `compare` write."""

from __future__ import annotations

import dataframely as dy


class Estimates(dy.Schema):
    """A rate, or a mean, with its interval."""

    metric = dy.String(primary_key=True, description="name of the metric")
    policy = dy.String(primary_key=True, description="what counts as damage: standard, strict, entity or external_only")
    group = dy.String(primary_key=True, description="`name=value`, several joined by `, `; `all`")
    numerator = dy.Float64(description="known episodes with the label; of a mean, the sum of their values")
    denominator = dy.Int64(description="known episodes it is a share of, or a mean over")
    estimate = dy.Float64(nullable=True, description="share in [0, 1], or mean")
    low = dy.Float64(nullable=True, description="lower bound of the interval")
    high = dy.Float64(nullable=True, description="upper bound of the interval")
    method = dy.String(description="how the interval was found, or why there is none")
    level = dy.Float64(description="coverage of the interval, such as 0.95")
    clusters = dy.Int64(description="resampling units with a known episode")
    episodes = dy.Int64(description="episodes of the group")
    replicates = dy.Int64(description="repetitions that the rate is a mean of")
    draws = dy.Int64(description="draws that the interval rests on")
    seed = dy.Int64(description="seed of the draws")
    unknown = dy.Int64(description="episodes whose membership or label is unknown")
    floor = dy.Float64(nullable=True, description="estimate if no unknown episode had the label")
    ceiling = dy.Float64(nullable=True, description="estimate if every unknown episode had it; null: no bound")
    label_version = dy.String(description="version of the definitions")


class Contrasts(dy.Schema):
    """A paired difference of two configurations."""

    metric = dy.String(primary_key=True, description="name of the metric")
    policy = dy.String(primary_key=True, description="what counts as damage: standard, strict, entity or external_only")
    group = dy.String(primary_key=True, description="what both sides share")
    a = dy.String(primary_key=True, description="first side, `name=value`")
    b = dy.String(primary_key=True, description="second side, `name=value`")
    estimate_a = dy.Float64(nullable=True, description="rate of the first side, share in [0, 1], or its mean")
    estimate_b = dy.Float64(nullable=True, description="rate of the second side, share in [0, 1], or its mean")
    difference = dy.Float64(nullable=True, description="a - b")
    low = dy.Float64(nullable=True, description="lower bound of the difference")
    high = dy.Float64(nullable=True, description="upper bound of the difference")
    p = dy.Float64(nullable=True, description="swap test")
    p_adjusted = dy.Float64(nullable=True, description="p, adjusted for the other comparisons of the family")
    clusters = dy.Int64(description="clusters that both sides have")
    pairs = dy.Int64(description="tasks that both sides have and the metric asks about")
    only_a = dy.Int64(nullable=True, description="pairs of runs of which the first alone has the label; null: a mean")
    only_b = dy.Int64(nullable=True, description="pairs of runs of which the second alone has the label; null: a mean")
    dropped = dy.Int64(description="clusters that only one side has")
    method = dy.String(description="how the interval was found, or why there is none")
