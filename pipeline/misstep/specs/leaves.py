"""Leaves of arguments: where a value stands, what it is, and the key under which it is compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from misstep.contracts.values import canonical

_PLAIN = re.compile(r'[^.\[\]{}\s",]+')


class Leaf(NamedTuple):
    """A row of `arguments` without its id; columns in the order of the table.

    `compare` is None where any value will do (a free parameter, `*` in a specification), and where the value was taken
    out of a trace; `counted` tells the two apart.
    """

    path: str
    number: int
    value: str
    compare: str | None
    counted: bool


#: A leaf before leaves of one path are counted.
Unnumbered = tuple[str, str, str | None, bool]


def parameter_path(name: str) -> str:
    """Return the path of a parameter: its name, in brackets and quotes where it is not a plain one."""
    return name if _PLAIN.fullmatch(name) else f"[{canonical(name)}]"


def inside(path: str, name: str) -> str:
    """Return the path of what stands under a name in the object at some path."""
    return f"{path}.{name}" if _PLAIN.fullmatch(name) else f"{path}[{canonical(name)}]"


def parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield path and value of all that is inside of a value and holds nothing itself, in its order."""
    if value and type(value) is dict:
        for name, inner in value.items():
            yield from parts(inside(path, name), inner)
    elif value and type(value) is list:
        for index, inner in enumerate(value):
            yield from parts(f"{path}[{index}]", inner)
    else:
        yield path, value


def numbered(rows: Iterable[Unnumbered]) -> list[Leaf]:
    """Return leaves by path, those of one path counted from 0 in their order."""
    found: Counter[str] = Counter()
    leaves: list[Leaf] = []
    for path, value, compare, counted in sorted(rows, key=_path):
        leaves.append(Leaf(path, found[path], value, compare, counted))
        found[path] += 1
    return leaves


def _path(row: Unnumbered) -> str:
    return row[0]
