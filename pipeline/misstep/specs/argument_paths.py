"""Paths of arguments as specifications write them, and as the leaves of calls have them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from misstep.contracts.values import canonical
from misstep.specs.effects import CompiledTool
from misstep.specs.entities import split_entity
from misstep.specs.leaves import Leaf, inside, parameter_path

_FIRST = re.compile(r'([^.\[\]{}\s",]+)|\[("(?:[^"\\]|\\.)+")\]')
_NEXT = re.compile(r'\.([^.\[\]{}\s",]+)|\[("(?:[^"\\]|\\.)+")\]|\[(\d*)\]')
_HOLE = re.compile(r"\{([^{}]*)\}")
_ROOT = "arguments"

#: Keys that an argument may have, by path and number of its leaf.
Keys = dict[tuple[str, int], list[str]]


class Written(NamedTuple):
    """A path of an argument: its parameter, and what follows: names, places in a list, None for any member."""

    parameter: str
    rest: tuple[str | int | None, ...]

    @property
    def leaf(self) -> str:
        """Return the path as leaves have it."""
        path = parameter_path(self.parameter)
        for step in self.rest:
            path = inside(path, step) if isinstance(step, str) else f"{path}[{'' if step is None else step}]"
        return path

    def holding(self, value: Any) -> dict[str, Any]:
        """Return arguments that hold a value at this place and nothing else."""
        for step in reversed(self.rest):
            value = {step: value} if isinstance(step, str) else [*[None] * (step or 0), value]
        return {self.parameter: value}


def argument_path(text: str) -> Written:
    """Return a path such as `id`, `slots.id`, `ids[0]`, `ids.0`, `ids[]` or `ids.*`.

    Raises:
        ValueError: it is none.
    """
    first = _FIRST.match(text)
    steps: list[str | int | None] = []
    at = first.end() if first else 0
    while first and at < len(text):
        found = _NEXT.match(text, at)
        if found is None:
            break
        plain, quoted, place = found.groups()
        if quoted is not None:
            steps.append(_unquoted(quoted))
        elif place is not None:
            steps.append(int(place) if place else None)
        else:
            steps.append(None if plain == "*" else int(plain) if plain.isdecimal() else plain)
        at = found.end()
    if first is None or at < len(text):
        raise ValueError(f"{text!r} is no path of an argument: write id, slots.id, ids[0] or ids[]")
    return Written(first[1] if first[1] is not None else _unquoted(first[2]), tuple(steps))


def _unquoted(text: str) -> str:
    try:
        return str(msgspec.json.decode(text))
    except msgspec.DecodeError as error:
        raise ValueError(f"{text} is no name in quotes") from error


def from_root(text: str) -> Written:
    """Return the path of an argument that starts at `arguments`.

    Raises:
        ValueError: it does not, or is no path.
    """
    if not text.startswith((_ROOT + ".", _ROOT + "[")):
        raise ValueError(f"{text!r} is no path of an argument: it must start at {_ROOT}")
    return argument_path(text[len(_ROOT) :].removeprefix("."))


def hole(text: Any) -> Written | None:
    """Return the argument of the attempt that a text is, `{arguments.id}`; None for what has no `{…}` in it.

    Raises:
        ValueError: something stands around the braces, or no path is in them.
    """
    holes = [found for found in _HOLE.findall(text) if found.startswith(_ROOT)] if isinstance(text, str) else []
    if not holes:
        return None
    if text != f"{{{holes[0]}}}":
        raise ValueError(f"{text!r}: nothing may stand around {{{holes[0]}}}")
    return from_root(holes[0])


def told_about(pattern: str) -> list[Written]:
    """Return the arguments of the attempt that stand in a pattern as `{arguments.…}`, at most one.

    Raises:
        ValueError: there are more, or one is no path.
    """
    found = list(dict.fromkeys(text for text in _HOLE.findall(pattern) if text.startswith(_ROOT)))
    if len(found) > 1:
        raise ValueError(f"{pattern!r}: only one argument can stand in a pattern")
    return [from_root(text) for text in found]


class Entity(NamedTuple):
    """An entity that a condition is about: its type, and its id or the argument (and the text around it) that is."""

    type: str | None = None
    id: str | None = None
    argument: Written | None = None
    template: str | None = None


def entity_of(text: str | None) -> Entity:
    """Return the parts of `type:id`, where the id may hold one `{arguments.…}`.

    Raises:
        ValueError: there is no type or id, or more than one argument.
    """
    if text is None:
        return Entity()
    kind, name = split_entity(text)
    holes = _HOLE.findall(name)
    if not kind or not name or "{" in kind or kind != "".join(kind.split()):
        raise ValueError(f"{text!r} is no entity: write type:id or type:{{arguments.id}}")
    if not holes and not {"{", "}"} & set(name):
        return Entity(kind, name)
    if not holes or {"{", "}"} & set(_HOLE.sub("", name)):
        raise ValueError(f"{text!r} has a brace without its other one")
    if len(holes) > 1:
        raise ValueError(f"{text!r}: only one argument can be the id")
    template = name.replace(f"{{{holes[0]}}}", "{}")
    return Entity(kind, None, from_root(holes[0]), None if template == "{}" else template)


def argument_keys(tools: list[CompiledTool], path: Written, value: Any) -> Keys:
    """Return the keys that the leaves of a value at some path may have in calls of some tools."""
    keys: Keys = {}
    taking = [tool for tool in tools if not tool.undeclared({path.parameter: None})]
    for tool in taking or tools:
        for leaf in _leaves_at(tool, path, value):
            known = keys.setdefault((leaf.path, leaf.number), [])
            if (key := leaf.value if leaf.compare is None else leaf.compare) not in known:
                known.append(key)
    return keys or {(path.leaf, 0): [canonical(value)]}


def _leaves_at(tool: CompiledTool, path: Written, value: Any) -> list[Leaf]:
    """Return the leaves of a value at its place; those of what only fills the places before it are left out."""
    leaves = tool.argument_leaves(path.holding(value))
    inner = [leaf for leaf in leaves if leaf.path.startswith(path.leaf)]
    return inner or [leaf for leaf in leaves if leaf.value == canonical(value)]
