"""What is to be planned: how many episodes of each configuration and cell end in each way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from misstep.suites.counts import Vector
from misstep.suites.sabench.cohort.outcomes import OUTCOMES, Outcome

Cell = tuple[str, str]

#: Names that [S] prints, then as many without a name as make eleven.
CONFIGURATIONS: tuple[str, ...] = (
    "DeepSeek V3.2",
    "GPT-5.4",
    "GPT-5.4-mini",
    "MiniMax M2.5",
    "Kimi K2.5",
    "Qwen 3.5 Plus",
    "Gemini 3.1 Pro",
    "model-08",
    "model-09",
    "model-10",
    "model-11",
)


@dataclass(frozen=True)
class Part:
    """Episodes of a configuration on the tasks of a cell (trap, structure) that end in one way."""

    configuration: str
    cell: Cell
    outcome: Outcome

    @property
    def ambiguous(self) -> bool:
        """Whether the tasks of the cell are ambiguous."""
        return self.outcome.ambiguous


Fits = Callable[[Part], bool]


def every(_: Part) -> bool:
    """Return true."""
    return True


@dataclass(frozen=True)
class Space:
    """The unknowns of the plan, in a fixed order; a vector has one number for each."""

    sizes: Mapping[Cell, int]
    parts: Sequence[Part]

    @classmethod
    def of(cls, sizes: Mapping[Cell, int]) -> Space:
        """Return the space of cells with so many tasks each."""
        parts = [
            Part(configuration, cell, outcome)
            for configuration in CONFIGURATIONS
            for cell in sizes
            for outcome in OUTCOMES
            if outcome.ambiguous == (cell[0] == "ambiguity")
        ]
        return cls(sizes, parts)

    def those(self, fits: Fits, configuration: str | None = None, cell: Cell | None = None) -> Vector:
        """Return 1 for every unknown that fits, else 0: times the unknowns, the number of such episodes.

        Args:
            fits: whether a part counts.
            configuration: only its parts (default: of all).
            cell: only its parts (default: of all).
        """
        return np.array(
            [
                float(
                    part.configuration == (configuration or part.configuration)
                    and part.cell == (cell or part.cell)
                    and fits(part)
                )
                for part in self.parts
            ],
            dtype=np.float64,
        )
