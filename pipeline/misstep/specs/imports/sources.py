"""Files of public benchmarks: JSON (also compressed), CSV, and literals in Python files, parsed and never run."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from misstep.contracts.errors import Place, SpecificationError, UsageError

_COMPRESSED = ".gz"


def read_json(path: Path) -> Any:
    """Return the value of a JSON file, compressed or not.

    Raises:
        SpecificationError: the file cannot be read or is not JSON.
    """
    try:
        raw = path.read_bytes()
        return json.loads(gzip.decompress(raw) if path.suffix == _COMPRESSED else raw)
    except (OSError, EOFError, ValueError) as error:
        raise SpecificationError(f"not readable as JSON ({error})", Place(str(path))) from error


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file by column, all of it text.

    Raises:
        SpecificationError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield from csv.DictReader(stream)
    except (OSError, ValueError, csv.Error) as error:
        raise SpecificationError(f"not readable as CSV ({error})", Place(str(path))) from error


def find(folder: Path, *names: str) -> Path | None:
    """Return the first of some files of a folder that is there, compressed or not, or None."""
    for name in names:
        for path in (folder / name, folder / (name + _COMPRESSED)):
            if path.exists():
                return path
    return None


def demand(folder: Path, *names: str) -> Path:
    """Return the first of some files of a folder that is there, compressed or not.

    Raises:
        UsageError: none of them is there.
    """
    found = find(folder, *names)
    if found is None:
        raise UsageError(f"{folder} has none of {', '.join(names)}: give the folder of the benchmark")
    return found


def python_list(path: Path, *names: str) -> list[dict[str, Any]]:
    """Return the list that a Python file assigns to one of some names; `Anything(a=1)` in it is read as `{"a": 1}`.

    Raises:
        SpecificationError: the file is not Python, has no such list, or something else than literals stands in it.
    """
    try:
        module = ast.parse(path.read_text(encoding="utf-8"))
        for node in module.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id in names for one in targets):
                made = _plain(node.value)
                if isinstance(made, list):
                    return made
    except (OSError, ValueError, SyntaxError) as error:
        raise SpecificationError(f"not readable as Python literals ({error})", Place(str(path))) from error
    raise SpecificationError(f"the file assigns no list to {' or '.join(names)}", Place(str(path)))


def _plain(node: ast.expr) -> Any:
    if isinstance(node, ast.Call):
        if node.args or any(part.arg is None for part in node.keywords):
            raise ValueError(f"line {node.lineno}: only named arguments can be read")
        return {str(part.arg): _plain(part.value) for part in node.keywords}
    if isinstance(node, ast.List | ast.Tuple):
        return [_plain(part) for part in node.elts]
    if isinstance(node, ast.Dict):
        keys = [ast.literal_eval(key) for key in node.keys if key is not None]
        return dict(zip(keys, map(_plain, node.values), strict=True))
    return ast.literal_eval(node)
