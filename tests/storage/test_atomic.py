"""What is left of runs that were killed while they wrote."""

import os
import signal
import subprocess
import sys

from misstep.storage.atomic import UNFINISHED, sweep

PROGRAM = """\
import sys, time
from pathlib import Path
from misstep.storage.atomic import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_bytes(b"half of it")
    Path(f"{temporary}.wal").write_bytes(b"log")
    print("now", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_run_left_goes_and_what_is_complete_stays(tmp_path):
    done = tmp_path / "out" / "inner" / "misstep.duckdb"
    done.parent.mkdir(parents=True)
    done.write_bytes(b"whole")
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(done)], stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert len([path for path in done.parent.iterdir() if UNFINISHED in path.name]) == 2
    sweep(tmp_path / "out")
    assert list(done.parent.iterdir()) == [done]
    assert done.read_bytes() == b"whole"
