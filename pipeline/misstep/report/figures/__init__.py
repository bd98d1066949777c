"""The figures of a report, each a frame taken from the numbers and a chart of that frame."""

from __future__ import annotations

from misstep.report.figures.figure import Figure
from misstep.report.figures.of_effects import EFFECTS
from misstep.report.figures.of_evidence import EVIDENCE

__all__ = ["FIGURES", "Figure"]

FIGURES = (*EFFECTS, *EVIDENCE)
