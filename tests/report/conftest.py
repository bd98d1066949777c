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
from misstep.stats.population import population
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
    return numbers(study(**more), population(tables), tables["write_labels"].collect())


@pytest.fixture(scope="session")
def tables() -> dict[str, pl.LazyFrame]:
    """Return the made tables."""
    return made_tables()


@pytest.fixture(scope="session")
def made(tables: dict[str, pl.LazyFrame]) -> Numbers:
    """Return the numbers of the made study."""
    return numbers_of(tables)


@pytest.fixture(scope="session")
def specifications(made: Numbers) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of all figures of the made study."""
    style = Style(made.configurations, made.study.notice)
    return {figure.name: vega_lite(figure.chart(figure.frame(made), style)) for figure in FIGURES}


@pytest.fixture(scope="session")
def listed(made: Numbers, tables: dict[str, pl.LazyFrame]) -> dict[str, Published]:
    """Return the published tables of the made study."""
    return published(made, tables, lambda name: f"shown/{Path(name).name}")


@pytest.fixture(scope="session")
def html(made: Numbers, listed: dict[str, Published], specifications: dict[str, dict[str, Any]]) -> str:
    """Return the page of the made study."""
    origin = {
        "label_version": "1",
        "input": "f" * 64,
        "files": [{"file": "shown/a.jsonl", "bytes": 12345, "sha256": "0" * 64}],
        "versions": {"misstep": "0", "polars": "2"},
    }
    explained = {episode: f"episodes/{episode}.txt" for episode in listed["worst"].frame["episode"]}
    return page(Contents(made, listed, specifications, explained, origin, ["tables/made"]))
