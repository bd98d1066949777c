"""Fixtures of the report's tests: the made tables, and the numbers over them."""

import polars as pl
import pytest

from report.made_tables import made_tables


@pytest.fixture(scope="session")
def tables() -> dict[str, pl.LazyFrame]:
    """Return the made tables."""
    return made_tables()
