"""Fixtures of the report's tests: the made tables, and everything that a report shows of them."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from misstep.contracts.study import Study
from misstep.report.figures import FIGURES
from misstep.report.figures.theme import Style
from misstep.report.numbers import Numbers, numbers
from misstep.report.page import Contents, page
from misstep.report.render import vega_lite
from misstep.report.tables import Published, published
from misstep.report.violations import judged_writes
from misstep.stats.population import population
from report.made_evidence import made_evidence
from report.made_tables import made_tables

NOTICE = "Invented episodes: nothing was measured."


def study(**more: Any) -> Study:
    """Return a study of the made tables, with few draws."""
    written = {
        "schema": "misstep.study/1",
        "name": "made",
        "title": "A made study",
        "notice": NOTICE,
        "sources": [{"suite": "made", "traces": ["runs"]}],
        "strata": ["domain", "trap"],
        "statistics": {"draws": 200},
    }
    return Study.model_validate(written | more)


def numbers_of(tables: dict[str, pl.LazyFrame], **more: Any) -> Numbers:
    """Return the numbers of a study of the tables."""
    return numbers(study(**more), population(tables), judged_writes(tables))


def drawn(numbers: Numbers) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of all figures of a study that have rows."""
    style = Style(numbers.configurations, numbers.study.notice)
    frames = {figure: figure.frame(numbers) for figure in FIGURES}
    return {
        figure.name: vega_lite(figure.chart(frame, style)) for figure, frame in frames.items() if not frame.is_empty()
    }


def listed_of(numbers: Numbers, tables: dict[str, pl.LazyFrame]) -> dict[str, Published]:
    """Return the published tables of a study."""
    return published(numbers, tables, lambda name: f"shown/{Path(name).name}")


def html_of(numbers: Numbers, listed: dict[str, Published], specifications: dict[str, dict[str, Any]]) -> str:
    """Return the page of a study."""
    origin = {
        "label_version": "1",
        "input": "f" * 64,
        "files": [{"file": "shown/a.jsonl", "bytes": 12345, "sha256": "0" * 64}],
        "versions": {"misstep": "0", "polars": "2"},
    }
    explained = {episode: f"episodes/{episode}.txt" for episode in listed["worst"].frame["episode"]}
    return page(Contents(numbers, listed, specifications, explained, origin, ["tables/made"]))


@pytest.fixture(scope="session")
def tables() -> dict[str, pl.LazyFrame]:
    """Return the made tables, of side effects alone."""
    return made_tables()


@pytest.fixture(scope="session")
def made(tables: dict[str, pl.LazyFrame]) -> Numbers:
    """Return the numbers of the made study."""
    return numbers_of(tables)


@pytest.fixture(scope="session")
def case_tables() -> dict[str, pl.LazyFrame]:
    """Return the made tables of cases, with evidence and a rule."""
    return made_evidence()


@pytest.fixture(scope="session")
def cases(case_tables: dict[str, pl.LazyFrame]) -> Numbers:
    """Return the numbers of the study of cases; each task was planned to run once."""
    return numbers_of(case_tables, strata=["domain"], planned={"replicates": 1})


@pytest.fixture(scope="session")
def specifications(made: Numbers) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of the figures of the made study."""
    return drawn(made)


@pytest.fixture(scope="session")
def case_specifications(cases: Numbers) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of the figures of the study of cases."""
    return drawn(cases)


@pytest.fixture(scope="session")
def listed(made: Numbers, tables: dict[str, pl.LazyFrame]) -> dict[str, Published]:
    """Return the published tables of the made study."""
    return listed_of(made, tables)


@pytest.fixture(scope="session")
def html(made: Numbers, listed: dict[str, Published], specifications: dict[str, dict[str, Any]]) -> str:
    """Return the page of the made study."""
    return html_of(made, listed, specifications)
