"""Is a requirement supported, missing, violated, or of no concern?"""

from __future__ import annotations

import polars as pl

from misstep.label.evidence.hits import BY
from misstep.label.evidence.met import CONTEXT_PLACE
from misstep.label.kleene import every, some

_ROLES = {"inactive": "INACTIVE", "violated": "VIOLATED", "supported": "SUPPORTED"}


def roles(demands: pl.LazyFrame, met: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row a (obligation, role): whether one of the alternatives holds; place and by of the earliest.

    All conditions of an alternative must hold; it holds since the last of them. `reason`: name of the first that does.
    """
    at = pl.col("place").fill_null(CONTEXT_PLACE)
    last = at == at.max()
    alternatives = (
        demands.select("demand", "obligation", "role", "alternative", "reason")
        .join(met, on="demand", how="inner")
        .sort("demand")
        .group_by("obligation", "role", "alternative", maintain_order=True)
        .agg(
            every(pl.col("holds")).alias("holds"),
            pl.col("place", "by").filter(last).first(),
            pl.col("reason").first(),
        )
    )
    holding = pl.col("holds").fill_null(False)
    order = at * len(BY.categories) + pl.col("by").to_physical().fill_null(len(BY.categories) - 1)
    return (
        alternatives.sort("obligation", "role", "alternative")
        .group_by("obligation", "role", maintain_order=True)
        .agg(
            some(pl.col("holds")).alias("holds"),
            pl.col("place", "by").filter(holding).sort_by(order.filter(holding), maintain_order=True).first(),
            pl.col("reason").filter(holding).first(),
        )
    )


def statuses(obligations: pl.LazyFrame, roles: pl.LazyFrame) -> pl.LazyFrame:
    """Return the obligations with status (null: unknown), place, by and reason: INACTIVE, VIOLATED, SUPPORTED, MISSING.

    The first that fits; where calls were lost nothing is certainly missing. Source: [E], requirement status.
    """
    joined = obligations
    for role in _ROLES:
        of_role = (
            roles.filter(pl.col("role") == role)
            .select(
                "obligation", *(pl.col(name).alias(f"{role}_{name}") for name in ("holds", "place", "by", "reason"))
            )
            .with_columns(pl.lit(True).alias(f"{role}_asked"))
        )
        joined = joined.join(of_role, on="obligation", how="left")
    answer: pl.Expr = pl.when(~pl.col("lost")).then(pl.lit("MISSING"))
    for role in reversed(_ROLES):
        holds = pl.when(pl.col(f"{role}_asked").is_null()).then(pl.lit(False)).otherwise(f"{role}_holds")
        answer = pl.when(holds).then(pl.lit(_ROLES[role])).when(~holds).then(answer)
    supported = pl.col("status") == "SUPPORTED"
    return joined.with_columns(pl.when(pl.col("applies").fill_null(False)).then(answer).alias("status")).select(
        *obligations.collect_schema().names(),
        "status",
        pl.when(supported).then("supported_place").alias("place"),
        pl.when(supported).then("supported_by").alias("by"),
        pl.when(pl.col("status") == "MISSING")
        .then("missing_reason")
        .when(pl.col("status") == "VIOLATED")
        .then("violated_reason")
        .alias("reason"),
    )
