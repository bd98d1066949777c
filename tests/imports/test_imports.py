"""Each public benchmark's own files become a suite; the files here are tiny ones of the same layout."""

import json
from pathlib import Path
from typing import Any

import pytest

from misstep.contracts.errors import SpecificationError, UsageError
from misstep.contracts.suite import Task
from misstep.specs.imports import IMPORTS, import_suite
from misstep.specs.load import load_suite
from misstep.specs.tools_file import load_tools

EMAILS = "email_id,inbox/outbox,sender/recipient,subject,sent_datetime,body\n007,inbox,a@atlas.com,Hi,2023,NaN\n"
OTHERS = {
    "calendar_events.csv": "event_id\n",
    "project_tasks.csv": "task_id\n",
    "customer_relationship_manager_data.csv": "customer_id\n",
}
QUERIES = '"query","answer","base_template","chosen_template","domains"\n'


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def tasks_of(name: str, source: Path, tmp_path: Path, **options: Any) -> dict[str, Task]:
    import_suite(name, source, tmp_path / "out", **options)
    return {task.task_id: task for task in load_suite(tmp_path / "out").tasks}


def workbench(folder: Path, answer: str) -> Path:
    rows = QUERIES + f'"Delete it","{answer}","Delete {{x}}","Delete {{x}}","[]"\n' * 2
    tables = {f"db/{name}": text for name, text in {"emails.csv": EMAILS, **OTHERS}.items()}
    return write(folder, {"gold/email_queries_and_answers.csv": rows, **tables})


def test_workbench_queries_are_numbered_in_their_file_and_grouped_by_base_template(tmp_path):
    source = workbench(tmp_path / "bench", '[\'email.delete_email.func(email_id=""007"")\']')
    tasks = tasks_of("workbench", source, tmp_path)
    assert list(tasks) == ["email/000", "email/001"]
    task = tasks["email/001"]
    assert (task.template_id, task.strata, task.state) == ("Delete {x}", {"domain": "email"}, "office")
    assert [(one.entity, one.arguments) for one in task.authorized] == [("email:007", {"email_id": "007"})]
    (email,) = load_suite(tmp_path / "out").state("office")
    assert (email.entity, email.fields["body"]) == ("email:007", None)


def test_workbench_answers_are_read_and_never_evaluated(tmp_path):
    source = workbench(tmp_path / "bench", "['email.delete_email.func(email_id=print(1))']")
    with pytest.raises(SpecificationError, match=r"email_queries_and_answers.csv:2: .* no call that can be read"):
        import_suite("workbench", source, tmp_path / "out")


def test_workbench_repository_layout(tmp_path):
    source = workbench(tmp_path / "bench", "[]")
    (source / "data").mkdir()
    (source / "db").rename(source / "data" / "processed")
    (source / "gold").rename(source / "data" / "processed" / "queries_and_answers")
    assert tasks_of("workbench", source, tmp_path)["email/000"].reference == []


ORDER = {"order_id": "#W1", "status": "delivered", "user_id": "u", "items": [], "payment_history": []}
CANCEL = {"name": "cancel_pending_order", "kwargs": {"order_id": "#W1", "reason": "no longer needed"}}
SHOP = {
    "db/retail_orders.json": {"#W1": ORDER, "#W2": ORDER | {"order_id": "#W2", "status": "pending"}},
    "db/retail_users.json": {"u": {"email": "e"}},
    "db/retail_products.json": {},
}
TAU_TASK = {
    "task_index": 3,
    "instruction": "Cancel both",
    "actions": [CANCEL, {"name": "cancel_pending_order", "kwargs": CANCEL["kwargs"] | {"order_id": "#W2"}}],
}


def test_tau_bench_tasks_go_by_their_index_and_hopeless_writes_are_marked(tmp_path):
    source = write(tmp_path / "bench", {"tasks/retail_tasks_test.json": [TAU_TASK], **SHOP})
    report = import_suite("tau-retail", source, tmp_path / "out")
    assert [(one.task_id, one.position, one.tool) for one in report.inert] == [("3", 0, "cancel_pending_order")]
    (task,) = load_suite(tmp_path / "out").tasks
    assert (task.task_id, task.template_id, task.instruction) == ("3", "3", "Cancel both")
    assert [(one.entity, one.inert) for one in task.authorized] == [("order:#W1", True), ("order:#W2", False)]


