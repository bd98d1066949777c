"""Which case gets which way: hard cases go wrong more often, and the replicates of a configuration are alike."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from misstep.contracts.errors import ContractError
from misstep.suites.counts import Vector
from misstep.suites.evidence.cohort.space import Cell, Space
from misstep.suites.evidence.cohort.ways import LOST, REPLICATES, SOLVED, WAYS, Case, Configuration, Role

#: Parts of how hard a case is for a configuration: by workflow, by case, for the configuration, and each time anew.
_WORKFLOW, _CASE, _OWN, _ANEW = 0.2, 0.3, 1.0, 0.4
#: What the two configurations of a model have in common beyond that; chosen so that the intervals of table 4 come near.
_OF_MODEL = {"Claude-5": 0.0, "GPT-5.6": 0.0, "DeepSeek-V4": 1.8, "Qwen3.8": 0.9, "GLM-5.2": 0.4}
#: How much it counts for whether a case is solved, compared with the chance of every way.
_WEIGHT = 4.0
_CANNOT = 1e6


def cast(configuration: Configuration, space: Space, counts: Vector, seed: int) -> Iterator[Role]:
    """Yield a role for each replicate and case, as many of each way as the counts say.

    Raises:
        ContractError: the cases of a cell cannot end so.
    """
    wanted: dict[tuple[int, Cell], list[str]] = {}
    for part, count in zip(space.parts, counts, strict=True):
        wanted.setdefault((part.replicate, part.cell), []).extend([part.way.name] * round(count))
    for replicate in REPLICATES:
        for cell, cases in space.cells.items():
            names = wanted[replicate, cell] + [LOST] * space.lost.get((replicate, cell), 0)
            yield from _assigned(configuration, replicate, cases, names, seed)


def _assigned(
    configuration: Configuration, replicate: int, cases: Sequence[Case], names: Sequence[str], seed: int
) -> Iterator[Role]:
    """Yield a role for each case of a cell, so that the sum of what goes against the grain is least."""
    every = [way.name for way in WAYS[cases[0].protocol]] + [LOST]
    costs = np.array([_costs(configuration, replicate, case, every, seed) for case in cases])
    rows, columns = linear_sum_assignment(costs[:, [every.index(name) for name in names]])
    for row, column in zip(rows, columns, strict=True):
        case, name = cases[row], names[column]
        if name != LOST and name not in case.ways:
            raise ContractError(f"{configuration.model}: the cases of {case.protocol}, {case.domain} cannot end so")
        status = "infrastructure_failure" if name == LOST else "completed"
        yield Role(configuration, case, name, replicate, status=status)


def _costs(configuration: Configuration, replicate: int, case: Case, every: Sequence[str], seed: int) -> list[float]:
    """Return how much each way goes against the grain of a configuration on a case."""

    def luck(*names: object) -> float:
        return random.Random("/".join(map(str, (seed, *names)))).gauss()

    who = (configuration.model, configuration.harness)
    hard = (
        _WORKFLOW * luck("workflow", case.workflow)
        + _CASE * luck("case", case.case_id)
        + _OF_MODEL[configuration.model] * luck("model", configuration.model, case.case_id)
        + _OWN * luck("own", *who, case.case_id)
        + _ANEW * luck("anew", *who, case.case_id, replicate)
    )
    once, anew = (random.Random("/".join(map(str, (seed, *who, case.case_id, one)))) for one in ("ways", replicate))
    found = []
    for name in every:
        chance = once.gauss() + 0.5 * anew.gauss()
        able = name == LOST or name in case.ways
        found.append((chance + _WEIGHT * hard * (name == SOLVED)) if able else _CANNOT)
    return found
