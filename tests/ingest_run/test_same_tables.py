"""The tables do not depend on workers, on how files are cut, on their order, or on how they are packed."""

import gzip

import pytest
import zstandard

from ingest_run.traces import call, codes, digests, episode, lines, many, run, say

OWN = ("messages", "calls", "arguments", "results", "observations", "writes")


@pytest.fixture
def inputs(put):
    """Return two files with repeated results, a torn end and an episode that is in both."""
    first = many(40) + lines(episode("a", say("both"), run="r"))
    second = lines(episode("a", say("both"), run="r")) + many(30, start=100) + b'{"task_id": "a", "ev'
    return put("in/a.jsonl", first), put("in/b.jsonl", second)


@pytest.fixture
def expected(suite, inputs, tmp_path):
    """Return the digests of an ingest in one piece."""
    run(suite, tmp_path / "whole", *inputs, workers=1)
    return digests(tmp_path / "whole")


@pytest.mark.parametrize("unit_bytes", [300, 2_000, 9_000])
def test_pieces_do_not_matter(suite, inputs, expected, tmp_path, unit_bytes):
    run(suite, tmp_path / "out", *inputs, workers=1, unit_bytes=unit_bytes)
    assert digests(tmp_path / "out") == expected
    assert len(list((tmp_path / "out" / "calls").iterdir())) > 1


def test_order_of_files_does_not_matter(suite, inputs, expected, tmp_path):
    run(suite, tmp_path / "out", *reversed(inputs), workers=1, unit_bytes=1_000)
    assert digests(tmp_path / "out") == expected


def test_workers_do_not_matter(suite, inputs, expected, tmp_path):
    run(suite, tmp_path / "out", *inputs, workers=2, unit_bytes=1_500)
    assert digests(tmp_path / "out") == expected


def test_a_folder_is_its_files(suite, inputs, expected, tmp_path, put):
    put("in/.hidden.jsonl", b"not even JSON\n")
    put("in/readme.md", b"# Traces\n")
    found = run(suite, tmp_path / "out", inputs[0].parent, workers=1)
    others = [name for name in expected if name != "problems"]
    assert digests(tmp_path / "out", others) == {name: expected[name] for name in others}
    assert codes(found)[-1] == "unread-file"


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)])
def test_packed_files_are_read_like_plain_ones(suite, put, tmp_path, ending, pack):
    content = many(30)
    run(suite, tmp_path / "plain", put("a.jsonl", content))
    packed = run(suite, tmp_path / "packed", put("b.jsonl" + ending, pack(content)), unit_bytes=1_000)
    assert digests(tmp_path / "packed", OWN) == digests(tmp_path / "plain", OWN)
    assert packed["files"]["records"].item() == 30
    assert len(list((tmp_path / "packed" / "calls").iterdir())) > 1  # also a packed file is written in several parts


def test_results_are_stored_once_across_parts(suite, inputs, tmp_path):
    found = run(suite, tmp_path / "out", *inputs, workers=1, unit_bytes=500)
    assert found["results"]["result_id"].is_unique().all()
    assert found["observations"].select("observation_id", "record", "field").is_unique().all()
    assert found["arguments"].select("arguments_id", "path", "number").is_unique().all()
    assert set(found["calls"]["arguments_id"]) == set(found["arguments"]["arguments_id"])
    assert set(found["calls"]["result_id"].drop_nulls()) == set(found["results"]["result_id"])
    assert codes(found) == ["repeated-episode", "torn-tail"]


def test_long_results_are_stored_once_across_parts(suite, put, tmp_path):
    shown = [{"id": "O1", "state": "open", "note": str(number % 3) * 500} for number in range(20)]
    told = [
        episode("a", call("orders.get", {"id": "O1"}, one), call("orders.get", {"id": "O1"}, one), replicate=number)
        for number, one in enumerate(shown)
    ]
    path = put("a.jsonl", lines(*told))
    run(suite, tmp_path / "whole", path)
    found = run(suite, tmp_path / "cut", path, unit_bytes=3_000)
    assert digests(tmp_path / "cut", OWN) == digests(tmp_path / "whole", OWN)
    assert found["results"].height == 3
