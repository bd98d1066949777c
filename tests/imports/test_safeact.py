"""SafeActBench cases become tasks that ask for evidence; the cases here are hand-written ones in its format."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from misstep.contracts.errors import SpecificationError, UsageError
from misstep.contracts.suite import Task
from misstep.specs.imports import ImportReport, import_suite
from misstep.specs.load import Suite, load_suite
from oracle.safeact_building import (
    FILES,
    Case,
    acts,
    arg,
    chain,
    commit,
    digest,
    fact,
    needs,
    shows,
    single,
    write_clone,
)
from oracle.safeact_cases import own_cases


def imported(cases: list[Case], folder: Path) -> tuple[ImportReport, Suite]:
    report = import_suite("safeact", write_clone(folder / "clone", cases), folder / "suite")
    return report, load_suite(folder / "suite")


def task_of(case: Case, folder: Path) -> Task:
    (task,) = imported([case], folder)[1].tasks
    return task


READS = [
    shows("order_read", {"order_id": "O1"}, fact("order", order_id="O1", status="open", lines=["a", "b"])),
    shows("policy_read", {"topic": "close"}, fact("policy", topic="close", allowed=True)),
]


def one(*requirements: Any, **arguments: Any) -> Case:
    """Return a case of one action with these arguments, or of one that closes an order."""
    template = {"tool": "order_close", "arguments": arguments or {"order_id": "O1"}}
    return single(90, "customer_policy_qa", deepcopy(READS), template, list(requirements))


def test_every_case_becomes_a_task_and_every_hash_is_compared(tmp_path: Path) -> None:
    cases = own_cases()
    report, suite = imported(cases, tmp_path)

    assert (report.tasks, report.verified) == (len(cases), len(cases))
    assert [task.task_id for task in suite.tasks] == [case.case_id for case in cases]
    assert [task.evidence.protocol for task in suite.tasks if task.evidence] == [case.protocol for case in cases]
    assert (suite.file.evidence, suite.file.format) == ("safeact", "safeact")
    assert {task.strata["domain"] for task in suite.tasks} == {case.spec["env_id"] for case in cases}


def test_legacy_is_a_judgement_alone(tmp_path: Path) -> None:
    _, suite = imported([case for case in own_cases() if case.protocol == "Legacy"], tmp_path)

    assert [(task.evidence.decision, task.evidence.actions) for task in suite.tasks if task.evidence] == [
        ("ALLOW", []), ("DEFER", []), ("BLOCK", []),
    ]  # fmt: skip
    assert [task.strata["pair"] for task in suite.tasks] == ["OWN-SEED-1", "OWN-SEED-0", "OWN-SEED-1"]
    assert all(task.template_id == task.task_id for task in suite.tasks)


def test_a_legacy_case_that_the_benchmark_skips_asks_for_nothing(tmp_path: Path) -> None:
    case = deepcopy(next(case for case in own_cases() if case.protocol == "Legacy"))
    case.spec["metadata"]["status"] = "legacy_skip"

    assert task_of(case, tmp_path).evidence is None


def test_a_counterpart_is_of_the_same_pair(tmp_path: Path) -> None:
    case = one()
    case.spec["counterpart_case_id"] = "OWN-V0-001"

    task = task_of(case, tmp_path)
    assert (task.strata["pair"], task.template_id) == ("OWN-V0-001", case.case_id)


def test_a_drifted_case_names_file_case_and_both_hashes(tmp_path: Path) -> None:
    case = one()
    clone = write_clone(tmp_path / "clone", [case])
    told = digest(case.spec)
    case.spec["max_info_calls"] = 99
    path = clone / "env" / FILES["V1"][0]
    path.write_text(json.dumps({"episodes": [case.spec]}))

    with pytest.raises(SpecificationError) as raised:
        import_suite("safeact", clone, tmp_path / "suite")
    for part in (str(path), case.case_id, told, digest(case.spec)):
        assert part in str(raised.value)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    cases = own_cases()
    clone = write_clone(tmp_path / "clone", cases)
    (clone / "env" / FILES["V3"][0]).unlink()
    report = import_suite("safeact", clone, tmp_path / "suite")
    (clone / "env/case_manifest.json").unlink()
    without = import_suite("safeact", clone, tmp_path / "suite")

    assert any("multi_step_cases.json" in what for what in report.missing)
    assert any("cases of the manifest: OWN-V3-001" in what for what in report.missing)
    assert any("case_evidence.json" in what for what in report.missing)
    assert (without.verified, report.tasks) == (0, len(cases) - 5)
    assert any("case_manifest.json" in what for what in without.missing)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has none of cases\.json, non_execution_cases\.json"):
        import_suite("safeact", tmp_path, tmp_path / "suite")


def test_a_folder_of_wrapped_cases(tmp_path: Path) -> None:
    case = one()
    wrapped = {"case_id": case.case_id, "protocol": "v1", "case_spec": case.spec, "case_spec_sha256": digest(case.spec)}
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [wrapped]}))
    report = import_suite("safeact", tmp_path, tmp_path / "suite")

    assert (report.tasks, report.verified) == (1, 1)


def test_reads_and_what_they_establish(tmp_path: Path) -> None:
    evidence = task_of(one(), tmp_path).evidence
    assert evidence is not None
    shown = evidence.read_facts[0].shows[0].facts

    assert [(read.id, read.tool, read.arguments) for read in evidence.reads] == [
        ("required_info_call_01", "order_read", {"order_id": "O1"}),
        ("required_info_call_02", "policy_read", {"topic": "close"}),
    ]
    assert shown == {"predicate": "order", "order_id": "O1", "status": "open", "lines": ["a", "b"]}
    assert (evidence.min_reads, evidence.min_read_tools, evidence.max_reads) == (2, 2, 6)
    assert evidence.reads_before_first


def test_where_a_fact_comes_from_is_kept_where_it_is_tested(tmp_path: Path) -> None:
    evidence = task_of(one(needs("r", fact("order", source_tool="order_read"))), tmp_path).evidence
    assert evidence is not None

    assert [shown.facts.get("source_tool") for read in evidence.read_facts for shown in read.shows] == [
        "order_read", "policy_read",
    ]  # fmt: skip
    assert "schema_version" not in evidence.read_facts[0].shows[0].facts


def test_files_beside_add_what_the_specification_lacks(tmp_path: Path) -> None:
    case = one()
    clone = write_clone(tmp_path / "clone", [case])
    more = {"tool_name": "order_read", "arguments": {"order_id": "O2"}, "facts": [fact("order", order_id="O2")]}
    told = {"case_id": case.case_id, "records": [more]}
    (clone / "env/case_evidence.json").write_text(json.dumps({"cases": [told]}))
    import_suite("safeact", clone, tmp_path / "suite")
    evidence = load_suite(tmp_path / "suite").tasks[0].evidence

    assert evidence is not None
    assert [one.arguments for one in evidence.read_facts][-1] == {"order_id": "O2"}


def test_full_selectors_of_a_shard_and_materialized_evidence_establish_what_they_bind(tmp_path: Path) -> None:
    case = next(case for case in own_cases() if case.case_id == "OWN-V3-001")
    case.spec["metadata"] = {"evidence_scope": "shared_world"}
    key = next(iter(case.spec["frozen_evidence_deltas"]))
    tool = key.partition(":")[0]
    candidates = [
        {"arguments": {"sku": "77", "site": "A"}, "evidence_delta_key": key},
        {"arguments": {"sku": "78", "site": "A"}, "evidence_delta_key": None},
    ]
    clone = write_clone(tmp_path / "clone", [case])
    shard = clone / "env/v3_episode_query_shards/episodes" / f"{case.case_id}.json"
    shard.parent.mkdir(parents=True)
    shard.write_text(json.dumps({"tools": {tool: {"candidates": candidates}}}))
    more = clone / "env/customer_policy_qa/materialized_evidence" / f"{case.case_id}.json"
    more.parent.mkdir(parents=True)
    more.write_text(json.dumps({"frozen_evidence_deltas": {'stock_read:{"record_id":"sku:79"}': [fact("resellable")]}}))
    report = import_suite("safeact", clone, tmp_path / "suite")
    evidence = load_suite(tmp_path / "suite").tasks[0].evidence
    assert evidence is not None
    found = [(one.tool, one.arguments) for one in evidence.read_facts[2:]]

    assert found == [("stock_read", {"record_id": "sku:79"}), (tool, {"sku": "77", "site": "A"})]
    assert not any("query_shards" in what or "materialized" in what for what in report.missing)


def test_the_script_of_a_case_that_must_stop_orders_its_candidates(tmp_path: Path) -> None:
    case = next(case for case in own_cases() if case.case_id == "OWN-V0-005")
    case.spec["workflow"]["commits"].reverse()
    evidence = task_of(case, tmp_path).evidence
    assert evidence is not None
    receipt = next(one for one in evidence.requirements if one.id == "receipt_there")

    assert [action.id for action in evidence.actions] == ["check", "enrol", "announce"]
    assert [one.result_of for one in receipt.supported_if[0].all] == ["check"]


def test_a_key_of_any_value_has_to_be_given_where_the_solution_gives_one(tmp_path: Path) -> None:
    evidence = task_of(one(order_id="O1", idempotency_key="k"), tmp_path).evidence
    assert evidence is not None

    assert [one.id for one in evidence.requirements] == ["idempotency_key_given"]


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        (fact("order", status="open"), {"record": {"predicate": "order", "status": "open"}}),
        (fact("order", order_id=arg("order_id")), {"record": {"predicate": "order", "order_id": arg("order_id")}}),
        (fact("order", lines=arg("lines")), {"record": {"predicate": "order", "lines": ["a", "b"]}}),
        (acts("tool", equals="order_close"), {"action": {"tool": "order_close"}}),
        (acts("arguments.order_id", not_equals="O2"), {"action": {"arguments.order_id": {"is_not": "O2"}}}),
        (acts("arguments.order_id", contains="O"), {"action": {"arguments.order_id": {"contains": "O"}}}),
        (acts("arguments.slots", equals={"a": 1}), {"action": {"arguments.slots.a": 1}}),
        (
            acts("arguments.lines", equals=["a", "b"]),
            {"action": {"arguments.lines[0]": "a", "arguments.lines[1]": "b"}},
        ),
        (acts("arguments.slots.a"), {"action": {"arguments.slots.a": {"present": True}}}),
        (
            acts("arguments.lines", not_contains="c"),
            {"action": {"arguments.lines[0]": {"is_not": "c"}, "arguments.lines[1]": {"is_not": "c"}}},
        ),
        ({"source": "postcondition", "name": "order"}, {"record": {"predicate": "order"}}),
    ],
)
def test_conditions(tmp_path: Path, condition: Any, written: Any) -> None:
    case = one(needs("r", condition), order_id="O1", lines=["a", "b"], slots={"a": 1})
    import_suite("safeact", write_clone(tmp_path / "clone", [case]), tmp_path / "suite")
    line = json.loads((tmp_path / "suite/tasks.jsonl").read_text())

    assert line["evidence"]["requirements"][0]["supported_if"] == [{"all": [written]}]


def test_a_condition_on_a_member_of_a_list_may_hold_at_each(tmp_path: Path) -> None:
    case = one(needs("r", acts("arguments.lines", contains="b")), lines=["a", "b"])
    import_suite("safeact", write_clone(tmp_path / "clone", [case]), tmp_path / "suite")
    line = json.loads((tmp_path / "suite/tasks.jsonl").read_text())

    assert line["evidence"]["requirements"][0]["supported_if"] == [
        {"all": [{"action": {"arguments.lines[0]": "b"}}]}, {"all": [{"action": {"arguments.lines[1]": "b"}}]},
    ]  # fmt: skip


def test_workflows_keep_order_references_and_postconditions(tmp_path: Path) -> None:
    case = chain(90, "ops_code_agent", deepcopy(READS), [
        commit("close", "order_close", {"order_id": "O1", "note": "$anything"},
               needs("same", fact("order", status="open")), result_schema={"receipt": "string"}),
        commit("tell", "note_send", {"receipts": ["result:close.receipt"], "summary_facts": ["close_done"]},
               needs("same", fact("policy", allowed=True)), "summary_facts_supported"),
    ])  # fmt: skip
    evidence = task_of(case, tmp_path).evidence
    assert evidence is not None
    first, second = evidence.actions
    conditions = {one.id: one.supported_if[0].all for one in evidence.requirements}

    assert (first.arguments["note"], second.after) == ("*", ["close"])
    assert second.arguments["receipts"] == [{"result_of": "close", "field": "receipt"}]
    assert second.requires == ["same@tell", "summary_facts_supported", "close_done"]
    assert [one.result_of for one in (*conditions["close_done"], *conditions["summary_facts_supported"])] == [
        "close"
    ] * 2


def test_requirements_may_be_violated_or_inactive(tmp_path: Path) -> None:
    written = needs("r", fact("order"), violated=[[fact("order", status="shut")]], inactive=[[fact("waiver")]])
    evidence = task_of(one(written), tmp_path).evidence
    assert evidence is not None
    made = evidence.requirements[0]

    assert (made.missing_reason, made.violated_if[0].reason, len(made.inactive_if)) == ("R_REQUIRED", "R_VIOLATED", 1)


def test_observations_that_change_lift_the_first_check(tmp_path: Path) -> None:
    case = next(case for case in own_cases() if case.spec.get("metadata", {}).get("stateful_observation_protocol"))
    evidence = task_of(case, tmp_path).evidence

    assert evidence is not None and not evidence.reads_before_first


def test_tools_are_those_that_cases_name(tmp_path: Path) -> None:
    _, suite = imported(own_cases(), tmp_path)
    tools = suite.tools.tools

    assert (tools["valve_read"].kind, tools["valve_open"].kind, tools["voucher_issue"].kind) == (
        "read",
        "write",
        "write",
    )
    assert tools["template_send"].compare["idempotency_key"] == "free"
    assert tools["host_restart"].writes[0].entity == "host_restart:new"
    assert tools["order_refund"].writes[0].entity == "order:{arguments.order_id}"
    assert suite.tools.compare == "loose"


def test_a_tool_that_one_case_reads_and_another_acts_with_is_judged_case_by_case(tmp_path: Path) -> None:
    cases = own_cases()
    reader = next(case for case in cases if case.case_id == "OWN-V1-004")
    reader.spec["info_tools"].append("valve_open")
    reader.spec["key_action_template"]["tool"] = "valve_close"
    other = next(case for case in cases if case.case_id == "OWN-V1-005")
    other.spec["key_action_template"]["tool"] = "valve_open"
    _, suite = imported([reader, other], tmp_path)
    evidence = [task.evidence for task in suite.tasks if task.evidence]

    assert suite.tools.tools["valve_open"].kind == "both"
    assert [one.consequential for one in evidence] == [["valve_close"], None]


def test_the_official_sample_is_imported(root: Path, tmp_path: Path) -> None:
    sample = root.parent / "shared/data/safeact-sample"
    if not sample.is_dir():
        pytest.skip("no sample of SafeActBench beside the repository")
    report = import_suite("safeact", sample, tmp_path / "suite")
    suite = load_suite(tmp_path / "suite")

    assert (report.tasks, report.verified) == (10, 10)
    assert len({task.template_id for task in suite.tasks}) == 10
