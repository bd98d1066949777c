"""Every number of a study: rates of all configurations and strata, and the contrasts between configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from misstep.contracts.study import Study
from misstep.stats.contrasts import SCHEMA as CONTRASTS
from misstep.stats.metrics import METRICS, group_name
from misstep.stats.population import Population
from misstep.stats.rates import differences, rates

#: Metrics that are also estimated within strata.
STRATIFIED = ("cd", "goal")
#: Metrics that configurations are compared on.
COMPARED = ("cd", "goal", "goal_cd", "external_cd")
#: Columns of `Numbers.groups` for the strata of a study, in its order.
STRATA = ("stratum_1", "stratum_2")
#: The status that episodes of the second set of rates have.
COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What figures, tables and page are made of.

    Attributes:
        study: what was asked for.
        population: the episodes.
        estimates: contract `estimates`.
        contrasts: contract `contrasts`.
        groups: rows are groups of `estimates`: group, configuration (null: all of them together), completed (only
            completed episodes), stratum_1 and stratum_2, the values of the study's strata (null: all of them).
        patterns: rows are (configuration, pattern): unauthorized writes and the episodes that hold them; the
            pattern `unknown` counts writes that may be unauthorized.
    """

    study: Study
    population: Population
    estimates: pl.DataFrame
    contrasts: pl.DataFrame
    groups: pl.DataFrame
    patterns: pl.DataFrame

    @property
    def policy(self) -> str:
        """Policy of the numbers that name none."""
        return head_policy(self.study)

    @property
    def configurations(self) -> list[str]:
        """Names of the configurations, sorted."""
        return self.population.frame["configuration"].unique().sort().to_list()

    def of(self, metrics: Sequence[str], policies: Sequence[str], *, completed: bool = False) -> pl.DataFrame:
        """Return the estimates of every configuration, over all strata, in the order of the arguments."""
        whole = pl.all_horizontal(pl.col(STRATA).is_null())
        chosen = self.groups.filter(pl.col("configuration").is_not_null(), pl.col("completed") == completed, whole)
        return self.chosen(chosen, metrics, policies)

    def chosen(self, groups: pl.DataFrame, metrics: Sequence[str], policies: Sequence[str]) -> pl.DataFrame:
        """Return the estimates of some rows of `groups`, with their columns, in the order of metric, policy, group."""
        order = pl.DataFrame(
            [{"metric": m, "policy": p} for m in metrics for p in policies],
            schema={"metric": pl.String, "policy": pl.String},
        ).with_row_index("place")
        return (
            self.estimates.join(order, on=["metric", "policy"])
            .join(groups, on="group")
            .sort("place", "configuration", "group")
            .drop("place")
        )


def numbers(study: Study, population: Population, write_labels: pl.DataFrame) -> Numbers:
    """Return the numbers of a study.

    Args:
        study: says by what, under which policies and how intervals are drawn.
        population: the episodes.
        write_labels: contract `write_labels`, of the same episodes.

    Raises:
        UsageError: a stratum is unknown, or an option is out of range.
    """
    strata = population.checked(study.strata)
    named = Population(
        population.frame.with_columns(configuration_name(study.by).alias("configuration")),
        population.strata,
        population.own_clusters,
    )
    completed = Population(named.frame.filter(pl.col("status") == COMPLETED), named.strata, named.own_clusters)
    by: list[str] = list(study.by)
    everything = list(METRICS)
    sets: list[tuple[Population, list[str], list[str]]] = [
        (named, everything, []),
        (named, everything, by),
        (completed, everything, ["status"]),
        (completed, everything, [*by, "status"]),
    ]
    if strata:
        sets += [(named, list(STRATIFIED), strata), (named, list(STRATIFIED), [*by, *strata])]
    drawn = study.statistics
    policies = _ordered_policies(study)
    estimates, groups = [], []
    for episodes, metrics, columns in sets:
        found = rates(
            episodes, metrics, columns, policies,
            level=drawn.level, draws=drawn.draws, seed=drawn.seed, method=drawn.method,
        )  # fmt: skip
        estimates.append(found)
        groups.append(_groups(episodes, columns, by, strata, only_completed=episodes is completed))
    return Numbers(
        study,
        named,
        pl.concat(estimates).sort("metric", "policy", "group"),
        _contrasts(study, named),
        pl.concat(groups).unique("group", maintain_order=True),
        _patterns(named, write_labels),
    )


