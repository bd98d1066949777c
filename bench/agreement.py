"""How many random episodes the label stages and the slow oracle of the tests agree on."""

from __future__ import annotations

import sys
import time
from pathlib import Path

BATCH = 1_000
_TESTS = Path(__file__).resolve().parents[1] / "tests"


def agreement(episodes: int = 20_000, seed: int = 1_000) -> dict[str, float | str]:
    """Return episodes compared, labels that differ, and the smallest disagreeing episode as text (or "").

    Batches of BATCH episodes, five to a task, with seeds counted from `seed`.
    """
    sys.path.insert(0, str(_TESTS))
    from oracle.agreement import differences, explain, smallest
    from oracle.generate import Knobs, batch

    started, labels, apart, example = time.perf_counter(), 0, set[str](), ""
    for index in range(-(-episodes // BATCH)):
        tables = batch(Knobs(seed + index, BATCH, tasks=BATCH // 5))
        found = differences(tables)
        labels += len(found)
        apart |= {one.episode for one in found}
        if found and not example:
            example = explain(smallest(tables, found))
    return {
        "episodes": -(-episodes // BATCH) * BATCH,
        "episodes_apart": len(apart),
        "labels_apart": labels,
        "seconds": time.perf_counter() - started,
        "example": example,
    }


if __name__ == "__main__":
    print(*(f"{name}: {value}" for name, value in agreement().items()), sep="\n")
