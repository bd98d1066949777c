"""Arguments leaf by leaf: what stands at a path, and whether two sets of arguments are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from misstep.contracts.values import parse
from oracle.case import Row


@dataclass(frozen=True)
class Value:
    """A known value: canonical JSON, and the key that it is compared by (the text itself where it has no key)."""

    text: str
    key: str

    @property
    def spelled(self) -> str:
        """Return text as it is, any other value in canonical form."""
        found = parse(self.text)
        return found if isinstance(found, str) else self.text


def same(one: Value, other: Value) -> bool:
    """Return whether two values are equal, by key or by value."""
    return one.key == other.key or one.text == other.text


def value_of(leaf: Row) -> Value | None:
    """Return what a leaf holds; None where it counts and is not known (redacted), or stands for any value."""
    if leaf["compare"] is None and leaf.get("counted", True):
        return None
    return Value(leaf["value"], leaf["value"] if leaf["compare"] is None else leaf["compare"])


def at_path(leaves: Sequence[Row], path: str) -> list[Value | None]:
    """Return the values at a path (several in a list without order); None for one that is not known."""
    return [value_of(leaf) for leaf in leaves if leaf["path"] == path]


def is_below(path: str, top: str) -> bool:
    """Return whether a path is another one, or leads into it."""
    return path == top or path.startswith((f"{top}.", f"{top}["))


def equal(
    given: Sequence[Row] | None, wanted: Sequence[Row], *, bound: Sequence[str] = (), strictly: bool = False
) -> bool | None:
    """Return whether given arguments are the wanted ones; None: they are unreadable, or a redacted one decides.

    Only leaves that count take part; a wanted leaf without a key stands for any value, objects and lists included.
    Leaves at the paths of result references (`bound`) are left out; in a list without order (`x[]`) each stands for
    any one member. `strictly` compares by value instead of by key.
    """
    if given is None:
        return None
    fixed = [one for one in wanted if one["path"] not in bound or one["path"].endswith("[]")]
    anything = [one["path"] for one in fixed if one["compare"] is None]
    anything += [path for path in bound if path.endswith("[]")]
    there = [one for one in given if one["counted"] and (one["path"] not in bound or one["path"].endswith("[]"))]
    paths = {one["path"] for one in fixed} | set(anything)
    parts = []
    for path in paths | {one["path"] for one in there}:
        wild = anything.count(path)
        if path not in paths and any(is_below(path, top) for top in anything if not top.endswith("[]")):
            continue
        inside = [one for one in there if one["path"] == path]
        if wild and not inside and any(is_below(one["path"], path) for one in there):
            continue
        parts.append(_members_equal(inside, [one for one in fixed if one["path"] == path], wild, strictly=strictly))
    if any(part is False for part in parts):
        return False
    return None if any(part is None for part in parts) else True


def _members_equal(given: Sequence[Row], wanted: Sequence[Row], wild: int, *, strictly: bool) -> bool | None:
    """Return whether the leaves of one path are the wanted ones in any order, `wild` of which may be anything."""
    column = "value" if strictly else "compare"
    known = Counter(one[column] for one in given if one["compare"] is not None)
    hidden = sum(one["compare"] is None for one in given)
    needed = Counter(one[column] for one in wanted if one["compare"] is not None)
    if len(given) != needed.total() + wild or (known - needed).total() > wild or (needed - known).total() > hidden:
        return False
    return True if (needed - known).total() == 0 else None


def any_text(leaves: Collection[Row], start: str) -> bool:
    """Return whether some leaf, counted or not, is text that starts so."""
    found = [parse(one["value"]) for one in leaves]
    return any(isinstance(one, str) and one.startswith(start) for one in found)
