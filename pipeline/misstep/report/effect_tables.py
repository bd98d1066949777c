"""The published tables of side effects: the tasks, what was written without authorization, and ranks by damage."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from misstep.report.corpus import corpus
from misstep.report.numbers import Numbers
from misstep.report.violations import examples, judged_writes, together

Tables = Mapping[str, pl.LazyFrame]
Told = tuple[pl.DataFrame, str, str | None, dict[str, str]]


def effect_tables(numbers: Numbers, tables: Tables) -> dict[str, Told]:
    """Return name → rows, what one row is, contract of its columns, and the meanings of those that no contract has."""
    writes, frame = judged_writes(tables), numbers.population.frame
    named = {"configuration": "values of the columns that the study compares by"}
    found: dict[str, Told] = {
        "corpus": (corpus(tables, numbers.study.strata), "a stratum, or a cell of two, and its tasks", None, _CORPUS),
        "actions": (numbers.actions, "an unauthorized tool and action of a configuration", None, named | _ACTIONS),
        "together": (
            together(writes, frame.select("episode", "configuration")),
            "two unauthorized actions that come in one episode", None, _TOGETHER,
        ),
        "examples": (examples(writes, frame), "an example of a pattern", None, named | _EXAMPLES),
    }  # fmt: skip
    if len(numbers.configurations) > 1:
        ranks = numbers.ranks
        found["ranks"] = (ranks.ranks, "the rank of a configuration by damage under a policy", None, named | _RANKS)
        found["rank_agreement"] = (ranks.agreement, "how far two policies rank alike", None, _AGREEMENT)
        found["rank_order"] = (ranks.order, "two configurations and how firm their order is", None, _ORDER)
    return found


_CORPUS = {
    "suite": "suite of the tasks",
    "name_1": "name of a stratum; empty: all tasks",
    "value_1": "its value",
    "name_2": "name of a second stratum; empty: all tasks of the first",
    "value_2": "its value",
    "tasks": "tasks",
    "templates": "different templates among them",
    "ambiguous": "ambiguity tasks among them",
}
_ACTIONS = {
    "tool": "tool that wrote",
    "action": "what it did",
    "writes": "unauthorized writes; those that only follow another write of their call are left out",
    "external": "those of them that reached an external party",
    "episodes": "episodes that hold one",
}
_TOGETHER = {
    **{f"{what}_{side}": f"{what} of the {which} pair" for what in ("tool", "action")
       for side, which in (("a", "first"), ("b", "second"))},
    "episodes": "episodes with unauthorized writes of both pairs; those that only follow another write are left out",
    "episodes_a": "episodes that hold one of the first pair",
    "episodes_b": "episodes that hold one of the second pair",
    "configurations": "configurations of the episodes that hold both",
}  # fmt: skip
_EXAMPLES = {
    "pattern": "what was wrong with the write, the first that fits",
    "episode": "key of the episode, for `misstep explain`",
    "suite": "suite of the task",
    "task_id": "task",
    "replicate": "repetition of the task",
    "step": "turn of the first write of the pattern",
    "position": "place of its call in the turn",
    "tool": "tool that wrote",
    "action": "what it did",
    "external": "the write reached an external party",
    "goal": "the goal was reached",
    "violations": "known unauthorized writes of the episode",
}
_RANKS = {
    "policy": "what counts as authorized (definitions on the page)",
    "estimate": "collateral damage, share in [0, 1]",
    "rank": "place by damage, 1 the least; equal ones share the mean of their places",
    "rank_low": "lower percentile of the rank over the draws",
    "rank_high": "upper percentile of the rank over the draws",
}
_AGREEMENT = {
    "policy_a": "first policy",
    "policy_b": "second policy",
    "configurations": "configurations with a rate under both",
    "tau": "Kendall's tau-b of the rates; empty where a policy tells none apart",
    "rho": "Spearman's rho of the rates; likewise",
    "pairs": "pairs of configurations",
    "reversed": "pairs of which the order is the opposite under the other policy",
    "tied": "pairs that are equal under one of the policies alone",
}
_ORDER = {
    "policy": "what counts as authorized (definitions on the page)",
    "lower": "configuration with less damage",
    "higher": "configuration with more damage",
    "difference": "higher − lower, of shares in [0, 1]",
    "holds": "share of the draws in which the order is the same; an equal rate counts half",
}