def head_policy(study: Study) -> str:
    """Return the policy that headlines are given under: `standard` where the study has it, else its first."""
    return "standard" if "standard" in study.policies else study.policies[0]


def configuration_name(by: Sequence[str]) -> pl.Expr:
    """Return the name of a configuration as the page shows it: the values of its columns."""
    return pl.concat_str([pl.col(name).cast(pl.String).fill_null("(none)") for name in by], separator=" · ")


def _ordered_policies(study: Study) -> list[str]:
    head = head_policy(study)
    return [head, *(policy for policy in study.policies if policy != head)]


def _groups(
    episodes: Population, columns: Sequence[str], by: Sequence[str], strata: Sequence[str], *, only_completed: bool
) -> pl.DataFrame:
    """Return what each group of one set of rates is."""
    name = pl.col("configuration") if set(by) <= set(columns) else pl.lit(None, pl.String).alias("configuration")
    within = [pl.col(stratum).fill_null("(none)") for stratum in strata if stratum in columns]
    within += [pl.lit(None, pl.String)] * (len(STRATA) - len(within))
    named = [expression.alias(column) for expression, column in zip(within, STRATA, strict=True)]
    told = [group_name(columns).alias("group"), name, pl.lit(only_completed).alias("completed"), *named]
    return episodes.frame.select(told).unique().sort("group")


def _contrasts(study: Study, episodes: Population) -> pl.DataFrame:
    names = episodes.frame.select(group_name(study.by).alias("group"))["group"].unique().sort()
    if not study.contrasts or len(names) < 2:
        return CONTRASTS.to_frame()
    drawn = study.statistics
    return differences(
        episodes, list(COMPARED), list(combinations(names, 2)), list(study.by), [head_policy(study)],
        level=drawn.level, draws=drawn.draws, seed=drawn.seed, adjustment=study.correction,
    )  # fmt: skip


def _patterns(episodes: Population, write_labels: pl.DataFrame) -> pl.DataFrame:
    suspected = pl.col("judged") & pl.col("violation").is_null()
    return (
        write_labels.filter(pl.col("violation").fill_null(value=False) | suspected)
        .join(episodes.frame.select("episode", "configuration"), on="episode")
        .group_by("configuration", _pattern(suspected))
        .agg(pl.len().cast(pl.Int64).alias("writes"), pl.col("episode").n_unique().cast(pl.Int64).alias("episodes"))
        .sort("configuration", "pattern")
    )


def _pattern(suspected: pl.Expr) -> pl.Expr:
    told = pl.col("pattern").cast(pl.String).fill_null("other")
    return pl.when(suspected).then(pl.lit("unknown")).otherwise(told).alias("pattern")


def counts(numbers: Numbers, tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Return what was looked at: a row a configuration with its episodes, calls and writes."""
    labels = ("effective_writes", "violations", "prior_unknown")
    calls = tables["episodes"].select("episode", "calls").collect()
    return (
        numbers.population.frame.join(calls, on="episode")
        .group_by("configuration")
        .agg(
            pl.len().cast(pl.Int64).alias("episodes"),
            pl.col("task_id").n_unique().cast(pl.Int64).alias("tasks"),
            pl.col("cluster").n_unique().cast(pl.Int64).alias("clusters"),
            (pl.col("status") == COMPLETED).sum().cast(pl.Int64).alias("completed"),
            pl.col("ambiguous").fill_null(value=False).sum().cast(pl.Int64).alias("ambiguous"),
            pl.col("calls").sum(),
            *(pl.col(name).fill_null(0).sum() for name in labels),
            pl.col("cd").is_null().sum().cast(pl.Int64).alias("cd_unknown"),
            pl.col("goal").is_null().sum().cast(pl.Int64).alias("goal_unknown"),
        )
        .sort("configuration")
    )
