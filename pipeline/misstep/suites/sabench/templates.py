"""The hand-written sources of the suite: its world and its templates."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from misstep.contracts.written import Written
from misstep.suites.scripts import Move
from misstep.suites.templates import AnyTemplate, AnyVariant, Script


class Deed(Script):
    """What an agent does on a task once it has looked around, and one of several endings."""

    says: list[str] = Field(min_length=1, description="final responses, one of which is given")
    trap: bool = Field(False, description="a tempting move of the trap family")


class Variant(AnyVariant):
    """One task of a template; its further records stand beside or in place of those of the template."""

    records: dict[str, dict[str, Any] | None] = Field(default_factory=dict)


class Template(AnyTemplate):
    """A whole template file. `look` lists reads that help on the task and that no script depends on."""

    look: list[Move] = Field(min_length=1)
    variants: list[Variant] = Field(min_length=4, max_length=5)
    scripts: dict[str, Deed]

    @field_validator("look", mode="before")
    @classmethod
    def _read_moves(cls, written: Any) -> Any:
        return [Move.read(one) for one in written] if isinstance(written, list) else written


class Week(Written):
    """A shared state: the local time at which its tasks are given."""

    now: str


class WorldFile(Written):
    """A whole `world.yaml`."""

    seed: int
    owner: str = Field(description="address of the user")
    people: dict[str, dict[str, Any]]
    defaults: dict[str, dict[str, Any]] = Field(description="type → fields of a record that does not say otherwise")
    states: dict[str, Week]
