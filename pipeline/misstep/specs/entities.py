"""Entities and lists of a rule: `type:{path}` and what `for_each` runs over, compiled to getters."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any, NamedTuple

from misstep.specs.paths import MISSING, Getter, Scope, compile_path, compile_template, paths_of, root

#: (entity, relation) → entities of the task that the relation leads to, as `type:id`.
Links = Callable[[str, str], list[str]]
Loop = Callable[[Scope, Links | None], list[Any]]

_ZIP = re.compile(r"zip\((.*)\)\Z", re.DOTALL)
_LINKS = re.compile(r"links\((.*),\s*([^\s,()]+)\s*\)\Z", re.DOTALL)
_COLON = re.compile(r":(?![^{}]*\})")


class EntityOf(NamedTuple):
    """A compiled entity: `type` where it is written out; `get` gives (type, id or None where it leads nowhere)."""

    type: str | None
    get: Callable[[Scope], tuple[str | None, str | None]]
    new: bool = False


def split_entity(text: str) -> tuple[str, str]:
    """Return type and id of `type:id`."""
    kind, _, name = text.partition(":")
    return kind, name


def is_entity(text: Any) -> bool:
    """Return whether something is a text of the form `type:id`."""
    if not isinstance(text, str):
        return False
    kind, _, name = text.partition(":")
    return bool(kind and name) and not any(character.isspace() for character in kind)


def compile_entity(text: str) -> EntityOf:
    """Return the compiled form of `type:id` with paths in it, or of one path that leads to such a text.

    Raises:
        ValueError: there is no type, or a path is not well formed.
    """
    colon = _COLON.search(text)
    if colon is None:
        whole = compile_template(text)
        if "{" not in text:
            raise ValueError(f"{text!r} is no entity: write type:id")
        return EntityOf(None, lambda scope: _split(whole(scope)))
    kind, name = text[: colon.start()], text[colon.end() :]
    identify = compile_template(name)
    if not kind.strip() or not name:
        raise ValueError(f"{text!r} is no entity: write type:id")
    if "{" in kind:
        typed = compile_template(kind)
        return EntityOf(None, lambda scope: (typed(scope) or None, identify(scope) or None))
    if name == "new":
        return EntityOf(kind, lambda scope: (kind, None), new=True)
    return EntityOf(kind, lambda scope: (kind, identify(scope) or None))


def _split(text: Any) -> tuple[str | None, str | None]:
    if text is MISSING or ":" not in text:
        return None, None
    kind, name = split_entity(text)
    return kind or None, name or None


def compile_loop(text: str) -> Loop:
    """Return a function that gives the items of a `for_each`: a list path, `zip(a, b)` or `links(entity, relation)`.

    A scalar in place of a list of arguments is its only element; an object of a result is one as well.

    Raises:
        ValueError: the text is none of these.
    """
    if found := _ZIP.match(text):
        columns = [_list_path(part.strip()) for part in found[1].split(",")]
        return lambda scope, links: [list(row) for row in zip_longest(*(column(scope) for column in columns))]
    if found := _LINKS.match(text):
        entity, relation = compile_entity(found[1].strip()), found[2]

        def linked(scope: Scope, links: Links | None) -> list[Any]:
            kind, name = entity.get(scope)
            return [] if links is None or kind is None or name is None else list(links(f"{kind}:{name}", relation))

        return linked
    items = _list_path(text)
    return lambda scope, links: items(scope)


def loop_paths(text: str) -> list[str]:
    """Return the paths of a `for_each`."""
    if found := _ZIP.match(text):
        return [part.strip() for part in found[1].split(",")]
    found = _LINKS.match(text)
    return paths_of(found[1] if found else text)


def _list_path(text: str) -> Callable[[Scope], list[Any]]:
    get: Getter = compile_path(text)
    from_result = root(text) == "result"

    def items(scope: Scope) -> list[Any]:
        value = get(scope)
        if isinstance(value, list):
            return value
        if value is MISSING or value is None or (from_result and not isinstance(value, dict)):
            return []
        return [value]

    return items
