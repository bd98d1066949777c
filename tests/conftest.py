"""Fixtures shared by the tests: where public corpora are, and how to write a tiny suite."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

SuiteMaker = Callable[[Mapping[str, Any]], Path]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Return the folder of public trace corpora; tests that need it are skipped where there is none."""
    named = os.environ.get("MISSTEP_CORPORA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data" / "public"
    if named and not folder.is_dir():
        pytest.fail(f"MISSTEP_CORPORA names {folder}, which is not a folder")
    if not folder.is_dir():
        pytest.skip("no public corpora: set MISSTEP_CORPORA to their folder")
    return folder


@pytest.fixture
def make_suite(tmp_path: Path) -> SuiteMaker:
    """Return a function that writes the files of a suite and returns its folder.

    Files are named by their path in the suite. Text is written as it stands less its indentation, a list as
    JSON Lines, anything else as YAML (or JSON where the name ends so).
    """

    def make(files: Mapping[str, Any]) -> Path:
        folder = tmp_path / "suite"
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_as_text(content, path.suffix), encoding="utf-8")
        return folder

    return make


def _as_text(content: Any, suffix: str) -> str:
    if isinstance(content, str):
        return dedent(content)
    if suffix == ".jsonl":
        return "".join(json.dumps(line) + "\n" for line in content)
    if suffix == ".json":
        return json.dumps(content)
    return yaml.safe_dump(content, sort_keys=False)
