"""`evidence` in `tasks.jsonl` and `rules` in `tools.yaml`: what must be established before what is done."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from misstep.contracts.written import Conditions, Written

Entity = Annotated[str, Field(pattern=r"^[^:\s]+:.+$", description="type:id")]
Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
#: How a task asks for evidence; `gold-…`: known is only what a reference solution reads (and whether it writes).
Protocol = Literal["Legacy", "V0", "V1", "V2", "V3", "gold-action", "gold-stop"]
Stop = Literal["BLOCK", "DEFER"]
Decision = Literal["ALLOW", "BLOCK", "DEFER"]
#: Whose rules of evidence hold: those of the documentation, or those of the SafeActBench evaluator.
Profile = Literal["standard", "safeact"]
PROTOCOLS: tuple[str, ...] = get_args(Protocol)
PROFILES: tuple[str, ...] = get_args(Profile)


class FieldTest(Written):
    """What a field or argument must be, where that is more than one value."""

    in_: Annotated[list[Any] | None, Field(alias="in", min_length=1, description="any of these values")] = None
    is_not: Any = Field(None, description="there, and another value than this one")
    contains: Any = Field(None, description="a part of the text, or a member of the list")
    not_contains: Any = Field(None, description="there, and without this part or member")
    present: Literal[True] | None = Field(None, description="there, and neither null nor blank")
    action_arg: str | None = Field(None, description="path of the attempt's argument that it must equal")

    @model_validator(mode="after")
    def _one_test(self) -> FieldTest:
        if len(self.model_fields_set) != 1:
            raise ValueError("name exactly one of in, is_not, contains, not_contains, present, action_arg")
        return self


TESTS = frozenset(field.alias or name for name, field in FieldTest.model_fields.items())


def is_test(value: Any) -> str:
    """Return `test` for an object whose keys are names of tests, and `value` for anything else."""
    named = isinstance(value, FieldTest) or (isinstance(value, dict) and bool(value) and value.keys() <= TESTS)
    return "test" if named else "value"


#: field (or path of an argument) → value it must equal, or a test.
Tests = dict[str, Annotated[Annotated[FieldTest, Tag("test")] | Annotated[Any, Tag("value")], Discriminator(is_test)]]


def any_of(schema: dict[str, Any]) -> None:
    """Let the values of tests be anything in a JSON Schema: an object that is a test is a value as well."""
    for part in schema["properties"].values():
        for option in part.get("anyOf", []):
            inner = option.get("additionalProperties")
            if isinstance(inner, dict) and "oneOf" in inner:
                inner["anyOf"] = inner.pop("oneOf")


class Shown(Written):
    """A record: fields that were shown together of one entity."""

    entity: Entity | None = Field(None, description="type:id; null: the record says of no entity")
    facts: dict[str, Any] = Field(min_length=1, description="field: value")


class Read(Written):
    """A read with these arguments, no more and no fewer."""

    id: Name | None = Field(None, description="name shown by explain (default: reads[k])")
    tool: str = Field(description="declared name of the tool")
    arguments: dict[str, Any] = Field(default_factory=dict, description="its arguments; `*` stands for any value")


class ReadFact(Written):
    """What a read with these arguments establishes, for traces that hold no results."""

    tool: str = Field(description="declared name of the tool")
    arguments: dict[str, Any] = Field(default_factory=dict, description="its arguments; `*` stands for any value")
    shows: list[Shown] = Field(description="the records that it shows")


class EvidenceCondition(Written):
    """One thing that must be established; `entity` may hold {arguments.…} of the attempt."""

    model_config = ConfigDict(json_schema_extra=any_of)

    record: Tests | None = Field(None, description="one record in which all these fields are so")
    state: Tests | None = Field(
        None, min_length=1, description="the latest known fields of `entity`, from whatever record"
    )
    read: str | list[str] | None = Field(None, description="a read by one of these tools (`*`: any characters)")
    result_of: str | None = Field(None, description="id of an action that must have been executed")
    action: Tests | None = Field(None, min_length=1, description="`tool` or `arguments.…` of the attempt itself")
    confirmation: bool | str | None = Field(
        None, description="the user said yes after the agent's last proposal (true, or a pattern of what counts)"
    )
    authentication: str | list[str] | None = Field(
        None, description="one of these tools (`*`: any characters) has found out who the user is"
    )
    told: str | None = Field(
        None,
        min_length=1,
        description="pattern of what the user has said; {arguments.…} in it is that argument of the attempt",
    )
    known: str | None = Field(
        None, description="path of the attempt's argument: every value in it was said or shown before"
    )
    entity: str | None = Field(
        None, description="type:id that it must be about; the user can only say yes to what was shown before"
    )
    arguments: Tests | None = Field(
        None, description="with `read`: arguments it must have had; text may hold {arguments.…} of the attempt"
    )

    @property
    def source(self) -> str:
        """Which of the kinds it is."""
        return next(name for name in SOURCES if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _one_source(self) -> EvidenceCondition:
        if sum(getattr(self, name) is not None for name in SOURCES) != 1:
            raise ValueError(f"name exactly one of {', '.join(SOURCES)}")
        if self.arguments is not None and self.read is None:
            raise ValueError("arguments belong to a read")
        if self.entity is not None and self.source not in ("record", "state", "read", "confirmation"):
            raise ValueError("entity belongs to a record, a state, a read or a confirmation")
        if self.state is not None and self.entity is None:
            raise ValueError("state needs an entity")
        if self.confirmation is False or self.confirmation in _WORDS:
            raise ValueError("confirmation is true, or a pattern")
        if self.record == {} and self.entity is None:
            raise ValueError("a record has fields, or an entity")
        return self


#: Words that are meant for true or false rather than for a pattern.
_WORDS = ("", "true", "false", "yes", "no", "on", "off")
#: The kinds of conditions.
SOURCES = ("record", "state", "read", "result_of", "action", "confirmation", "authentication", "told", "known")


class Alternative(Written):
    """Conditions that must all hold, and the name of what then is the case."""

    all: list[EvidenceCondition] = Field(min_length=1, description="all of these")
    reason: str | None = Field(None, description="name of what is the case where they hold")
    _place: str = PrivateAttr("")

    def place(self, condition: int) -> str:
        """Return where a condition stands inside of the field of the alternatives, as it was written."""
        return self._place.format(condition)


def as_alternatives(written: Any, handler: ValidatorFunctionWrapHandler) -> list[Alternative]:
    """Return a list of alternatives: a condition, or a list of them, is the only alternative."""
    listed = written if isinstance(written, list) else [written]
    bare = bool(listed) and not any(isinstance(one, dict) and "all" in one for one in listed)
    made: list[Alternative] = handler([{"all": listed}] if bare else listed)
    for number, alternative in enumerate(made):
        at = "" if listed is not written else "[{}]" if bare else f"[{number}]"
        alternative._place = at if bare else at + ".all[{}]"
    return made


class Requirement(Written):
    """Evidence that an action needs: inactive, violated, supported or missing, in this order."""

    id: Name = Field(description="name, unique in its task")
    description: str = Field("", description="in words")
    supported_if: list[Alternative] = Field(description="established where one of these holds")
    violated_if: list[Alternative] = Field(default_factory=list, description="violated where one of these holds")
    inactive_if: list[Alternative] = Field(default_factory=list, description="of no concern where one of these holds")
    missing_reason: str | None = Field(None, description="name of what is missing")
    identity: list[str] = Field(
        default_factory=list, description="fields that say which entity a record is about (besides `entity`)"
    )

    _alternatives = field_validator("supported_if", "violated_if", "inactive_if", mode="wrap")(as_alternatives)


class Action(Written):
    """A consequential action of the solution; in a task that must stop, one that must not be taken."""

    id: Name = Field(description="name, unique in its task")
    tool: str = Field(description="declared name of the tool")
    arguments: dict[str, Any] = Field(
        default_factory=dict,
        description='its arguments; `*`: any value; {"result_of": ID, "field": NAME}: what an earlier action returned',
    )
    after: list[str] = Field(default_factory=list, description="ids of the actions that must be executed before it")
    requires: list[str] = Field(default_factory=list, description="ids of its requirements")


class Evidence(Written):
    """What must be established in a task, and what may then be done."""

    protocol: Protocol = Field(description="what success means")
    context: list[Shown] = Field(default_factory=list, description="records that the task itself establishes")
    reads: list[Read] = Field(default_factory=list, description="required reads: the investigation")
    read_facts: list[ReadFact] = Field(default_factory=list, description="what reads establish")
    requirements: list[Requirement] = Field(default_factory=list, description="what actions require")
    actions: list[Action] = Field(
        default_factory=list, description="the actions, in an order in which they can be done"
    )
    consequential: list[str] | None = Field(
        None, description="tools (`*`: any characters) whose calls are attempts (default: the actions', or all writes)"
    )
    information: list[str] | None = Field(None, description="reads in scope (default: every tool of kind read)")
    stop: Stop | None = Field(None, description="the right way to stop, in a task that must stop")
    decision: Decision | None = Field(None, description="the right judgement, in a task of protocol Legacy")
    min_reads: Count | None = Field(None, description="least number of reads")
    min_read_tools: Count | None = Field(None, description="least number of different tools read with")
    max_reads: Count | None = Field(None, description="greatest number of reads")
    reads_before_first: bool = Field(
        True, description="all required reads must come before the first action (else: before the last one)"
    )

    @model_validator(mode="after")
    def _fits_protocol(self) -> Evidence:
        count = len(self.actions)
        if self.protocol == "V0" and self.stop is None:
            raise ValueError("protocol V0 needs stop")
        if self.protocol == "Legacy" and self.decision is None:
            raise ValueError("protocol Legacy needs decision")
        if self.protocol == "V1" and count != 1:
            raise ValueError(f"protocol V1 has exactly one action, not {count}")
        if self.protocol in ("V2", "V3") and count < 1:
            raise ValueError(f"protocol {self.protocol} needs actions")
        if self.stop is not None and self.protocol != "V0":
            raise ValueError("stop belongs to protocol V0")
        if self.decision is not None and self.protocol != "Legacy":
            raise ValueError("decision belongs to protocol Legacy")
        return self


class Rule(Written):
    """A standing rule: it holds for every task, so that traces without a task can be judged too."""

    id: Name = Field(description="name shown by explain")
    description: str = Field("", description="in words")
    before: str | list[str] = Field(description="tools whose calls it is about (`*`: any characters)")
    when: Conditions = Field(default_factory=dict, description="conditions on the arguments of the call")
    requires: list[Alternative] = Field(description="one of these must be established before the call")

    _alternatives = field_validator("requires", mode="wrap")(as_alternatives)
