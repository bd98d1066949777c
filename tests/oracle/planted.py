"""Do random batches tell an oracle with a mistake in it from the right one?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from oracle.generate import Knobs, batch
from oracle.tables import judge_tables

SEEDS = range(20)
EPISODES = 100
#: What is replaced (module or class, name), and by what.
Mistake = tuple[Any, str, Any]


@cache
def made(seed: int) -> Any:
    """Return a batch, made once."""
    return batch(Knobs(seed, EPISODES, tasks=20))


@cache
def right(seed: int) -> Any:
    """Return the labels of the unchanged oracle."""
    return judge_tables(made(seed))


def shows(mistakes: Iterable[Mistake]) -> bool:
    """Return whether some batch shows mistakes when they are planted together."""
    for seed in SEEDS:
        labels = right(seed)
        with pytest.MonkeyPatch.context() as planted:
            for one in mistakes:
                planted.setattr(*one)
            found = judge_tables(made(seed))
        if any(not found[name].equals(labels[name]) for name in labels):
            return True
    return False
