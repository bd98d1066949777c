"""Arguments of random calls, leaf by leaf, as ingest and suites write them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from misstep.contracts.values import canonical, casefold, loose
from oracle.world import Row

#: A value that was taken out; one that stands for any value.
REDACTED, ANYTHING = "[redacted]", "*"
FREE, FOLDED, UNORDERED = {"note", "idempotency_key"}, {"title"}, {"ids"}


def key_of(parameter: str, value: Any, *, lax: bool) -> str:
    """Return the key of an argument: titles forget case, in lax suites numbers meet the text that spells them."""
    return loose(value) if lax else casefold(value) if parameter in FOLDED else canonical(value)


def leaves(arguments: dict[str, Any], *, lax: bool) -> list[Row]:
    """Return the leaves of arguments; a redacted one has no key, free ones and nulls do not count."""
    return [leaf for name, value in arguments.items() for leaf in _inside(name, name, value, lax)]


def _inside(parameter: str, path: str, value: Any, lax: bool) -> Iterator[Row]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _inside(parameter, f"{path}.{name}", inner, lax)
    elif isinstance(value, list) and value and parameter in UNORDERED:
        keyed = sorted((key_of(parameter, one, lax=lax), one) for one in value)
        hidden = REDACTED in value
        for number, (_, one) in enumerate(keyed):
            yield from (leaf | {"number": number} for leaf in _leaf(parameter, f"{path}[]", one, lax, hidden))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _inside(parameter, f"{path}[{index}]", inner, lax)
    else:
        yield from _leaf(parameter, path, value, lax, value in (REDACTED, ANYTHING))


def _leaf(parameter: str, path: str, value: Any, lax: bool, hidden: bool) -> Iterator[Row]:
    free = parameter in FREE
    yield {
        "path": path,
        "number": 0,
        "value": canonical(value),
        "compare": None if free or hidden else key_of(parameter, value, lax=lax),
        "counted": not free and (value is not None or lax or path != parameter),
    }


def wanted(arguments: dict[str, Any], *, lax: bool) -> list[Row]:
    """Return the leaves of arguments as specifications have them: those that count."""
    return [
        {name: leaf[name] for name in ("path", "number", "value", "compare")}
        for leaf in leaves(arguments, lax=lax)
        if leaf["counted"]
    ]


def identity(tool: str, arguments: dict[str, Any]) -> str:
    """Return the id of the arguments of a tool."""
    return hashlib.md5(f"{tool} {canonical(arguments)}".encode()).hexdigest()
