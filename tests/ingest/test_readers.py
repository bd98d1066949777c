"""What each benchmark's reader makes of small records of its format."""

import json
from typing import Any

import pytest

from ingest.reading import Read, Reading, line
from misstep.contracts.trace import Episode


def only(got: Read) -> Episode:
    (episode,) = got.episodes
    return episode


def tau(*turns: dict[str, Any], **fields: Any) -> dict[str, Any]:
    traj = [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}, *turns]
    info = {"task": {"user_id": "u", "actions": [], "instruction": "book it", "outputs": []}}
    return {"task_id": 3, "reward": 0.0, "info": info, "traj": traj, "trial": 1, **fields}


def tau_call(name: str = "get", call_id: str = "c1") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"a":1}'}}
    return {"role": "assistant", "content": None, "tool_calls": [call], "function_call": None}


def tau_result(name: str = "get", call_id: str = "c1", content: str = "r") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


STOP = {"role": "user", "content": "###STOP###"}


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    ("name", "model", "harness", "run"),
    [
        ("gpt-4o-airline.json", "gpt-4o", None, None),
        ("act-some-model-1-0.5_range_0--1_user-gpt-4o-llm_0921131646.jsonl", "some-model-1", "act", "0921131646"),
        ("mine.jsonl", "mine", None, None),
    ],
)
def test_tau_bench(reads: Reading, array: bool, name: str, model: str, harness: str | None, run: str | None) -> None:
    record = tau(tau_call(), tau_result(), {"role": "assistant", "content": "done"}, STOP)
    got = reads(json.dumps([record]).encode() if array else line(record), name)

    episode = only(got)
    assert got.file is not None and got.file.format == "tau_bench"
    assert (episode.task_id, episode.replicate, episode.model, episode.harness, episode.run) == (
        "3",
        1,
        model,
        harness,
        run,
    )
    assert (episode.instruction, episode.status, episode.steps) == ("book it", "completed", 5)
    assert [(c.step, c.tool, c.arguments, c.result) for c in episode.calls] == [(2, "get", {"a": 1}, "r")]


@pytest.mark.parametrize(
    ("turns", "fields", "status"),
    [
        pytest.param([STOP], {}, "completed", id="user-stops"),
        pytest.param([{"role": "user", "content": "and?"}], {}, "budget_exhausted", id="user-still-asks"),
        pytest.param([tau_call(), tau_result()], {}, "budget_exhausted", id="last-is-a-result"),
        pytest.param(
            [tau_call("transfer_to_human_agents"), tau_result("transfer_to_human_agents")],
            {},
            "completed",
            id="handed-over",
        ),
        pytest.param([], {"traj": [], "info": {"error": "KeyError", "traceback": "…"}}, "aborted", id="raised"),
        pytest.param([], {"traj": [], "info": {"error": "Error code: 429"}}, "infrastructure_failure", id="refused"),
        pytest.param([], {"traj": []}, "unknown", id="empty"),
    ],
)
def test_tau_bench_status(reads: Reading, turns: list[Any], fields: Any, status: str) -> None:
    episode = only(reads(line(tau(*turns, **fields))))

    assert episode.status == status
    assert episode.calls_lost == (fields.get("traj") == [])


def test_tau_bench_calls_written_as_text(reads: Reading) -> None:
    episode = only(
        reads(
            line(
                tau(
                    {"role": "assistant", "content": 'Thought:\nhm\nAction:\n{"name": "get", "arguments": {"a": 1}}'},
                    {"role": "user", "content": "API output: r"},
                    {"role": "assistant", "content": 'Action:\n{"name": "respond", "arguments": {"content": "done"}}'},
                    STOP,
                )
            )
        )
    )

    assert [(c.step, c.tool, c.arguments, c.result) for c in episode.calls] == [(2, "get", {"a": 1}, "r")]
    assert episode.steps == 5


def action(name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "action_id": f"x_{name}",
        "requestor": "assistant",
        "name": name,
        "arguments": arguments,
        "compare_args": None,
    }


def tau2_task(task_id: str, *actions: dict[str, Any]) -> dict[str, Any]:
    criteria = {"actions": list(actions) or None}
    return {"id": task_id, "user_scenario": {"instructions": f"want {task_id}"}, "evaluation_criteria": criteria}


def tau2_sim(task_id: Any, *checked: dict[str, Any], **fields: Any) -> dict[str, Any]:
    checks = [{"action": found, "action_match": True} for found in checked] or None
    said = [{"role": "assistant", "content": "hello"}, {"role": "user", "content": "hi"}]
    base = {"id": "s", "task_id": task_id, "trial": 0, "termination_reason": "user_stop"}
    return {**base, "messages": said, "reward_info": {"action_checks": checks}, **fields}


