"""Every number of a study: rates of all configurations and strata, and the contrasts between configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from misstep.contracts.study import Policy, Study
from misstep.report.violations import actions
from misstep.stats.conditions import SCHEMA as CONDITIONS
from misstep.stats.conditions import check_conditions, condition_contrasts
from misstep.stats.contrasts import SCHEMA as CONTRASTS
from misstep.stats.harnesses import harness_pairs
from misstep.stats.metrics import METRICS, group_name
from misstep.stats.population import Population
from misstep.stats.ranks import Ranks, damage_ranks
from misstep.stats.rates import differences, rates

#: Metrics that are also estimated within strata; those of single configurations under the policy of the page alone.
STRATIFIED = ("cd", "goal", "ab")
#: Metrics that configurations are compared on, as far as they apply.
COMPARED = ("cd", "goal", "goal_cd", "external_cd", "ecs_planned", "bsr", "par", "gold_par", "gold_bsr", "rule_par")
#: Axis → metrics that are also estimated for each of its values, as far as they apply.
ALONG = {
    "protocol": ("ecs", "ecs_planned", "investigation", "investigation_planned", "scored"),
    "rule": ("rule_par", "goal_given_rule_par"),
    "reads": ("ready", "covered"),
    "timing": ("timed",),
    "replicate": ("goal", "cd", "ecs", "ecs_planned"),
    "ambiguous": ("cd", "goal", "goal_cd", "fail_cd", "clean_goal", "cd_given_goal", "external_cd"),
}
#: Columns of `Numbers.groups` for the strata of a study, in its order.
STRATA = ("stratum_1", "stratum_2")
#: The status that episodes of the second set of rates have.
COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What figures, tables and page are made of.

    Attributes:
        study: what was asked for.
        population: the episodes, of the baseline where the study compares conditions.
        whole: the episodes of all conditions.
        estimates: contract `estimates`.
        contrasts: contract `contrasts`.
        groups: rows are groups of `estimates`: group, configuration (null: all of them together), completed (only
            completed episodes), stratum_1 and stratum_2, the values of the study's strata (null: all of them), axis
            and at, an axis of `ALONG` and its value (null: none).
        patterns: rows are (configuration, pattern): unauthorized writes and the episodes that hold them; the
            pattern `unknown` counts writes that may be unauthorized.
        conditions: rows are (configuration, condition, metric), as `condition_contrasts` has them.
        actions: rows are (tool, action, configuration): unauthorized writes, as `actions` has them.
        ranks: of the configurations by damage under each policy.
        harnesses: rows are pairs of harnesses of one model, as `harness_pairs` has them.
    """

    study: Study
    population: Population
    whole: Population
    estimates: pl.DataFrame
    contrasts: pl.DataFrame
    groups: pl.DataFrame
    patterns: pl.DataFrame
    conditions: pl.DataFrame
    actions: pl.DataFrame
    ranks: Ranks
    harnesses: pl.DataFrame

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
        whole = pl.all_horizontal(pl.col(*STRATA, "axis").is_null())
        chosen = self.groups.filter(pl.col("configuration").is_not_null(), pl.col("completed") == completed, whole)
        return self.chosen(chosen, metrics, policies)

    def along(self, axis: str, metrics: Sequence[str]) -> pl.DataFrame:
        """Return the estimates of every configuration for every value `at` of an axis, as far as there are episodes."""
        groups = self.groups.filter(pl.col("configuration").is_not_null(), pl.col("axis") == axis)
        found = self.chosen(groups, metrics, list(dict.fromkeys(["standard", self.policy])))
        return found.filter(pl.col("denominator") + pl.col("unknown") > 0)

    @property
    def has_evidence(self) -> bool:
        """Whether something is known of evidence: some task asks for it, or a standing rule is about some call."""
        return any(METRICS[name].evidence and name != "scored" for name in self.applied)

    @property
    def applied(self) -> list[str]:
        """Metrics that were estimated."""
        return [name for name in METRICS if name in set(self.estimates["metric"])]

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


