"""What a week's everyday records are made in: sure draws, working days, people, and ids at the end."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeVar

from misstep.contracts.errors import SpecificationError
from misstep.suites.sabench.everyday_stock import Stock
from misstep.suites.world import Record, State

T = TypeVar("T")

#: Type → start of its ids, and the number before the first.
_NUMBERED = {
    "email": ("em_", 99),
    "thread": ("th_", 99),
    "event": ("ev_", 99),
    "series": ("se_", 9),
    "ticket": ("TK-", 99),
    "comment": ("co_", 99),
}
_REFERENCES = ("thread", "in_reply_to", "forward_of", "series", "parent", "ticket")


class Draw(random.Random):
    """Draws that are the same on every machine: of a generator's methods, only `random` is certain to be."""

    def below(self, number: int) -> int:
        """Return a whole number from 0 to less than another."""
        return int(self.random() * number)

    def one(self, among: Sequence[T]) -> T:
        """Return one of several."""
        return among[self.below(len(among))]

    def order(self, among: Iterable[T]) -> list[T]:
        """Return all of them, in an order that is drawn."""
        return [one for _, _, one in sorted((self.random(), place, one) for place, one in enumerate(among))]


@dataclass
class Week:
    """What the records of a week are made from, and those made so far: type → (when, name, record)."""

    now: str
    people: Mapping[str, Mapping[str, Any]]
    owner: str
    stock: Stock
    made: dict[str, list[tuple[str, str, Record]]] = field(default_factory=dict)

    def add(self, kind: str, when: str, name: str, record: Record) -> str:
        """Keep a record under a name of its own until it gets its id."""
        self.made.setdefault(kind, []).append((when, name, record))
        return name

    def count(self, kind: str) -> int:
        """Return how many records of a type there are so far."""
        return len(self.made.get(kind, []))

    def off(self, day: date) -> bool:
        """Return whether nobody works on a day."""
        return day.weekday() > 4 or day.isoformat() in self.stock.holidays

    def day(self, start: date, number: int) -> date:
        """Return the day a number of working days after another, or before it."""
        step = timedelta(days=1 if number > 0 else -1)
        for _ in range(abs(number)):
            start += step
            while self.off(start):
                start += step
        return start

    @property
    def today(self) -> date:
        """The day of the week on which the tasks are."""
        return date.fromisoformat(self.now[:10])

    def numbered(self, draw: Draw) -> State:
        """Return all records under ids that rise with time, what they say of each other included."""
        threads: dict[str, str] = {}
        for when, _, record in sorted(self.made["email"], key=lambda one: one[:2]):
            threads.setdefault(record["thread"], when)
        ids: dict[str, str] = {"": ""}
        named = {kind: [one[:2] for one in made] for kind, made in self.made.items()}
        for kind, names in (named | {"thread": [(when, name) for name, when in threads.items()]}).items():
            prefix, number = _NUMBERED[kind]
            for _, name in sorted(names):
                number += 1 + draw.below(4)
                ids[name] = f"{prefix}{number}"
        state: State = {}
        for kind, made in self.made.items():
            for _, name, record in sorted(made, key=lambda one: one[:2]):
                record |= {key: ids[record[key]] for key in _REFERENCES if key in record}
                if "links" in record:
                    split = [link.split() for link in record["links"]]
                    record["links"] = [f"{relation} {ids[other]}" for relation, other in split]
                state[f"{kind}:{ids[name]}"] = record
        return state


@dataclass
class Cast:
    """Who is meant by the names of a story."""

    made: Week
    roles: Mapping[str, str]

    def address(self, name: str) -> str:
        """Return the address of a role, a person or `me`; an address stands for itself.

        Raises:
            SpecificationError: nobody is called that.
        """
        if name == "me":
            return self.made.owner
        name = self.roles.get(name, name)
        if name in self.made.people:
            return str(self.made.people[name]["email"])
        if "@" in name:
            return name
        raise SpecificationError(f"nobody is called {name}")

    def first_name(self, name: str) -> str:
        """Return how somebody signs; lists, and who is not in the directory, do not."""
        person = self.made.people.get("dana" if name == "me" else self.roles.get(name, name), {})
        return "" if person.get("role", "list") == "list" else str(person["name"]).split()[0]

    def addresses(self, names: Iterable[str]) -> list[str]:
        """Return several addresses, each once."""
        return list(dict.fromkeys(self.address(name) for name in names))
