"""Fixtures of the ingest tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import SuiteMaker
from ingest_run.traces import SUITE


@pytest.fixture
def suite(make_suite: SuiteMaker) -> Path:
    """Return the folder of the tiny suite."""
    return make_suite(SUITE)


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Return a function that writes a trace file."""

    def write(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return write
