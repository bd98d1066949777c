"""`domain.yaml`: a world of its own, with types of records, tools that show them, and tools that change them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from misstep.contracts.written import Written

Kebab = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Snake = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
ToolName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$", description="noun.verb")]
Patch = dict[str, dict[str, Any] | None]


class Kind(Written):
    """A type of records."""

    prefix: str = Field(description="what an id of it begins with: OR-")
    about: str = Field(description="what such a record is")
    versioned: bool = Field(False, description="its field `version` counts up with every change")
    fields: dict[Snake, str] = Field(description="field: what it says")


class InfoTool(Written):
    """A tool that shows records: one by its id (`by`), or all whose fields are those that were asked for (`find`)."""

    about: str = Field(description="what the agent is told of it")
    on: str = Field(description="type of the records that it shows")
    by: Snake | None = Field(None, description="argument that is the id")
    find: dict[Snake, Snake] = Field(default_factory=dict, description="argument: field that must be equal to it")
    where: dict[str, list[Any]] = Field(default_factory=dict, description="field: values that are shown, else left out")
    shows: list[str] = Field(default_factory=list, description="fields beside the id; none: only ids are listed")
    args: dict[Snake, str] = Field(default_factory=dict, description="argument: what the agent is told of it")

    @model_validator(mode="after")
    def _looks_up(self) -> InfoTool:
        if (self.by is None) == (not self.find):
            raise ValueError("either by (an id) or find (argument: field)")
        if self.by is not None and not self.shows:
            raise ValueError("a record that is asked for by its id shows fields")
        return self

    @property
    def arguments(self) -> list[str]:
        """Return the names of the arguments."""
        return [self.by] if self.by is not None else list(self.find)


class Argument(Written):
    """An argument of a consequential tool; without `optional` it must be there."""

    about: str = ""
    type: Literal["text", "number", "integer", "flag", "list"] = "text"
    id: str | None = Field(None, description="it is the id of a record of this type, which must exist")
    version_of: str | None = Field(None, description="it must be the present version of the record of this argument")
    given_by: list[str] = Field(default_factory=list, description="it must come from a result of one of these tools")
    field: str = Field("receipt", description="with given_by: field of that result")
    one_of: list[Any] = Field(default_factory=list, description="the values that it may have")
    free: bool = Field(False, description="free text: its words never count")
    optional: bool = False

    @model_validator(mode="after")
    def _typed(self) -> Argument:
        if self.version_of is not None:
            self.type = "integer"
        return self


class Effect(Written):
    """What a call does to one record: the one whose id is the argument `on`, or a new one of type `new`."""

    on: str | None = None
    new: str | None = None
    when: dict[str, list[Any]] = Field(default_factory=dict, description="field: values; else the world rejects")
    set: dict[str, Any] = Field(default_factory=dict, description="field: value, or $argument")

    @model_validator(mode="after")
    def _one_record(self) -> Effect:
        if (self.on is None) == (self.new is None):
            raise ValueError("either on (argument) or new (type)")
        if self.new is not None and self.when:
            raise ValueError("a new record has no state before")
        return self


class ActTool(Written):
    """A consequential tool. Its result has ok, receipt, `id` (of a new record), `version`, and what `gives` names."""

    about: str = Field(description="what the agent is told of it")
    args: dict[Snake, Argument]
    effects: list[Effect] = Field(min_length=1, description="the first one is the main one")
    gives: dict[Snake, str] = Field(default_factory=dict, description="field of the result: prefix of an opaque code")

    @field_validator("args", mode="before")
    @classmethod
    def _short(cls, written: Any) -> Any:
        if not isinstance(written, dict):
            return written
        return {name: {"about": one} if isinstance(one, str) else one for name, one in written.items()}

    @model_validator(mode="after")
    def _knows_arguments(self) -> ActTool:
        named = [argument.version_of for argument in self.args.values()] + [effect.on for effect in self.effects]
        for effect in self.effects:
            named += [one[1:] for one in effect.set.values() if isinstance(one, str) and one.startswith("$")]
        for name in named:
            if name is not None and name not in self.args:
                raise ValueError(f"there is no argument {name!r}")
        for name in [effect.on for effect in self.effects if effect.on] + [
            argument.version_of for argument in self.args.values() if argument.version_of
        ]:
            if self.args[name].id is None:
                raise ValueError(f"the argument {name!r} is no id of a record")
        return self


class DomainFile(Written):
    """A whole `domain.yaml`."""

    domain: Snake
    title: str
    role: str = Field(description="who the agent works for, in two or three sentences")
    now: str = Field(description="date and time at which everything happens")
    rules: dict[Kebab, str] = Field(description="the handbook: all of it is shown to every agent")
    types: dict[Snake, Kind]
    info: dict[ToolName, InfoTool]
    acts: dict[ToolName, ActTool]
    records: dict[str, dict[str, Any]] = Field(description="type:id → fields: what the world holds in every case")

    @model_validator(mode="after")
    def _fits(self) -> DomainFile:
        for name, tool in self.info.items():
            known = {"id", *self._fields(tool.on, name)}
            for field in [*tool.shows, *tool.find.values(), *tool.where]:
                if field not in known:
                    raise ValueError(f"{name}: {tool.on} has no field {field!r}")
        for name, act in self.acts.items():
            for argument in act.args.values():
                if argument.id is not None:
                    self._fields(argument.id, name)
                for other in argument.given_by:
                    if other not in self.acts:
                        raise ValueError(f"{name}: there is no tool {other!r}")
                    if argument.field not in {"receipt", "id", "version", *self.acts[other].gives}:
                        raise ValueError(f"{name}: {other} gives no {argument.field!r}")
            for effect in act.effects:
                kind = effect.new or act.args[effect.on or ""].id or ""
                for field in [*effect.set, *effect.when]:
                    if field not in self._fields(kind, name):
                        raise ValueError(f"{name}: {kind} has no field {field!r}")
        if twice := set(self.info) & set(self.acts):
            raise ValueError(f"{sorted(twice)} are tools of both kinds")
        return self

    def _fields(self, kind: str, tool: str) -> set[str]:
        if kind not in self.types:
            raise ValueError(f"{tool}: there is no type {kind!r}")
        return {*self.types[kind].fields, *(["version"] if self.types[kind].versioned else [])}
