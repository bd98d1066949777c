"""Fixtures of the tests that read trace files."""

from pathlib import Path
from typing import Any

import pytest

from ingest.reading import Read, Reading
from misstep.ingest.files import Options


@pytest.fixture
def reads(tmp_path: Path) -> Reading:
    """Return a function that writes bytes to a file of a name and reads it."""

    def run(data: bytes, name: str = "a.jsonl", **options: Any) -> Read:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return Read(path, Options(**options))

    return run
