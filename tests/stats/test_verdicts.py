"""Verdicts: equal to half a unit of the last printed digit, counts exactly, ranges by containment."""

import pytest

from misstep.contracts.published import Change, Claims, Falls, Rate
from misstep.stats.values import Value
from misstep.stats.verdicts import half_unit, verdict

RATE = Rate(rate="cd")
CHANGE = Change(change="loss", metric="goal", condition="asked")


def share(numerator: float, denominator: int) -> Value:
    value = numerator / denominator
    return Value(numerator, denominator, value, value, share=True)


def test_half_a_unit_of_the_last_digit() -> None:
    assert [half_unit(text) for text in ("15.2", "52", "4.70")] == [0.05, 0.5, pytest.approx(0.005)]


@pytest.mark.parametrize(
    ("numerator", "printed", "said"),
    [
        (1525, "15.2", "equal"),  # 15.25 %, on the edge
        (1515, "15.2", "equal"),
        (1526, "15.2", "differs"),
        (1514, "15.2", "differs"),
        (1550, "15", "equal"),
        (1551, "15", "differs"),
        (1520, "15.20", "equal"),
        (1521, "15.20", "differs"),
    ],
)
def test_percentages_are_equal_to_half_a_unit(numerator: int, printed: str, said: str) -> None:
    assert verdict(RATE, {"percent": printed}, share(numerator, 10_000)).verdict == said


@pytest.mark.parametrize(
    ("printed", "said", "reason"),
    [
        ({"numerator": "337", "denominator": "2211", "percent": "15.2"}, "equal", ""),
        ({"numerator": "336", "denominator": "2211", "percent": "15.2"}, "differs", "numerator 337 is not 336"),
        ({"numerator": "337", "denominator": "2210"}, "differs", "denominator 2211 is not 2210"),
        ({"percent": "15.1"}, "differs", "15.24 is not 15.1 %"),
    ],
)
def test_counts_are_compared_as_whole_numbers(printed: dict[str, str], said: str, reason: str) -> None:
    assert verdict(RATE, printed, share(337, 2211)) == (said, reason)


def test_a_count_that_there_is_not_differs() -> None:
    value = Value(value=0.164, greatest=0.164, share=True)
    assert verdict(RATE, {"numerator": "33", "percent": "16.4"}, value) == ("differs", "there is no numerator")


@pytest.mark.parametrize(
    ("least", "greatest", "said"),
    [(0.515, 0.715, "equal"), (0.514, 0.6, "differs"), (0.6, 0.716, "differs"), (0.6, 0.6, "equal")],
)
def test_a_range_holds_all_values_to_its_precision(least: float, greatest: float, said: str) -> None:
    value = Value(value=least, greatest=greatest, share=True)
    assert verdict(CHANGE, {"low": "52", "high": "71"}, value).verdict == said


def test_numbers_that_are_no_shares_are_compared_as_they_are() -> None:
    assert verdict(RATE, {"low": "4.7", "high": "4.7"}, Value(value=4.74, greatest=4.74)).verdict == "equal"
    found = verdict(RATE, {"low": "4.7", "high": "4.7"}, Value(value=4.76, greatest=4.76, reason="a over b"))
    assert found == ("differs", "4.76 is above 4.7; a over b")


def test_claims_hold_or_not_and_what_cannot_be_rebuilt_differs_with_its_reason() -> None:
    rule = Claims(claims=[Falls(falls="cd", condition="asked", only=[])])
    assert verdict(rule, {}, Value(holds=True, reason="none")) == ("equal", "none")
    assert verdict(rule, {}, Value(holds=False)).verdict == "differs"
    assert verdict(rule, {}, Value(reason="nobody")) == ("differs", "nobody")
    assert verdict(RATE, {"percent": "1.0"}, Value(reason="no episode")) == ("differs", "no episode")
