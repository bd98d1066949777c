"""The state of one episode as its writes change it: what a field was, and what it is in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
EXISTS = "@exists"


@dataclass(frozen=True, slots=True)
class Fact:
    """The value of a field: canonical JSON, its comparison key, and whether it is known."""

    value: str | None
    compare: str | None
    known: bool = True

    def said(self) -> str:
        """Return the value as it is shown."""
        return self.value if self.known and self.value is not None else "unknown"


UNLISTED = Fact(None, None, known=False)


class History:
    """Facts of an episode: initial ones, then the writes that took effect, in order.

    Only for showing: the labels are those of the stages. Members of collections are not followed.
    """

    def __init__(self, states: Iterable[Row], overrides: Iterable[Row]) -> None:
        self.facts: dict[tuple[str, str], Fact] = {}
        for row in (*states, *overrides):
            entity = f"{row['entity_type']}:{row['entity_id']}"
            self.facts[entity, row["field"]] = Fact(row["value"], row["compare"])

    def value(self, entity: str | None, field: str) -> Fact:
        """Return what is known of a field now."""
        return self.facts.get((entity, field), UNLISTED) if entity is not None else UNLISTED

    def apply(self, write: Row, effective: bool | None) -> None:
        """Take a write into account: nothing where it had no effect, unknown values where that is unknown."""
        entity = entity_of(write)
        if entity is None or effective is False:
            return
        known = effective is True
        effect = write["effect"]
        if effect == "delete":
            self.facts[entity, EXISTS] = Fact("false", "false", known)
            return
        if effect != "touch":
            self.facts[entity, EXISTS] = Fact("true", "true", known)
        for field in write["fields"]:
            name = field["field"]
            if effect in ("add", "remove"):
                self.facts[entity, name] = UNLISTED
            elif field["from_state"] is not None:
                self.facts[entity, name] = self.value(entity, field["from_state"])
            else:
                self.facts[entity, name] = Fact(field["value"], field["compare"], known and field["value"] is not None)

    def entities(self, type_: str) -> list[str]:
        """Return the entities of a type that are there, as far as is known."""
        named = {entity for entity, _ in self.facts if entity.partition(":")[0] == type_}
        return sorted(entity for entity in named if self.value(entity, EXISTS).value != "false")


def entity_of(write: Row) -> str | None:
    """Return `type:id` of a written entity, or None where it is unknown."""
    if write["entity_type"] is None or write["entity_id"] is None:
        return None
    return f"{write['entity_type']}:{write['entity_id']}"
