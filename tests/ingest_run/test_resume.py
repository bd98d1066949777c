"""Runs that are killed, repeated or fail: what was done is kept, what is valid stays valid."""

import os
import signal
import subprocess
import sys
import time

import pytest

from ingest_run.traces import SUITE, call, digests, episode, lines, many, run, say, tables
from misstep.contracts.errors import InputError
from misstep.ingest import run as run_module
from misstep.ingest.run import ingest
from misstep.specs.load import load_suite
from misstep.storage.atomic import UNFINISHED
from misstep.storage.manifest import read_manifest

PROGRAM = """
import sys
from pathlib import Path
from misstep.ingest.run import ingest
from misstep.specs.load import load_suite

if __name__ == "__main__":
    suite, out, source, workers = sys.argv[1:]
    ingest([Path(source)], load_suite(Path(suite)), Path(out), workers=int(workers), unit_bytes=60_000)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_is_taken_up(suite, put, tmp_path, workers):
    source = put("a.jsonl", many(3_000))
    program = put("program.py", PROGRAM.encode())
    run(suite, tmp_path / "whole", source, workers=1)
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, str(program), str(suite), str(out), str(source), str(workers)], start_new_session=True
    )
    units = out / ".units"
    deadline = time.monotonic() + 60
    while len(list(units.glob("*.json"))) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = len(list(units.glob("*.json")))
    assert done >= 3
    assert read_manifest(out) is None, "the run was over before it was killed"
    report = ingest([source], load_suite(suite), out, workers=1, unit_bytes=60_000)
    assert 3 <= report.reused <= done
    assert report.reused < report.units
    assert digests(out) == digests(tmp_path / "whole")
    assert not list(out.rglob(f"*{UNFINISHED}"))


def test_a_second_run_has_nothing_to_do(suite, put, tmp_path):
    source = put("a.jsonl", many(20))
    run(suite, tmp_path / "out", source, unit_bytes=900)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    report = ingest([source], load_suite(suite), tmp_path / "out", unit_bytes=900)
    assert report.unchanged
    assert (report.episodes, report.calls) == (20, 40)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_longer_file_is_read_from_where_it_grew(suite, put, tmp_path):
    traces = [
        lines(episode("a", say("x"), call("orders.close", {"id": f"O{n}"}, f"r{n}"), replicate=n)) for n in range(9)
    ]
    source = put("a.jsonl", b"".join(traces[:8]))
    run(suite, tmp_path / "out", source, unit_bytes=len(traces[0]))
    source.write_bytes(b"".join(traces))
    report = ingest([source], load_suite(suite), tmp_path / "out", unit_bytes=len(traces[0]))
    assert (report.reused, report.units) == (8, 9)
    run(suite, tmp_path / "whole", source)
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_rows_left_out_because_of_another_file_come_back_without_it(suite, put, tmp_path):
    first, second = put("a.jsonl", many(5)), put("b.jsonl", many(6))
    together = run(suite, tmp_path / "out", first, second)
    assert together["episodes"].height == 6
    alone = run(suite, tmp_path / "out", second)
    assert alone["episodes"].height == 6
    run(suite, tmp_path / "new", second)
    assert digests(tmp_path / "out") == digests(tmp_path / "new")


def test_a_changed_tools_file_is_read_under(make_suite, put, tmp_path):
    source = put("a.jsonl", many(3))
    run(make_suite(SUITE), tmp_path / "out", source)
    tools = SUITE["tools.yaml"]
    free = {**tools, "fields": {"order": {"state": "free"}}}
    found = run(make_suite({**SUITE, "tools.yaml": free}), tmp_path / "out", source)
    assert all(field["free"] for fields in found["writes"]["fields"] for field in fields)


def test_old_tables_stay_when_a_run_fails(suite, put, tmp_path, monkeypatch):
    run(suite, tmp_path / "out", put("a.jsonl", many(5)))
    before = digests(tmp_path / "out")

    def fail(*_, **__):
        raise InputError("no more")

    monkeypatch.setattr(run_module, "finish", fail)
    with pytest.raises(InputError, match="no more"):
        run(suite, tmp_path / "out", put("b.jsonl", many(50)))
    assert digests(tmp_path / "out") == before
    assert tables(tmp_path / "out")["files"]["file"].item().endswith("a.jsonl")


def test_parts_of_an_earlier_input_go(suite, put, tmp_path):
    run(suite, tmp_path / "out", put("a.jsonl", many(5)))
    run(suite, tmp_path / "out", put("b.jsonl", many(5)))
    assert len(list((tmp_path / "out" / "calls").glob("*.parquet"))) == 1
