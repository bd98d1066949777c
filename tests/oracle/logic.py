"""Three-valued logic (metrics.md, "Unknown is a value"): None is unknown."""

from collections.abc import Iterable


def negate(a: bool | None) -> bool | None:
    """Return not a; unknown stays unknown."""
    return None if a is None else not a


def some(parts: Iterable[bool | None]) -> bool | None:
    """Return true if any part is true, else unknown if any is unknown, else false."""
    seen = list(parts)
    if any(part is True for part in seen):
        return True
    return None if any(part is None for part in seen) else False


def every(parts: Iterable[bool | None]) -> bool | None:
    """Return false if any part is false, else unknown if any is unknown, else true."""
    seen = list(parts)
    if any(part is False for part in seen):
        return False
    return None if any(part is None for part in seen) else True
