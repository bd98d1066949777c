"""Whole counts nearest to a fit: against trying all of them."""

from itertools import product

import numpy as np
import pytest

from misstep.contracts.errors import ContractError
from misstep.suites.counts import Margin, nearest, rounded


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_counts_are_those_that_trying_all_finds(seed: int) -> None:
    draw = np.random.default_rng(seed)
    fitted = draw.uniform(0, 3, 4)
    whole = Margin("all", np.ones(4), 6, 6)
    ahead = Margin("ahead", np.array([1.0, -1.0, 0.0, 0.0]), 1, np.inf)
    found = nearest(fitted, [whole, ahead], gap=0.0)
    every = [np.array(one) for one in product(range(7), repeat=4)]
    least = min(np.abs(one - fitted).sum() for one in every if whole.holds(one) and ahead.holds(one))
    assert whole.holds(found) and ahead.holds(found)
    assert np.abs(found - fitted).sum() == pytest.approx(least)


def test_what_cannot_be_met_is_an_error() -> None:
    with pytest.raises(ContractError, match="no cohort meets the margins"):
        nearest(np.ones(2), [Margin("few", np.ones(2), 0, 1), Margin("many", np.ones(2), 2, 3)])


def test_a_printed_value_is_the_band_that_rounds_to_it() -> None:
    assert rounded("15.2") == pytest.approx((15.15, 15.25))
    assert rounded("0.35") == pytest.approx((0.345, 0.355))
    assert rounded("36") == (35.5, 36.5)
