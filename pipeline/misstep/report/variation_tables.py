"""The published tables of what varies though the model does not: its harness, and the replicate."""

from __future__ import annotations

import polars as pl

from misstep.report.numbers import STRATA, Numbers

Told = tuple[pl.DataFrame, str, str | None, dict[str, str]]


def variation_tables(numbers: Numbers) -> dict[str, Told]:
    """Return name → rows, what one row is, contract of its columns, and meanings, as far as there is such a thing."""
    found: dict[str, Told] = {}
    if numbers.harnesses.height:
        found["harnesses"] = (harnesses(numbers), "a model in two harnesses, run by run", None, _HARNESSES)
    if (rows := rollouts(numbers)).height:
        found["rollouts"] = (rows, "a rate of a configuration, from replicate to replicate", None, _ROLLOUTS)
    return found


def harnesses(numbers: Numbers) -> pl.DataFrame:
    """Return the pairs of harnesses with the paired difference, where the study compares its configurations."""
    whole = pl.all_horizontal(pl.col(*STRATA, "axis").is_null()) & ~pl.col("completed")
    named = numbers.groups.filter(pl.col("configuration").is_not_null(), whole).select("group", "configuration")
    both = numbers.contrasts.join(named, left_on="a", right_on="group")
    both = both.join(named, left_on="b", right_on="group", suffix="_b")
    names = ("configuration", "configuration_b")
    ends = ("difference", "low", "high")
    told = both.select("metric", *_named(names), *ends, "p_adjusted")
    turned = both.select(
        "metric",
        *_named(names[::-1]),
        *((-pl.col(other)).alias(end) for end, other in zip(ends, ("difference", "high", "low"), strict=True)),
        "p_adjusted",
    )
    pairs = pl.concat([told, turned]).unique(["metric", "first", "second"], maintain_order=True)
    return numbers.harnesses.join(pairs, on=["metric", "first", "second"], how="left", maintain_order="left")


def _named(names: tuple[str, str]) -> list[pl.Expr]:
    return [pl.col(name).alias(side) for name, side in zip(names, ("first", "second"), strict=True)]


def rollouts(numbers: Numbers) -> pl.DataFrame:
    """Return mean, standard deviation, least and greatest rate over the replicates of every configuration."""
    rate = pl.col("estimate")
    return (
        numbers.along("replicate", ["ecs", "ecs_planned", "goal", "cd"])
        .filter(rate.is_not_null())
        .group_by("configuration", "metric", "policy")
        .agg(
            pl.len().cast(pl.Int64).alias("replicates"),
            rate.mean().alias("mean"),
            rate.std(ddof=1).alias("sd"),
            rate.min().alias("least"),
            rate.max().alias("greatest"),
        )
        .sort("metric", "policy", "configuration")
    )


_HARNESSES = {
    "metric": "what is counted (definitions on the page)",
    "model": "model of both configurations",
    "first": "configuration in the first harness",
    "second": "configuration in the second harness",
    "pairs": "pairs of runs of one task and replicate",
    "both": "pairs in which both have the label",
    "only_first": "pairs in which the first alone has it",
    "only_second": "pairs in which the second alone has it",
    "neither": "pairs in which neither has it",
    "unknown": "pairs in which it is unknown of one",
    "difference": "rate of the first − rate of the second, on the tasks that both ran",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "p_adjusted": "p, adjusted over all pairs of configurations",
}
_ROLLOUTS = {
    "configuration": "values of the columns that the study compares by",
    "metric": "what is counted (definitions on the page)",
    "policy": "what counts as authorized (definitions on the page)",
    "replicates": "replicates that have a rate",
    "mean": "mean of their rates, share in [0, 1]",
    "sd": "standard deviation of their rates (n − 1 in the denominator)",
    "least": "least of their rates",
    "greatest": "greatest of their rates",
}
