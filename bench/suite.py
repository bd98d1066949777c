"""Suites of public benchmarks for the measurements."""

from __future__ import annotations

from pathlib import Path

_DEFINITIONS = Path(__file__).resolve().parents[1] / "data" / "suites"


def imported(name: str, source: Path, cache: Path) -> Path:
    """Return the folder of the suite `name`, made from the benchmark's own files in `source`."""
    from misstep.specs.imports import import_suite

    folder = cache / "suites" / name
    import_suite(name, source, folder, definition=_DEFINITIONS / name)
    return folder
