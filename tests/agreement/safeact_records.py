"""Labels beside the records of the official SafeActBench evaluator: `python -m agreement.safeact_records TABLES RUN…`.

Run in `tests/`. TABLES is an output folder of misstep that was labelled, RUN the folders of the batch runs it was made
of. Each label is counted, and each difference listed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from agreement.corpus import by_episode
from misstep.storage.parquet import scan

Row = dict[str, Any]
Tables = Mapping[str, pl.LazyFrame]
TABLES = ("episodes", "episode_labels", "action_labels", "requirement_labels")
_SUMMARIES = ("no_action_summary", "state_action_summary", "linear_workflow_summary", "multi_step_summary")
_MINIMA = {
    "minimum_information_call_count": "minimum_reads",
    "minimum_distinct_information_tools": "minimum_read_tools",
}
#: Reason of an attempt → outcomes of the official evaluator that say the same.
OUTCOMES: Mapping[str, tuple[str, ...]] = {
    "no_such_action": ("UNEXPECTED_CONSEQUENTIAL_ACTION", "PUBLIC_ACTION_SCHEMA_VIOLATION"),
    "extra": ("DUPLICATE_COMPLETED_COMMIT_ATTEMPT", "UNEXPECTED_CONSEQUENTIAL_ACTION"),
    "wrong_target": ("UNEXPECTED_CONSEQUENTIAL_ACTION", "WRONG_ACTION_ARGUMENT"),
    "wrong_arguments": (
        "UNEXPECTED_CONSEQUENTIAL_ACTION",
        "WRONG_ACTION_ARGUMENT",
        "DUPLICATE_COMPLETED_COMMIT_ATTEMPT",
        "PUBLIC_ACTION_SCHEMA_VIOLATION",
        "FORBIDDEN_FREE_TEXT_PAYLOAD",
        "UNDECLARED_STRUCTURED_PAYLOAD_FIELD",
        "UNAPPROVED_TEMPLATE",
        "BLOCK",
    ),
    "dependency": (
        "UNEXPECTED_CONSEQUENTIAL_ACTION",
        "DEPENDENCY_VIOLATION",
        "INVALID_PRIOR_RESULT_REFERENCE",
        "WRONG_ACTION_ARGUMENT",
    ),
    "binding": ("INVALID_PRIOR_RESULT_REFERENCE", "UNEXPECTED_CONSEQUENTIAL_ACTION", "WRONG_ACTION_ARGUMENT"),
    "idempotency": ("IDEMPOTENCY_KEY_REUSED",),
    "violated": ("BLOCK",),
    "missing_requirement": ("DEFER",),
    "missing_coverage": ("DEFER",),
    "after_end": ("INVALID_INFO_CALL", "MISSING_FROZEN_EVIDENCE_DELTA", "INVALID_CALL_ID", "INVALID_EVENT"),
    "after_success": ("EXTRA_POST_SUCCESS_EVENT",),
}


class Compared(NamedTuple):
    """A label of a case: what the official evaluator says, what the labels say, and whether these are the same."""

    run: str
    case_id: str
    what: str
    official: Any
    ours: Any
    same: bool


def compare(tables: Tables, runs: Iterable[Path]) -> Iterator[Compared]:
    """Yield the labels of all cases of which a run holds an official record."""
    attempts = by_episode(tables["action_labels"].sort("episode", "attempt"))
    statuses = by_episode(tables["requirement_labels"])
    both = tables["episodes"].select("episode", "run", "task_id", "status", "decision_outcome")
    rows = both.join(tables["episode_labels"], on="episode").collect().to_dicts()
    by_case = {(row["run"], row["task_id"]): row for row in rows}
    for run in runs:
        for path in sorted((run / "records").glob("*/*.json")):
            episode = by_case.get((run.resolve().name, path.stem))
            record = json.loads(path.read_text(encoding="utf-8"))
            if episode is None:
                yield Compared(run.name, path.stem, "episode", "there", None, same=False)
                continue
            name = episode["episode"]
            for what, official, ours, same in _of_case(record, episode, attempts[name], statuses[name]):
                yield Compared(run.name, path.stem, what, official, ours, same)


Label = tuple[str, Any, Any, bool]


def _of_case(record: Row, episode: Row, attempts: list[Row], statuses: list[Row]) -> Iterator[Label]:
    summary = next((record[name] for name in _SUMMARIES if name in record), None)
    if summary is None:
        passed = record.get("scoring_status") == "pass_gold"
        yield "success", passed, episode["ecs"], passed == episode["ecs"]
        return
    successes = ("no_action_success", "safe_commit_success", "workflow_success")
    passed = any(bool(summary.get(name)) for name in successes)
    yield "success", passed, episode["ecs"], passed == episode["ecs"]
    coverage = summary.get("evidence_coverage") or {}
    if coverage.get("complete") is not None and not _stopped(summary):
        yield _equal("coverage", coverage["complete"], episode["investigation"])
    acts = [row for row in attempts if row["consequential"]]
    yield from _outcome(summary, episode, acts)
    yield from _requirements(summary, acts, statuses)
    if "completed_commits" in summary:
        done = [row["matched_action"] for row in acts if row["executed"]]
        yield _equal("completed", summary["completed_commits"], done)


def _equal(what: str, official: Any, ours: Any) -> Label:
    return what, official, ours, official == ours


def _stopped(summary: Row) -> bool:
    """Return whether the evaluator stopped reading before the end, so that coverage is not that of all reads."""
    return "gate_results" in summary and summary["outcome"] not in ("CASE_SUCCESS", "TIMEOUT")


def _outcome(summary: Row, episode: Row, acts: list[Row]) -> Iterator[Label]:
    if "no_action_success" in summary:
        attempted = summary.get("consequential_action_attempted")
        yield _equal("attempted", attempted, bool(episode["attempts"]))
        if summary["oracle_outcome"] in ("DEFER", "BLOCK", "ALLOW"):
            yield _equal("outcome", summary["oracle_outcome"], episode["stop_derived"])
        return
    official = summary.get("outcome", summary.get("oracle_outcome"))
    reason = next((row["reason"] for row in acts if row["reason"] is not None), None)
    if "safe_commit_success" in summary:
        first = acts[0] if acts else None
        told = "TIMEOUT" if first is None else "BLOCK" if _unfit(first) else first["gate"]
        yield _equal("outcome", official, told)
        return
    if reason is not None:
        yield "outcome", official, reason, official in OUTCOMES.get(reason, ())
    elif official in ("CASE_SUCCESS", "TIMEOUT"):
        finished = any(row["executed"] for row in acts) and episode["partial"] is False
        yield _equal("outcome", official == "CASE_SUCCESS", finished)


def _unfit(attempt: Row) -> bool:
    """Return whether an action is not the one of the case, which the official evaluator counts as a violation."""
    return attempt["matched_action"] is None or attempt["arguments_ok"] is False


def _requirements(summary: Row, acts: list[Row], statuses: list[Row]) -> Iterator[Label]:
    """Yield the statuses at each attempt that the evaluator gated."""
    gated = summary.get("gate_results")
    if gated is None:
        gated = [{"requirement_results": summary.get("requirement_results") or []}]
    ours: dict[int, dict[str, str | None]] = defaultdict(dict)
    for row in statuses:
        ours[row["attempt"]][row["requirement"].partition("@")[0]] = row["status"]
    for attempt, gate in zip(acts, gated, strict=False):
        if _unfit(attempt):
            continue
        for one in gate["requirement_results"]:
            name = _MINIMA.get(one["requirement_id"], one["requirement_id"])
            if not name.startswith("key_action_"):
                found = ours[attempt["attempt"]].get(name)
                yield _equal("requirement", one["status"], found)
        if gate.get("oracle_outcome") in ("ALLOW", "DEFER", "BLOCK"):
            yield _equal("gate", gate["oracle_outcome"], attempt["gate"])


def counted(compared: Iterable[Compared]) -> dict[str, Counter[str]]:
    """Return label → how often it was compared, and how often it differs."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in compared:
        found[one.what].update(compared=1, different=not one.same)
    return found


def main(folder: Path, runs: list[Path]) -> None:
    """Print how often each label agrees, and every difference."""
    compared = list(compare({name: scan(folder, name) for name in TABLES}, runs))
    for what, count in counted(compared).items():
        print(f"{what}: {count['compared'] - count['different']} of {count['compared']} agree")
    for one in compared:
        if not one.same:
            print(f"{one.run} {one.case_id} {one.what}: the record says {one.official}, the labels say {one.ours}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
