"""Trace faults that show in whole tables, by their number in the list of faults."""

import pytest

from ingest_run.traces import SUITE, TOOLS, call, codes, digests, episode, lines, many, run, say
from misstep.contracts.errors import InputError
from misstep.contracts.tables import SPECS
from misstep.label import label
from misstep.storage.parquet import scan


def one(found, table, *columns):
    """Return the rows of a table, sorted, in some columns."""
    return found[table].select(columns).sort(columns).rows()


@pytest.mark.parametrize("unit_bytes", [50, 1 << 20], ids=["01-pieces", "01-whole"])
def test_torn_tail(suite, put, tmp_path, unit_bytes):
    good = lines(episode("a", say("x")))
    found = run(suite, tmp_path / "out", put("a.jsonl", good + good[:60]), unit_bytes=unit_bytes)
    assert one(found, "problems", "code", "line", "byte")[0][:2] == ("torn-tail", 2)
    assert found["problems"]["byte"].item() >= len(good)
    assert one(found, "files", "records", "episodes", "problems", "incomplete") == [(2, 1, 1, True)]


@pytest.mark.parametrize("unit_bytes", [50, 1 << 20], ids=["02-pieces", "02-whole"])
def test_bad_line_in_the_middle(suite, put, tmp_path, unit_bytes):
    content = many(1) + b"{oops\n\n" + many(1, start=3)
    found = run(suite, tmp_path / "out", put("a.jsonl", content), unit_bytes=unit_bytes)
    assert one(found, "problems", "code", "line") == [("bad-json", 2)]
    assert one(found, "files", "records", "blank", "episodes", "problems") == [(4, 1, 2, 1)]
    assert sorted(found["episodes"]["source_line"]) == [1, 4]


@pytest.mark.parametrize("files", [1, 2], ids=["53-one-file", "53-two-files"])
def test_number_and_text_of_one_id(suite, put, tmp_path, files):
    number, text = lines(episode(1, say("x"))), lines(episode("1", say("y"), run="r"))
    paths = [put("a.jsonl", number + text)] if files == 1 else [put("a.jsonl", number), put("b.jsonl", text)]
    with pytest.raises(InputError, match=r"id-collision.*a\.jsonl:1.*[ab]\.jsonl:[12]"):
        run(suite, tmp_path / "out", *paths)


def test_53_numbers_alone_are_ids(suite, put, tmp_path):
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode(1, say("x")))))
    assert found["episodes"]["task_id"].to_list() == ["1"]


@pytest.mark.parametrize("unit_bytes", [50, 1 << 20], ids=["54-pieces", "54-whole"])
def test_trials_without_a_number(suite, put, tmp_path, unit_bytes):
    first = episode("a", say("x"), call("orders.close", {"id": "O1"}))
    other = episode("a", say("x"), call("orders.close", {"id": "O2"}), call("orders.burn", {}))
    content = lines(first, other, episode("a", say("x"), replicate=2))
    found = run(suite, tmp_path / "out", put("a.jsonl", content), unit_bytes=unit_bytes)
    assert one(found, "problems", "code", "line") == [("duplicate-episode", 2)]
    assert "a.jsonl:1" in found["problems"]["message"].item()
    assert one(found, "files", "records", "episodes", "problems", "calls", "unknown") == [(3, 2, 1, 1, 0)]
    assert found["writes"]["entity_id"].to_list() == ["O1"]


def test_54_the_first_by_name_and_line_is_kept(suite, put, tmp_path):
    a = put("a.jsonl", lines(episode("a", say("x"), call("orders.close", {"id": "O1"}))))
    b = put("b.jsonl", lines(episode("a", say("x"), call("orders.close", {"id": "O2"}))))
    run(suite, tmp_path / "one", a, b)
    found = run(suite, tmp_path / "two", b, a)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert found["writes"]["entity_id"].to_list() == ["O1"]


def test_55_identical_episodes_in_two_files_count_once(suite, put, tmp_path):
    content = lines(episode("a", say("x"), call("orders.close", {"id": "O1"})))
    spaced = content.replace(b", ", b" ,  ")
    found = run(suite, tmp_path / "out", put("a.jsonl", content), put("b.jsonl", spaced))
    assert codes(found) == ["repeated-episode"]
    assert found["calls"].height == found["writes"].height == 1


def test_55_history_copied_within_a_lineage_counts_once(suite, put, tmp_path):
    shared = [say("go", role="user", id="e1"), call("orders.close", {"id": "O1"}, id="e2")]
    a = episode("a", *shared, say("done", id="e3"), run="r1", lineage="L")
    more = [call("orders.close", {"id": "O2"}, id="e4"), call("orders.close", {"id": "O3"}, id="e5")]
    b = episode("a", *shared, *more, run="r2", lineage="L")
    other = episode("a", *shared, run="r3", lineage="M")
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(a)), put("b.jsonl", lines(b, other)))
    assert sorted(found["writes"]["entity_id"]) == ["O1", "O1", "O2", "O3"]
    assert codes(found) == ["copied-history"]
    assert found["episodes"].sort("run")["calls"].to_list() == [1, 2, 1]
    assert found["files"].sort("file")["calls"].to_list() == [1, 3]
    assert found["messages"].height == 3


@pytest.mark.parametrize(("attempts", "kept"), [("all", ["r1", "r2"]), ("first", ["r1"]), ("last", ["r2"])])
def test_56_runs_appended_to_a_file(suite, put, tmp_path, attempts, kept):
    content = lines(episode("a", say("x"), run="r1", status="aborted"), episode("a", say("y"), run="r2"))
    found = run(suite, tmp_path / "out", put("a.jsonl", content), attempts=attempts)
    assert sorted(found["episodes"]["run"]) == kept
    assert codes(found) == ["superseded-attempt"] * (2 - len(kept))
    assert one(found, "files", "records", "episodes", "problems") == [(2, len(kept), 2 - len(kept))]


