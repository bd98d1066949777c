"""Ingest against DuckDB merely parsing the same file, and the memory that ingest needs.

Each measurement runs in a process of its own, in turns; the best of the turns counts. Starting worker processes is part
of an ingest, loading the libraries of its own process is not (nor is it for DuckDB).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from bench.make_input import make_input
from bench.memory import run
from bench.suite import imported


def measure(corpora: Path, cache: Path, megabytes: int, turns: int) -> dict[str, float]:
    """Return seconds, megabytes a second, their ratio, and peak memory in megabytes for a file of a size."""
    source = make_input(corpora, cache / f"tau-{megabytes}.jsonl", megabytes * 1_000_000)
    suite = imported("tau-airline", corpora / "tau-bench", cache)
    ingest, duckdb, memory = [], [], 0
    for _ in range(turns):
        seconds, peak = _child("ingest", source, suite)
        ingest.append(seconds)
        memory = max(memory, peak)
        duckdb.append(_child("duckdb", source, suite)[0])
    size = source.stat().st_size / 1e6
    return {
        "megabytes": size,
        "ingest_seconds": min(ingest),
        "duckdb_seconds": min(duckdb),
        "ingest_mb_per_s": size / min(ingest),
        "duckdb_mb_per_s": size / min(duckdb),
        "ratio": min(duckdb) / min(ingest),
        "peak_mb": memory / 1e6,
    }


def _child(what: str, source: Path, suite: Path) -> tuple[float, int]:
    output, peak = run([sys.executable, "-m", "bench.ingest", what, str(source), str(suite)])
    return float(json.loads(output)["seconds"]), peak


def _ingest(source: Path, suite: Path) -> float:
    from misstep.ingest.run import ingest
    from misstep.specs.load import load_suite

    loaded = load_suite(suite)
    with tempfile.TemporaryDirectory() as out:
        started = time.perf_counter()
        ingest([source], loaded, Path(out), workers=2)
        return time.perf_counter() - started


def _duckdb(source: Path) -> float:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 2")
    started = time.perf_counter()
    query = "select count(*), sum(len(traj)) from read_json(?, format = 'newline_delimited')"
    connection.execute(query, [str(source)]).fetchall()
    return time.perf_counter() - started


if __name__ == "__main__":
    _what, _source, _folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    print(json.dumps({"seconds": _ingest(_source, _folder) if _what == "ingest" else _duckdb(_source)}))