def tau2_doc(tasks: list[Any], sims: list[Any]) -> dict[str, Any]:
    info = {
        "agent_info": {"implementation": "llm_agent", "llm": "m1"},
        "environment_info": {"domain_name": "shop", "policy": "…"},
    }
    return {"timestamp": "2026-01-01T00:00:00", "info": info, "tasks": tasks, "simulations": sims}


A, B, C = action("pay", to="A"), action("pay", to="B"), action("get")
TASKS = [
    tau2_task("1", A),
    tau2_task("2", B),
    tau2_task("3", C, A),
    tau2_task("4", C),
    tau2_task("5", C),
    tau2_task("6"),
]
RENAMED = {**B, "action_id": "other", "arguments": {"to": "B"}}


@pytest.mark.parametrize(
    ("sims", "ids", "codes"),
    [
        pytest.param([("1", A), ("2", RENAMED), ("6",)], ["1", "2", "6"], [], id="all-fit"),
        pytest.param([("4", C), ("5", C)], ["4", "5"], [], id="twins-that-fit-are-believed"),
        pytest.param([("1", A), ("2", B), ("3", B)], ["1", "2", "2"], ["repaired-task-id"], id="one-is-wrong"),
        pytest.param(
            [("2", A), ("1", B), ("5", A)], ["1", "2", "1"], ["repaired-task-id"] * 3, id="all-wrong-but-one-of-a-kind"
        ),
        pytest.param(
            [("2", A), ("1", C), ("4", C), ("6",), ("3", A, C)],
            ["1", "unresolved:1", "unresolved:4", "unresolved:6", "unresolved:3"],
            ["repaired-task-id", *["unresolved-task-id"] * 4],
            id="twins-unchecked-and-unheard-of",
        ),
        pytest.param([("9", A)], ["9"], [], id="a-task-that-the-file-lacks"),
        pytest.param(
            [(None, A), ("2", B), (None, C)],
            ["1", "2", "unresolved:s"],
            ["repaired-task-id", "unresolved-task-id"],
            id="none-is-recorded",
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_tau2_task_ids(reads: Reading, sims: list[Any], ids: list[str], codes: list[str], indent: int | None) -> None:
    document = tau2_doc(TASKS, [tau2_sim(task_id, *checked) for task_id, *checked in sims])
    got = reads(json.dumps(document, indent=indent).encode(), "r.json")

    assert got.ids == ids
    assert got.codes == codes
    for episode, (recorded, *_) in zip(got.episodes, sims, strict=True):
        assert episode.recorded_task_id == (recorded if episode.task_id != recorded else None)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda sim: json.dumps(tau2_doc(TASKS, [sim])).encode(), id="document"),
        pytest.param(lambda sim: json.dumps(tau2_doc(TASKS, [sim]), indent=1).encode(), id="pretty-document"),
        pytest.param(lambda sim: json.dumps([tau2_doc(TASKS, [sim])]).encode(), id="list-of-documents"),
        pytest.param(lambda sim: json.dumps([sim], indent=4).encode(), id="list-of-simulations"),
        pytest.param(lambda sim: line(sim), id="lines-of-simulations"),
    ],
)
def test_tau2_messages(reads: Reading, shape: Any) -> None:
    def call(call_id: str, name: str, by: str) -> dict[str, Any]:
        return {"id": call_id, "name": name, "arguments": {"n": call_id}, "requestor": by}

    def result(call_id: str, by: str, *, error: bool | None = False) -> dict[str, Any]:
        return {"role": "tool", "id": call_id, "content": f"r {call_id}", "requestor": by, "error": error}

    raw = {"message": {"tool_calls": [{"function": {"name": "get", "arguments": '{"n": "c1"}'}, "id": "c1"}]}}
    wanted = [call("c1", "get", "assistant"), call("c2", "get", "assistant")]
    messages = [
        {"role": "assistant", "content": "hello", "tool_calls": None},
        {"role": "user", "content": None, "tool_calls": [call("u1", "toggle", "user")]},
        result("u1", "user"),
        {"role": "assistant", "content": "look", "tool_calls": wanted, "raw_data": raw},
        result("c1", "assistant"),
        result("c2", "assistant", error=True),
        {"role": "user", "content": "###STOP###", "tool_calls": None},
    ]
    episode = only(reads(shape(tau2_sim("1", A, messages=messages)), "r.json"))

    assert [(c.step, c.position, c.actor, c.tool, c.result, c.failed) for c in episode.calls] == [
        (1, 0, "user", "toggle", "r u1", False),
        (2, 0, "agent", "get", "r c1", False),
        (2, 1, "agent", "get", "r c2", True),
    ]
    assert [(m.step, m.role, m.actor) for m in episode.messages] == [
        (0, "assistant", "agent"),
        (2, "assistant", "agent"),
        (3, "user", "user"),
    ]
    assert (episode.status, episode.steps, episode.task_id) == ("completed", 4, "1")


