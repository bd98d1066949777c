"""Tool names in which `*` matches any run of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable


def name_pattern(written: str) -> str:
    """Return the regular expression of a name in which `*` matches any run of characters; it fits whole names."""
    return "^" + ".*".join(re.escape(part) for part in written.split("*")) + "$"


def matches_any(written: str, names: Iterable[str]) -> bool:
    """Return whether a name with `*` in it matches some name."""
    search = re.compile(name_pattern(written)).search
    return any(search(name) for name in names)
