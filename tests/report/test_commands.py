"""`misstep report` and `misstep explain` as they are called."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from misstep.cli import app
from report.test_study import make_project

run = CliRunner().invoke


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("commands"))


@pytest.fixture(scope="module")
def told(project: Path) -> dict[str, object]:
    """Return what the first run says."""
    first = run(app, ["report", str(project / "data/studies/notes.yaml"), "--json"])
    assert first.exit_code == 0, first.output
    return dict(json.loads(first.stdout))


def test_report_tells_what_it_made(told: dict[str, object], project: Path) -> None:
    assert told["unchanged"] is False and told["episodes"] == 16 and told["configurations"] == 2
    assert (project / "reports/notes/index.html").samefile(str(told["index"]))


def test_report_says_that_there_is_nothing_to_do(told: dict[str, object], project: Path) -> None:
    again = run(app, ["report", str(project / "data/studies/notes.yaml")])
    assert again.exit_code == 0 and "nothing to do" in again.stdout and told
    assert run(app, ["report", str(project / "data/studies/notes.yaml"), "--quiet"]).stdout == ""


def test_report_of_a_wrong_study_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("schema: misstep.study/1\nname: x\ntitle: 3\nsources: []\n")
    ended = run(app, ["report", str(path)])
    assert ended.exit_code == 2 and f"{path}:3: title" in ended.stderr and f"{path}:4: sources" in ended.stderr


def test_explain_tells_an_episode_by_task_and_model(told: dict[str, object], project: Path) -> None:
    tables = str(project / "reports/notes/tables/notes")
    text = run(app, ["explain", tables, "n5@bad"])
    assert text.exit_code == 0 and told
    assert "unauthorized [wrong_entity]" in text.stdout
    assert "differs in entity: note:6; the rule says note:5" in text.stdout
    values = json.loads(run(app, ["explain", tables, "n5@bad", "--json"]).stdout)
    assert values["goal"] == [
        {"wanted": 'note:5 text is "secret wish 5"', "found": '"old"', "holds": False},
    ]
    short = run(app, ["explain", tables, values["episode"]["episode"][:8]])
    assert short.stdout == text.stdout


def test_explain_of_an_unknown_episode_is_a_usage_error(told: dict[str, object], project: Path) -> None:
    ended = run(app, ["explain", str(project / "reports/notes/tables/notes"), "n99@bad"])
    assert ended.exit_code == 2 and "no episode" in ended.stderr and told


def test_sql_reads_the_views_of_the_tables(told: dict[str, object], project: Path) -> None:
    tables = str(project / "reports/notes/tables/notes")
    answer = run(app, ["sql", tables, "SELECT count(*) AS n FROM violations", "--json"])
    assert json.loads(answer.stdout) == [{"n": 5}] and told
    assert pl.read_csv(project / "reports/notes/patterns.csv")["writes"].sum() == 5


@pytest.mark.parametrize(
    ("query", "shown"),
    [("SELECT 1 / 0 AS n", [{"n": None}]), ("SELECT ['nan'::DOUBLE, 1] AS n", [{"n": [None, 1.0]}])],
)
def test_sql_prints_numbers_that_json_lacks_as_null(
    told: dict[str, object], project: Path, query: str, shown: object
) -> None:
    answer = run(app, ["sql", str(project / "reports/notes/tables/notes"), query, "--json"])
    assert answer.exit_code == 0 and json.loads(answer.stdout) == shown and told


def test_sql_shows_bytes_in_lists(told: dict[str, object], project: Path) -> None:
    answer = run(app, ["sql", str(project / "reports/notes/tables/notes"), "SELECT ['x'::BLOB] AS n"])
    assert answer.exit_code == 0 and "x" in answer.stdout and told


def test_sql_refuses_a_type_that_cannot_be_shown(told: dict[str, object], project: Path) -> None:
    answer = run(app, ["sql", str(project / "reports/notes/tables/notes"), "SELECT INTERVAL 1 DAY"])
    assert answer.exit_code == 2 and "cast it" in answer.stderr and told


def test_a_side_without_a_value_is_a_usage_error(told: dict[str, object], project: Path) -> None:
    tables = str(project / "reports/notes/tables/notes")
    ended = run(app, ["compare", tables, "--a", "model", "--b", "model=bad"])
    assert ended.exit_code == 2 and "name=value" in ended.stderr and told


def test_a_file_that_cannot_be_written_is_a_message(told: dict[str, object], project: Path) -> None:
    target = project / "data/studies/notes.yaml/x.csv"
    ended = run(app, ["estimate", str(project / "reports/notes/tables/notes"), "--csv", str(target)])
    assert ended.exit_code == 2 and ended.stderr.startswith("misstep: ") and "notes.yaml" in ended.stderr and told
