"""What is left of processes that were killed while they wrote."""

import os
import subprocess
import sys

from misstep.storage.atomic import UNFINISHED, sweep


def test_what_a_killed_process_left_goes_and_what_is_being_written_stays(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    (tmp_path / "inner").mkdir()
    left = tmp_path / f".misstep.duckdb.{process.pid}{UNFINISHED}"
    log = tmp_path / f"{left.name}.wal"
    deep = tmp_path / "inner" / f".page.html.{process.pid}{UNFINISHED}"
    other = tmp_path / f".part.parquet.{os.getppid()}{UNFINISHED}"
    done = tmp_path / "misstep.duckdb"
    for path in (left, log, deep, other, done):
        path.write_bytes(b"x")
    sweep(tmp_path)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted([other, done])