def test_tau_bench_tasks_of_python_files_are_read_and_never_run(tmp_path):
    module = "TASKS_TEST = [Task(instruction='Go', actions=[Action(name='think', kwargs={'thought': 'x'})])]\n"
    tables = {f"tau_bench/envs/retail/data/{name}.json": {} for name in ("users", "products")}
    tables["tau_bench/envs/retail/data/orders.json"] = SHOP["db/retail_orders.json"]
    source = write(tmp_path / "bench", {"tau_bench/envs/retail/tasks_test.py": module, **tables})
    assert tasks_of("tau-retail", source, tmp_path)["0"].instruction == "Go"
    write(source, {"tau_bench/envs/retail/tasks_test.py": module.replace("'Go'", "open('x')")})
    with pytest.raises(SpecificationError, match=r"tasks_test.py"):
        import_suite("tau-retail", source, tmp_path / "out")


def test_tau_bench_tasks_of_result_files_serve_where_there_are_no_others(tmp_path):
    results = [{"task_id": 7, "trial": trial, "info": {"task": TAU_TASK}} for trial in (0, 1)]
    source = write(tmp_path / "bench", {"results/run.json": results, **SHOP})
    assert list(tasks_of("tau-retail", source, tmp_path)) == ["7"]
    with pytest.raises(UsageError, match="no tasks of airline"):
        write(source, {"db/airline_reservations.json": {}, "db/airline_users.json": {}})
        import_suite("tau-airline", source, tmp_path / "out")


def simulated(domain: str, *tasks: dict[str, Any]) -> dict[str, Any]:
    return {"info": {"environment_info": {"domain_name": domain}}, "tasks": list(tasks), "simulations": []}


def tau2_task(name: str, *actions: dict[str, Any], told: str = "Go", basis: str = "DB") -> dict[str, Any]:
    criteria = {"actions": list(actions), "reward_basis": [basis]}
    return {"id": name, "user_scenario": {"instructions": told}, "evaluation_criteria": criteria}


def test_tau2_bench_takes_tasks_from_result_files_and_lists_their_versions(tmp_path):
    action = {"name": "cancel_pending_order", "requestor": "assistant", "arguments": CANCEL["kwargs"]}
    action["compare_args"] = ["order_id"]
    first, second = tau2_task("0", action), tau2_task("0", told="Stay")
    files = {
        "results/a.json": simulated("retail", first),
        "results/b.json": simulated("retail", second, first, tau2_task("0")),
    }
    own = {"domains/retail/tasks.json": [tau2_task("9")]}
    source = write(tmp_path / "bench", files | own)
    tasks = tasks_of("tau2-retail", source, tmp_path, database_folder=write(tmp_path / "first", SHOP))
    assert [(name, task.replaces, task.instruction) for name, task in tasks.items()] == [
        ("0", None, "Go"),
        ("0@2", "0", "Stay"),
    ]
    (pattern,) = tasks["0"].authorized
    assert (pattern.arguments, pattern.exact_arguments, pattern.inert) == ({"order_id": "#W1"}, False, True)
    state = {one.entity: one.fields for one in load_suite(tmp_path / "out").state("retail")}
    assert state["order:#W1"]["cancel_reason"] is None


def test_tau2_bench_customers_act_in_the_reference_and_assertions_are_no_reference(tmp_path):
    toggle = {"name": "toggle_data", "requestor": "user", "arguments": {}}
    tasks = [tau2_task("[a]b[PERSONA:Easy]", toggle), tau2_task("c", toggle, basis="ENV_ASSERTION")]
    source = write(tmp_path / "bench", {"results/a.json": simulated("telecom", *tasks)})
    easy, asserted = tasks_of("tau2-telecom", source, tmp_path).values()
    assert easy.template_id == "[a]b"
    assert easy.reference is not None and easy.reference[0].actor == "user"
    assert asserted.reference is None and asserted.authorized[0].tool == "toggle_data"


def version(prompt: str, amount: int) -> dict[str, Any]:
    pay = {"function": "send_money", "args": {"recipient": "GB29NWBK60161331926819", "amount": amount}}
    steal = {"function": "update_password", "args": {"password": "x"}}
    return {
        "banking": {
            "user_tasks": {"user_task_0": {"prompt": prompt, "ground_truth": [pay]}},
            "injection_tasks": {
                "injection_task_0": {"goal": "Change it", "ground_truth": [steal]},
                "injection_task_1": {"goal": "Spy", "ground_truth": []},
            },
        }
    }


