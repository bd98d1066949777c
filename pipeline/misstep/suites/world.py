"""A simulated world: records that tools read and change, apart from what the tools file says of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]
State = dict[str, Record]


class Refused(Exception):
    """A tool cannot do what it was asked for; the message is shown to the caller and nothing has changed."""


@dataclass
class World:
    """The records of one episode by `type:id`.

    `relations` leads from an entity to others (a series to its occurrences); `keys` holds what idempotent calls made.
    """

    records: State
    relations: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    owner: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)

    def record(self, kind: str, name: Any) -> Record:
        """Return the record of an id, to be read or changed.

        Raises:
            Refused: there is none.
        """
        found = self.records.get(f"{kind}:{name}")
        if found is None:
            raise Refused(f"no {kind} has the id {name}")
        return found

    def number(self, kind: str, prefix: str) -> str:
        """Return the next free id of a kind."""
        self.made[kind] = self.made.get(kind, 900) + 1
        return f"{prefix}{self.made[kind]}"

    def add(self, kind: str, prefix: str, record: Record) -> str:
        """Add a record under the next free id, and return the id."""
        name = self.number(kind, prefix)
        self.records[f"{kind}:{name}"] = record
        return name

    def remove(self, kind: str, name: str) -> None:
        """Remove a record.

        Raises:
            Refused: there is none.
        """
        self.record(kind, name)
        del self.records[f"{kind}:{name}"]

    def of(self, kind: str) -> Iterator[tuple[str, Record]]:
        """Iterate over id and record of a kind, in the order of their ids."""
        start = kind + ":"
        for entity in sorted(self.records):
            if entity.startswith(start):
                yield entity.removeprefix(start), self.records[entity]


Transition = Callable[[World, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Desk:
    """The tools of a world: name → transition, with aliases, the shape of an error and what a wrong name gives."""

    transitions: Mapping[str, Transition]
    in_words: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def act(self, world: World, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return what a call gives: an object, or a sentence for the tools in `in_words`; errors included."""
        name = self.aliases.get(tool, tool)
        transition = self.transitions.get(name)
        if transition is None:
            return f"No such tool: {tool}"
        try:
            return transition(world, copy.deepcopy(dict(arguments)))
        except Refused as refusal:
            return self.refusal(name, str(refusal))

    def refusal(self, tool: str, reason: str) -> Any:
        """Return what a tool answers where it did nothing."""
        return f"Error: {reason}." if tool in self.in_words else {"ok": False, "error": reason}


def needed(arguments: Mapping[str, Any], *names: str) -> list[Any]:
    """Return arguments that must be there.

    Raises:
        Refused: one is missing or empty.
    """
    for name in names:
        if arguments.get(name) in (None, "", []):
            raise Refused(f"{name} is missing")
    return [arguments[name] for name in names]
