"""When an ingest stops, and what it says then."""

import pytest

from ingest_run.traces import SUITE, call, codes, episode, lines, many, run, say
from misstep.contracts.errors import ClusterError, ContractError, InputError
from misstep.ingest.accounting import Counted, account
from misstep.ingest.parts import Told


def test_strict_stops_at_the_first_problem(suite, put, tmp_path):
    source = put("a.jsonl", many(2) + b"{oops\n" + many(1, start=5))
    with pytest.raises(InputError, match=r"a\.jsonl:3: .*bad-json"):
        run(suite, tmp_path / "out", source, strict=True)


def test_an_error_of_a_worker_process_keeps_its_words(suite, put, tmp_path):
    source = put("a.jsonl", many(20) + b"{oops\n" + many(20, start=50))
    with pytest.raises(InputError, match=r"a\.jsonl:21: .*bad-json"):
        run(suite, tmp_path / "out", source, strict=True, workers=2, unit_bytes=2_000)


def test_strict_stops_at_a_problem_of_a_call(suite, put, tmp_path):
    source = put("a.jsonl", lines(episode("a", say("x"), call("orders.get", {}), call("orders.burn", {}))))
    with pytest.raises(InputError, match=r"a\.jsonl:1: .*calls\[1\]\.tool.*unknown-tool"):
        run(suite, tmp_path / "out", source, strict=True)


def test_strict_stops_at_episodes_that_are_there_twice(suite, put, tmp_path):
    with pytest.raises(InputError, match=r"b\.jsonl:1: .*repeated-episode"):
        run(suite, tmp_path / "out", put("a.jsonl", many(1)), put("b.jsonl", many(1)), strict=True)


def test_strict_lets_notes_pass(suite, put, tmp_path):
    found = run(suite, tmp_path / "out", put("a.jsonl", b"\xef\xbb\xbf" + many(1)), strict=True)
    assert codes(found) == ["bom"]


def test_too_many_unknown_tools_are_another_suite(suite, put, tmp_path):
    events = [call("orders.get", {"id": "O1"}), call("x", {}), call("y", {})]
    with pytest.raises(InputError, match=r"2 of 3 calls \(67%\).*unknown_tool_limit is 50%"):
        run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_input_without_a_record_is_refused(suite, put, tmp_path, content):
    with pytest.raises(InputError, match="no episode was recognised in the whole input"):
        run(suite, tmp_path / "out", put("a.jsonl", content))


def test_an_empty_file_beside_others_is_a_problem(suite, put, tmp_path):
    found = run(suite, tmp_path / "out", put("a.jsonl", b""), put("b.jsonl", many(2)))
    assert codes(found) == ["empty-file"]
    assert found["files"].sort("file")["episodes"].to_list() == [0, 2]


def test_a_named_file_of_no_format_is_refused(suite, put, tmp_path):
    with pytest.raises(InputError, match=r"a\.json.*no reader"):
        run(suite, tmp_path / "out", put("a.json", b'{"colour": "red"}'), put("b.jsonl", many(2)))


def test_other_files_of_a_folder_are_named_and_passed_by(suite, put, tmp_path):
    put("in/a.json", b'{"colour": "red"}')
    found = run(suite, tmp_path / "out", put("in/b.jsonl", many(2)).parent)
    assert codes(found) == ["unknown-format"]


def test_a_file_of_which_no_record_can_be_read_is_refused(suite, put, tmp_path):
    bad = put("a.jsonl", b'{"schema": "misstep.trace/1", "events": 7, "task_id": "a"}\n' * 2)
    with pytest.raises(InputError, match=r"a\.jsonl: none of the 2 records is an episode of the format misstep_trace"):
        run(suite, tmp_path / "out", bad, put("b.jsonl", many(2)))


def test_a_path_that_is_not_there_is_refused(suite, tmp_path):
    with pytest.raises(InputError, match=r"nowhere: there is no such file or folder"):
        run(suite, tmp_path / "out", tmp_path / "nowhere")


def test_tasks_without_a_template_need_a_decision(make_suite, put, tmp_path):
    tasks = [{"task_id": "a"}, {"task_id": "b", "template_id": "t"}]
    folder = make_suite({**SUITE, "tasks.jsonl": tasks})
    source = put("a.jsonl", lines(episode("b", say("x")), episode("a", say("x")), episode("a", say("x"), replicate=2)))
    with pytest.raises(ClusterError, match=r"a\.jsonl:2: episode [0-9a-f]{32}: its task 'a' has no template_id"):
        run(folder, tmp_path / "out", source)
    found = run(folder, tmp_path / "out", source, missing_template="own")
    assert codes(found) == ["missing-template"]


def test_records_that_do_not_add_up_are_a_defect():
    with pytest.raises(ContractError, match="add up"):
        account("a.jsonl", 10, [Told("a.jsonl", "f", records=2)], Counted(read=1))
