"""Whether a rebuilt value is as printed: equal to half a unit of the last printed digit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from misstep.contracts.asked import Unbuilt
from misstep.contracts.printed_tables import Unit
from misstep.contracts.published import Claims, Rule
from misstep.stats.values import Value

EQUAL, DIFFERS, NOT_PUBLISHED, NOT_REBUILT = "equal", "differs", "not published", "not rebuilt"
#: Absorbs the rounding of binary fractions, nothing else.
_EXACT = 1e-9


class Verdict(NamedTuple):
    """What becomes of a printed quantity, and what says so."""

    verdict: str
    reason: str


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit: 0.05 of `15.2`, 0.5 of `52`."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def verdict(rule: Rule, printed: Mapping[str, str], value: Value) -> Verdict:
    """Return whether a value is as printed.

    Counts are compared as whole numbers, percentages to half a unit of their last digit, ranges by whether they contain
    all values to the same precision. What cannot be rebuilt differs.

    Args:
        rule: how the value was rebuilt.
        printed: numerator, denominator, percent, low, high: the texts of the cells that are not empty.
        value: that the rule gave.
    """
    if isinstance(rule, Unbuilt):
        return Verdict(NOT_REBUILT, value.reason)
    if isinstance(rule, Claims):
        return Verdict(EQUAL if value.holds else DIFFERS, value.reason)
    if value.value is None or value.greatest is None:
        return Verdict(DIFFERS, value.reason)
    wrong = [
        f"{name} {number:g} is not {printed[name]}" if number is not None else f"there is no {name}"
        for name, number in (("numerator", value.numerator), ("denominator", value.denominator))
        if name in printed and (number is None or number != float(printed[name]))
    ]
    scale = 100.0 if value.share else 1.0
    least, greatest = scale * value.value, scale * value.greatest
    if "percent" in printed and abs(least - float(printed["percent"])) > half_unit(printed["percent"]) + _EXACT:
        wrong.append(f"{least:.4g} is not {printed['percent']} %")
    if "low" in printed and least < float(printed["low"]) - half_unit(printed["low"]) - _EXACT:
        wrong.append(f"{least:.4g} is below {printed['low']}")
    if "high" in printed and greatest > float(printed["high"]) + half_unit(printed["high"]) + _EXACT:
        wrong.append(f"{greatest:.4g} is above {printed['high']}")
    told = [*wrong, *([value.reason] if value.reason else [])]
    return Verdict(DIFFERS if wrong else EQUAL, "; ".join(told))


def cell_verdict(rule: Rule, printed: str, unit: Unit, value: Value) -> Verdict:
    """Return whether the only number, or the words, of a cell are as a value, to half a unit of the last digit.

    Args:
        rule: how the value was rebuilt.
        printed: text of the cell; words where the rule says whether they hold.
        unit: in which the cell is printed.
        value: that the rule gave.
    """
    if isinstance(rule, Unbuilt):
        return Verdict(NOT_REBUILT, value.reason)
    if value.holds is not None:
        return Verdict(EQUAL if value.holds else DIFFERS, value.reason)
    if value.value is None:
        return Verdict(DIFFERS, value.reason)
    found = in_unit(value.value, unit)
    if abs(found - float(printed)) > half_unit(printed) + _EXACT:
        return Verdict(DIFFERS, "; ".join([f"{found:.4g} is not {printed}", *([value.reason] if value.reason else [])]))
    return Verdict(EQUAL, value.reason)


def in_unit(value: float, unit: Unit) -> float:
    """Return a value, of which rates are shares in [0, 1], in the unit of a print."""
    return 100.0 * value if unit == "percent" else value
