"""What a folder holds: traces, many small ones too, and what is left out."""

import os

import pytest

from ingest_run.traces import codes, digests, episode, lines, many, run, say
from misstep.contracts.errors import InputError
from misstep.ingest.run import ingest
from misstep.specs.load import load_suite
from misstep.storage.names import path_of, shown_name

GOOD = lines(episode("a", say("x")))


@pytest.mark.parametrize("name", ["b.txt", "b.log", "b.jsonl.bz2", "b.jsonl.xz", "b", "inner/b.txt"])
def test_a_file_that_is_no_trace_by_its_name_is_noted(suite, put, tmp_path, name):
    put(f"in/{name}", GOOD)
    put("in/a.jsonl", GOOD)
    found = run(suite, tmp_path / "out", tmp_path / "in", strict=True)
    assert codes(found) == ["unread-file"]
    assert found["problems"]["file"].item() == (tmp_path / "in" / name).as_posix()


def test_links_that_lead_nowhere_or_to_a_folder_are_noted(suite, put, tmp_path):
    folder = put("in/a.jsonl", GOOD).parent
    put("other/b.jsonl", GOOD)
    (folder / "c.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    (folder / "d").symlink_to(tmp_path / "other")
    found = run(suite, tmp_path / "out", folder)["problems"].sort("file")
    assert found["file"].to_list() == [(folder / "c.jsonl").as_posix(), (folder / "d").as_posix()]
    assert "No such file" in found["message"][0]
    assert "link to a folder" in found["message"][1]


def test_companions_and_hidden_files_are_one_note_a_folder(suite, put, tmp_path):
    for name in ("README.md", "spec.yaml", "one.png", "two.png", ".hidden", ".git/x.jsonl"):
        put(f"in/{name}", b"x")
    found = run(suite, tmp_path / "out", put("in/a.jsonl", GOOD).parent)["problems"]
    assert found["file"].to_list() == [(tmp_path / "in").as_posix()]
    assert found["message"].item().endswith("(.md 1, .png 2, .yaml 1, hidden 2)")


def test_a_file_that_is_named_beside_its_folder_is_read(suite, put, tmp_path):
    named = put("in/b.txt", lines(episode("b", say("x"))))
    found = run(suite, tmp_path / "out", put("in/a.jsonl", GOOD).parent, named)
    assert found["files"].height == 2
    assert codes(found) == []


def test_a_file_that_is_added_and_left_out_is_noted_in_the_next_run(suite, put, tmp_path):
    folder = put("in/a.jsonl", GOOD).parent
    run(suite, tmp_path / "out", folder)
    put("in/b.txt", GOOD)
    assert codes(run(suite, tmp_path / "out", folder)) == ["unread-file"]


def test_a_folder_without_traces_says_what_it_holds(suite, put, tmp_path):
    with pytest.raises(InputError, match=r"no trace files in .*left out .*b\.txt"):
        run(suite, tmp_path / "out", put("in/b.txt", GOOD).parent)


def test_tables_in_the_folder_are_no_traces(suite, put, tmp_path):
    folder = put("in/a.jsonl", GOOD).parent
    run(suite, folder / "out", folder)
    assert codes(run(suite, folder / "out", folder)) == []
    assert ingest([folder], load_suite(suite), folder / "out").unchanged


def test_a_name_that_is_no_utf8_is_shown(suite, put, tmp_path):
    folder = put("in/a.jsonl", GOOD).parent
    strange = os.fsencode(folder) + b"/caf\xe9.jsonl"
    with open(strange, "wb") as file:
        file.write(lines(episode("b", say("x"))) + b"{oops\n")
    found = run(suite, tmp_path / "out", folder)
    shown = f"{folder.as_posix()}/caf\\xe9.jsonl"
    assert set(found["episodes"]["source_file"]) == {(folder / "a.jsonl").as_posix(), shown}
    assert found["problems"]["file"].item() == shown
    assert os.fsencode(path_of(shown)) == strange
    assert shown_name(path_of(shown)) == shown


@pytest.mark.parametrize("unit_bytes", [1, 1_000, 5_000, 1 << 24])
@pytest.mark.parametrize("workers", [1, 2])
def test_how_small_files_are_put_together_does_not_matter(suite, put, tmp_path, unit_bytes, workers):
    for number in range(12):
        put(f"in/{number:02}.jsonl", many(2, start=number) + (b"{oops\n" if number == 5 else b""))
    together = run(suite, tmp_path / "whole", tmp_path / "in")
    assert codes(together) == ["bad-json", *["repeated-episode"] * 11]
    assert together["files"]["episodes"].sum() == 13
    run(suite, tmp_path / "out", tmp_path / "in", unit_bytes=unit_bytes, workers=workers)
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_many_small_files_make_few_parts(suite, put, tmp_path):
    for number in range(30):
        put(f"in/{number}.jsonl", many(1, start=number))
    report = ingest([tmp_path / "in"], load_suite(suite), tmp_path / "out")
    assert (report.episodes, report.units) == (30, 1)
    assert len(list((tmp_path / "out" / "calls").iterdir())) == 1
    assert all(file.seconds > 0 for file in report.files)
