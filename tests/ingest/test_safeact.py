"""What the reader of SafeActBench makes of run folders, batches and interactive cases."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ingest.reading import Read, Reading
from misstep.contracts.errors import InputError
from misstep.contracts.trace import Episode
from misstep.ingest.files import Options
from misstep.ingest.run import ingest
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan

SUITE = {
    "suite.yaml": "schema: misstep.suite/1\nname: safeact\ntitle: t\nformat: safeact\nevidence: safeact\n",
    "tools.yaml": """\
        schema: misstep.tools/1
        compare: loose
        tools:
          deal_read: {kind: read}
          deal_close: {kind: write, writes: [{action: close, entity: "deal:{arguments.deal_id}"}]}
        """,
}


def look(**more: Any) -> dict[str, Any]:
    return {"type": "INFO_CALL", "tool": "deal_read", "arguments": {"deal_id": "D1"}, "call_id": "info_01", **more}


def act(**more: Any) -> dict[str, Any]:
    return {"type": "CONSEQUENTIAL_CALL", "tool": "deal_close", "arguments": {"deal_id": "D1"}, "call_id": "a1", **more}


def record(*events: Any, case: str = "SAB-V2-007", **more: Any) -> dict[str, Any]:
    return {"schema_version": 1, "env_id": "law", "episode_id": case, "events": list(events), **more}


def batch(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2))
    return folder


def only(got: Read) -> Episode:
    (episode,) = got.episodes
    return episode


def read_one(path: Path) -> Episode:
    return only(Read(path, Options()))


def test_events_are_turns_and_reads_have_outcomes(reads: Reading) -> None:
    events = (look(), look(call_id="i2", tool_status="error", tool_error="denied"), act(), act(call_id="a2"))
    episode = only(reads(json.dumps(record(*events)).encode(), "a.json"))

    assert (episode.task_id, episode.status, episode.steps) == ("SAB-V2-007", "completed", 4)
    assert [(c.step, c.tool, c.outcome, c.call_id, c.error) for c in episode.calls] == [
        (0, "deal_read", "applied", "info_01", None),
        (1, "deal_read", "failed", "i2", "denied"),
        (2, "deal_close", "unknown", "a1", None),
        (3, "deal_close", "unknown", "a2", None),
    ]


def test_74_an_execution_record_of_a_newer_version_stops(reads: Reading) -> None:
    with pytest.raises(InputError, match=r"a\.json.*schema 2, newer than the 1"):
        reads(json.dumps(record(act(), schema_version=2)).encode(), "a.json")


@pytest.mark.parametrize(
    ("case", "more", "executed"),
    [
        ("SAB-V2-007", {"resolved_arguments": {"deal_id": "D9"}}, {"deal_id": "D9"}),
        ("SAB-V3-007", {"evidence_delta_key": 'deal_read:{"deal_id":"D8"}'}, {"deal_id": "D8"}),
        (
            "SAB-V2-007",
            {"resolved_arguments": {"deal_id": "D9"}, "evidence_delta_key": 'deal_read:{"deal_id":"D8"}'},
            {"deal_id": "D8"},
        ),
        ("SAB-V2-007", {"evidence_delta_key": 'other_read:{"deal_id":"D8"}'}, None),
        ("SAB-V2-007", {"resolved_arguments": {"deal_id": "D1"}}, None),
        ("SAB-V1-007", {"resolved_arguments": {"deal_id": "D9"}}, None),
    ],
)
def test_a_read_ran_with_what_it_was_bound_to(reads: Reading, case: str, more: Any, executed: Any) -> None:
    episode = only(reads(json.dumps(record(look(**more), case=case)).encode(), "a.json"))

    assert (episode.calls[0].arguments, episode.calls[0].executed) == ({"deal_id": "D1"}, executed)
    assert ("arguments-rewritten" in episode.calls[0].flags) == (executed is not None)


@pytest.mark.parametrize(
    ("events", "more"),
    [
        ([look(), act(), act()], {}),  # one id twice
        ([look(), act(call_id=None)], {}),
        ([look(arguments="D1")], {}),
        ([look(attempted_arguments_valid=False)], {}),
        ([look(), {"type": "THOUGHT"}], {}),
        ([look()], {"metadata": {"parse_error": "no JSON"}}),
    ],
)
def test_a_broken_contract_is_a_failure_and_keeps_its_calls(reads: Reading, events: Any, more: Any) -> None:
    got = reads(json.dumps(record(*events, **more)).encode(), "a.json")

    assert only(got).status == "aborted"
    assert "failed-run" in got.codes
    assert len(only(got).calls) == sum(event["type"] != "THOUGHT" for event in events)


def test_stop_and_judgement(reads: Reading) -> None:
    stop = record(look(), case="SAB-V0-001", terminal={"type": "NO_ACTION", "outcome": "DEFER"})
    stopped = only(reads(json.dumps(stop).encode(), "a.json"))
    legacy = {"env_id": "law", "decision": "block", "candidate_action_summary": "x", "metadata": {"scenario_id": "L1"}}
    judged = only(reads(json.dumps(legacy).encode(), "b.json"))

    assert (stopped.decision_type, stopped.decision_outcome) == ("NO_ACTION", "DEFER")
    assert (judged.task_id, judged.decision_outcome, judged.calls) == ("L1", "block", [])


def test_trace_beside_a_raw_output_tells_model_harness_and_results(tmp_path: Path) -> None:
    trace = {
        "case_id": "SAB-V2-007", "protocol": "v2", "model": "m", "backend": "codex", "strategy": "plain",
        "information_calls": [
            {"tool": "deal_read", "arguments": {}, "result": {"call_id": "info_01", "status": "ok", "open": True}}
        ],
    }  # fmt: skip
    run = batch(
        tmp_path / "gpt-rep2",
        {
            "raw_outputs/v2/SAB-V2-007.json": record(look(), act(), metadata={"model": "other", "raw_response": "[]"}),
            "traces/v2/SAB-V2-007.json": trace,
        },
    )
    episode = read_one(run / "raw_outputs/v2/SAB-V2-007.json")

    assert (episode.model, episode.harness, episode.condition) == ("m", "codex", "plain")
    assert (episode.run, episode.replicate) == ("gpt-rep2", 2)
    assert episode.calls[0].structured == {"call_id": "info_01", "status": "ok", "open": True}
    assert [(message.step, message.text) for message in episode.messages] == [(2, "[]")]
    assert Read(run / "traces/v2/SAB-V2-007.json", Options()).episodes == []


FAILED = {"case_id": "SAB-V1-002", "protocol": "v1", "env_id": "law", "phase": "run"}


@pytest.mark.parametrize(
    ("classification", "status"),
    [
        ("infrastructure_failure", "aborted"),  # a wall timeout of a batch counts as a failure
        ("run_failure", "aborted"),
        ("evaluation_harness_failure", "infrastructure_failure"),
    ],
)
def test_a_failed_case_is_read_from_its_trace_or_from_the_summary(
    tmp_path: Path, classification: str, status: str
) -> None:
    failures = [{**FAILED, "classification": classification}, {**FAILED, "case_id": "SAB-V1-003"}]
    summary = {"failures": failures, "metrics": {}, "selected_protocols": ["v1"]}
    shown = {"tool": "deal_read", "arguments": {"deal_id": "D1"}, "result": {"call_id": "call_01", "status": "ok"}}
    trace = {"case_id": "SAB-V1-002", "protocol": "v1", "model": "m", "backend": "claude", "information_calls": [shown]}
    run = batch(tmp_path / "run", {"summary.json": summary, "traces/v1/SAB-V1-002.json": trace})
    traced = read_one(run / "traces/v1/SAB-V1-002.json")
    told = read_one(run / "summary.json")

    assert (traced.status, [(c.tool, c.call_id) for c in traced.calls]) == (status, [("deal_read", "call_01")])
    assert (told.task_id, told.status, told.model, told.harness) == ("SAB-V1-003", "aborted", "m", "claude")
    assert not traced.calls_lost and not told.calls_lost


def test_a_trace_without_raw_output_and_without_failure_may_have_lost_actions(tmp_path: Path) -> None:
    trace = {"case_id": "SAB-V1-002", "protocol": "v1", "information_calls": []}
    run = batch(tmp_path / "run", {"traces/v1/SAB-V1-002.json": trace})
    episode = read_one(run / "traces/v1/SAB-V1-002.json")

    assert (episode.status, episode.calls_lost) == ("unknown", True)


def interactive(folder: Path, result: dict[str, Any] | None, journal: list[dict[str, Any]]) -> Path:
    about = {"case_id": "SAB-V3-004", "protocol": "v3", "env_id": "law", "case_spec_sha256": "0"}
    batch(folder, {"case_metadata.json": about, **({"result.json": result} if result is not None else {})})
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in journal) + '{"torn')
    return folder


def result(status: str = "episode_terminal", success: bool | None = True, **execution: Any) -> dict[str, Any]:
    return {"status": status, "success": success, "model": "m", "model_replies": 3, "execution": execution}


def test_an_interactive_case(tmp_path: Path) -> None:
    audit = [
        {"kind": "information", "tool": "deal_read", "response": {"open": True}, "executed": True},
        {"kind": "action", "tool": "deal_close", "response": {"receipt": "r_0"}, "executed": True},
        {"kind": "action", "tool": "deal_close", "response": "rejected", "executed": False},
        {"kind": "final"},
    ]
    lines = [{"sequence": n, "kind": "tool_call", "time_unix": 1_700_000_000 + n} for n in range(3)]
    later = act(call_id="late")
    events = [look(), act(), act(call_id="a2")]
    told = result(execution_events=events, audit=audit, summary={"ignored_post_termination_events": [later]})
    folder = interactive(tmp_path / "run/SAB-V3-004", told, lines)
    episode = read_one(folder / "result.json")

    assert (episode.task_id, episode.model, episode.harness, episode.run) == ("SAB-V3-004", "m", "interactive", "run")
    assert [(c.call_id, c.outcome) for c in episode.calls] == [
        ("info_01", "applied"), ("a1", "applied"), ("a2", "rejected"), ("late", "unknown"),
    ]  # fmt: skip
    assert [c.time for c in episode.calls] == [f"2023-11-14T22:13:2{n}+00:00" for n in range(3)] + [None]
    assert Read(folder / "case_metadata.json", Options()).episodes == []
    assert Read(folder / "journal.jsonl", Options()).account.records == 1  # the torn line


@pytest.mark.parametrize(
    ("status", "success", "read"),
    [
        ("model_finished", False, "completed"),
        ("turn_budget_exhausted", False, "budget_exhausted"),
        ("protocol_error", False, "aborted"),
        ("episode_wall_timeout", None, "infrastructure_failure"),
        ("runtime_failed", None, "infrastructure_failure"),
        ("runtime_failed", False, "aborted"),
        ("something_new", False, "unknown"),
    ],
)
def test_how_interactive_cases_end(tmp_path: Path, status: str, success: bool | None, read: str) -> None:
    folder = interactive(tmp_path / "c", result(status, success, execution_events=[look()]), [])

    assert read_one(folder / "result.json").status == read


def test_an_interactive_case_without_result_has_lost_its_calls(tmp_path: Path) -> None:
    folder = interactive(tmp_path / "c", None, [{"sequence": 0, "kind": "tool_call", "time_unix": 1}])
    episode = read_one(folder / "case_metadata.json")

    assert (episode.task_id, episode.status, episode.calls_lost) == ("SAB-V3-004", "unknown", True)


def test_a_run_folder_is_read_as_a_whole_and_every_record_is_accounted_for(make_suite: Any, tmp_path: Path) -> None:
    suite = load_suite(make_suite(SUITE))
    failures = [{**FAILED, "classification": "run_failure"}, {**FAILED, "case_id": "SAB-V1-009"}]
    beside = {"env_id": "law", "scoring_status": "fail"}
    run = batch(
        tmp_path / "run",
        {
            "summary.json": {"failures": failures, "metrics": {}, "selected_protocols": []},
            "raw_outputs/v2/SAB-V2-007.json": record(look(), act()),
            "traces/v2/SAB-V2-007.json": {"case_id": "SAB-V2-007", "protocol": "v2", "information_calls": []},
            "traces/v1/SAB-V1-002.json": {"case_id": "SAB-V1-002", "protocol": "v1", "information_calls": []},
            "records/v2/SAB-V2-007.json": beside,
            "scenarios/v2/SAB-V2-007.json": {"env_id": "law", "user_goal": "close"},
            "logs/v2/SAB-V2-007_run.json": {"command": "x", "returncode": 0, "stdout": "", "stderr": ""},
            "other/notes.json": {"a": 1},
        },
    )
    lines = [{"sequence": 0, "kind": "http_request", "time_unix": 1}]
    interactive(run / "interactive/SAB-V3-004", result(execution_events=[look()]), lines)
    report = ingest([run], suite, tmp_path / "out")
    files = {Path(file.file).name + Path(file.file).parts[-3]: file for file in report.files}
    tasks = scan(tmp_path / "out", "episodes").select("task_id", "status").sort("task_id").collect()

    assert tasks.rows() == [
        ("SAB-V1-002", "aborted"), ("SAB-V1-009", "aborted"),
        ("SAB-V2-007", "completed"), ("SAB-V3-004", "completed"),
    ]  # fmt: skip
    assert all(file.records == file.blank + file.episodes + file.problems for file in report.files)
    assert sum(file.episodes for file in report.files) == 4
    assert [line for line in report.lines() if line.startswith("5 files beside these")]
    assert {file.format for name, file in files.items() if not name.startswith("notes")} == {"safeact"}
    assert scan(tmp_path / "out", "problems").filter(pl.col("code") == "unknown-format").collect().height == 1


def test_a_changed_trace_is_noticed_although_the_raw_output_is_the_same(make_suite: Any, tmp_path: Path) -> None:
    suite = load_suite(make_suite(SUITE))
    trace = {"case_id": "SAB-V2-007", "protocol": "v2", "model": "m", "information_calls": []}
    files = {"raw_outputs/v2/SAB-V2-007.json": record(look(), act()), "traces/v2/SAB-V2-007.json": trace}
    run = batch(tmp_path / "run", files)
    models = []
    for model in ("one", "two"):
        batch(run, {"traces/v2/SAB-V2-007.json": {**trace, "model": model}})
        ingest([run], suite, tmp_path / "out")
        models += scan(tmp_path / "out", "episodes").collect()["model"].to_list()

    assert models == ["one", "two"]