def test_agentdojo_tasks_are_combined_with_injections_and_told_apart_by_version(tmp_path):
    versions = {"v1": version("Pay", 5), "v1.1": version("Pay", 5), "v1.2": version("Pay", 6)}
    source = write(tmp_path / "bench", {"gold/ground_truth_by_version.json": versions})
    tasks = tasks_of("agentdojo-banking", source, tmp_path)
    assert tasks.pop("user_task_0+injection_task_1").authorized and tasks.pop("user_task_0+injection_task_1@v1")
    assert {name: (task.replaces, task.versions) for name, task in tasks.items()} == {
        "user_task_0@v1": ("user_task_0", ["v1", "v1.1"]),
        "user_task_0+injection_task_0@v1": ("user_task_0+injection_task_0", ["v1", "v1.1"]),
        "user_task_0": (None, None),
        "user_task_0+injection_task_0": (None, None),
        "injection_task_0": (None, None),
    }
    injected = tasks["user_task_0+injection_task_0"]
    assert [pattern.tool for pattern in injected.authorized] == ["send_money"]
    assert (injected.template_id, injected.strata) == ("user_task_0", {"injected": "yes"})
    assert [pattern.tool for pattern in tasks["injection_task_0"].authorized] == ["update_password"]


def test_agentdojo_placeholders_leave_open_what_a_read_is_called_with(tmp_path):
    read = {"function": "read_file", "args": {"file_path": "a.txt"}, "placeholder_args": {"file_path": "$path"}}
    suite = {"user_tasks": {"user_task_0": {"prompt": "Read it", "ground_truth": [read]}}, "injection_tasks": {}}
    source = write(tmp_path / "bench", {"gold/ground_truth_by_version.json": {"v1": {"banking": suite}}})
    evidence = tasks_of("agentdojo-banking", source, tmp_path)["user_task_0"].evidence
    assert evidence is not None and evidence.protocol == "gold-stop"
    assert [(one.tool, one.arguments) for one in evidence.reads] == [("read_file", {"file_path": "*"})]


def test_tau_bench_reads_are_required_and_those_in_vain_are_listed(tmp_path):
    looks = [{"name": "get_order_details", "kwargs": {"order_id": name}} for name in ("#W1", "#W7")]
    task = TAU_TASK | {"actions": [*looks, {"name": "get_user_details", "kwargs": {"user_id": "u"}}, CANCEL]}
    source = write(tmp_path / "bench", {"tasks/retail_tasks_test.json": [task, TAU_TASK | {"task_index": 4}], **SHOP})
    report = import_suite("tau-retail", source, tmp_path / "out")
    assert [(one.task_id, one.position, one.reason) for one in report.vain] == [("3", 1, "there is no order #W7")]
    assert report.investigated == 1
    first, second = load_suite(tmp_path / "out").tasks
    assert first.evidence is not None and first.evidence.protocol == "gold-action"
    assert [one.tool for one in first.evidence.reads] == ["get_order_details", "get_user_details"]
    assert second.evidence is None


def test_an_extended_tools_file_is_written_beside_the_one_that_extends_it(tmp_path):
    source = write(tmp_path / "bench", {"results/a.json": simulated("airline", tau2_task("0"))})
    import_suite("tau2-airline", source, tmp_path / "out")
    assert {"think", "get_flight_status"} <= set(load_suite(tmp_path / "out").tools.tools)


@pytest.mark.parametrize("name", sorted(IMPORTS))
def test_a_folder_without_the_benchmark_is_refused(name, tmp_path):
    with pytest.raises(UsageError):
        import_suite(name, tmp_path, tmp_path / "out")
    with pytest.raises(UsageError, match="no option"):
        import_suite(name, tmp_path, tmp_path / "out", colour="red")


def test_unknown_suites_and_files_of_another_shape_are_refused(tmp_path):
    with pytest.raises(UsageError, match="there are workbench"):
        import_suite("tau-hotel", tmp_path, tmp_path / "out")
    source = write(tmp_path / "bench", {"gold/ground_truth_by_version.json": {"v1": {"slack": {}}}})
    with pytest.raises(SpecificationError, match="not laid out like agentdojo-banking"):
        import_suite("agentdojo-banking", source, tmp_path / "out")


@pytest.mark.parametrize("tool", ["email.send_email", "email.forward_email", "calendar.create_event"])
def test_whom_a_workbench_write_reaches_is_judged_by_its_address_alone(root: Path, tool: str) -> None:
    compiled = load_tools(root / "data/suites/workbench/tools.yaml", "workbench").compiled.get(tool)
    assert compiled is not None
    arguments = dict.fromkeys(compiled.parameters or (), "eve@corp.example")
    counted = {name for name, _ in compiled.counted_arguments(arguments)}
    assert counted and not counted & {"recipient", "participant_email"}
