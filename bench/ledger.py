"""Labels of evidence from many observations and requirements: memory, and speed against the slow oracle."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench.make_evidence import Size, evidence_tables, write_tables
from bench.memory import run

_TESTS = Path(__file__).resolve().parents[1] / "tests"
#: A million observations and ten thousand requirements: in long episodes, and in short ones.
LONG, SHORT = (
    Size(episodes=1_000, tasks=500, reads=200, needs=20),
    Size(episodes=8_000, tasks=1_000, reads=25, needs=10),
)


def measure(cache: Path, size: Size, turns: int, sample: int = 20) -> dict[str, float]:
    """Return seconds of all label stages, peak memory (MB), and how much faster an episode is than in the oracle.

    The stages run in a process of their own, over all episodes, `turns` times; the best counts. The oracle judges the
    first `sample` of them, whose labels are compared, too: `apart` is how many differ.
    """
    tables = evidence_tables(size)
    folder = cache / f"ledger-{size.reads}-reads"
    write_tables(tables, folder)
    runs = [run([sys.executable, "-m", "bench.ledger", str(folder)]) for _ in range(turns)]
    found: dict[str, float] = min((json.loads(output) for output, _ in runs), key=lambda one: one["seconds"])
    sys.path.insert(0, str(_TESTS))
    from oracle.agreement import differences, few
    from oracle.tables import judge_cases

    some = few(tables, tables["episodes"]["episode"].head(sample).to_list())
    started = time.perf_counter()
    judge_cases(some)
    slow = (time.perf_counter() - started) / sample
    return {
        **found,
        "peak_mb": max(peak for _, peak in runs) / 1e6,
        "oracle_ms": 1000 * slow,
        "ratio": slow * size.episodes / found["seconds"],
        "observations": size.observations,
        "requirements": size.requirements,
        "apart": len(differences(some)),
    }


def _label(folder: Path) -> dict[str, float]:
    import polars as pl

    from misstep.contracts.tables import SPECS, TRACES
    from misstep.label import label

    names = (*TRACES, *(f"spec/{name}" for name in SPECS))
    started = time.perf_counter()
    made = label({name: pl.scan_parquet(folder / f"{name}.parquet") for name in names})
    rows = {name: frame.select(pl.len()).collect().item() for name, frame in made.items()}
    return {"seconds": time.perf_counter() - started, "statuses": rows["requirement_labels"]}


if __name__ == "__main__":
    print(json.dumps(_label(Path(sys.argv[1]))))