@pytest.mark.parametrize("named", [True, False], ids=["57-inside-of-a-call", "57-not-said"])
@pytest.mark.parametrize("first", ["a", "z"])
def test_work_logged_by_parent_and_child(suite, put, tmp_path, named, first):
    inside = {"parent": "d1"} if named else {}
    pay = call("orders.close", {"id": "O1"}, id="p1", actor="helper", **inside)
    parent = episode(
        "a", say("go", id="m1"), call("delegate", {}, id="d1"), pay, say("fine", id="m2"), run="r", lineage="L"
    )
    child = episode("a", call("orders.close", {"id": "O1"}, id="p1"), run="r/helper", lineage="L")
    paths = [put(f"{first}.jsonl", lines(parent)), put("m.jsonl", lines(child))]
    found = run(suite, tmp_path / "out", *paths)
    assert found["writes"].height == 1
    owner = found["writes"]["episode"].item()
    assert found["episodes"].filter(episode=owner)["run"].item() == "r/helper"
    assert sorted(found["calls"]["tool"]) == ["delegate", "orders.close"]


def test_59_how_an_episode_ended_is_kept(suite, put, tmp_path):
    ends = ["completed", "budget_exhausted", "aborted", "infrastructure_failure"]
    content = lines(*(episode("a", say("x"), status=end, run=end) for end in ends))
    found = run(suite, tmp_path / "out", put("a.jsonl", content))
    assert sorted(found["episodes"]["status"].cast(str)) == sorted(ends)
    assert found["files"]["episodes"].item() == 4


def test_60_an_episode_without_calls_is_a_row(suite, put, tmp_path):
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("Done.")))))
    assert one(found, "episodes", "calls", "steps") == [(0, 1)]
    assert one(found, "files", "records", "episodes", "calls") == [(1, 1, 0)]


def test_63_a_write_tried_again_is_two_writes(suite, put, tmp_path):
    tried = [
        say("x"),
        call("orders.create", {"sku": "S1"}, None, step=1),
        call("orders.create", {"sku": "S1"}, "ok", step=2),
        call("orders.create", {"sku": "S1"}, "ok", step=3),
    ]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", *tried))))
    assert found["writes"].sort("step")["outcome"].to_list() == ["unknown", "applied", "applied"]
    flagged = found["calls"].sort("step")["flags"].list.contains("possible-duplicate").to_list()
    assert flagged == [False, True, True]
    assert found["writes"]["entity_id"].n_unique() == 3


def test_63_equal_writes_alone_are_not_suspect(suite, put, tmp_path):
    twice = [say("x"), call("orders.create", {"sku": "S1"}), call("orders.create", {"sku": "S1"})]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", *twice))))
    assert codes(found) == []


@pytest.mark.parametrize(("said", "damage"), [("done", None), (None, None), ({"error": "no such tool"}, False)])
def test_34_what_an_undeclared_tool_did_is_unknown_unless_it_did_not_run(make_suite, put, tmp_path, said, damage):
    tools = {**TOOLS, "unknown_tool_when": {"result": "no such tool"}}
    suite = make_suite({**SUITE, "tools.yaml": tools})
    events = [say("x"), call("orders.get", {"id": "O1"}, {"id": "O1"}), call("shell.run", {"c": "rm x"}, said)]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", *events))))
    specs = {f"spec/{name}": scan(tmp_path / "out", f"spec/{name}") for name in SPECS}
    labels = label({name: frame.lazy() for name, frame in found.items()} | specs)
    assert labels["episode_labels"].select("cd", "wrote").collect().rows() == [(damage, damage)]
    assert found["calls"]["kind"].to_list() == ["read", "unknown"]


def test_73_records_of_unknown_kinds_only(suite, put, tmp_path):
    content = lines(episode("a", {"type": "message_v9", "text": "x"}), episode("b", {"type": "message_v9"}))
    with pytest.raises(InputError, match=r"a\.jsonl.*message_v9"):
        run(suite, tmp_path / "out", put("a.jsonl", content))


def test_76_late_keys_and_types_change_nothing(suite, put, tmp_path):
    def trace(number, value):
        shown = {"id": f"O{number}", "lines": value}
        return episode("a", say("x"), call("orders.get", {"id": f"O{number}"}, shown), replicate=number)

    traces = [trace(n, n) for n in range(150)] + [{**trace(150, 0.5), "condition": "late"}, trace(151, True)]
    forth = run(suite, tmp_path / "forth", put("a.jsonl", lines(*traces)))
    values = forth["observations"].filter(field="lines")["value"]
    assert {"0.5", "true", "1", "149"} <= set(values)
    assert forth["episodes"]["condition"].drop_nulls().to_list() == ["late"]
    run(suite, tmp_path / "back", put("a.jsonl", lines(*reversed(traces))), unit_bytes=2_000)
    names = ("messages", "calls", "results", "observations", "writes")
    assert digests(tmp_path / "back", names) == digests(tmp_path / "forth", names)


def test_77_large_results_are_stored_apart_and_once(suite, put, tmp_path):
    text = "x" * 2_000_000
    traces = [episode("a", say("x"), call("orders.close", {"id": "O"}, text), replicate=n) for n in range(4)]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(*traces)), unit_bytes=1_000)
    assert found["results"]["text"].to_list() == [text]
    assert found["calls"]["result_id"].n_unique() == 1
    others = sum(path.stat().st_size for path in (tmp_path / "out").glob("[!r]*/*.parquet"))
    assert others < 400_000
