"""`python -m bench [PART …]`: print one table of what was measured, and of what is wanted."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench import labels, ledger
from bench.agreement import agreement
from bench.ingest import measure

_ROOT = Path(__file__).resolve().parents[1]
PARTS = ("ingest", "labels", "workbench", "ledger", "agreement")


class Measured(NamedTuple):
    """A line of the table; `wanted` is empty where nothing in particular is."""

    what: str
    value: str
    wanted: str = ""
    holds: bool | None = None
    detail: str = ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed and memory, as ratios.")
    parser.add_argument("part", nargs="*", metavar="PART", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--megabytes", type=int, nargs="*", default=[400, 2000], help="sizes of the input of ingest")
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls to label")
    parser.add_argument("--episodes", type=int, default=20_000, help="random episodes to compare with the oracle")
    parser.add_argument("--turns", type=int, default=3, help="how often each measurement is taken; the best counts")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "misstep-bench", help="folder")
    named = os.environ.get("MISSTEP_CORPORA")
    corpora = Path(named) if named else _ROOT.parent / "shared" / "data" / "public"
    parser.add_argument("--corpora", type=Path, default=corpora, help="folder of the public corpora")
    asked = parser.parse_args()
    if unknown := set(asked.part) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    rows = [Measured("measure", "value", "wanted", None, "detail")]
    for part in asked.part or PARTS:
        for row in _measured(part, asked):
            print(f"{part}: {row.what}: {row.value}", file=sys.stderr, flush=True)
            rows.append(row)
    _print(rows)


def _measured(part: str, asked: argparse.Namespace) -> Iterator[Measured]:
    if part == "ingest":
        yield from _ingest(asked)
    elif part == "labels":
        for evidence in (False, True):
            found = labels.measure(asked.corpora, asked.cache, asked.calls, evidence=evidence)
            much = f"{found['calls']:,.0f} calls" + (", with standing rules and required reads" if evidence else "")
            told = (
                f"ingest {found['ingest_seconds']:.1f} s, label {found['label_seconds']:.1f} s, "
                f"estimate {found['estimate_seconds']:.1f} s"
            )
            ratio, peak = found["ratio"], found["peak_mb"]
            wanted, holds = ("", None) if evidence else ("> 1", ratio > 1)
            yield Measured(f"speed of label + estimate / ingest, {much}", f"{ratio:.2f}", wanted, holds, told)
            yield Measured(f"peak memory, {much}", f"{peak:,.0f} MB", "< 1,500 MB", peak < 1500)
    elif part == "workbench":
        found = labels.workbench(asked.corpora, asked.cache, asked.turns)
        what = "WorkBench episode, recorded file to labels"
        yield Measured(
            what, f"{found['ms_per_episode']:.2f} ms", detail=f"{found['episodes']:,.0f} episodes, 1 process"
        )
    elif part == "ledger":
        yield from _ledger(asked)
    else:
        compared = agreement(asked.episodes)
        what = f"labels that differ from the oracle, {compared['episodes']:,} episodes"
        yield Measured(what, str(compared["labels_apart"]), "0", not compared["labels_apart"], str(compared["example"]))


def _ingest(asked: argparse.Namespace) -> Iterator[Measured]:
    peaks = []
    for megabytes in asked.megabytes:
        found = measure(asked.corpora, asked.cache, megabytes, asked.turns)
        told = (
            f"ingest {found['ingest_seconds']:.2f} s ({found['ingest_mb_per_s']:.0f} MB/s), "
            f"DuckDB {found['duckdb_seconds']:.2f} s ({found['duckdb_mb_per_s']:.0f} MB/s), 2 processors each"
        )
        what = f"speed of ingest / DuckDB parsing, {found['megabytes']:,.0f} MB"
        yield Measured(what, f"{found['ratio']:.2f}", ">= 0.8", found["ratio"] >= 0.8, told)
        peaks.append(found["peak_mb"])
        what = f"peak memory of ingest, {found['megabytes']:,.0f} MB"
        yield Measured(what, f"{peaks[-1]:,.0f} MB", "< 1,500 MB", peaks[-1] < 1500, "all processes together")
    if len(peaks) > 1:
        yield Measured("peak memory, largest / smallest input", f"{peaks[-1] / peaks[0]:.2f}", "about 1")


def _ledger(asked: argparse.Namespace) -> Iterator[Measured]:
    for size, least in ((ledger.LONG, 100), (ledger.SHORT, None)):
        found = ledger.measure(asked.cache, size, asked.turns)
        told = (
            f"{found['seconds']:.1f} s for {size.episodes:,} episodes, {found['statuses']:,.0f} statuses; "
            f"oracle {found['oracle_ms']:.0f} ms an episode, {found['apart']:.0f} labels differ"
        )
        much = f"{size.observations:,} observations, {size.requirements:,} requirements, {size.reads} reads an episode"
        holds = None if least is None else found["ratio"] >= least and not found["apart"]
        wanted = "" if least is None else f">= {least}"
        yield Measured(f"speed of labels / oracle, {much}", f"{found['ratio']:.0f}", wanted, holds, told)
        peak = found["peak_mb"]
        yield Measured(f"peak memory of labels, {much}", f"{peak:,.0f} MB", "< 1,500 MB", peak < 1500)


def _print(rows: list[Measured]) -> None:
    widths = [max(map(len, column)) for column in zip(*(row[:3] for row in rows), strict=True)]
    for row in rows:
        holds = {True: "holds", False: "MISSED", None: ""}[row.holds]
        cells = [row.what.ljust(widths[0]), row.value.rjust(widths[1]), row.wanted.ljust(widths[2]), holds.ljust(6)]
        print("  ".join([*cells, row.detail]).rstrip())


if __name__ == "__main__":
    main()
