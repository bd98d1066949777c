"""`python -m bench`: print the ratios."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from bench.ingest import measure

_ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed and memory, as ratios.")
    parser.add_argument("--megabytes", type=int, nargs="*", default=[400, 2000], help="sizes of the input")
    parser.add_argument("--turns", type=int, default=3, help="how often each measurement is taken; the best counts")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "misstep-bench", help="folder")
    named = os.environ.get("MISSTEP_CORPORA")
    corpora = Path(named) if named else _ROOT.parent / "shared" / "data" / "public"
    parser.add_argument("--corpora", type=Path, default=corpora, help="folder of the public corpora")
    asked = parser.parse_args()
    for megabytes in asked.megabytes:
        found = measure(asked.corpora, asked.cache, megabytes, asked.turns)
        print(
            f"{found['megabytes']:,.0f} MB: "
            f"ingest {found['ingest_seconds']:.2f} s ({found['ingest_mb_per_s']:.0f} MB/s), "
            f"DuckDB parses in {found['duckdb_seconds']:.2f} s ({found['duckdb_mb_per_s']:.0f} MB/s), "
            f"ratio {found['ratio']:.2f}; peak memory {found['peak_mb']:,.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
