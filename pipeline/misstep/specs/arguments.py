"""The arguments of a call that count, under the comparison profiles of its tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from misstep.contracts.tools import ScalarProfile, Tool
from misstep.contracts.values import canonical, loose
from misstep.specs.compare import STRICT, Profile, compile_profile
from misstep.specs.fields import Redacted
from misstep.specs.leaves import Leaf, Unnumbered, numbered, parameter_path, parts

#: Says of a value in a specification that any other is as good.
Anything = Callable[[Any], bool]


def never(value: Any) -> bool:
    """Return False: a value stands for itself alone."""
    return False


class Arguments:
    """Which arguments of a tool count: no nulls, no defaults, no free ones."""

    __slots__ = ("_default", "_defaults", "_profiles", "_redacted", "_together", "_zipped")

    def __init__(self, tool: Tool, redacted: Redacted, default: ScalarProfile = "strict") -> None:
        profiles = {name: compile_profile(rule) for name, rule in tool.compare.items()}
        together = {profile.zip: profile for profile in profiles.values() if profile.zip}
        self._together: list[tuple[tuple[str, ...], Profile]] = list(together.items())
        self._zipped = {name for names in together for name in names} | {
            name for name, profile in profiles.items() if profile.zip
        }
        self._profiles = {name: profile for name, profile in profiles.items() if name not in self._zipped}
        self._default = STRICT if default == "strict" else compile_profile(default)
        self._defaults = {
            name: self._profiles.get(name, self._default).key(value)
            for name, value in tool.defaults.items()
            if value is not None
        }
        self._redacted = redacted

    def counted(self, arguments: dict[str, Any]) -> list[tuple[str, str | None]]:
        """Return name and join key of the arguments that count, by name; the key of what was redacted is None."""
        profiles, defaults, zipped, default = self._profiles, self._defaults, self._zipped, self._default
        rows: list[tuple[str, str | None]] = []
        for name, value in arguments.items():
            if value is None or name in zipped:
                continue
            profile = profiles.get(name, default)
            key: str | None
            if profile is STRICT:
                key = canonical(value)
            elif profile.free:
                continue
            else:
                key = profile.key(value)
            if name in defaults and defaults[name] == key:
                continue
            rows.append((name, None if self.hidden(value) else key))
        for names, profile in self._together:
            values = [arguments.get(name) for name in names]
            if any(value is not None for value in values):
                columns = [[] if value is None else value for value in values]
                rows.append((",".join(names), None if self.hidden(columns) else profile.key(columns)))
        rows.sort()
        return rows

    def leaves(self, arguments: dict[str, Any], anything: Anything = never) -> list[Leaf]:
        """Return the leaves of arguments by path; `anything` says of a value that any other is as good."""
        rows: list[Unnumbered] = []
        for name, value in arguments.items():
            if name not in self._zipped:
                rows += self._parameter(name, value, anything)
        for names, profile in self._together:
            values = [arguments.get(name) for name in names]
            if any(value is not None for value in values):
                columns = [[] if value is None else value for value in values]
                open_ = self.hidden(columns) or any(map(anything, values))
                rows.append((",".join(names), canonical(columns), None if open_ else profile.key(columns), True))
        return numbered(rows)

    def _parameter(self, name: str, value: Any, anything: Anything) -> Iterator[Unnumbered]:
        profile, path = self._profiles.get(name, self._default), parameter_path(name)
        counted = not profile.free and (value is not None or profile.key is loose)
        if counted and name in self._defaults and self._defaults[name] == profile.key(value):
            counted = False
        if value is None or anything(value) or profile.free or profile.shape == "each":
            inner, key = parts(path, value), profile.key
        elif profile.shape == "whole":
            inner, key = iter([(path, value)]), profile.key
        else:
            items = value if isinstance(value, list) else [value]
            key = profile.member
            if profile.shape != "list" and items:
                yield from self._members(path, items, profile, counted, anything)
                return
            inner = parts(path, items)
        for place, leaf in inner:
            text = canonical(leaf)
            if profile.free or self.hidden(leaf) or anything(leaf):
                yield place, text, None, counted
            else:
                yield place, text, text if profile is STRICT else key(leaf) or "", counted

    def _members(
        self, path: str, items: list[Any], profile: Profile, counted: bool, anything: Anything
    ) -> Iterator[Unnumbered]:
        """Yield the members of a list without order; where one is not known, none has a place of its own."""
        keyed = ((profile.member(item) or "", canonical(item), anything(item)) for item in items)
        members: Iterable[tuple[str, str, bool]] = sorted(keyed)
        if profile.shape == "set":
            members = [next(same) for _, same in groupby(members, key=itemgetter(0))]
        hidden = self.hidden(items)
        for key, text, open_ in members:
            yield f"{path}[]", text, None if hidden or open_ else key, counted

    def raw(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments that count as they were given."""
        counted = {part for name, _ in self.counted(arguments) for part in (name, *name.split(","))}
        return {name: value for name, value in arguments.items() if name in counted and value is not None}

    def hidden(self, value: Any) -> bool:
        """Return whether something was taken out of a value, so that it is unknown."""
        if self._redacted is None:
            return False
        return self._redacted(value if isinstance(value, str) else canonical(value)) is not None