def numbers(study: Study, population: Population, writes: pl.DataFrame) -> Numbers:
    """Return the numbers of a study.

    Args:
        study: says by what, under which policies and how intervals are drawn.
        population: the episodes, of all conditions.
        writes: `judged_writes` of the same episodes.

    Raises:
        UsageError: a stratum is unknown, an option is out of range, or a condition has no episode.
    """
    strata = population.checked(study.strata)
    whole = population.with_columns(configuration_name(study.by).alias("configuration"))
    named = whole if study.conditions is None else whole.of_baseline(study.conditions)
    check_conditions(study.conditions, whole)
    completed = named.where(pl.col("status") == COMPLETED)
    by: list[str] = list(study.by)
    applicable = applying(named)
    everything = [name for name in applicable if METRICS[name].along is None]
    policies = _ordered_policies(study)
    sets: list[tuple[Population, list[str], list[str], str | None, list[Policy]]] = [
        (named, everything, [], None, policies),
        (named, everything, by, None, policies),
        (completed, everything, ["status"], None, policies),
        (completed, everything, [*by, "status"], None, policies),
    ]
    for columns in dict.fromkeys((*((name,) for name in strata), tuple(strata))) if strata else ():
        sets.append((named, list(STRATIFIED), [*columns], None, policies))
        sets.append((named, list(STRATIFIED), [*by, *columns], None, policies[:1]))
    for along, offered in ALONG.items():
        if along == "replicate" and named.frame["replicate"].n_unique() < 2:
            continue
        if asked := [name for name in offered if name in applicable]:
            sets += [(named, asked, [*of, along], along, policies[:1]) for of in ([], by)]
    drawn = study.statistics
    estimates, groups = [], []
    for episodes, metrics, of, axis, under in sets:
        found = rates(
            episodes, metrics, of, under,
            level=drawn.level, draws=drawn.draws, seed=drawn.seed, method=drawn.method,
        )  # fmt: skip
        estimates.append(found)
        planned = METRICS["scored" if any(METRICS[name].planned for name in metrics) else "cd"]
        asking = episodes.asked(planned, of)
        groups.append(_groups(asking, of, by, strata, axis, only_completed=episodes is completed))
    return Numbers(
        study,
        named,
        whole,
        pl.concat(estimates).sort("metric", "policy", "group"),
        _contrasts(study, named, [name for name in COMPARED if name in applicable]),
        pl.concat(groups).unique(maintain_order=True),
        _patterns(named, writes),
        _conditions(study, whole),
        actions(writes, named.frame.select("episode", "configuration")),
        damage_ranks(named, policies, level=drawn.level, draws=drawn.draws, seed=drawn.seed),
        harness_pairs(named, "ecs_planned" if "ecs_planned" in applicable else "goal"),
    )


def applying(population: Population) -> list[str]:
    """Return the metrics that apply: those of side effects, and those of evidence that some episode belongs to."""
    found = []
    for name, metric in METRICS.items():
        columns = [axis for axis in (metric.macro, metric.along) if axis is not None]
        if not metric.evidence:
            found.append(name)
        elif set(columns) <= {*population.axes}:
            _, member = metric.under("standard")
            if population.asked(metric, columns).select(member.any()).collect().item():
                found.append(name)
    return found


def head_policy(study: Study) -> Policy:
    """Return the policy that headlines are given under: `standard` where the study has it, else its first."""
    return "standard" if "standard" in study.policies else study.policies[0]


def configuration_name(by: Sequence[str]) -> pl.Expr:
    """Return the name of a configuration as the page shows it: the values of its columns."""
    return pl.concat_str([pl.col(name).cast(pl.String).fill_null("(none)") for name in by], separator=" · ")


def _ordered_policies(study: Study) -> list[Policy]:
    head = head_policy(study)
    return [head, *(policy for policy in study.policies if policy != head)]


def _groups(
    episodes: pl.LazyFrame,
    columns: Sequence[str],
    by: Sequence[str],
    strata: Sequence[str],
    axis: str | None,
    *,
    only_completed: bool,
) -> pl.DataFrame:
    """Return what each group of one set of rates is."""
    name = pl.col("configuration") if set(by) <= set(columns) else pl.lit(None, pl.String).alias("configuration")
    within = [pl.col(name).fill_null("(none)") if name in columns else pl.lit(None, pl.String) for name in strata]
    within += [pl.lit(None, pl.String)] * (len(STRATA) - len(within))
    named = [expression.alias(column) for expression, column in zip(within, STRATA, strict=True)]
    named.append(pl.lit(axis, pl.String).alias("axis"))
    named.append((pl.lit(None) if axis is None else pl.col(axis)).cast(pl.String).alias("at"))
    told = [group_name(columns).alias("group"), name, pl.lit(only_completed).alias("completed"), *named]
    return episodes.select(told).unique().sort("group").collect()


def _contrasts(study: Study, episodes: Population, metrics: Sequence[str]) -> pl.DataFrame:
    names = episodes.frame.select(group_name(study.by).alias("group"))["group"].unique().sort()
    if not study.contrasts or len(names) < 2:
        return CONTRASTS.to_frame()
    drawn = study.statistics
    return differences(
        episodes, metrics, list(combinations(names, 2)), list(study.by), [head_policy(study)],
        level=drawn.level, draws=drawn.draws, seed=drawn.seed, adjustment=study.correction,
    )  # fmt: skip


def _conditions(study: Study, episodes: Population) -> pl.DataFrame:
    if study.conditions is None:
        return CONDITIONS.to_frame()
    drawn = study.statistics
    return condition_contrasts(
        episodes, study.conditions, list(study.by), head_policy(study),
        level=drawn.level, draws=drawn.draws, seed=drawn.seed, adjustment=study.correction,
    )  # fmt: skip


def _patterns(episodes: Population, writes: pl.DataFrame) -> pl.DataFrame:
    suspected = pl.col("judged") & pl.col("violation").is_null()
    return (
        writes.filter(pl.col("violation").fill_null(value=False) | suspected)
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
