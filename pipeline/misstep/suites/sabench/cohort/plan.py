"""The plan of the cohort: how every episode is to end, and by which script."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from operator import itemgetter
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from misstep.contracts.errors import ContractError
from misstep.suites.counts import Margin, nearest
from misstep.suites.sabench.cohort.fit import proportional_fit
from misstep.suites.sabench.cohort.margins import margins
from misstep.suites.sabench.cohort.outcomes import OUTCOMES, Outcome, repertoire
from misstep.suites.sabench.cohort.space import CONFIGURATIONS, Cell, Space
from misstep.suites.sabench.sources import Instance

#: No two configurations end alike on a greater share of the tasks.
MOST_ALIKE = 0.9


@dataclass(frozen=True)
class Role:
    """What a configuration does on a task: the way it ends, and the script that ends so."""

    configuration: str
    instance: Instance
    outcome: Outcome
    script: str


def plan(instances: Sequence[Instance], published: Path, seed: int) -> list[Role]:
    """Return a role for every configuration and task, so that all margins hold.

    Args:
        instances: the tasks.
        published: folder of the printed figures.
        seed: of the choices that the margins leave open.

    Raises:
        ContractError: no plan meets the margins with what the scripts of the tasks can do, or two configurations are
            alike on too many tasks.
    """
    cells: dict[Cell, list[Instance]] = {}
    for instance in instances:
        strata = instance.task.strata
        cells.setdefault((strata["trap"], strata["structure"]), []).append(instance)
    space = Space.of({cell: len(tasks) for cell, tasks in cells.items()})
    conditions = margins(space, published)
    counts = nearest(proportional_fit(space, conditions), [*conditions, *_possible(space, cells)])
    wanted: dict[tuple[str, Cell], list[Outcome]] = {}
    for part, count in zip(space.parts, counts, strict=True):
        wanted.setdefault((part.configuration, part.cell), []).extend([part.outcome] * round(count))
    roles = [
        role
        for configuration in CONFIGURATIONS
        for cell, tasks in cells.items()
        for role in _cast(configuration, tasks, wanted[configuration, cell], seed)
    ]
    pair, share = max(likeness(roles).items(), key=itemgetter(1))
    if share > MOST_ALIKE:
        raise ContractError(f"{' and '.join(pair)} end alike on {share:.0%} of the tasks")
    return roles


def _possible(space: Space, cells: Mapping[Cell, Sequence[Instance]]) -> Iterator[Margin]:
    """Yield that no more tasks of a cell end in some of the ways than have scripts that do."""
    for cell, tasks in cells.items():
        able = [set(repertoire(instance)) for instance in tasks]
        ways = [outcome for outcome in OUTCOMES if outcome.ambiguous == (cell[0] == "ambiguity")]
        rare = [outcome for outcome in ways if not all(outcome in one for one in able)]
        for some in chain.from_iterable(combinations(rare, number) for number in range(1, len(rare) + 1)):
            most = sum(not one.isdisjoint(some) for one in able)
            for configuration in CONFIGURATIONS:
                vector = space.those(lambda part, some=some: part.outcome in some, configuration, cell)  # type: ignore[misc]
                yield Margin("possible", vector, 0, most)


def _cast(configuration: str, tasks: Sequence[Instance], outcomes: Sequence[Outcome], seed: int) -> Iterator[Role]:
    """Yield a role for each task: hard templates go wrong more often, otherwise as chance has it."""
    costs = np.full((len(tasks), len(outcomes)), np.inf)
    for row, instance in enumerate(tasks):
        task, able = instance.task, repertoire(instance)
        hard = random.Random(f"{seed}/{task.template_id}").random() + random.Random(f"{seed}/{task.task_id}").random()
        luck = random.Random(f"{seed}/{task.task_id}/{configuration}")
        scores = {outcome: luck.random() * 3 - (0 if _well(outcome) else hard) for outcome in OUTCOMES}
        for column, outcome in enumerate(outcomes):
            if outcome in able:
                costs[row, column] = scores[outcome]
    try:
        rows, columns = linear_sum_assignment(costs)
    except ValueError as error:
        raise ContractError(f"{configuration}: the scripts of {tasks[0].task.strata} cannot end so") from error
    for row, column in zip(rows, columns, strict=True):
        instance, outcome = tasks[row], outcomes[column]
        draw = random.Random(f"{seed}/{instance.task.task_id}/{configuration}/script")
        yield Role(configuration, instance, outcome, draw.choice(repertoire(instance)[outcome]))


def _well(outcome: Outcome) -> bool:
    return outcome.goal and not outcome.cd and (outcome.asked or not outcome.ambiguous)


def likeness(roles: Sequence[Role]) -> dict[tuple[str, str], float]:
    """Return pair of configurations → share of the tasks on which both end in the same way."""
    ends: dict[str, dict[str, str]] = {}
    for role in roles:
        ends.setdefault(role.configuration, {})[role.instance.task.task_id] = role.outcome.name
    return {
        (one, other): sum(ends[one][task] == ends[other][task] for task in ends[one]) / len(ends[one])
        for one, other in combinations(ends, 2)
    }
