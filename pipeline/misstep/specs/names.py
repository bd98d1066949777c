"""Tool names in which `*` matches any run of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from misstep.specs.effects import CompiledTools


def name_pattern(written: str) -> str:
    """Return the regular expression of a name in which `*` matches any run of characters; it fits whole names."""
    return "^" + ".*".join(re.escape(part) for part in written.split("*")) + "$"


def matches_any(written: str, names: Iterable[str]) -> bool:
    """Return whether a name with `*` in it matches some name."""
    search = re.compile(name_pattern(written)).search
    return any(search(name) for name in names)


def declared(written: str | Iterable[str], tools: CompiledTools) -> list[str]:
    """Return the declared names that some names mean, which may be aliases or have `*` in them, each once."""
    found: dict[str, None] = {}
    for one in [written] if isinstance(written, str) else written:
        named = tools.get(one)
        if named is not None:
            found[named.name] = None
        elif "*" in one:
            search = re.compile(name_pattern(one)).search
            found.update((tool.name, None) for tool in tools if search(tool.name))
    return list(found)
