"""The committed tables of the bundled report: a changed number is a change to review."""

import shutil
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from misstep.contracts.tables.labels import PATTERNS
from misstep.report.study import run_study
from misstep.stats.metrics import METRICS
from misstep.suites.build import build_suite

#: Metrics that only suites of public benchmarks have: their reads are taken from reference solutions.
OF_IMPORTS = {"gold_par", "gold_bsr", "goal_given_gold_par"}


class Report(NamedTuple):
    study: str
    folder: Path


@pytest.fixture(scope="module", params=["sabench", "office"])
def report(request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return the report of a bundled study, made from nothing but what is committed.

    That of `evidence` takes two minutes more: of it, only what its committed tables say is tested.
    """
    name = request.param
    project = tmp_path_factory.mktemp("project")
    source, suite = root / "data/suites" / name, project / "data/suites" / name
    suite.mkdir(parents=True)
    for file in ("suite.yaml", "tools.yaml"):
        shutil.copy(source / file, suite / file)
    build_suite(name, suite, source)
    (project / "data/studies").mkdir()
    shutil.copytree(root / "data/published", project / "data/published")
    study = shutil.copy(root / f"data/studies/{name}.yaml", project / "data/studies")
    return Report(name, run_study(Path(study)).folder)


@pytest.mark.slow
def test_the_committed_tables_are_those_of_the_bundled_study(root: Path, report: Report) -> None:
    committed = root / "reports" / report.study
    made = {path.name: path.read_text() for path in report.folder.glob("*.csv")}
    assert {path.name for path in committed.glob("*.csv")} == set(made)
    changed = [name for name, text in sorted(made.items()) if (committed / name).read_text() != text]
    assert changed == [], "look at the new numbers after `make report`, then commit them"


def test_committed_tables_are_small(root: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in (root / "reports").rglob("*.csv")}
    assert {name: size for name, size in sizes.items() if size > 600_000} == {}


def test_every_metric_and_pattern_occurs_in_the_report_of_the_office(root: Path) -> None:
    folder = root / "reports/office"
    estimates, patterns = (pl.read_csv(folder / f"{name}.csv") for name in ("estimates", "patterns"))
    assert set(METRICS) - set(estimates["metric"]) == OF_IMPORTS
    assert set(patterns["pattern"]) == {*PATTERNS, "unknown"}


def test_every_printed_table_is_rebuilt_but_for_drawn_intervals_and_the_sizes_of_cases(root: Path) -> None:
    found = pl.read_csv(root / "reports/evidence/published_vs_rebuilt.csv", infer_schema_length=None)
    printed = found.filter(pl.col("published").is_not_null())
    cells = {table: part for (table,), part in printed.group_by("table")}
    assert printed.height == 670 and set(printed["verdict"]) == {"equal", "differs", "not rebuilt"}
    whole = {table.partition(",")[0] for table, part in cells.items() if set(part["verdict"]) == {"not rebuilt"}}
    assert whole == {"Table 8", "Table 13", "Audits"}
    differing = printed.filter(pl.col("verdict") == "differs", ~pl.col("column").is_in(["ci_low", "ci_high"]))
    assert set(differing["table"]) == {"Table 7, complexity"}
    affected = found.filter(quantity="affected_tool, condition=withheld, run=interventions, suite=evidence")
    assert affected.select("numerator", "denominator").row(0) == (65.0, 66)


def test_every_printed_figure_is_rebuilt_and_called_constructed(root: Path) -> None:
    folder = root / "reports/sabench"
    found = pl.read_csv(folder / "published_vs_rebuilt.csv", infer_schema_length=None)
    printed = found.filter(pl.col("verdict") != "not published")
    rows = sum(len(pl.read_csv(path)) for path in (root / "data/published").glob("sabench_*.csv"))
    assert printed.height == rows and set(printed["verdict"]) == {"equal"}
    for path in folder.glob("*.csv"):
        text = path.read_text()
        assert path.name.endswith(".dictionary.csv") or text.count("\n") == 1 or "Constructed cohort" in text, path
