"""A whole study with conditions, an audit and printed quantities: tables, page, freshness, faults."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from misstep.cli import app
from misstep.contracts.errors import SpecificationError, UsageError
from misstep.report.compared import turns
from misstep.report.study import run_study
from report.test_page import Page
from report.test_study import STUDY, as_lines, episode, make_project

NOTICE = "Made up for a test."
MORE = f"""\
notice: {NOTICE}
conditions: {{baseline: plain, compare: [warned]}}
audits: [../audits/people.csv]
published: [../published/paper.yaml]
"""
PAPER = """\
schema: misstep.published/1
source: A paper
files: [paper.csv]
quantities:
  runs: {count: episodes}
  damage of bad: {rate: cd, where: {model: bad}}
  people: {audit: cd, share: agreeing}
  reduction: {change: relative_reduction, metric: cd, condition: warned}
  turns: {count: turns}
also:
  - {rate: cd, each: [kind]}
"""
PRINTED = """\
quantity,numerator,denominator,percent,low,high,unit
runs,,16,,,,
damage of bad,5,8,62.5,,,
people,1,2,50.1,,,
reduction,,,,50,50,percent
turns,,,,2,2,turns
"""
PEOPLE = """\
task_id,model,label,judgement,note
n3,bad,cd,true,
n4,bad,cd,false,
n5,bad,cd,,cannot say
"""


def make(folder: Path) -> Path:
    """Return the study file of a project in which one model ran four tasks again after a warning."""
    make_project(folder)
    for name in ("good", "bad"):
        path = folder / f"runs/{name}.jsonl"
        rows = [json.loads(line) | {"condition": "plain"} for line in path.read_text().splitlines()]
        path.write_text(as_lines(rows))
    warned = [episode("bad", task, 7 if task == 5 else task) | {"condition": "warned"} for task in (3, 4, 5, 6)]
    warned[1] = episode("bad", 4, 7) | {"condition": "warned"}
    (folder / "runs/warned.jsonl").write_text(as_lines(warned))
    for name, text in (
        ("audits/people.csv", PEOPLE),
        ("published/paper.yaml", PAPER),
        ("published/paper.csv", PRINTED),
    ):
        (folder / "data" / name).parent.mkdir(exist_ok=True)
        (folder / "data" / name).write_text(text)
    study = folder / "data/studies/notes.yaml"
    study.write_text(STUDY + MORE)
    return study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make(tmp_path_factory.mktemp("compared"))
    run_study(path)
    return path


@pytest.fixture(scope="module")
def folder(study: Path) -> Path:
    return study.parents[2] / "reports/notes"


def test_the_main_numbers_are_of_the_baseline(folder: Path) -> None:
    assert pl.read_csv(folder / "configurations.csv")["episodes"].to_list() == [8, 8]


def test_the_condition_has_its_table(folder: Path) -> None:
    row = pl.read_csv(folder / "conditions.csv").filter(metric="cd").row(0, named=True)
    assert (row["configuration"], row["condition"], row["pairs"], row["only_b"]) == ("bad", "warned", 4, 2)
    assert (row["difference"], row["reduction"]) == (-0.5, 0.5)


def test_the_audit_has_its_table(folder: Path) -> None:
    row = pl.read_csv(folder / "audits.csv").row(0, named=True)
    assert (row["label"], row["items"], row["undecided"], row["agreeing"], row["agreement"]) == ("cd", 3, 1, 1, 0.5)


def test_printed_quantities_have_verdicts(folder: Path) -> None:
    found = pl.read_csv(folder / "published_vs_rebuilt.csv")
    assert found.select("quantity", "rebuilt", "verdict").rows() == [
        ("runs", "16", "equal"),
        ("damage of bad", "5 of 8, 62.50 %", "equal"),
        ("people", "1 of 2, 50.00 %", "differs"),
        ("reduction", "50.00 %", "equal"),
        ("turns", "2", "equal"),
        ("cd, kind=even", "2 of 8, 25.00 %", "not published"),
        ("cd, kind=odd", "3 of 8, 37.50 %", "not published"),
    ]
    assert found["published"].to_list()[:4] == ["16", "5 of 8, 62.5 %", "1 of 2, 50.1 %", "50 percent"]
    assert found["reason"][2] == "50 is not 50.1 %"


@pytest.mark.parametrize("name", ["conditions", "audits", "published_vs_rebuilt"])
def test_tables_carry_the_notice_and_their_meanings(folder: Path, name: str) -> None:
    found, words = (pl.read_csv(folder / f"{name}{ending}.csv") for ending in ("", ".dictionary"))
    assert found["notice"].unique().to_list() == [NOTICE]
    assert words["column"].to_list() == found.columns and words["meaning"].null_count() == 0


def test_the_page_has_a_section_of_each(folder: Path) -> None:
    parsed = Page((folder / "index.html").read_text())
    assert parsed.open == [] and {"conditions", "audits", "published"} <= set(parsed.having("id"))
    words = re.sub(r"\s+", " ", parsed.words())
    assert "Collateral damage, bad under warned minus plain: -50.0 points" in words
    assert "Relative reduction 50.0 %" in words and "Episodes: plain 16, warned 4." in words
    assert "1 differs, 4 equal, 2 not published" in words
    assert words.count(NOTICE) >= 3


def test_every_figure_carries_the_notice(folder: Path) -> None:
    figures = sorted((folder / "figures").glob("*.vl.json"))
    assert figures and all(NOTICE in json.loads(path.read_text())["description"] for path in figures)


def test_every_explained_episode_carries_the_notice(folder: Path) -> None:
    texts = sorted((folder / "episodes").glob("*.txt"))
    assert texts and all(path.read_text().startswith(f"{NOTICE}\n\nEpisode ") for path in texts)


def test_provenance_names_the_files_and_a_change_of_one_makes_the_report_again(study: Path, folder: Path) -> None:
    told = json.loads((folder / "provenance.json").read_text())
    assert [one["file"] for one in told["beside"]] == [
        "data/audits/people.csv", "data/published/paper.yaml", "data/published/paper.csv",
    ]  # fmt: skip
    assert run_study(study).unchanged
    people = study.parents[1] / "audits/people.csv"
    people.write_text(PEOPLE.replace("n5,bad,cd,,", "n5,bad,cd,true,"))
    again = run_study(study)
    people.write_text(PEOPLE)
    assert not again.unchanged and pl.read_csv(again.folder / "audits.csv")["agreeing"].to_list() == [2]
    run_study(study)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("strata: [kind]", "strata: [kind]\nby: [model, condition]", r"notes.yaml:7: by: a condition cannot make"),
        ("compare: [warned]", "compare: [plain]", r"notes.yaml:9: conditions: a condition stands here twice"),
        ("compare: [warned]", "compare: []", r"notes.yaml:9: conditions.compare: .*at least 1"),
        ("people.csv", "nobody.csv", r"notes.yaml:10: audits\[0\]: there is no file '../audits/nobody.csv'"),
        ("paper.yaml", "none.yaml", r"notes.yaml:11: published\[0\]: there is no file '../published/none.yaml'"),
    ],
)
def test_a_wrong_study_says_file_line_and_field(study: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    path: Any = study.with_name("wrong.yaml")
    path.write_text((STUDY + MORE).replace(old, new).replace("notes.yaml", "wrong.yaml"))
    with pytest.raises(SpecificationError, match=said.replace("notes.yaml", "wrong.yaml")):
        run_study(path, tmp_path / "out")


def test_a_condition_that_nobody_ran_is_named(study: Path, tmp_path: Path) -> None:
    path = study.with_name("wrong.yaml")
    path.write_text((STUDY + MORE).replace("[warned]", "[asked]"))
    with pytest.raises(UsageError, match="no episode is of the condition 'asked'; there are plain, warned"):
        run_study(path, tmp_path / "out")


def test_turns_are_steps_of_the_agent_itself() -> None:
    """What the system and the user say first is no turn; a text beside a call is none of its own."""
    said = [("a", 0, "agent", "system"), ("a", 0, "user", "user"), ("a", 2, "agent", "assistant")]
    called = [("a", 1, "agent"), ("a", 2, "agent"), ("a", 3, "user")]
    tables = {
        "messages": pl.LazyFrame(said, schema=["episode", "step", "actor", "role"], orient="row"),
        "calls": pl.LazyFrame(called, schema=["episode", "step", "actor"], orient="row"),
    }
    assert turns(tables).rows() == [("a", 2)]


def test_check_reads_what_a_study_and_a_published_file_name(study: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(study.parents[2] / "data", tmp_path / "data"))
    files = [str(project / name) for name in ("studies/notes.yaml", "published/paper.yaml")]
    assert CliRunner().invoke(app, ["check", *files]).exit_code == 0
    with (project / "published/paper.csv").open("a") as stream:
        stream.write("unheard of,1,2,,,,\n")
    ended = CliRunner().invoke(app, ["check", *files, "--json"])
    faults = [row["faults"] for row in json.loads(ended.stdout)]
    assert ended.exit_code == 2 and all("paper.csv:7: quantity: nothing says how" in fault for fault in faults)