def test_tau2_says_how_it_was_run(reads: Reading) -> None:
    episode = only(reads(json.dumps(tau2_doc(TASKS, [tau2_sim("1", A, trial=2)])).encode(), "r.json"))

    assert (episode.model, episode.harness, episode.suite) == ("m1", "llm_agent", "shop")
    assert (episode.replicate, episode.run, episode.instruction) == (2, "2026-01-01T00:00:00", "want 1")


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("agent_stop", "completed"),
        ("max_steps", "budget_exhausted"),
        ("too_many_errors", "aborted"),
        ("agent_error", "aborted"),
        ("infrastructure_error", "infrastructure_failure"),
        ("moonshine", "unknown"),
    ],
)
def test_tau2_status(reads: Reading, reason: str, status: str) -> None:
    assert only(reads(line(tau2_sim("1", termination_reason=reason)))).status == status


def dojo(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    run = {"suite_name": "bank", "pipeline_name": "local", "user_task_id": "user_task_1", "injection_task_id": None}
    said = [{"role": "system", "content": "s"}, {"role": "user", "content": "pay"}, *messages]
    ends = {"error": None, "utility": True, "security": True, "benchmark_version": "v1.2"}
    return {**run, "attack_type": None, "injections": {}, "messages": said, **ends, **fields}


def dojo_call(*pairs: tuple[Any, str]) -> dict[str, Any]:
    calls = [{"function": name, "args": {"n": number}} for number, (_, name) in enumerate(pairs)]
    for call, (call_id, _) in zip(calls, pairs, strict=True):
        if call_id != "absent":
            call["id"] = call_id
    return {"role": "assistant", "content": None, "tool_calls": calls}


def dojo_result(call: dict[str, Any], content: Any = "ok", error: str | None = None) -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": call.get("id"), "tool_call": call, "error": error}


@pytest.mark.parametrize(
    ("call_id", "swapped"),
    [("same", False), *((call_id, swapped) for call_id in ("", None, "absent") for swapped in (False, True))],
)
def test_agentdojo_ids(reads: Reading, call_id: Any, swapped: bool) -> None:
    asked = dojo_call((call_id, "send"), (call_id, "send"))
    results = [dojo_result(call, f"r{number}") for number, call in enumerate(asked["tool_calls"])]
    if swapped:
        results.reverse()
    episode = only(reads(line(dojo(asked, *results, {"role": "assistant", "content": "done", "tool_calls": []}))))

    assert [(c.step, c.position, c.result, c.failed) for c in episode.calls] == [
        (2, 0, "r0", False),
        (2, 1, "r1", False),
    ]
    assert [c.call_id for c in episode.calls] == ["same" if call_id == "same" else None] * 2


def test_agentdojo_blocks_and_errors(reads: Reading) -> None:
    asked = dojo_call((None, "send"))
    blocks = [{"type": "text", "content": ""}]
    done = {"role": "assistant", "content": [{"type": "text", "content": "done"}], "tool_calls": []}
    episode = only(reads(line(dojo(asked, dojo_result(asked["tool_calls"][0], blocks, "ValueError: no"), done))))

    assert [(c.result, c.failed, c.error) for c in episode.calls] == [("", True, "ValueError: no")]
    assert episode.messages[-1].text == "done"


@pytest.mark.parametrize(
    ("messages", "fields", "status", "lost"),
    [
        pytest.param([{"role": "assistant", "content": "x", "tool_calls": []}], {}, "completed", False, id="answered"),
        pytest.param([dojo_call(("c", "send"))], {}, "budget_exhausted", False, id="still-wanted-to-call"),
        pytest.param([], {"error": "Skipping task … context_length_exceeded"}, "aborted", False, id="context"),
        pytest.param(
            [], {"error": "Skipping: internal server error: 500"}, "infrastructure_failure", False, id="server"
        ),
        pytest.param([], {"messages": []}, "unknown", True, id="empty"),
        pytest.param(
            [], {"messages": [], "error": "internal server error"}, "infrastructure_failure", True, id="no-log"
        ),
        pytest.param([], {"utility": None, "security": None}, "aborted", False, id="never-judged"),
    ],
)
def test_agentdojo_status(reads: Reading, messages: Any, fields: Any, status: str, lost: bool) -> None:
    episode = only(reads(line(dojo(*messages, **fields))))

    assert (episode.status, episode.calls_lost) == (status, lost)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("runs/gpt-x__bank.jsonl", "gpt-x"),
        ("gpt-x-defence/bank/user_task_1/none/none.json", "gpt-x-defence"),
        ("a/elsewhere.json", "local"),
    ],
)
def test_agentdojo_model_is_where_the_run_lies(reads: Reading, name: str, model: str) -> None:
    record = json.dumps(dojo(), indent=4).encode() if name.endswith(".json") else line(dojo())
    episode = only(reads(record, name))

    assert (episode.model, episode.suite, episode.version, episode.instruction) == (model, "bank", "v1.2", "pay")


