"""What holds for every command: help with an example, `--json`, `--quiet`, exit codes, and a quick start."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from misstep.cli import app
from misstep.storage.bundled import bundled
from misstep.suites.build import build_suite

run = CliRunner().invoke


def commands(group: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """Yield the words that call a command, and the command."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *words, name)
        else:
            yield " ".join((*words, name)), command


COMMANDS = dict(commands(get_command(app)))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite") / "office"
    for name in ("suite.yaml", "tools.yaml"):
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes((bundled("suites/office") / name).read_bytes())
    build_suite("office", folder, bundled("suites/office"))
    return folder


@pytest.fixture(scope="module")
def tables(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder of labelled tables of the office suite."""
    out = str(tmp_path_factory.mktemp("tables"))
    done = run(app, ["ingest", str(suite / "traces"), "--suite", str(suite), "--out", out, "--quiet", "--workers", "1"])
    assert (done.exit_code, done.output) == (0, "")
    done = run(app, ["label", out, "--quiet"])
    assert (done.exit_code, done.output) == (0, "")
    return out


@pytest.mark.parametrize("words", COMMANDS)
def test_help_says_what_a_command_does_with_an_example(words: str) -> None:
    shown = " ".join(run(app, [*words.split(), "--help"]).stdout.split())
    assert f"Example: misstep {words} " in shown
    assert "--json" in shown and "--quiet" in shown


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_and_argument_is_explained(words: str) -> None:
    shown = re.split(r"^(?:Arguments|Options):$", run(app, [*words.split(), "--help"]).stdout, flags=re.M)[1:]
    rows = [line for part in shown for line in part.splitlines() if re.match(r"  \S", line)]
    assert len(rows) >= 3
    bare = [option.name for option in COMMANDS[words].params if not getattr(option, "help", None)]
    assert bare == []


ASKED = [
    "ingest {suite}/traces --suite {suite} --out {tables} --workers 1",
    "label {tables}",
    "estimate {tables} --metric cd --by model --draws 100",
    "compare {tables} --metric cd --all-pairs model --draws 100",
    "explain {tables} 092aa6ac",
    "sql {tables} SELECT+1",
    "check {suite}",
    "gate {tables} --max cd=1 --draws 100",
    "schema writes",
    "fetch",
]


@pytest.mark.parametrize("line", ASKED, ids=lambda line: line.split()[0])
def test_json_is_all_that_is_printed_and_quiet_prints_nothing(line: str, suite: Path, tables: str) -> None:
    words = [word.replace("+", " ") for word in line.format(suite=suite, tables=tables).split(" ")]
    told = run(app, [*words, "--json"])
    assert (told.exit_code, told.stderr) == (0, "") and json.loads(told.stdout)
    quiet = run(app, [*words, "--quiet"])
    assert (quiet.exit_code, quiet.output) == (0, "")


WRONG = [
    ("gate {tables} --max cd=0.01", 1, "the limit may be exceeded: cd of all"),
    ("gate {tables} --max cd=5%", 2, "write metric=limit"),
    ("estimate {tables} --metric damage", 2, "there is no metric 'damage'"),
    ("estimate {tables} --policy lenient", 2, "lenient"),
    ("estimate {tables} --draws 1000001", 2, "draws must lie between 1 and 1,000,000"),
    ("compare {tables} --a model=careful", 2, "--b"),
    ("compare {tables} --all-pairs harness", 2, "nothing to compare, there is harness="),
    ("label {there}", 2, "holds no tables"),
    ("ingest {suite}/traces --suite {there} --out {there}/out", 2, "suite.yaml"),
    ("ingest {there}/notes.txt --suite {suite} --out {there}/out", 3, "notes.txt: no reader recognises the file"),
    ("ingest {there}/torn.jsonl --suite {suite} --out {there}/out --strict", 3, "torn.jsonl:2"),
    ("check {suite} {there}/study.yaml --quiet", 2, "1 of 2 files are faulty: {there}/study.yaml:1: "),
    ("check {there}/torn.jsonl --quiet", 3, "torn.jsonl:2"),
    ("sql {tables} DROP+TABLE+writes", 2, "one SELECT"),
    ("fetch nowhere", 2, "nowhere"),
]


@pytest.mark.parametrize(("line", "code", "said"), WRONG)
def test_exit_codes_and_messages(line: str, code: int, said: str, suite: Path, tables: str, tmp_path: Path) -> None:
    whole = (suite / "traces/careful.jsonl").read_bytes().splitlines(keepends=True)[0]
    (tmp_path / "torn.jsonl").write_bytes(whole + whole[:200] + b"\n" + whole)
    (tmp_path / "notes.txt").write_text("Remember the milk.\n")
    (tmp_path / "study.yaml").write_text("name: x\n")
    places = {"suite": suite, "tables": tables, "there": tmp_path}
    ended = run(app, [word.replace("+", " ") for word in line.format(**places).split(" ")])
    assert ended.exit_code == code, ended.output
    assert ended.stderr.startswith("misstep: ") and said.format(**places) in ended.stderr


def test_help_loads_none_of_the_heavy_packages() -> None:
    heavy = "{'polars', 'duckdb', 'scipy', 'altair', 'numpy', 'pyarrow', 'dataframely', 'pydantic', 'jinja2'}"
    program = f"""
import sys
from misstep.cli import app
try:
    app(["--help"])
except SystemExit:
    print(sorted({heavy} & set(sys.modules)))
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert all(f"  {name} " in shown for name in get_command(app).commands)  # type: ignore[attr-defined]
    assert shown.splitlines()[-1] == "[]"


def test_labels_of_other_tables_are_not_counted(suite: Path, tmp_path: Path) -> None:
    careful, tidy = (str(suite / f"traces/{name}.jsonl") for name in ("careful", "tidy"))
    out = str(tmp_path)
    for words in (
        ["ingest", careful, "--suite", str(suite), "--out", out, "-q", "--workers", "1"],
        ["label", out, "-q"],
    ):
        assert run(app, words).exit_code == 0
    assert run(app, ["ingest", tidy, "--suite", str(suite), "--out", out, "-q", "--workers", "1"]).exit_code == 0
    ended = run(app, ["estimate", out, "--draws", "100"])
    assert ended.exit_code == 2 and f"run again: misstep label {out}" in ended.stderr
