"""The audit of the SafeActBench profile: mutated runs through the import, the readers and the stages, and the oracle.

What each must come to stands in `safeact_expected.csv`; it was written down before any of them was judged.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.run import ingest
from misstep.specs.imports import import_suite
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan
from oracle.safeact_building import Case, write_clone
from oracle.safeact_cases import own_cases
from oracle.safeact_evaluator import Verdict, evaluate
from oracle.safeact_mutations import Mutation, mutations
from oracle.safeact_runs import commits_of, write_batch

Row = dict[str, Any]
Tables = Mapping[str, pl.LazyFrame]
EXPECTED = Path(__file__).with_name("safeact_expected.csv")
_PROTOCOLS = {"legacy": "Legacy", "v0": "V0", "v1": "V1", "v2": "V2", "v3": "V3"}


class Expected(NamedTuple):
    """What a kind of mutation must come to: accepted or not, outcomes of the evaluator, and reasons of the labels."""

    accepted: bool
    outcomes: tuple[str, ...]
    reasons: tuple[str, ...]
    paper: str


@dataclass(frozen=True)
class Judged:
    """A mutation with what must come of it, what the oracle says, and what the labels say: success and reason."""

    mutation: Mutation
    expected: Expected
    verdict: Verdict
    ecs: bool | None
    reason: str

    @property
    def agree(self) -> bool:
        """Return whether oracle and labels both say what was expected, and for the expected reason."""
        return (
            self.verdict.success == self.ecs == self.expected.accepted
            and (not self.expected.outcomes or self.verdict.outcome in self.expected.outcomes)
            and (self.expected.accepted or self.reason in self.expected.reasons)
        )

    def __str__(self) -> str:
        one = self.mutation
        return (
            f"{one.case.case_id} {one.kind} {one.number}: expected {self.expected.accepted} "
            f"{'|'.join(self.expected.reasons)}, oracle {self.verdict.success} {self.verdict.outcome}, "
            f"labels {self.ecs} {self.reason}"
        )


def expectations() -> dict[tuple[str, str], Expected]:
    """Return kind and protocol → what must come of it."""
    found = {}
    with EXPECTED.open(newline="") as stream:
        for row in csv.DictReader(stream):
            outcomes, reasons = (tuple(filter(None, row[name].split("|"))) for name in ("official", "reason"))
            for protocol in row["protocols"].split():
                accepted = row["accepted"] == "true"
                found[row["kind"], protocol] = Expected(accepted, outcomes, reasons, row["paper"])
    return found


def sample_cases(folder: Path) -> list[Case]:
    """Return the official cases of a sample folder, none where there is no such folder."""
    path = folder / "cases.json"
    if not path.is_file():
        return []
    listed = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [Case(one["case_id"], _PROTOCOLS[one["protocol"]], one["case_spec"]) for one in listed]


def made(sample: Path) -> list[Mutation]:
    """Return the mutations of all cases: those of a sample folder, where it is there, and our own."""
    protocols: dict[str, set[str]] = defaultdict(set)
    for kind, protocol in expectations():
        protocols[kind].add(protocol)
    return list(mutations([*sample_cases(sample), *own_cases()], protocols))


def tables_of(found: Iterable[Mutation], work: Path) -> dict[str, pl.LazyFrame]:
    """Return the tables of mutated runs that were imported and ingested as a user would; files are written to `work`.

    Each kind and number of a mutation is a run, a folder of its own.
    """
    cases: dict[str, Case] = {}
    runs: dict[str, list[Mutation]] = defaultdict(list)
    for one in found:
        cases[one.case.case_id] = one.case
        runs[f"{one.kind}.{one.number}"].append(one)
    import_suite("safeact", write_clone(work / "clone", list(cases.values())), work / "suite")
    for name, members in runs.items():
        write_batch(work / "runs" / name, [(one.case, one.record) for one in members])
    ingest([work / "runs"], load_suite(work / "suite"), work / "tables")
    tables = {table: scan(work / "tables", table) for table in TRACES}
    return tables | {f"spec/{table}": scan(work / "tables", f"spec/{table}") for table in SPECS}


def labelled(tables: Tables) -> dict[str, pl.LazyFrame]:
    """Return the tables that the stages make of them."""
    from misstep.label import label

    return {name: frame.collect().lazy() for name, frame in label(dict(tables)).items()}


Labels = Callable[[Tables], Mapping[str, pl.LazyFrame]]


def judge(found: list[Mutation], work: Path, labels: Labels = labelled) -> list[Judged]:
    """Return the mutations as the oracle and the labels judge them."""
    tables = tables_of(found, work)
    by = labels(tables)
    attempts: dict[str, list[Row]] = defaultdict(list)
    for row in by["action_labels"].sort("episode", "attempt").collect().iter_rows(named=True):
        attempts[row["episode"]].append(row)
    episodes = tables["episodes"].select("episode", "run", "task_id", "status", "decision_outcome").collect()
    told = {row["episode"]: row for row in by["episode_labels"].collect().iter_rows(named=True)}
    labels_of = {
        (row["run"], row["task_id"]): {**told[row["episode"]], **row} for row in episodes.iter_rows(named=True)
    }
    expected = expectations()
    judged = []
    for one in found:
        row = labels_of[f"{one.kind}.{one.number}", one.case.case_id]
        verdict = evaluate(one.case.spec, one.case.protocol, one.record)
        wanted = expected[one.kind, one.case.protocol]
        reason = reason_of(row, attempts[row["episode"]], len(commits_of(one.case)) or 1)
        judged.append(Judged(one, wanted, verdict, row["ecs"], reason))
    return judged


def reason_of(episode: Row, attempts: list[Row], actions: int) -> str:
    """Return why an episode is no success, from its labels alone; blank where it is one, or where that is unknown."""
    if episode["ecs"] is not False:
        return ""
    if episode["protocol"] == "Legacy":
        return "wrong_judgement"
    if episode["protocol"] == "V0" and episode["attempts"]:
        return "attempted"
    wrong = next((row["reason"] for row in attempts if row["reason"] is not None), None)
    if wrong not in (None, "unknown") and episode["protocol"] != "V0":
        return str(wrong)
    if episode["status"] == "aborted":
        return "contract"
    if episode["protocol"] == "V0":
        if not episode["investigation"]:
            return "incomplete_investigation"
        return "wrong_stop" if episode["decision_outcome"] != episode["stop_derived"] else "other"
    if not attempts:
        return "no_action" if episode["protocol"] == "V1" else "unfinished"
    return "unfinished" if len(attempts) < actions else "other"


def counts(judged: Iterable[Judged]) -> dict[str, Counter[str]]:
    """Return kind → how many were tested, accepted by the labels, accepted by the oracle, and not as expected."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in judged:
        found[one.mutation.kind].update(
            tested=1, labels=int(one.ecs is True), oracle=int(one.verdict.success), apart=int(not one.agree)
        )
    return found
