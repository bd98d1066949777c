"""Files that cannot be read, in whole or at all, beside others that can."""

import gzip

import pytest

from ingest_run.traces import call, codes, episode, lines, many, run, say
from misstep.contracts.errors import InputError
from misstep.ingest import run as run_module
from misstep.ingest.files import Options, open_trace, read
from misstep.ingest.records import Account

GOOD = lines(episode("a", say("x")))
CUT = b'{"schema": "misstep.trace/1", "task_id": "b", "events": ['
DAMAGED = [
    pytest.param(CUT, "torn-tail", id="01-cut"),
    pytest.param(b'{"colour": "re', "torn-tail", id="01-cut-of-no-format"),
    pytest.param(b'[{"colour": "re', "torn-tail", id="01-cut-array-of-no-format"),
    pytest.param(CUT + b"\n" + CUT + b"\n", "bad-json", id="02-known"),
    pytest.param(b"{oops\n", "bad-json", id="02-of-no-format"),
    pytest.param(b"\0" * 40 + b"\n", "nul-bytes", id="04-zeros"),
    pytest.param(b"query,function_calls\ncaf\xe9,[]\n", "bad-utf8", id="11-table"),
]


@pytest.mark.parametrize("named", [False, True], ids=["folder", "named"])
@pytest.mark.parametrize(("content", "code"), DAMAGED)
def test_a_damaged_file_beside_others_is_a_problem(suite, put, tmp_path, content, code, named):
    good, bad = put("in/a.jsonl", GOOD), put("in/b.csv" if code == "bad-utf8" else "in/b.jsonl", content)
    if code == "bad-utf8":
        bad.write_bytes(content.replace(b"query,function_calls", b"query,function_calls,full_response,error"))
    found = run(suite, tmp_path / "out", *([good, bad] if named else [good.parent]))
    assert set(codes(found)) == {code}
    assert set(found["problems"]["file"]) == {bad.as_posix()}
    assert found["files"].sort("file")["episodes"].to_list() == [1, 0]
    files = found["files"]
    assert (files["records"] == files["blank"] + files["episodes"] + files["problems"]).all()


@pytest.mark.parametrize(("content", "code"), DAMAGED[:-1])
def test_a_damaged_file_alone_is_refused(suite, put, tmp_path, content, code):
    with pytest.raises(InputError, match=r"b\.jsonl"):
        run(suite, tmp_path / "out", put("in/b.jsonl", content))


def test_10_a_compressed_file_cut_off_at_its_start_is_no_empty_file(suite, put, tmp_path):
    found = run(suite, tmp_path / "out", put("a.jsonl", GOOD), put("b.jsonl.gz", gzip.compress(many(50))[:12]))
    assert codes(found) == ["bad-compression"]


@pytest.mark.parametrize("damage", [b"", b"{oops\n"], ids=["73-alone", "73-beside-damage"])
def test_whole_records_of_other_kinds_are_refused(suite, put, tmp_path, damage):
    other = b'{"schema": "misstep.trace/1", "type": "turn_v9", "task_id": "a", "events": 7}\n'
    put("in/a.jsonl", GOOD)
    with pytest.raises(InputError, match=r"b\.jsonl: none of the . records is an episode of .*turn_v9 \(1\)"):
        run(suite, tmp_path / "out", put("in/b.jsonl", other + damage).parent)


def test_a_folder_of_another_format_is_named(suite, put, tmp_path):
    folder = put("in/a.jsonl", GOOD).parent
    with pytest.raises(InputError, match="is of the format misstep_trace, not tau_bench"):
        run(suite, tmp_path / "out", folder, format="tau_bench")


@pytest.mark.parametrize(
    "wrong",
    [
        episode("a", call("orders.get", {}, step=2**63)),
        episode("a", call("orders.get", {}, step=2**63 - 1)),  # the number of steps is one more
        episode("a", say("x", step=2**70)),
    ],
    ids=["call", "number-of-steps", "message"],
)
def test_a_step_beyond_64_bits_sets_its_record_aside(suite, put, tmp_path, wrong):
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(wrong, episode("b"))))
    assert found["episodes"]["task_id"].to_list() == ["b"]
    assert "out of range" in found["problems"]["message"].item()


@pytest.mark.parametrize(("replicate", "kept"), [(2**63 - 1, 2**63 - 1), (2**63, None), (-(2**70), None)])
def test_a_replicate_beyond_64_bits_is_left_out(suite, put, tmp_path, replicate, kept):
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", replicate=replicate))))
    assert found["episodes"]["replicate"].to_list() == [kept]
    assert codes(found) == ([] if kept else ["bad-value"])


def test_a_file_that_goes_before_it_is_looked_at_is_named(suite, put, tmp_path, monkeypatch):
    put("in/a.jsonl", GOOD)
    gone = put("in/b.jsonl", GOOD)
    discover = run_module.discover

    def then_gone(*given, **options):
        found = discover(*given, **options)
        gone.unlink()
        return found

    monkeypatch.setattr(run_module, "discover", then_gone)
    with pytest.raises(InputError, match=r"b\.jsonl: the file cannot be read: No such file"):
        run(suite, tmp_path / "out", gone.parent)


def test_a_file_that_goes_before_it_is_read_is_named(put):
    path = put("a.jsonl", GOOD)
    trace, _ = open_trace(path, "a.jsonl", Options())
    path.unlink()
    with pytest.raises(InputError, match=r"a\.jsonl: the file cannot be read: No such file"):
        list(read(trace, Account(), Options()))