@pytest.mark.parametrize(
    ("fields", "task_id", "condition"),
    [
        ({}, "user_task_1", "none"),
        ({"injection_task_id": "injection_task_2", "attack_type": "direct"}, "user_task_1+injection_task_2", "direct"),
        ({"user_task_id": "injection_task_4"}, "injection_task_4", "none"),
    ],
)
def test_agentdojo_task(reads: Reading, fields: Any, task_id: str, condition: str) -> None:
    episode = only(reads(line(dojo(**fields))))

    assert (episode.task_id, episode.condition) == (task_id, condition)


def test_agentdojo_repeated_prompts_do_not_break_pairing(reads: Reading) -> None:
    first, second = dojo_call((None, "get")), dojo_call((None, "get"))
    again = {"role": "user", "content": "pay"}
    messages = [
        first,
        dojo_result(first["tool_calls"][0], "1"),
        again,
        second,
        dojo_result(second["tool_calls"][0], "2"),
    ]
    episode = only(reads(line(dojo(*messages, again, {"role": "assistant", "content": "done", "tool_calls": []}))))

    assert [(c.step, c.result) for c in episode.calls] == [(2, "1"), (4, "2")]


@pytest.mark.parametrize("shape", ["document", "list"])
def test_tau2_not_finite_is_said_where_it_is(reads: Reading, shape: str) -> None:
    turns = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "pay", "arguments": {"n": "@"}}]}
    ]
    sims = [tau2_sim("1", A), tau2_sim("2", B, messages=turns)]
    document = json.dumps(tau2_doc(TASKS, sims) if shape == "document" else sims).replace('"@"', "1e999")
    got = reads(document.encode(), "r.json")

    assert [[fault.code for fault in episode.faults] for episode in got.episodes] == [
        [],
        ["non-finite-arg", "missing-result"],
    ]
    assert got.episodes[1].calls[0].arguments == {"n": "1e999"}


def test_tau2_one_strange_simulation_does_not_cost_the_others(reads: Reading) -> None:
    sims = [tau2_sim("1", A), {"task_id": "2", "messages": 7}, {"reward_info": 3}, tau2_sim("2", B)]
    got = reads(json.dumps(tau2_doc([*TASKS, {"id": []}, 5], sims)).encode(), "r.json")

    assert got.ids == ["1", "2"]
    assert got.codes.count("not-an-episode") == 2


CHAT = {
    "task_id": "t",
    "trial": 1,
    "termination_reason": "context_length",
    "messages": [{"role": "user", "content": "x"}],
}
REQUESTED = {"role": "assistant", "tool_calls": [{"id": "c", "name": "get", "arguments": {}, "requestor": "assistant"}]}


@pytest.mark.parametrize(
    ("fields", "forced", "format"),
    [
        pytest.param({}, None, "openai_messages", id="chat"),
        pytest.param({"agent_cost": 0, "user_cost": 0}, None, "tau2_bench", id="costs-of-both"),
        pytest.param({"reward_info": {}}, None, "tau2_bench", id="rewards"),
        pytest.param({"messages": [REQUESTED]}, None, "tau2_bench", id="who-requested"),
        pytest.param({"reward_info": {}}, "openai_messages", "openai_messages", id="asked-for"),
    ],
)
def test_a_chat_that_ended_for_a_reason_is_no_tau2(
    reads: Reading, fields: Any, forced: str | None, format: str
) -> None:
    got = reads(line({**CHAT, **fields}), format=forced)

    assert got.file is not None
    assert (got.file.format, [episode.task_id for episode in got.episodes]) == (format, ["t"])
