"""`suite.yaml` and `tasks.jsonl`: the tasks of a suite, their states and what the user authorized."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from misstep.contracts.evidence import Entity, Evidence, Profile
from misstep.contracts.written import Scalar, Written

SCHEMA = "misstep.suite/1"

#: Names of the readers of traces.
Format = Literal["misstep_trace", "tau_bench", "tau2_bench", "agentdojo", "workbench", "safeact", "openai_messages"]
#: The greatest number that may be counted to.
MOST = 2**31 - 1


class SuiteFile(Written):
    """A whole `suite.yaml`."""

    schema_: Annotated[
        Literal["misstep.suite/1"], Field(alias="schema", description="name of the format and its version")
    ]
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="name of the suite, as tables have it")
    title: str = Field(description="title for readers")
    description: str = Field("", description="what the suite is about")
    source: str | None = Field(None, description="where the tasks come from")
    licence: str | None = Field(None, description="licence of the tasks")
    tools: str = Field("tools.yaml", description="the tools file, beside this file")
    tasks: str = Field("tasks.jsonl", description="the tasks file, beside this file; absent: traces without tasks")
    states: str = Field("states", description="folder of the state files")
    format: Format | None = Field(None, description="reader of the suite's traces (default: each reader is asked)")
    actor: str = Field("agent", description="whose calls can do damage")
    evidence: Profile = Field("standard", description="whose rules of evidence hold")

    @field_validator("format", mode="before")
    @classmethod
    def _with_underscores(cls, name: Any) -> Any:
        return name.replace("-", "_") if isinstance(name, str) else name


class Choice(Written):
    """A value that may be any of several."""

    in_: Annotated[list[Any], Field(alias="in", min_length=1, description="the values")]


class Pattern(Written):
    """Writes that the user authorized: everything named must fit, at most `max` times."""

    id: str | None = Field(None, description="name shown by explain (default: authorized[k])")
    tool: str | None = Field(None, description="declared name of the tool")
    action: str | None = Field(None, description="action of the write, from the tools file")
    entity: Entity | None = Field(None, description="the only entity it covers")
    entity_in: list[Entity] | None = Field(None, description="the entities it covers")
    created: str | None = Field(None, description="type of an entity that the write creates")
    fields: list[str] | None = Field(None, description="every modified field must be one of these (or of `values`)")
    values: dict[str, Any | Choice] = Field(default_factory=dict, description="field: value, or {in: […]}")
    arguments: dict[str, Any] | None = Field(None, description="arguments, compared by the tool's profiles")
    exact_arguments: bool = Field(False, description="no further argument (beyond defaults and free ones) may be given")
    recipients: list[str] | None = Field(None, description="a superset of the write's recipients")
    external: bool | None = Field(None, description="may reach external parties (default: only `recipients` may)")
    max: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        1, description="how many effective writes; null: any number"
    )
    inert: bool = Field(False, description="taken from a gold write that could never take effect")

    @field_validator("values", mode="before")
    @classmethod
    def _choices(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        return {
            name: Choice.model_validate(value) if isinstance(value, dict) and set(value) == {"in"} else value
            for name, value in values.items()
        }

    @model_validator(mode="after")
    def _one_entity(self) -> Pattern:
        if sum(part is not None for part in (self.entity, self.entity_in, self.created)) > 1:
            raise ValueError("name only one of entity, entity_in and created")
        return self


class Condition(Written):
    """One condition on the final state; `is` and `contains` test a field, the others whether entities are there."""

    entity: Entity | None = Field(None, description="the entity that is tested")
    where: dict[str, Any] | None = Field(None, description="`type` and field: value pairs that select entities")
    field: str | None = Field(None, description="the field that is tested")
    is_: Annotated[Any, Field(alias="is", description="the field's value")] = None
    contains: Any = Field(None, description="a part of the text, or a member of the list")
    exists: bool | None = Field(None, description="there is such an entity")
    absent: bool | None = Field(None, description="there is no such entity")
    count: Annotated[int, Field(strict=True, ge=0, le=MOST)] | None = Field(
        None, description="how many entities `where` selects"
    )

    @model_validator(mode="after")
    def _one_test(self) -> Condition:
        if (self.entity is None) == (self.where is None):
            raise ValueError("name either entity or where")
        if self.where is not None and not isinstance(self.where.get("type"), str):
            raise ValueError("where needs a type")
        tests = {"is_", "contains", "exists", "absent", "count"} & self.model_fields_set
        if len(tests) != 1:
            raise ValueError("name exactly one of is, contains, exists, absent, count")
        if bool(tests & {"is_", "contains"}) != (self.field is not None):
            raise ValueError("is and contains need a field, exists, absent and count take none")
        if self.count is not None and self.where is None:
            raise ValueError("count needs where")
        return self


class GoldCall(Written):
    """A call of the reference solution; its writes give the state that a `reference` goal compares with."""

    tool: str = Field(description="declared name of the tool")
    arguments: dict[str, Any] = Field(default_factory=dict, description="arguments of the call")
    actor: str = Field("agent", description="who calls: agent or user")
    inert: bool = Field(False, description="could never take effect: left out of the reference state")
    inert_reason: str | None = Field(None, description="why it could never take effect")


class Task(Written):
    """One line of `tasks.jsonl`."""

    task_id: str = Field(description="name of the task, unique in its suite")
    suite: str | None = Field(None, description="name of the suite (default: the suite it stands in)")
    template_id: str | None = Field(None, description="what several tasks were instantiated from: the resampling unit")
    strata: dict[str, str] = Field(default_factory=dict, description="named labels, such as trap or domain")
    ambiguous: bool = Field(False, description="nothing is explicitly authorized: the safe behaviour is to ask")
    instruction: str = Field("", description="what the user wants, in words")
    versions: list[str] | None = Field(None, description="benchmark versions that this line is for")
    replaces: str | None = Field(None, description="task_id in the traces, where versions of a task differ")
    state: str | None = Field(None, description="file in the states folder, without its ending")
    overrides: dict[str, dict[str, Any] | None] = Field(
        default_factory=dict,
        description="entity → fields that differ from the state file; null removes the entity",
    )
    links: list[tuple[Entity, str, Entity]] = Field(default_factory=list, description="[entity, relation, entity]")
    authorized: list[Pattern] = Field(default_factory=list, description="what the user authorized")
    authorized_after_clarification: list[Pattern] | None = Field(
        None, description="what is authorized once a clarification was answered; null: not said"
    )
    goal: list[Condition] | None = Field(None, description="null: the task has no goal condition of this form")
    reference: list[GoldCall] | None = Field(None, description="calls whose final state must be reached")
    evidence: Evidence | None = Field(None, description="what must be established before what is done")
    notes: dict[str, Scalar] = Field(default_factory=dict, description="anything else worth keeping; nothing reads it")

    @model_validator(mode="after")
    def _ambiguous(self) -> Task:
        if self.ambiguous and self.authorized:
            raise ValueError("an ambiguous task authorizes nothing explicitly")
        return self
