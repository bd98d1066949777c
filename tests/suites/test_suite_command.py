"""`misstep suite build`, as it is typed."""

import json
from pathlib import Path

from typer.testing import CliRunner

from misstep.cli import app
from misstep.specs.load import load_suite
from suites.office_suite import copy_written_files, sources


def test_the_command_builds_in_place_what_load_suite_accepts(tmp_path: Path) -> None:
    folder = copy_written_files(tmp_path / "office")
    result = CliRunner().invoke(app, ["suite", "build", "office", "--out", str(folder), "--json"])
    assert result.exit_code == 0, result.output
    suite = load_suite(folder)
    assert json.loads(result.stdout)["tasks"] == len(suite.tasks) == len(sources().instances)
    assert suite.state_names == ["march", "may", "september"]


def test_an_unknown_suite_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    result = CliRunner().invoke(app, ["suite", "build", "no-such-suite", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "no-such-suite" in result.stderr
