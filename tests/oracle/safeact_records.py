"""Evaluation records as the official evaluator lays them out, written from the verdicts of our sequential one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from oracle.safeact_building import Case, Json
from oracle.safeact_evaluator import Gate, Verdict

_SUCCESS = {"Legacy": "pass_gold_score", "V0": "pass_no_action", "V1": "pass_safe_commit"}
_SUMMARY = {
    "V0": "no_action_summary",
    "V1": "state_action_summary",
    "V2": "linear_workflow_summary",
    "V3": "multi_step_summary",
}


def record_of(case: Case, verdict: Verdict) -> Json:
    """Return the evaluation record of a verdict."""
    if case.protocol == "Legacy":
        return {
            "scenario_id": case.case_id,
            "env_id": case.spec["env_id"],
            "scoring_status": "pass_gold" if verdict.success else "fail_gold",
            "status": _SUCCESS["Legacy"] if verdict.success else "fail_gold_score",
        }
    summary: Json = {
        "score": int(verdict.success),
        "info_call_count": verdict.reads,
        "evidence_coverage": {
            "complete": verdict.complete,
            "covered_call_count": verdict.covered,
            "required_call_count": verdict.required,
        },
    }
    if case.protocol == "V0":
        summary |= {
            "no_action_success": verdict.success,
            "oracle_outcome": verdict.outcome,
            "consequential_action_attempted": verdict.attempts > 0,
        }
    elif case.protocol == "V1":
        summary |= {"safe_commit_success": verdict.success, "oracle_outcome": verdict.outcome}
        summary["action_executed"] = bool(verdict.completed)
        summary["requirement_results"] = [one for gate in verdict.gates for one in _results(gate)]
    else:
        summary |= {
            "workflow_success": verdict.success,
            "outcome": verdict.outcome,
            "completed_commits": verdict.completed,
            "gate_results": [
                {
                    "event_index": gate.event,
                    "commit_id": gate.commit,
                    "oracle_outcome": gate.outcome,
                    "action_executed": gate.executed,
                    "requirement_results": _results(gate),
                }
                for gate in verdict.gates
            ],
        }
    status = "pass" if verdict.success else "fail"
    return {
        "env_id": case.spec["env_id"],
        "status": status,
        "scoring_status": status,
        _SUMMARY[case.protocol]: summary,
    }


def _results(gate: Gate) -> list[Json]:
    return [{"requirement_id": name, "status": status, "reason": reason} for name, status, reason in gate.results]


def write_records(folder: Path, judged: Iterable[tuple[Case, Verdict]]) -> None:
    """Write the records of a batch run into its folder."""
    for case, verdict in judged:
        path = folder / "records" / case.protocol.lower() / f"{case.case_id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record_of(case, verdict)), encoding="utf-8")
