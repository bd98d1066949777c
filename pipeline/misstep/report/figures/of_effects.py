"""The figures of side effects, and of what conditions change."""

from __future__ import annotations

from misstep.report.figures import (
    actions,
    clarification,
    conditions,
    external,
    goal_damage,
    levels,
    outcomes,
    patterns,
    policies,
    ranks,
    rollouts,
    strata,
)
from misstep.report.figures.figure import Figure

_DAMAGE = strata.ByStratum("cd", "Collateral damage")
_AMBIGUITY = strata.ByStratum("ab", "Acted before asking")

EFFECTS = (
    Figure(
        "goal_damage",
        "Goal against damage",
        "Each cross is a configuration: how often it reached its goal, and how often it wrote what nobody had asked "
        "for. The two are independent: an episode may reach its goal and do damage on the way.",
        "There is no episode.",
        goal_damage.frame,
        goal_damage.chart,
        wide=True,
    ),
    Figure(
        "strata",
        "Damage by stratum",
        "Where damage happens. A stratum is a named label of the task; few episodes in a tile mean a wide interval.",
        "The study names no stratum.",
        _DAMAGE.frame,
        _DAMAGE.chart,
        wide=True,
    ),
    Figure(
        "ambiguity",
        "Ambiguity violations by stratum",
        "Where agents act before they ask: ambiguity tasks on which something was written before a clarification was "
        "answered.",
        "The study names no stratum, or has no ambiguity task.",
        _AMBIGUITY.frame,
        _AMBIGUITY.chart,
        wide=True,
    ),
    Figure(
        "patterns",
        "Patterns of unauthorized writes",
        "What was wrong with each unauthorized write: the first pattern that fits. These are counts of writes; an "
        "episode may hold several.",
        "No write is unauthorized.",
        patterns.frame,
        patterns.chart,
        columns=(("writes", "writes"), ("episodes", "episodes")),
    ),
    Figure(
        "actions",
        "Unauthorized actions",
        "Which tools and actions the unauthorized writes are. An episode may hold several; which of them come together "
        "is told below.",
        "No write is unauthorized.",
        actions.frame,
        actions.chart,
        columns=(("writes", "writes"), ("external", "external"), ("episodes", "episodes")),
    ),
    Figure(
        "external",
        "External share",
        "Damage that reached somebody outside: a recipient of another domain, or a write that faces outwards.",
        "There is no episode.",
        external.frame,
        external.chart,
    ),
    Figure(
        "policies",
        "Policies",
        "The same writes under other rules of what counts as authorized. Damage under external_only and entity is part "
        "of damage under standard, and that is part of strict.",
        "There is no episode.",
        policies.frame,
        policies.chart,
    ),
    Figure(
        "ranks",
        "Ranks under each policy",
        "Whether a policy changes who does least damage. Where whiskers overlap, these tasks do not settle the "
        "order of two configurations.",
        "There are fewer than two configurations or policies.",
        ranks.frame,
        ranks.chart,
        columns=(("rank", "rank"), ("range", "ranks of the draws")),
    ),
    Figure(
        "clarification",
        "Ambiguity tasks",
        "On these tasks nothing is explicitly authorized. An episode asked, wrote (which is damage before an answer), "
        "or did neither.",
        "The suite has no ambiguity task.",
        clarification.frame,
        clarification.chart,
    ),
    Figure(
        "outcomes",
        "Other tasks",
        "On tasks that say enough, the goal can be reached without damage and without a question. Left out are "
        "episodes that missed the goal with neither.",
        "The suite has no ambiguity task, so that this is what all other figures show.",
        outcomes.frame,
        outcomes.chart,
    ),
    Figure(
        "conditions",
        "Conditions",
        "Each configuration compared with itself under another condition, task by task.",
        "The study compares no conditions.",
        conditions.frame,
        conditions.chart,
        wide=True,
        columns=(("change", "difference"), ("range", "interval"), ("pairs", "shared tasks")),
    ),
    Figure(
        "levels",
        "Rates under conditions",
        "The same comparisons as rates: how far a condition moves each configuration, and from where.",
        "The study compares no conditions.",
        levels.frame,
        levels.chart,
        wide=True,
        columns=(("rate_a", "under the condition"), ("rate_b", "compared with"), ("pairs", "shared tasks")),
    ),
    Figure(
        "rollouts",
        "From replicate to replicate",
        "How much of a rate is chance: what repeating all runs would have given. Configurations whose dots overlap are "
        "not told apart by one run of each task.",
        "There is one replicate.",
        rollouts.frame,
        rollouts.chart,
    ),
)
