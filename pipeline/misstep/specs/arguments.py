"""The arguments of a call that count, under the comparison profiles of its tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from misstep.contracts.tools import Tool
from misstep.contracts.values import canonical
from misstep.specs.compare import STRICT, Profile, compile_profile

Redacted = Callable[[str], Any] | None


class Arguments:
    """Which arguments of a tool count: no nulls, no defaults, no free ones."""

    __slots__ = ("_defaults", "_profiles", "_redacted", "_together", "_zipped")

    def __init__(self, tool: Tool, redacted: Redacted) -> None:
        profiles = {name: compile_profile(rule) for name, rule in tool.compare.items()}
        together = {profile.zip: profile for profile in profiles.values() if profile.zip}
        self._together: list[tuple[tuple[str, ...], Profile]] = list(together.items())
        self._zipped = {name for names in together for name in names} | {
            name for name, profile in profiles.items() if profile.zip
        }
        self._profiles = {name: profile for name, profile in profiles.items() if name not in self._zipped}
        self._defaults = {
            name: self._profiles.get(name, STRICT).key(value)
            for name, value in tool.defaults.items()
            if value is not None
        }
        self._redacted = redacted

    def counted(self, arguments: dict[str, Any]) -> list[tuple[str, str | None]]:
        """Return name and join key of the arguments that count, by name; the key of what was redacted is None."""
        profiles, defaults, zipped = self._profiles, self._defaults, self._zipped
        rows: list[tuple[str, str | None]] = []
        for name, value in arguments.items():
            if value is None or name in zipped:
                continue
            profile = profiles.get(name)
            key: str | None
            if profile is None:
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

    def raw(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments that count as they were given."""
        counted = {part for name, _ in self.counted(arguments) for part in (name, *name.split(","))}
        return {name: value for name, value in arguments.items() if name in counted and value is not None}

    def hidden(self, value: Any) -> bool:
        """Return whether something was taken out of a value, so that it is unknown."""
        if self._redacted is None:
            return False
        return self._redacted(value if isinstance(value, str) else canonical(value)) is not None
