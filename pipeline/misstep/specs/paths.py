"""Paths and templates of the tools file, compiled once to plain getters.

A path starts at `arguments`, `result`, `item` or `state` and goes on in segments: `arguments.ids.0`,
`result.items.*.id`, `result["key.with.dots"]`. A `*` maps over the elements of a list or the values of an object. A
template is text with `{path}` in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from misstep.contracts.values import canonical


class _Missing:
    """The type of `MISSING`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


#: What a path gives that leads nowhere; null is a value.
MISSING: Final = _Missing()


class Scope(msgspec.Struct, gc=False):
    """What a path can start at: `arguments`, `result`, `item`, and `state` where the state before a call is known.

    `text` is the result as it was shown, which patterns on the whole of `result` look at. `result` is MISSING where
    nothing came back.
    """

    arguments: Any = MISSING
    result: Any = MISSING
    text: str | None = None
    item: Any = MISSING
    state: Any = MISSING


Getter = Callable[[Scope], Any]

_ROOTS = "arguments|result|item|state"
_LIKE = re.compile(rf"(?:{_ROOTS})(?:[.\[]\S*)?\Z")
_SEGMENT = re.compile(r'\.(?P<plain>[^.\[\]{}\s"]+)|\["(?P<quoted>[^"]*)"\]')
_HOLE = re.compile(r"\{([^{}]*)\}")
_UNCLOSED = re.compile(rf"\{{(?:{_ROOTS})[.\[][^{{}}]*(?:\{{|\Z)")


def is_path(text: str) -> bool:
    """Return whether text is meant as a path (text with a blank in it, or that starts elsewhere, is not)."""
    return _LIKE.match(text) is not None and text != "state"


def is_template(text: str) -> bool:
    """Return whether text has a `{path}` in it, or one that is not closed."""
    return any(is_path(hole) for hole in _HOLE.findall(text)) or _UNCLOSED.search(text) is not None


def paths_of(text: str) -> list[str]:
    """Return the paths that a text is, or that stand in it as `{path}`."""
    return [text] if is_path(text) else [hole for hole in _HOLE.findall(text) if is_path(hole)]


def root(path: str) -> str:
    """Return where a path starts."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def roots(text: str) -> set[str]:
    """Return where the path, or the paths of a template, start."""
    return {root(path) for path in paths_of(text)}


def segments(path: str) -> list[str]:
    """Return the segments of a path after its root.

    Raises:
        ValueError: the path is not well formed.
    """
    rest = path[len(root(path)) :]
    found: list[str] = []
    position = 0
    while position < len(rest):
        match = _SEGMENT.match(rest, position)
        if match is None:
            raise ValueError(f'{path!r} is no path: use .name, .0, .* or ["name"]')
        found.append(match["plain"] if match["plain"] is not None else match["quoted"])
        position = match.end()
    return found


def state_field(path: str) -> str | None:
    """Return the field that a `state` path names, or None for other paths.

    Raises:
        ValueError: the path goes on inside of the field; only whole fields of a state are known.
    """
    if root(path) != "state":
        return None
    names = segments(path)
    if len(names) != 1 or names[0] == "*":
        raise ValueError(f"{path!r}: a state path names one field of the written entity")
    return names[0]


def compile_path(path: str, *, allow: str = "arguments result item") -> Getter:
    """Return the getter of a path; it gives MISSING where the path leads nowhere.

    Raises:
        ValueError: the path is not well formed, or starts at something that is not in `allow`.
    """
    if not is_path(path):
        raise ValueError(f"{path!r} is no path: it must start at {', '.join(allow.split())}")
    start = root(path)
    if start not in allow.split():
        raise ValueError(f"{path!r}: {start} is not known here")
    return _GETTERS[start](_walk(segments(path)))


def _from_arguments(walk: Callable[[Any], Any] | None) -> Getter:
    return (lambda scope: scope.arguments) if walk is None else (lambda scope: walk(scope.arguments))


def _from_result(walk: Callable[[Any], Any] | None) -> Getter:
    return (lambda scope: scope.result) if walk is None else (lambda scope: walk(scope.result))


def _from_item(walk: Callable[[Any], Any] | None) -> Getter:
    return (lambda scope: scope.item) if walk is None else (lambda scope: walk(scope.item))


def _from_state(walk: Callable[[Any], Any] | None) -> Getter:
    return (lambda scope: scope.state) if walk is None else (lambda scope: walk(scope.state))


_GETTERS = {"arguments": _from_arguments, "result": _from_result, "item": _from_item, "state": _from_state}


def _walk(names: list[str]) -> Callable[[Any], Any] | None:
    """Return the function that follows segments into a value, or None where there are none."""
    if not names:
        return None
    first, rest = names[0], _walk(names[1:])
    step = _each(rest) if first == "*" else _index(first) if first.isdigit() else _key(first)
    if rest is None or first == "*":
        return step
    return lambda value: rest(found) if (found := step(value)) is not MISSING else MISSING


def _key(name: str) -> Callable[[Any], Any]:
    return lambda value: value.get(name, MISSING) if isinstance(value, dict) else MISSING


def _index(name: str) -> Callable[[Any], Any]:
    place = int(name)

    def at(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return value[place] if place < len(value) else MISSING
        return value.get(name, MISSING) if isinstance(value, dict) else MISSING

    return at


def _each(rest: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def every(value: Any) -> Any:
        if isinstance(value, dict):
            parts = list(value.values())
        elif isinstance(value, list | tuple):
            parts = list(value)
        else:
            return MISSING
        if rest is None:
            return parts
        return [found for part in parts if (found := rest(part)) is not MISSING]

    return every


def as_text(value: Any) -> str:
    """Return text as it is and anything else in its canonical form."""
    return value if isinstance(value, str) else canonical(value)


def compile_template(text: str, *, allow: str = "arguments result item") -> Getter:
    """Return the getter of a text with `{path}` in it; MISSING where a path leads nowhere or to null.

    Raises:
        ValueError: a path of the template is not well formed or not allowed here.
    """
    parts = _HOLE.split(text)
    literals = parts[0::2]
    if any(brace in literal for literal in literals for brace in "{}"):
        raise ValueError(f"{text!r} has a brace without its other one")
    getters = [compile_path(hole, allow=allow) for hole in parts[1::2]]
    if not getters:
        return lambda scope: text
    if len(getters) == 1:
        before, after, only = literals[0], literals[1], getters[0]

        def one(scope: Scope) -> Any:
            value = only(scope)
            if value is MISSING or value is None:
                return MISSING
            return before + (value if type(value) is str else as_text(value)) + after

        return one

    def many(scope: Scope) -> Any:
        rendered = [literals[0]]
        for getter, literal in zip(getters, literals[1:], strict=True):
            value = getter(scope)
            if value is MISSING or value is None:
                return MISSING
            rendered.append(as_text(value))
            rendered.append(literal)
        return "".join(rendered)

    return many
