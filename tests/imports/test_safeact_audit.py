"""Varied runs of SafeActBench are judged as it was written down, by the labels and by the sequential evaluator."""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from agreement.safeact import apart, published, table
from agreement.safeact_records import compare, counted
from misstep.contracts.tables import LABELS
from oracle.agreement import differences
from oracle.identities import broken_by_evidence, broken_identities
from oracle.safeact_audit import Judged, Tables, counts, judge, labelled, made
from oracle.safeact_records import write_records


class Audit(NamedTuple):
    """The judged runs, their tables with labels, and the folders of the runs, with records beside the raw outputs."""

    judged: list[Judged]
    tables: Tables
    runs: list[Path]


@pytest.fixture(scope="module")
def sample(root: Path) -> Path:
    return root.parent / "shared/data/safeact-sample"


@pytest.fixture(scope="module")
def audit(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    work = tmp_path_factory.mktemp("audit")
    kept: dict[str, pl.LazyFrame] = {}

    def labels(tables: Tables) -> Tables:
        kept.update({**tables, **labelled(tables)})
        return kept

    judged = judge(made(sample), work, labels)
    by_run = defaultdict(list)
    for one in judged:
        by_run[f"{one.mutation.kind}.{one.mutation.number}"].append((one.mutation.case, one.verdict))
    for name, members in by_run.items():
        write_records(work / "runs" / name, members)
    return Audit(judged, kept, [work / "runs" / name for name in by_run])


def test_every_variation_is_judged_as_it_was_written_down(audit: Audit) -> None:
    assert [str(one) for one in audit.judged if not one.agree] == []
    assert len({one.mutation.kind for one in audit.judged}) > 40


def test_every_case_is_solved_by_its_own_solution(audit: Audit) -> None:
    solved = {one.mutation.case.case_id: one.ecs for one in audit.judged if one.mutation.kind == "reference"}

    assert all(solved.values())
    assert {name.split("-")[1] for name in solved} == {"L", "V0", "V1", "V2", "V3"}


def test_the_ten_official_cases_are_solved_by_their_own_solutions(audit: Audit, sample: Path) -> None:
    if not sample.is_dir():
        pytest.skip("no sample of SafeActBench beside the repository")
    official, _ = apart(audit.judged)
    solved = [one.ecs for one in official if one.mutation.kind == "reference"]

    assert solved == [True] * 10


def test_records_of_the_evaluator_say_the_same_of_every_label(audit: Audit) -> None:
    compared = list(compare(audit.tables, audit.runs))
    differing = {(one.run.partition(".")[0], one.what) for one in compared if not one.same}
    found = counted(compared)

    broken = {("malformed_arguments", "outcome"), ("same_call_id", "completed")}  # contracts that are looked at first
    assert differing == {*broken, ("missing_key", "outcome")}
    assert min(found[what]["compared"] for what in ("success", "coverage", "requirement", "gate", "completed")) > 400


def test_a_record_that_says_otherwise_is_noticed(audit: Audit) -> None:
    run = next(run for run in audit.runs if run.name == "reference.0")
    path = run / "records/v2/OWN-V2-001.json"
    text = path.read_text()
    path.write_text(text.replace('"SUPPORTED"', '"MISSING"', 1).replace('"book", ', "", 1))
    found = [(one.case_id, one.what) for one in compare(audit.tables, [run]) if not one.same]
    path.write_text(text)

    assert sorted(found) == [("OWN-V2-001", "completed"), ("OWN-V2-001", "requirement")]


def test_the_slow_oracle_of_the_labels_says_the_same(audit: Audit) -> None:
    tables = {name: frame.collect() for name, frame in audit.tables.items() if name not in LABELS}
    chosen = tables["episodes"].sort("run", "task_id").gather_every(7)
    for name in ("episodes", "messages", "calls", "writes"):
        tables[name] = tables[name].join(chosen.select("episode"), on="episode", how="semi")

    assert chosen.height > 100
    assert [str(one) for one in differences(tables)] == []


def test_the_identities_hold(audit: Audit) -> None:
    episodes, writes, actions = (
        audit.tables[name].collect().to_dicts() for name in ("episode_labels", "write_labels", "action_labels")
    )
    assert broken_identities(episodes, writes) == []
    assert broken_by_evidence(episodes, actions) == []


def test_evidence_of_another_entity_is_told_as_such(audit: Audit) -> None:
    runs = audit.tables["episodes"].filter(pl.col("run").str.starts_with("wrong_entity")).select("episode", "task_id")
    near = (
        audit.tables["requirement_labels"]
        .filter((pl.col("kind") == "requirement") & (pl.col("status") == "MISSING") & (pl.col("attempt") >= 0))
        .join(runs, on="episode")
        .select("task_id", "near_miss")
        .collect()
    )
    derived = near.filter(pl.col("task_id").str.contains("-WE"))

    assert derived.height > 10
    assert derived["near_miss"].cast(pl.String).value_counts().sort("count").rows()[-1][0] == "wrong_entity"


def test_the_document_holds_the_table(audit: Audit, sample: Path, root: Path) -> None:
    if not sample.is_dir():
        pytest.skip("no sample of SafeActBench beside the repository")
    official, own = map(counts, apart(audit.judged))
    printed = published(root.parent / "shared/published/safeact_table8_evaluator_variations.csv")

    assert table(official, own, printed) in (root / "docs/safeact.md").read_text()
