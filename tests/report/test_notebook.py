"""The notebook on failure modes answers its questions, also from the command line."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from misstep.report.database import write_database
from misstep.report.numbers import Numbers
from misstep.storage.parquet import write

NOTEBOOK = "notebooks/failure_modes.py"
pytest.importorskip("marimo", reason="the notebook needs the extra `notebooks`")


@pytest.fixture(scope="module")
def database(tables: dict[str, pl.LazyFrame], made: Numbers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebook")
    for name, frame in tables.items():
        write(folder, name, frame)
    path = folder / "misstep.duckdb"
    results = {"estimates": made.estimates, "contrasts": made.contrasts}
    write_database(path, [folder], [folder], results, ["model"])
    return path


@pytest.fixture(scope="module")
def answers(root: Path, database: Path) -> dict[str, Any]:
    """Return what the cells of the notebook define."""
    spec = importlib.util.spec_from_file_location("failure_modes", root / NOTEBOOK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _, defined = module.app.run(defs={"database": database})
    return dict(defined)


def test_patterns_are_counted(answers: dict[str, Any]) -> None:
    assert answers["patterns"].row(0) == ("careful", "wrong_entity", 2, 2)
    assert answers["patterns"]["writes"].sum() == 15


def test_near_misses_say_what_differs(answers: dict[str, Any]) -> None:
    assert dict(answers["near_misses"].iter_rows()) == {
        "entity": 5, "nothing was authorized": 4, "max": 2, "recipients": 2, "values": 2,
    }  # fmt: skip


def test_success_that_hides_damage_has_an_interval(answers: dict[str, Any]) -> None:
    hidden = answers["hidden"].filter(group="model=hasty").row(0, named=True)
    assert (hidden["numerator"], hidden["denominator"]) == (8, 13)
    assert hidden["low"] <= hidden["estimate"] <= hidden["high"]


def test_tools_policies_and_asking_are_counted(answers: dict[str, Any]) -> None:
    assert answers["tools"]["writes"].sum() == 15 and answers["tools"]["external"].sum() == 2
    assert answers["policies"].select("configuration", "standard", "unknown").rows() == [
        ("careful", 2, 0), ("hasty", 13, 2), ("terse", 0, 0),
    ]  # fmt: skip
    assert answers["ambiguity"].rows() == [
        ("careful", 4, 4, 0, 0, 0), ("hasty", 4, 0, 4, 0, 0), ("terse", 4, 0, 0, 4, 0),
    ]  # fmt: skip


def test_the_first_damage_is_placed(answers: dict[str, Any]) -> None:
    hasty = answers["first_damage"].filter(configuration="hasty")
    assert dict(hasty.select("before", "episodes").iter_rows()) == {0: 9, 1: 4}


def test_hard_tasks_have_reasons(answers: dict[str, Any]) -> None:
    hardest = answers["hardest"]
    assert (hardest["failing"] <= hardest["runs"]).all() and hardest["reasons"].str.len_chars().min() > 0


def test_it_runs_from_the_command_line(root: Path, database: Path) -> None:
    command = [sys.executable, NOTEBOOK, "--", "--database", str(database)]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_without_a_report_it_says_what_to_do(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, NOTEBOOK, "--", "--database", str(tmp_path / "none.duckdb")]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode != 0 and "make report" in ended.stderr + ended.stdout
