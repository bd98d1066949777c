"""Tables that `estimate` and `compare` write."""

from __future__ import annotations

import dataframely as dy


class Estimates(dy.Schema):
    """A rate with its interval."""

    metric = dy.String(primary_key=True)
    policy = dy.String(primary_key=True)
    group = dy.String(primary_key=True, description="`name=value`, several joined by `, `; `all`")
    numerator = dy.Int64(description="episodes with the label")
    denominator = dy.Int64(description="known episodes it is a share of")
    estimate = dy.Float64(nullable=True, description="share in [0, 1]")
    low = dy.Float64(nullable=True)
    high = dy.Float64(nullable=True)
    method = dy.String()
    level = dy.Float64()
    clusters = dy.Int64(description="resampling units with a known episode")
    episodes = dy.Int64(description="episodes of the group")
    replicates = dy.Int64()
    draws = dy.Int64()
    seed = dy.Int64()
    unknown = dy.Int64(description="episodes whose membership or label is unknown")
    floor = dy.Float64(nullable=True, description="estimate if no unknown episode had the label")
    ceiling = dy.Float64(nullable=True, description="estimate if every unknown episode had it")
    label_version = dy.String()


class Contrasts(dy.Schema):
    """A paired difference of two configurations."""

    metric = dy.String(primary_key=True)
    policy = dy.String(primary_key=True)
    group = dy.String(primary_key=True, description="what both sides share")
    a = dy.String(primary_key=True)
    b = dy.String(primary_key=True)
    estimate_a = dy.Float64(nullable=True)
    estimate_b = dy.Float64(nullable=True)
    difference = dy.Float64(nullable=True, description="a - b")
    low = dy.Float64(nullable=True)
    high = dy.Float64(nullable=True)
    p = dy.Float64(nullable=True, description="swap test")
    p_adjusted = dy.Float64(nullable=True)
    clusters = dy.Int64(description="clusters that both sides have")
    pairs = dy.Int64(description="tasks that both sides have")
    dropped = dy.Int64(description="clusters that only one side has")
    method = dy.String()
