"""Records of the evidence suite through the pipeline: the labels of their episodes."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan
from misstep.suites.build import write_lines
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.tools import tools_file
from misstep.suites.evidence.written import task

Record = dict[str, Any]
Key = tuple[Any, ...]
IDENTITY = ("task_id", "model", "harness", "condition", "run", "replicate")


def labelled(domains: Sequence[Domain], records: Iterable[Record]) -> dict[Key, Record]:
    """Return identity → labels of the episode, with `reasons`: what is wrong with its attempts, in their order."""
    tables = frames(domains, records)
    reasons = (
        tables["action_labels"]
        .filter("consequential")
        .sort("episode", "step", "position")
        .group_by("episode", maintain_order=True)
        .agg(pl.col("reason").cast(pl.String).fill_null("right").alias("reasons"))
    )
    found = tables["episodes"].join(tables["episode_labels"], on="episode").join(reasons, on="episode", how="left")
    rows = found.with_columns(pl.col("reasons").fill_null([])).iter_rows(named=True)
    return {tuple(row[name] for name in IDENTITY): row for row in rows}


def frames(domains: Sequence[Domain], records: Iterable[Record]) -> dict[str, pl.DataFrame]:
    """Return the tables of records that are read in the suite as it is built, and their labels."""
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name) / "suite", Path(name) / "out"
        folder.mkdir()
        (folder / "suite.yaml").write_text("schema: misstep.suite/1\nname: evidence\ntitle: x\nformat: misstep_trace\n")
        (folder / "tools.yaml").write_text(tools_file(domain.file for domain in domains))
        write_lines(folder / "tasks.jsonl", [task(case, domain.file) for domain in domains for case in domain.cases])
        for domain in domains:
            lines = [{"entity": entity, "fields": fields} for entity, fields in sorted(domain.file.records.items())]
            write_lines(folder / "states" / f"{domain.file.domain}.jsonl", lines)
        write_lines(folder / "traces" / "all.jsonl", records)
        ingest([folder / "traces"], load_suite(folder), out)
        known = {name: scan(out, name) for name in TRACES} | {
            f"spec/{name}": scan(out, f"spec/{name}") for name in SPECS
        }
        made = label(known)
        wanted = {
            "episode_labels": made["episode_labels"],
            "action_labels": made["action_labels"],
            "episodes": known["episodes"],
        }
        return dict(zip(wanted, pl.collect_all(list(wanted.values())), strict=True))


def ended(row: Record) -> tuple[str, bool | None]:
    """Return how the labels say that an episode ended, as `Way` has it, and whether its investigation is complete."""
    if row["protocol"] == "Legacy":
        return "solved" if row["ecs"] else "wrong", False
    if row["ecs"] is None:
        return f"unknown: {row['evidence_reason']}", None
    return "solved" if row["ecs"] else str(row["failure"]), row["investigation"]
