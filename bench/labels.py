"""From traces to labels and rates: the steps after ingest against ingest, and the time of one WorkBench episode.

Each measurement runs in a process of its own, whose libraries are loaded before the clock starts.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.make_input import make_input, size_of_calls
from bench.memory import run
from bench.suite import imported


def measure(corpora: Path, cache: Path, calls: int, *, evidence: bool) -> dict[str, float]:
    """Return seconds of ingest, label and estimate of at least `calls` calls, their ratio, and peak memory (MB).

    Labels are those of side effects alone, or, with `evidence`, also those that four standing rules and the required
    reads of the suite add to them.
    """
    source = make_input(corpora, cache / f"tau-{calls}-calls.jsonl", size_of_calls(corpora, calls))
    return _child([source], imported("tau-airline", corpora / "tau-bench", cache), workers=2, evidence=evidence)


def workbench(corpora: Path, cache: Path, turns: int) -> dict[str, float]:
    """Return milliseconds an episode of WorkBench from its recorded files to labels, in one process."""
    sources = sorted((corpora / "workbench" / "episodes").iterdir())
    suite = imported("workbench", corpora / "workbench", cache)
    found = [_child(sources, suite, workers=1) for _ in range(turns)]
    best = min(one["ingest_seconds"] + one["label_seconds"] for one in found)
    return {"episodes": found[0]["episodes"], "ms_per_episode": 1000 * best / found[0]["episodes"]}


def _child(sources: Sequence[Path], suite: Path, *, workers: int, evidence: bool = True) -> dict[str, float]:
    asked = "evidence" if evidence else "writes"
    command = [sys.executable, "-m", "bench.labels", asked, str(workers), str(suite), *map(str, sources)]
    output, peak = run(command)
    found: dict[str, float] = json.loads(output)
    return {**found, "peak_mb": peak / 1e6}


def _steps(evidence: bool, workers: int, suite: Path, sources: list[Path]) -> dict[str, float]:
    from misstep.cli.folder import ingested, population_of
    from misstep.ingest.run import ingest
    from misstep.label import label
    from misstep.specs.load import load_suite
    from misstep.stats.rates import rates
    from misstep.storage.parquet import write
    from misstep.storage.stamp import tables_stamp

    loaded = load_suite(suite)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        started = time.perf_counter()
        report = ingest(sources, loaded, out, workers=workers, missing_template="own")
        read = time.perf_counter()
        stamp, tables = tables_stamp(out), ingested(out)
        asked = {} if evidence else {name: tables[name].head(0) for name in ("spec/evidence", "spec/rules")}
        for table, frame in label({**tables, **asked}).items():
            write(out, table, frame, stamp=stamp)
        labelled = time.perf_counter()
        rates(population_of(out, "own"), ["cd", "goal_cd"], ["model"], ["standard"])
        estimated = time.perf_counter()
    return {
        "calls": sum(file.calls for file in report.files),
        "episodes": sum(file.episodes for file in report.files),
        "ingest_seconds": read - started,
        "label_seconds": labelled - read,
        "estimate_seconds": estimated - labelled,
        "ratio": (read - started) / (estimated - read),
    }


if __name__ == "__main__":
    print(
        json.dumps(
            _steps(
                sys.argv[1] == "evidence", int(sys.argv[2]), Path(sys.argv[3]), [Path(name) for name in sys.argv[4:]]
            )
        )
    )
