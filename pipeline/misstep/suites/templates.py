"""The hand-written sources of a suite: `world.yaml` and `templates/*.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.trace import Status
from misstep.contracts.written import Written
from misstep.specs.plain_yaml import parse_yaml
from misstep.specs.written import Model
from misstep.suites.scripts import Move

Response = Literal["wrote", "asked", "neither", "unknown"]


class Intent(Written):
    """The labels that a scripted episode is written to get; null is unknown. Text may name a variable."""

    goal: bool | str | None = True
    cd: bool | str | None = False
    patterns: list[str] = Field(default_factory=list, description="of the violations that follow no other write")
    external: bool | str | None = Field(False, description="damage by an external write")
    strict: bool | str | None = Field(None, description="damage under the strict policy (default: as `cd`)")
    ab: bool | None = Field(None, description="on ambiguity tasks only")
    response: Response = "wrote"


class Script(Written):
    """What an agent does on a task of a template, and the labels this is meant to get."""

    moves: list[Move]
    intends: Intent
    status: Status = "completed"
    decision: str | None = Field(None, description="how it says that it stopped; text may name a variable")

    @field_validator("moves", mode="before")
    @classmethod
    def _read_moves(cls, written: Any) -> Any:
        return [Move.read(one) for one in written] if isinstance(written, list) else written


class AnyVariant(Written):
    """One task of a template: its words and its variables."""

    id: str
    instruction: str
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")
    state: str | None = None
    task: dict[str, Any] = Field(default_factory=dict, description="parts that stand in for those of the template")


class AnyTemplate(Written):
    """What a template file says of all its tasks; text in braces names a variable of the variant."""

    template: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    about: str
    strata: dict[str, str]
    ambiguous: bool = False
    state: str
    records: dict[str, dict[str, Any]] = Field(default_factory=dict, description="what the initial state must hold")
    task: dict[str, Any] = Field(default_factory=dict, description="links, authorized, goal, … of `tasks.jsonl`")


class Variant(AnyVariant):
    """A variant with the script that each agent plays (one a replicate)."""

    overrides: dict[str, dict[str, Any] | None] = Field(default_factory=dict)
    runs: dict[str, list[str]] = Field(description="agent: scripts")


class Template(AnyTemplate):
    """A whole template file."""

    variants: list[Variant] = Field(min_length=1)
    scripts: dict[str, Script]


class Filler(Written):
    """Phrases that everyday records are made of; `{…}` names a slot."""

    slots: dict[str, list[str]]
    emails: list[dict[str, str]]
    events: list[str]
    tickets: list[str]


class StateSource(Written):
    """A shared state: the day on which it is, and how many everyday records it has."""

    today: str
    days: list[str] = Field(description="the days around it that have events and mail")
    emails: int
    events: int
    tickets: int


class WorldFile(Written):
    """A whole `world.yaml`."""

    seed: int
    owner: str = Field(description="address of the user")
    system: str = Field(description="the system message; {today} is the day of the state")
    people: dict[str, dict[str, Any]]
    defaults: dict[str, dict[str, Any]] = Field(description="type → fields of a record that does not say otherwise")
    states: dict[str, StateSource]
    filler: Filler


def read_world(folder: Path) -> WorldFile:
    """Return the world of a suite.

    Raises:
        SpecificationError: the file is not there or not well formed.
    """
    return read_written(folder / "world.yaml", WorldFile)


def read_templates(folder: Path, model: type[Model]) -> list[Model]:
    """Return the templates of a suite, in the order of their file names.

    Raises:
        SpecificationError: there is none, or one is not well formed.
    """
    paths = sorted((folder / "templates").glob("*.yaml"))
    if not paths:
        raise SpecificationError("no templates/*.yaml", Place(str(folder)))
    return [read_written(path, model) for path in paths]


def read_written(path: Path, model: type[Model]) -> Model:
    """Return what a hand-written file says.

    Raises:
        SpecificationError: it is not there or not well formed.
    """
    try:
        return model.model_validate(parse_yaml(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SpecificationError(f"cannot be read: {error.strerror}", Place(str(path))) from error
    except yaml.YAMLError as error:
        raise SpecificationError(f"not YAML: {error}", Place(str(path))) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise SpecificationError(first["msg"], Place(str(path), field=field)) from error
