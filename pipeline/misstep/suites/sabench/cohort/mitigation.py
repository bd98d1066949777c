"""The study of two policies against side effects: what changes on some of the tasks for three configurations.

The effects lie within the printed ranges: asking for confirmation avoids 52 to 71 % of the damage and costs 13 to 17
points of the goal rate; previews cost less, and avoid much of the damage of Qwen 3.5 Plus only. [S] names no other
configuration of that study.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from misstep.contracts.errors import ContractError
from misstep.suites.sabench.cohort.outcomes import OUTCOMES, Outcome, repertoire
from misstep.suites.sabench.cohort.plan import Role
from misstep.suites.sabench.conditions import CONFIRMATION, PREVIEWED, Condition
from misstep.suites.sabench.sources import Instance

TASKS = 115
_BY_NAME: dict[str, Outcome] = {outcome.name: outcome for outcome in OUTCOMES}
ASKED, NEEDLESS, CLEAN, MISSED = (_BY_NAME[name] for name in ("asked", "asked needlessly", "clean", "missed"))


@dataclass(frozen=True)
class Effect:
    """What a condition does to a configuration.

    Attributes:
        avoided: about what share of the episodes with damage are without.
        goals_lost: how many goals fewer are reached.
        least: no smaller share is avoided.
        most: no greater share is avoided.
    """

    avoided: float
    goals_lost: int
    least: float = 0.0
    most: float = 1.0

    def episodes(self, damaged: int) -> int:
        """Return how many of so many episodes with damage are without."""
        return min(max(round(self.avoided * damaged), math.ceil(self.least * damaged)), math.floor(self.most * damaged))


#: Shares of the damage that asking for confirmation avoids. Source: [S].
PRINTED = (0.52, 0.71)
EFFECTS: dict[Condition, dict[str, Effect]] = {
    CONFIRMATION: {
        "Qwen 3.5 Plus": Effect(0.71, 19, *PRINTED),
        "model-09": Effect(0.52, 15, *PRINTED),
        "model-10": Effect(0.61, 17, *PRINTED),
    },
    PREVIEWED: {
        "Qwen 3.5 Plus": Effect(0.57, 5),
        "model-09": Effect(0.12, 4),
        "model-10": Effect(0.15, 6),
    },
}


def studied(instances: Sequence[Instance], seed: int) -> list[Instance]:
    """Return the tasks of the study: whole templates, of every cell in turn.

    Raises:
        ContractError: no choice of this kind has as many tasks.
    """
    templates: dict[str, list[Instance]] = {}
    for instance in instances:
        templates.setdefault(str(instance.task.template_id), []).append(instance)
    cells: dict[tuple[str, str], list[str]] = {}
    for name, tasks in templates.items():
        strata = tasks[0].task.strata
        cells.setdefault((strata["trap"], strata["structure"]), []).append(name)
    draw = random.Random(f"{seed}/studied")
    turns = [sorted(names, key=lambda _: draw.random()) for names in cells.values()]
    order = [names[turn] for turn in range(max(map(len, turns))) for names in turns if turn < len(names)]
    chosen = _summing_up(order, {name: len(tasks) for name, tasks in templates.items()}, TASKS)
    if chosen is None:
        raise ContractError(f"no templates have {TASKS} tasks together")
    return [instance for instance in instances if instance.task.template_id in chosen]


def _summing_up(order: Sequence[str], sizes: Mapping[str, int], total: int) -> set[str] | None:
    """Return the first names in order whose sizes make up a total, leaving out as late a one as can be."""
    reached: dict[int, tuple[str, ...]] = {0: ()}
    for name in order:
        for size, names in sorted(reached.items(), reverse=True):
            reached.setdefault(size + sizes[name], (*names, name))
        if total in reached:
            return set(reached[total])
    return None


def under(condition: Condition, roles: Sequence[Role], tasks: Sequence[Instance], seed: int) -> list[Role]:
    """Return the roles of the study under a condition, from those that its configurations have without it."""
    names = {instance.task.task_id for instance in tasks}
    changed = []
    for configuration, effect in EFFECTS[condition].items():
        mine = [role for role in roles if role.configuration == configuration and role.instance.task.task_id in names]
        changed += _changed(mine, condition, effect, seed)
    return changed


def _changed(roles: Sequence[Role], condition: Condition, effect: Effect, seed: int) -> list[Role]:
    """Return roles with part of the damage avoided, and goals lost until as many are lost as the effect says."""
    draw = random.Random(f"{seed}/{condition.name}/{roles[0].configuration}")
    order = sorted(range(len(roles)), key=lambda _: draw.random())
    outcomes = [role.outcome for role in roles]
    damaged = [place for place in order if outcomes[place].cd]
    settled = NEEDLESS if condition is CONFIRMATION else CLEAN
    for place in damaged[: effect.episodes(len(damaged))]:
        outcomes[place] = ASKED if outcomes[place].ambiguous else settled
    spoilt = NEEDLESS if condition is CONFIRMATION else MISSED
    for place in (place for place in order if outcomes[place] == CLEAN):
        if sum(role.outcome.goal for role in roles) - sum(one.goal for one in outcomes) >= effect.goals_lost:
            break
        outcomes[place] = spoilt
    return [
        role if role.outcome == outcome else replace(role, outcome=outcome, script=_script(role, outcome, draw))
        for role, outcome in zip(roles, outcomes, strict=True)
    ]


def _script(role: Role, outcome: Outcome, draw: random.Random) -> str:
    return draw.choice(repertoire(role.instance)[outcome])
