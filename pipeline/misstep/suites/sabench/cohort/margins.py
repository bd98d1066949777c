"""The printed figures of [S] as linear conditions on a plan."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from misstep.contracts.errors import Place, SpecificationError
from misstep.suites.counts import EDGE, Margin, Vector, rounded
from misstep.suites.sabench.cohort.space import CONFIGURATIONS, Fits, Part, Space, every

MARGINS, OTHER = "sabench_margins.csv", "sabench_other.csv"
#: Bounds of the goal rate of a configuration. Source: [S], "comparable goal rates".
GOAL_RATE = (0.80, 0.95)
#: Who asks needlessly least and most, and does most and least damage: [S] prints values, and of the latter the ratio.
LEAST_ASKING, MOST_ASKING = "model-08", "model-11"
MOST_DAMAGE, LEAST_DAMAGE = "DeepSeek V3.2", "GPT-5.4"


def margins(space: Space, published: Path) -> list[Margin]:
    """Return what a plan must meet: the printed figures, and that every task is tried once.

    Args:
        space: the unknowns.
        published: folder with `sabench_margins.csv` and `sabench_other.csv`.

    Raises:
        SpecificationError: a printed quantity is not known here.
    """
    found = list(_whole(space))
    path = published / MARGINS
    for line, row in enumerate(_rows(path), start=2):
        if row["quantity"] not in JUDGED:
            found += _printed(space, row, Place(str(path), line=line))
    ratios = {row["quantity"]: float(row["low"]) for row in _rows(published / OTHER) if row["unit"] == "ratio"}
    return [*found, *_ratios(space, ratios), *_ranges(space)]


def printed_count(published: Path, quantity: str) -> tuple[int, int]:
    """Return the numerator and denominator that are printed of a quantity."""
    (row,) = (row for row in _rows(published / MARGINS) if row["quantity"] == quantity)
    return int(row["numerator"]), int(row["denominator"])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _whole(space: Space) -> Iterator[Margin]:
    """Yield that every configuration tries every task once."""
    for configuration in CONFIGURATIONS:
        for cell, size in space.sizes.items():
            yield Margin("tasks of a cell", space.those(every, configuration, cell), size, size)


def _printed(space: Space, row: dict[str, str], place: Place) -> Iterator[Margin]:
    """Yield the conditions of a printed row: its numerator, its denominator, its percentage."""
    quantity = row["quantity"]
    if quantity not in QUANTITIES:
        raise SpecificationError(f"nothing is known of the quantity {quantity!r}", place)
    numerator, denominator = (space_vector(space) for space_vector in QUANTITIES[quantity])
    if row["numerator"]:
        yield Margin(quantity, numerator, float(row["numerator"]), float(row["numerator"]))
    if row["denominator"]:
        yield Margin(quantity, denominator, float(row["denominator"]), float(row["denominator"]))
    if row["percent"]:
        low, high = rounded(row["percent"])
        yield Margin(quantity, numerator - low / 100 * denominator, 0.0, np.inf)
        yield Margin(quantity, numerator - high / 100 * denominator, -np.inf, -EDGE)


def _ratios(space: Space, ratios: dict[str, float]) -> Iterator[Margin]:
    """Yield that the counts of two configurations stand in a printed ratio."""
    for quantity, label, over, under in (
        ("highest over lowest cd among configurations", _damage, MOST_DAMAGE, LEAST_DAMAGE),
        (
            "cd under the external-only policy: Qwen 3.5 Plus over Gemini 3.1 Pro",
            _external,
            "Qwen 3.5 Plus",
            "Gemini 3.1 Pro",
        ),
    ):
        above, below = space.those(label, over), space.those(label, under)
        low, high = rounded(str(ratios[quantity]))
        yield Margin(quantity, above - low * below, 0.0, np.inf)
        yield Margin(quantity, above - high * below, -np.inf, -EDGE)


def _ranges(space: Space) -> Iterator[Margin]:
    """Yield that goal rates lie in their range, and nobody outside the extremes."""
    tasks = sum(space.sizes.values())
    for configuration in CONFIGURATIONS:
        goals = space.those(_goal, configuration)
        yield Margin("goal rates", goals, GOAL_RATE[0] * tasks, GOAL_RATE[1] * tasks)
        for label, least, most in ((_damage, LEAST_DAMAGE, MOST_DAMAGE), (_needless, LEAST_ASKING, MOST_ASKING)):
            mine = space.those(label, configuration)
            yield Margin("least", mine - space.those(label, least), 0.0, np.inf)
            yield Margin("most", space.those(label, most) - mine, 0.0, np.inf)


def _damage(part: Part) -> bool:
    return part.outcome.cd


def _needless(part: Part) -> bool:
    return part.outcome.asked and not part.ambiguous


Counted = Callable[[Space], Vector]


def _count(fits: Fits) -> Counted:
    return lambda space: space.those(fits)


def _of(label: Fits, among: Fits = every) -> tuple[Counted, Counted]:
    """Return the numerator and denominator of a rate among some episodes."""
    return _count(lambda part: among(part) and label(part)), _count(among)


def _by(configuration: str, label: Fits, among: Fits = every) -> tuple[Counted, Counted]:
    return _of(label, lambda part: part.configuration == configuration and among(part))


def _goal_and_damage(part: Part) -> bool:
    return part.outcome.goal and part.outcome.cd


def _missed_and_damage(part: Part) -> bool:
    return part.outcome.cd and not part.outcome.goal


def _goal(part: Part) -> bool:
    return part.outcome.goal


def _external(part: Part) -> bool:
    return part.outcome.external


def _ambiguous(part: Part) -> bool:
    return part.ambiguous


def _clear(part: Part) -> bool:
    return not part.ambiguous


def _difference(label: Fits, one: str, other: str) -> tuple[Counted, Counted]:
    (first, among), (second, _) = _by(one, label), _by(other, label)
    return lambda space: first(space) - second(space), among


#: Quantity as it is printed → what counts, and among what.
QUANTITIES: dict[str, tuple[Counted, Counted]] = {
    "runs": _of(every),
    "cd": _of(_damage),
    "goal and cd": _of(_goal_and_damage),
    "cd among goal-satisfied": _of(_damage, _goal),
    "cd among goal-satisfied non-ambiguous": _of(_damage, lambda part: _clear(part) and _goal(part)),
    "external cd": _of(_external),
    "fail and cd": _of(_missed_and_damage),
    "cd ambiguity tasks": _of(_damage, _ambiguous),
    "cd non-ambiguous tasks": _of(_damage, _clear),
    "cd trap cascade harm": _of(_damage, lambda part: part.cell[0] == "cascade_harm"),
    "cd trap mis-targeting": _of(_damage, lambda part: part.cell[0] == "mis_targeting"),
    "cd trap overreach": _of(_damage, lambda part: part.cell[0] == "overreach"),
    "cd state dependent": _of(_damage, lambda part: part.cell[1] == "dependent"),
    "cd state cross-tool": _of(_damage, lambda part: part.cell[1] == "cross_tool"),
    "cd state externally reachable": _of(_damage, lambda part: part.cell[1] == "external"),
    "cd state independent": _of(_damage, lambda part: part.cell[1] == "independent"),
    "ambiguity violation dependent": _of(_damage, lambda part: _ambiguous(part) and part.cell[1] == "dependent"),
    "ambiguity violation cross-tool": _of(_damage, lambda part: _ambiguous(part) and part.cell[1] == "cross_tool"),
    "clarification proxy on ambiguity tasks": _of(lambda part: part.outcome.asked, _ambiguous),
    "neither write nor clarification on ambiguity tasks": _of(
        lambda part: not part.outcome.asked and not part.outcome.cd, _ambiguous
    ),
    "external-only policy ambiguity": _of(_external, _ambiguous),
    "external-only policy other traps": _of(_external, _clear),
    "goal DeepSeek V3.2": _by("DeepSeek V3.2", _goal),
    "goal GPT-5.4": _by("GPT-5.4", _goal),
    "cd difference DeepSeek V3.2 vs GPT-5.4 (runs)": _difference(_damage, "DeepSeek V3.2", "GPT-5.4"),
    "cd MiniMax M2.5": _by("MiniMax M2.5", _damage),
    "external cd MiniMax M2.5": _by("MiniMax M2.5", _external),
    "cd Kimi K2.5": _by("Kimi K2.5", _damage),
    "external cd Kimi K2.5": _by("Kimi K2.5", _external),
    "fail and cd Kimi K2.5": _by("Kimi K2.5", _missed_and_damage),
    "fail and cd GPT-5.4-mini": _by("GPT-5.4-mini", _missed_and_damage),
    "fail and cd MiniMax M2.5": _by("MiniMax M2.5", _missed_and_damage),
    "unnecessary clarification minimum over models": _by(LEAST_ASKING, _needless, _clear),
    "unnecessary clarification maximum over models": _by(MOST_ASKING, _needless, _clear),
}
#: Printed quantities that are about people's judgements of episodes, not about how these end.
DAMAGE_JUDGED, QUESTION_JUDGED = "human audit agreement", "clarification judged needed"
JUDGED = frozenset({DAMAGE_JUDGED, QUESTION_JUDGED})
