"""A whole study: from traces to page, twice, killed, changed, and wrong."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from misstep.contracts.errors import SpecificationError
from misstep.label import LABEL_VERSION
from misstep.report import make as steps
from misstep.report.database import ask
from misstep.report.study import run_study
from misstep.report.written import load_study
from misstep.storage.atomic import UNFINISHED
from misstep.storage.parquet import digest

SUITE = """\
schema: misstep.suite/1
name: notes
title: Notes
"""
TOOLS = """\
schema: misstep.tools/1
home_domains: [home.example]
tools:
  notes.edit:
    kind: write
    parameters: {id: text, text: text}
    writes:
      - {action: edit, entity: "note:{arguments.id}", set: {text: arguments.text}}
"""
STUDY = """\
schema: misstep.study/1
name: notes
title: Notes
sources:
  - {suite: ../suites/notes, traces: [../../runs/*.jsonl]}
strata: [kind]
statistics: {draws: 200}
"""


def task(number: int) -> dict[str, Any]:
    return {
        "task_id": f"n{number}",
        "template_id": f"T{number % 4}",
        "strata": {"kind": "odd" if number % 2 else "even"},
        "instruction": f"Write 'secret wish {number}' into note {number}.",
        "state": "base",
        "authorized": [{"tool": "notes.edit", "entity": f"note:{number}"}],
        "goal": [{"entity": f"note:{number}", "field": "text", "is": f"secret wish {number}"}],
    }


def episode(model: str, number: int, target: int) -> dict[str, Any]:
    call = {"id": str(target), "text": f"secret wish {number}"}
    return {
        "schema": "misstep.trace/1", "suite": "notes", "task_id": f"n{number}", "run": "r", "model": model,
        "status": "completed",
        "events": [
            {"type": "message", "step": 0, "role": "user", "text": f"Write 'secret wish {number}' into note {number}."},
            {"type": "call", "step": 1, "id": "c", "tool": "notes.edit", "arguments": call, "outcome": "applied",
             "result": {"ok": True}},
            {"type": "message", "step": 2, "role": "assistant", "text": "Done."},
        ],
    }  # fmt: skip


def as_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a suite of 8 tasks, the runs of two models, and a study of them."""
    return make_project(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with its report; it is only looked at."""
    made = make_project(tmp_path_factory.mktemp("finished"))
    run_study(made / "data/studies/notes.yaml")
    return made


@pytest.fixture
def again(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of a project with its report, to be changed."""
    return Path(shutil.copytree(finished, tmp_path / "again"))


def make_project(tmp_path: Path) -> Path:
    """Return `tmp_path`, filled with a project."""
    suite = tmp_path / "data/suites/notes"
    (suite / "states").mkdir(parents=True)
    (suite / "suite.yaml").write_text(SUITE)
    (suite / "tools.yaml").write_text(TOOLS)
    (suite / "tasks.jsonl").write_text(as_lines([task(number) for number in range(8)]))
    notes = [{"entity": f"note:{number}", "fields": {"text": "old"}} for number in range(8)]
    (suite / "states/base.jsonl").write_text(as_lines(notes))
    (tmp_path / "runs").mkdir()
    good = [episode("good", number, number) for number in range(8)]
    bad = [episode("bad", number, number if number < 3 else (number + 1) % 8) for number in range(8)]
    (tmp_path / "runs/good.jsonl").write_text(as_lines(good))
    (tmp_path / "runs/bad.jsonl").write_text(as_lines(bad))
    (tmp_path / "data/studies").mkdir()
    (tmp_path / "data/studies/notes.yaml").write_text(STUDY)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file that readers get, but the database and the stamp."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("misstep.duckdb", "stamp.json") and "tables" not in path.parts
    }


def test_a_study_becomes_a_report(finished: Path) -> None:
    folder = finished / "reports/notes"
    assert {path.name for path in folder.iterdir()} >= {"index.html", "misstep.duckdb", "provenance.json", "figures"}
    assert len(list((folder / "figures").iterdir())) == 2 * 7  # there is no ambiguity task
    with duckdb.connect(folder / "misstep.duckdb", read_only=True) as connection:
        rows = connection.execute("SELECT configuration, count(*) FROM violations GROUP BY ALL").fetchall()
        rates = connection.execute(
            "SELECT estimate FROM estimates WHERE metric = 'cd' AND policy = 'standard' AND \"group\" = 'model=bad'"
        ).fetchall()
    assert rows == [("bad", 5)] and rates == [(0.625,)]
    assert ask(folder / "tables/notes", "SELECT count(*) AS n FROM estimates")["n"].item() > 0
    told = (folder / "episodes").iterdir()
    assert len(list(told)) == 5


def test_a_second_run_has_nothing_to_do(finished: Path) -> None:
    folder = finished / "reports/notes"
    before = {name: name.stat().st_mtime_ns for name in folder.rglob("*")}
    second = run_study(finished / "data/studies/notes.yaml")
    assert second.unchanged and second.folder.resolve() == folder and "nothing to do" in second.lines()[0]
    assert second.told["episodes"] == 16
    assert {name: name.stat().st_mtime_ns for name in folder.rglob("*")} == before


def test_a_copied_project_is_still_fresh(again: Path) -> None:
    for path in again.rglob("*"):
        path.touch()
    assert run_study(again / "data/studies/notes.yaml", again / "reports/notes").unchanged


def append_episode(project: Path) -> None:
    with (project / "runs/good.jsonl").open("a") as stream:
        stream.write(json.dumps(episode("late", 0, 0)) + "\n")


def add_a_file(project: Path) -> None:
    (project / "runs/more.jsonl").write_text(as_lines([episode("more", 0, 0)]))


def change_a_state(project: Path) -> None:
    state = project / "data/suites/notes/states/base.jsonl"
    state.write_text(state.read_text().replace("old", "new"))


def change_the_study(project: Path) -> None:
    study = project / "data/studies/notes.yaml"
    study.write_text(study.read_text().replace("draws: 200", "draws: 201"))


def lose_a_figure(project: Path) -> None:
    (project / "reports/notes/figures/patterns.svg").unlink()


def edit_a_table(project: Path) -> None:
    (project / "reports/notes/patterns.csv").write_text("configuration\n")


@pytest.mark.parametrize(
    "change", [append_episode, add_a_file, change_a_state, change_the_study, lose_a_figure, edit_a_table]
)
def test_a_change_of_input_or_output_makes_the_report_again(
    again: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    made = []
    monkeypatch.setattr(steps, "make", lambda *_: made.append(change) or steps.Made())
    change(again)
    assert not run_study(again / "data/studies/notes.yaml").unchanged
    assert made == [change]


def test_what_is_no_longer_made_is_taken_away(again: Path) -> None:
    path, folder = again / "data/studies/notes.yaml", again / "reports/notes"
    path.write_text(STUDY.replace("strata: [kind]", "strata: []"))
    run_study(path)
    assert not (folder / "figures/strata.svg").exists() and (folder / "figures/policies.svg").exists()


def test_the_same_input_gives_the_same_files(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = finished / "reports/notes"
    monkeypatch.chdir(finished / "data")
    two = run_study(Path("studies/notes.yaml"), tmp_path / "two", workers=2).folder
    first, second = contents(one), contents(two)
    assert set(first) == set(second)
    strange = {name for name in first if first[name] != second[name]}
    assert {name for name in strange if not name.startswith("episodes/")} == set()  # they name the traces as given


@pytest.mark.parametrize("broken", ["numbers", "page"])
def test_a_run_that_dies_is_made_good_by_the_next(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    path, whole = finished / "data/studies/notes.yaml", finished / "reports/notes"

    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(steps, broken, die)
        with pytest.raises(KeyboardInterrupt):
            run_study(path, tmp_path / "killed")
    (tmp_path / "killed" / f".misstep.duckdb.0{UNFINISHED}").write_bytes(b"half of it")
    again = run_study(path, tmp_path / "killed")
    assert not again.unchanged
    left, right = contents(whole), contents(again.folder)
    assert set(left) == set(right)
    assert {name for name in left if left[name] != right[name]} == set()
    for table in ("episodes", "writes", "write_labels", "episode_labels", "estimates"):
        assert digest(whole / "tables/notes", table) == digest(again.folder / "tables/notes", table)


def test_no_published_table_names_the_machine_or_tells_the_traces(finished: Path) -> None:
    project, folder = finished, finished / "reports/notes"
    for path in folder.glob("*.csv"):
        text = path.read_text()
        assert str(project) not in text and "secret wish" not in text, path.name
    provenance = (folder / "provenance.json").read_text()
    assert str(project) not in provenance and "runs/bad.jsonl" in provenance
    assert str(project) not in (folder / "index.html").read_text()


def test_provenance_says_what_the_report_was_made_from(finished: Path) -> None:
    folder = finished / "reports/notes"
    told = json.loads((folder / "provenance.json").read_text())
    assert told["statistics"]["draws"] == 200 and told["label_version"] == LABEL_VERSION
    assert [file["file"] for file in told["files"]] == ["runs/bad.jsonl", "runs/good.jsonl"]
    assert {file["file"] for file in told["suites"]["notes"]} == {
        f"data/suites/notes/{name}" for name in ("suite.yaml", "tools.yaml", "tasks.jsonl", "states/base.jsonl")
    }
    assert {"misstep", "polars", "duckdb"} <= set(told["versions"]) and told["rows"]["episodes"] == 16


def test_traces_outside_of_the_project_are_named_by_their_end(project: Path, tmp_path_factory: Any) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "some" / "runs"
    shutil.copytree(project / "runs", elsewhere)
    path = project / "data/studies/notes.yaml"
    path.write_text(STUDY.replace("../../runs/*.jsonl", str(elsewhere)))
    files = pl.read_csv(run_study(path).folder / "accounting.csv")["file"]
    assert files.to_list() == ["some/runs/bad.jsonl", "some/runs/good.jsonl"]


def test_two_sources_of_a_suite_are_one_report(project: Path) -> None:
    path = project / "data/studies/notes.yaml"
    source = "  - {suite: ../suites/notes, traces: [../../runs/bad.jsonl]}\n"
    path.write_text(STUDY.replace("runs/*.jsonl", "runs/good.jsonl").replace("strata", source + "strata"))
    folder = run_study(path).folder
    assert {one.name for one in (folder / "tables").iterdir()} == {"notes", "notes-2"}
    with duckdb.connect(folder / "misstep.duckdb", read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM episodes").fetchall() == [(16,)]
        assert connection.execute("SELECT count(*) FROM spec.tasks").fetchall() == [(8,)]


def test_a_suite_without_tasks_is_noted(project: Path) -> None:
    (project / "data/suites/notes/tasks.jsonl").unlink()
    path = project / "data/studies/notes.yaml"
    path.write_text(STUDY.replace("strata: [kind]\n", ""))
    result = run_study(path)
    assert any("has no tasks" in note for note in result.told["notes"])
    frame = pl.read_csv(result.folder / "unknown.csv")
    assert frame["cd_unknown"].sum() == 16


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("title: Notes", "titel: Notes", 3, "titel"),
        ("name: notes", "name: notes\nname: notes", 3, "twice"),
        ("../suites/notes", "../suites/nowhere", 5, "no folder"),
        ("../../runs/*.jsonl", "../../runs/*.csv", 5, "no file or folder"),
        ("strata: [kind]", "strata: [a, b, c]", 6, "at most two"),
        ("strata: [kind]", "by: []", 6, "at least one"),
        ("draws: 200", "draws: 1", 7, "greater than or equal to 100"),
        ("strata: [kind]", "policies: [lenient]", 6, "standard"),
    ],
)
def test_a_wrong_study_says_file_and_line(project: Path, old: str, new: str, line: int, message: str) -> None:
    path = project / "data/studies/notes.yaml"
    path.write_text(STUDY.replace(old, new))
    with pytest.raises(SpecificationError) as caught:
        run_study(path)
    assert f"{path}:{line}" in str(caught.value) and message in str(caught.value)


def test_the_report_lies_beside_the_data_folder_of_the_study(project: Path) -> None:
    assert load_study(project / "data/studies/notes.yaml").root == project.resolve()
    lonely = project / "alone.yaml"
    lonely.write_text(STUDY.replace("../suites/notes", "data/suites/notes"))
    assert load_study(lonely).root == project.resolve()
