"""The committed tables of the bundled report: a changed number is a change to review."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from misstep.contracts.tables.labels import PATTERNS
from misstep.report.study import run_study
from misstep.stats.metrics import METRICS
from misstep.suites.build import build_suite

STUDY = "office"
#: Metrics that only suites of public benchmarks have: their reads are taken from reference solutions.
OF_IMPORTS = {"gold_par", "gold_bsr", "goal_given_gold_par"}


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the bundled study, made from nothing but what is committed."""
    project = tmp_path_factory.mktemp("project")
    source, suite = root / "data/suites" / STUDY, project / "data/suites" / STUDY
    suite.mkdir(parents=True)
    for name in ("suite.yaml", "tools.yaml"):
        shutil.copy(source / name, suite / name)
    build_suite(STUDY, suite, source)
    (project / "data/studies").mkdir()
    study = shutil.copy(root / f"data/studies/{STUDY}.yaml", project / "data/studies")
    return run_study(Path(study)).folder


def test_the_committed_tables_are_those_of_the_bundled_study(root: Path, folder: Path) -> None:
    committed = root / "reports" / STUDY
    made = {path.name: path.read_text() for path in folder.glob("*.csv")}
    assert {path.name for path in committed.glob("*.csv")} == set(made)
    changed = [name for name, text in sorted(made.items()) if (committed / name).read_text() != text]
    assert changed == [], "look at the new numbers after `make report`, then commit them"


def test_committed_tables_are_small(root: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in (root / "reports").rglob("*.csv")}
    assert {name: size for name, size in sizes.items() if size > 500_000} == {}


def test_every_metric_and_pattern_occurs_in_the_bundled_report(folder: Path) -> None:
    estimates, patterns = (pl.read_csv(folder / f"{name}.csv") for name in ("estimates", "patterns"))
    assert set(METRICS) - set(estimates["metric"]) == OF_IMPORTS
    assert set(patterns["pattern"]) == {*PATTERNS, "unknown"}
