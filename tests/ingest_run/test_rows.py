"""What stands in the tables after an ingest."""

from ingest_run.traces import call, codes, episode, lines, run, say
from misstep.contracts.tables import TRACES


def test_every_table_keeps_its_contract(suite, put, tmp_path):
    events = [
        say("Close O1.", role="user"),
        say("Shall I close O1?"),
        call("orders.get", {"id": "O1"}, {"id": "O1", "state": "open"}, id="c1"),
        call("orders.close", {"id": "O1"}, "done", id="c2"),
    ]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", *events))))
    for name, frame in found.items():
        TRACES[name].validate(frame)
    assert found["episodes"].select("suite", "task_id", "model", "steps", "calls", "source_line").rows() == [
        ("shop", "a", "m", 2, 2, 1)
    ]
    assert found["messages"].sort("step")["asks_user"].to_list() == [False, True]
    assert found["calls"].sort("position").select("tool", "kind", "outcome", "requested_arguments").rows() == [
        ("orders.get", "read", "applied", '{"id":"O1"}'),
        ("orders.close", "write", "applied", '{"id":"O1"}'),
    ]
    assert found["observations"].select("entity_type", "entity_id", "field", "value").sort("field").rows() == [
        ("order", "O1", "id", '"O1"'),
        ("order", "O1", "state", '"open"'),
    ]
    write = found["writes"].row(0, named=True)
    assert (write["action"], write["entity_id"], write["effect"], write["outcome"]) == ("close", "O1", "set", "applied")
    assert [(field["field"], field["value"]) for field in write["fields"]] == [("state", '"closed"')]
    assert write["arguments"] == [{"name": "id", "compare": '"O1"'}]


def test_a_call_points_to_what_it_showed(suite, put, tmp_path):
    shown = {"id": "O1", "state": "open"}
    one = episode("a", say("hm"), call("orders.get", {"id": "O1"}, shown), replicate=1)
    two = episode("a", say("hm"), call("orders.get", {"id": "O1"}, shown), replicate=2)
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(one, two)))
    assert found["calls"].select("result_id", "observation_id").n_unique() == 1
    assert found["results"].height == 1
    assert found["observations"].height == 2


def test_observed_values_stand_beside_their_keys(make_suite, put, tmp_path):
    from ingest_run.traces import SUITE, TOOLS

    folder = make_suite({**SUITE, "tools.yaml": {**TOOLS, "fields": {"order": {"state": "casefold"}}}})
    events = [
        call("orders.get", {"id": "Ö1"}, {"id": "Ö1", "note": "a\nb"}),
        call("orders.get", {"id": "O2"}, {"id": "O2", "state": "Open", "sizes": [1, 2.0]}),
    ]
    found = run(folder, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    assert sorted(found["observations"].select("entity_id", "field", "value", "compare").rows()) == [
        ("O2", "id", '"O2"', '"O2"'),
        ("O2", "sizes", "[1,2]", "[1,2]"),
        ("O2", "state", '"Open"', '"open"'),
        ("Ö1", "id", '"Ö1"', '"Ö1"'),
        ("Ö1", "note", '"a\\nb"', '"a\\nb"'),
    ]


def test_short_and_long_results_are_each_stored_once(suite, put, tmp_path):
    texts = ["ok", "x" * 1000]
    told = [
        episode("a", say("hm"), *(call("delegate", {}, text) for text in texts), replicate=number)
        for number in range(40)
    ]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(*told)), workers=1, unit_bytes=4000)
    assert sorted(found["results"]["text"]) == texts


def test_the_configured_actor_is_called_agent(make_suite, put, tmp_path):
    from ingest_run.traces import SUITE

    folder = make_suite({**SUITE, "suite.yaml": {**SUITE["suite.yaml"], "actor": "planner"}})
    events = [call("orders.close", {"id": "O1"}, actor="planner"), call("orders.close", {"id": "O2"}, actor="agent")]
    found = run(folder, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    assert found["writes"].sort("position")["actor"].to_list() == ["agent", "other agent"]


def test_undeclared_arguments_and_unknown_tools_are_flagged(suite, put, tmp_path):
    events = [
        call("orders.close", {"id": "O1", "why": "x"}),
        call("orders.get", {"id": "O1"}, "{}"),
        call("orders.burn", {"id": "O1"}, "no such tool"),
    ]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    flags = found["calls"].sort("position")["flags"].to_list()
    assert flags == [["undeclared-argument"], [], ["unknown-tool"]]
    assert found["files"].select("calls", "classified", "unknown").rows() == [(3, 2, 1)]
    assert codes(found) == ["undeclared-argument", "unknown-tool"]


def test_versions_of_a_task_are_told_apart(make_suite, put, tmp_path):
    from ingest_run.traces import SUITE

    tasks = [
        {"task_id": "a", "template_id": "t", "instruction": "Close O1.", "versions": ["1"]},
        {"task_id": "a@2", "replaces": "a", "template_id": "t", "instruction": "Close O2.", "versions": ["2"]},
    ]
    folder = make_suite({**SUITE, "tasks.jsonl": tasks})
    traces = [
        episode("a", say("x"), version="2", replicate=1),
        episode("a", say("x"), version="1", replicate=2),
        episode("a", say("x"), instruction="Close  O2.", replicate=3),
        episode("z", say("x"), replicate=4),
    ]
    found = run(folder, tmp_path / "out", put("a.jsonl", lines(*traces)))
    assert found["episodes"].sort("replicate")["task_id"].to_list() == ["a@2", "a", "a@2", "z"]
    assert found["episodes"]["recorded_task_id"].unique().sort().to_list() == ["a", "z"]
    assert codes(found) == ["unknown-task"]


def test_without_a_version_a_task_is_the_one_that_is_for_no_version(make_suite, put, tmp_path):
    from ingest_run.traces import SUITE

    old = {"task_id": "a@1", "replaces": "a", "template_id": "t", "instruction": "Close it.", "versions": ["1"]}
    new = {"task_id": "a", "template_id": "t", "instruction": "Close it."}
    for number, tasks in enumerate(([old, new], [new, old])):
        folder = make_suite({**SUITE, "tasks.jsonl": tasks})
        traces = [
            episode("a", say("x"), instruction="Close it.", replicate=1),
            episode("a", say("x"), instruction="Close it.", version="1", replicate=2),
            episode("a", say("x"), instruction="Close it.", version="9", replicate=3),
        ]
        found = run(folder, tmp_path / f"out{number}", put("a.jsonl", lines(*traces)))
        assert found["episodes"].sort("replicate")["task_id"].to_list() == ["a", "a@1", "a"]


def test_an_episode_of_another_suite_is_not_taken_for_one_of_this(suite, put, tmp_path):
    traces = lines(episode("a", say("x"), suite="shop"), episode("a", say("x"), suite="bank"))
    found = run(suite, tmp_path / "out", put("a.jsonl", traces))
    assert sorted(found["episodes"]["suite"]) == ["bank", "shop"]
    assert codes(found) == ["unknown-task"]
