"""Agreement of an audit with the pipeline's labels."""

import polars as pl
import pytest
from scipy import stats

from misstep.contracts.errors import ContractError
from misstep.stats.agreement import agreement


def table(both: int, judge_only: int, reference_only: int, neither: int) -> tuple[pl.Series, pl.Series]:
    reference = [True] * both + [False] * judge_only + [True] * reference_only + [False] * neither
    judge = [True] * both + [True] * judge_only + [False] * reference_only + [False] * neither
    return pl.Series(reference, dtype=pl.Boolean), pl.Series(judge, dtype=pl.Boolean)


def test_a_table_worked_by_hand() -> None:
    result = agreement(*table(20, 5, 10, 15))
    assert result.raw[:3] == (35, 50, 0.7)
    assert result.kappa == pytest.approx(0.4)
    assert result.false_acceptance[:3] == (5, 20, 0.25)
    assert result.false_rejection[:2] == (10, 30)
    expected = stats.binomtest(5, 20).proportion_ci(0.95, method="wilson")
    assert result.false_acceptance[3:] == pytest.approx((expected.low, expected.high))


def test_who_is_the_reference_matters_only_for_the_errors() -> None:
    reference, judge = table(7, 2, 3, 8)
    there, back = agreement(reference, judge), agreement(judge, reference)
    assert (there.raw, there.kappa) == (back.raw, back.kappa)
    assert there.false_acceptance != back.false_acceptance


def test_perfect_chance_and_reversed_kappa() -> None:
    assert agreement(*table(5, 0, 0, 5)).kappa == 1
    assert agreement(*table(4, 4, 4, 4)).kappa == 0
    assert agreement(*table(0, 5, 5, 0)).kappa == -1
    assert agreement(*table(5, 0, 0, 0)).kappa is None


def test_unknown_labels_are_left_out_and_counted() -> None:
    result = agreement(pl.Series([True, None, False, True]), pl.Series([True, True, None, False]))
    assert (result.raw.numerator, result.raw.denominator, result.unknown) == (1, 2, 2)
    assert result.false_acceptance == (0, 0, None, None, None)


def test_nothing_to_compare_is_null_and_wrong_input_an_error() -> None:
    assert agreement(*table(0, 0, 0, 0)).raw == (0, 0, None, None, None)
    with pytest.raises(ContractError, match="must be Boolean"):
        agreement(pl.Series([1, 0]), pl.Series([True, False]))
    with pytest.raises(ContractError, match="2 reference labels"):
        agreement(pl.Series([True, False]), pl.Series([True]))
