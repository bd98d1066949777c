"""Public corpora, imported, ingested and labelled as a user would do it."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.suite import Task
from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.specs.imports import ImportReport, import_suite
from misstep.specs.imports.sources import read_json
from misstep.specs.load import Suite, load_suite
from misstep.storage.parquet import scan

Row = dict[str, Any]

#: Suite → folder of its benchmark among the corpora, and the files of its traces.
CORPORA = {
    "workbench": ("workbench", "episodes/*.jsonl.gz"),
    "tau-airline": ("tau-bench", "results/*airline*.json.gz"),
    "tau-retail": ("tau-bench", "results/tool-calling-grok-3*.json.gz"),
    "tau2-airline": ("tau2-bench", "results/*airline*.json.gz"),
    "tau2-retail": ("tau2-bench", "results/*retail*.json.gz"),
    "tau2-telecom": ("tau2-bench", "results/*telecom*.json.gz"),
    "agentdojo-workspace": ("agentdojo", "runs/*__workspace.jsonl.gz"),
    "agentdojo-banking": ("agentdojo", "runs/*__banking.jsonl.gz"),
}


@dataclass(frozen=True)
class Labelled:
    """The labelled traces of a suite: rows of episodes, calls and writes with their labels; `tables` are all tables."""

    name: str
    corpus: Path
    report: ImportReport
    suite: Suite
    tables: Mapping[str, pl.LazyFrame]
    episodes: list[Row]
    calls: dict[str, list[Row]]
    writes: dict[str, list[Row]]

    def effective(self, call: Row) -> bool:
        """Return whether a call had an effect that is no consequence of another one."""
        return any(
            write["effective"]
            for write in self.writes.get(call["episode"], [])
            if (write["step"], write["position"]) == (call["step"], call["position"]) and write["follows"] is None
        )

    @cached_property
    def records(self) -> dict[tuple[str, int], Row]:
        """Return the recorded episodes by file and line (or element)."""
        return {
            (file, number): record
            for file in {row["source_file"] for row in self.episodes}
            for number, record in enumerate(_records(Path(file)), start=1)
        }

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Return the tasks of the suite by id."""
        return {task.task_id: task for task in self.suite.tasks}

    def record(self, episode: Row) -> Row:
        """Return an episode as it was recorded."""
        return self.records[episode["source_file"], episode["source_line"]]


def labelled(name: str, corpora: Path, work: Path) -> Labelled:
    """Return the public traces of a suite with their labels; files are written to `work`."""
    folder, pattern = CORPORA[name]
    source = corpora / folder
    options = {"database_folder": corpora / "tau-bench"} if folder == "tau2-bench" else {}
    report = import_suite(name, source, work / "suite", **options)
    return judged(name, source, report, sorted(source.glob(pattern)), work)


def judged(name: str, source: Path, report: ImportReport, traces: list[Path], work: Path) -> Labelled:
    """Return traces with their labels under the suite in `work`."""
    suite = load_suite(work / "suite")
    ingest(traces, suite, work / "tables")
    tables = {table: scan(work / "tables", table) for table in TRACES}
    tables |= {f"spec/{table}": scan(work / "tables", f"spec/{table}") for table in SPECS}
    tables |= {table: frame.collect().lazy() for table, frame in label(tables).items()}
    writes = _beside(tables["writes"], tables["write_labels"], ["episode", "step", "position", "item"])
    episodes = _beside(tables["episodes"], tables["episode_labels"], ["episode"])
    return Labelled(
        name,
        source,
        report,
        suite,
        tables,
        episodes.sort("source_file", "source_line").collect().to_dicts(),
        by_episode(tables["calls"].sort("episode", "step", "position")),
        by_episode(writes.sort("episode", "step", "position", "item")),
    )


def _beside(rows: pl.LazyFrame, labels: pl.LazyFrame, key: list[str]) -> pl.LazyFrame:
    stated = [name for name in labels.collect_schema() if name in rows.collect_schema() and name not in key]
    return rows.join(labels.drop(stated), on=key, how="inner")


def by_episode(frame: pl.LazyFrame) -> dict[str, list[Row]]:
    """Return episode → its rows, in their order."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in frame.collect().iter_rows(named=True):
        found[row["episode"]].append(row)
    return found


def _records(path: Path) -> Iterator[Row]:
    if ".jsonl" in path.name:
        return read_lines(path)
    document = read_json(path)
    return iter(document if isinstance(document, list) else document.get("simulations", [document]))


def read_lines(path: Path) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file, compressed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
        yield from map(json.loads, stream)


@dataclass
class Rate:
    """A share: what is compared, its bound, and the kinds of notable cases with how often each occurs.

    Notable is what is not as compared, and where there is an upper bound (or `rare`) what is.
    """

    what: str
    least: float | None = None
    most: float | None = None
    rare: bool = False
    hits: int = 0
    total: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def count(self, hit: bool, kind: str = "") -> None:
        """Count a case; `kind` says what it is where it is notable (blank: not listed)."""
        self.hits += hit
        self.total += 1
        if kind and hit == (self.rare or self.most is not None):
            self.kinds[kind] += 1

    @property
    def share(self) -> float:
        """Return hits ÷ total."""
        return self.hits / self.total

    @property
    def holds(self) -> bool:
        """Return whether the share is within its bound."""
        return (self.least is None or self.share >= self.least) and (self.most is None or self.share <= self.most)
