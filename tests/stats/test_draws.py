"""The weight matrix: multinomial, seeded, the same however it is sliced."""

import numpy as np
import pytest

from misstep.contracts.errors import UsageError
from misstep.stats.draws import swaps, weights


@pytest.mark.parametrize("cells", [1, 7, 50, 10**6])
def test_slicing_changes_nothing(cells: int) -> None:
    for draw in (weights, swaps):
        whole = np.concatenate(list(draw(7, 101, seed=3)))
        sliced = np.concatenate(list(draw(7, 101, seed=3, cells=cells)))
        assert np.array_equal(whole, sliced)


def test_slices_stay_small() -> None:
    assert max(part.size for part in weights(5_000, 900, seed=0)) <= 2**21


def test_every_draw_takes_as_many_clusters_as_there_are() -> None:
    matrix = np.concatenate(list(weights(13, 500, seed=1)))
    assert matrix.shape == (500, 13)
    assert (matrix.sum(axis=1) == 13).all()
    assert (matrix >= 0).all()


def test_weights_have_the_moments_of_the_multinomial() -> None:
    matrix = np.concatenate(list(weights(10, 20_000, seed=2)))
    assert matrix.mean(axis=0) == pytest.approx(np.ones(10), abs=0.03)
    assert matrix.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.05)
    assert np.cov(matrix[:, 0], matrix[:, 1])[0, 1] == pytest.approx(-0.1, abs=0.03)


def test_more_draws_begin_with_the_same_draws() -> None:
    few, many = (np.concatenate(list(weights(5, n, seed=4))) for n in (10, 30))
    assert np.array_equal(few, many[:10])


def test_seeds_and_purposes_differ() -> None:
    first, second = (np.concatenate(list(weights(8, 50, seed=seed))) for seed in (0, 1))
    assert not np.array_equal(first, second)
    coins = np.concatenate(list(swaps(8, 5_000, seed=0)))
    assert set(np.unique(coins)) == {0.0, 1.0}
    assert coins.mean() == pytest.approx(0.5, abs=0.01)


def test_the_draws_of_a_seed_are_pinned() -> None:
    assert np.concatenate(list(weights(4, 3, seed=0))).tolist() == GOLDEN


def test_nothing_to_draw_is_an_error() -> None:
    for clusters, draws, seed in [(0, 5, 0), (5, 0, 0), (5, 5, -1)]:
        with pytest.raises(UsageError):
            next(weights(clusters, draws, seed))


GOLDEN = [[1.0, 1.0, 0.0, 2.0], [2.0, 0.0, 1.0, 1.0], [0.0, 1.0, 2.0, 1.0]]
