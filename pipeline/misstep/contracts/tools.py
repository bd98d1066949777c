"""`tools.yaml` (`misstep.tools/1`): what each tool reads and writes, so that no judgement is made in code."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from misstep.contracts.evidence import Rule
from misstep.contracts.written import Conditions, Scalar, Written

SCHEMA = "misstep.tools/1"

Kind = Literal["read", "write", "both", "ask", "none", "unknown"]
ScalarProfile = Literal["strict", "free", "casefold", "number", "text", "moment", "loose"]


class CompareRule(Written):
    """How a list is compared; `zip` ties several parameters together, `items` looks at some keys of its objects."""

    zip: list[str] | None = Field(None, description="parameters whose lists are compared element by element together")
    items: list[str] | None = Field(None, description="keys of the list's objects that count")
    each: ScalarProfile = Field("strict", description="profile of the elements")
    unordered: bool = Field(False, description="order does not count")
    distinct: bool = Field(False, description="order does not count, nor how often an element stands")

    @model_validator(mode="after")
    def _one_form(self) -> CompareRule:
        if self.zip is not None and self.items is not None:
            raise ValueError("use either zip or items")
        return self


Compare = ScalarProfile | Literal["set"] | CompareRule


class Source(Written):
    """Where a value comes from: a literal, a path, a text template, or a pattern's first group at a path."""

    literal: Any = Field(None, description="this value as it is written")
    path: str | None = Field(None, description="a path from arguments, result, item or state")
    text: str | None = Field(None, description="text with {path} in it")
    pattern: str | None = Field(None, description="regular expression: its first group at `path` is the value")
    default: Any = Field(None, description="the value where the path leads nowhere (else the field is left out)")


#: Text that starts with `arguments`, `result`, `item` or `state` is a path, text with {path} in it a template;
#: everything else is a literal.
Value = Scalar | Source | list[Any]


class Among(Written):
    """A need on a value: that it stands, or does not stand, at another path."""

    in_: Annotated[str | None, Field(alias="in", description="path to the list (or value) that holds it")] = None
    not_in: str | None = Field(None, description="path to the list (or value) that does not hold it")


Need = Scalar | list[Scalar] | Among


class WriteRule(Written):
    """One effect of a call on an entity, or on each element of a list."""

    action: str = Field(description="what is done, in the suite's own words: update, cancel, send, …")
    entity: str = Field(description="type:id with {paths} in it; `type:new` for what has no id")
    for_each: str | None = Field(
        None, description="a list path, zip(a, b), or links(entity, relation); bound to `item`"
    )
    when: Conditions = Field(default_factory=dict, description="the effect happens only where these hold")
    set: dict[str, Value] | str | None = Field(
        None, description="fields that get a value (or a path to an object of them)"
    )
    replace: str | None = Field(None, description="path to the new record: each key of it is a field")
    leaves: dict[str, Value] = Field(
        default_factory=dict, description="with `replace`: fields whose new value is known without the result"
    )
    add: dict[str, Value] | None = Field(None, description="members added to collection fields")
    remove: dict[str, Value] | None = Field(None, description="members removed from collection fields")
    delete: bool = Field(False, description="the entity ceases to exist")
    creates: bool | None = Field(None, description="the entity is new (default: actions create and send)")
    recipients: str | list[str] | None = Field(None, description="paths to addresses that are reached")
    external: bool | None = Field(None, description="reaches an external party whatever the recipients")
    follows: int | None = Field(None, description="index of the effect of this call that it is a consequence of")
    domain: str | None = Field(None, description="domain of the write (default: the tool's)")
    applied_in: str | None = Field(None, description="path to the list that holds `item` where it took effect")
    failed_in: str | None = Field(None, description="path to the list that holds `item` where it failed")

    @model_validator(mode="after")
    def _one_effect(self) -> WriteRule:
        used = [name for name in ("set", "replace", "add", "remove") if getattr(self, name) is not None]
        if len(used) + self.delete > 1:
            raise ValueError("an effect is one of set, replace, add, remove, delete; write a second effect for more")
        return self


class ObserveRule(Written):
    """What a result shows of an entity."""

    entity: str = Field(description="type:id with {paths} in it")
    for_each: str | None = Field(None, description="a list path; bound to `item`")
    when: Conditions = Field(default_factory=dict, description="something is shown only where these hold")
    facts: str | dict[str, Value] = Field(description="path to an object whose keys are fields, or field: source")


class Tool(Written):
    """One tool: its parameters, how its result tells success, what it changes and what it shows."""

    kind: Kind = Field(description="what the tool does: read, write, both, ask (the user), none, or unknown")
    domain: str | None = Field(
        None, description="domain (default: the name up to its first dot, else the suite's name)"
    )
    aliases: list[str] = Field(
        default_factory=list, description="other names of the tool; nothing is stripped by itself"
    )
    parameters: dict[str, str] | None = Field(None, description="names in order, with types; others are undeclared")
    defaults: dict[str, Any] = Field(default_factory=dict, description="an argument of this value counts as absent")
    compare: dict[str, Compare] = Field(default_factory=dict, description="parameter: profile used to match writes")
    result: Literal["json", "yaml", "text", "literal"] = Field("json", description="how the result text is parsed")
    succeeded_when: Conditions | None = Field(None, description="the call failed unless these hold")
    failed_when: Conditions | None = Field(None, description="the call failed where any of these holds")
    dry_run: Conditions | None = Field(None, description="no effect where these hold on the arguments")
    idempotency_key: str | None = Field(None, description="path; a repeated key has no second effect")
    needs: list[dict[str, Need]] = Field(
        default_factory=list,
        description="alternatives: unless one holds on arguments and on `state` of the written entity, nothing happens",
    )
    writes: list[WriteRule] = Field(default_factory=list, description="what a call changes")
    observes: list[ObserveRule] = Field(default_factory=list, description="what a result shows")

    @model_validator(mode="after")
    def _consistent(self) -> Tool:
        if self.writes and self.kind not in ("write", "both"):
            raise ValueError(f"a tool of kind {self.kind} has no writes")
        if not self.writes and self.kind in ("write", "both"):
            raise ValueError(f"a tool of kind {self.kind} needs writes")
        for index, rule in enumerate(self.writes):
            if rule.follows is not None and not 0 <= rule.follows < index:
                raise ValueError(f"writes[{index}].follows must name an earlier effect")
        return self


class Allowance(Written):
    """Mechanical bookkeeping that is never damage."""

    id: str = Field(description="name shown by explain")
    tool: str | None = Field(None, description="tool name, `*` matches any run of characters")
    action: str | None = Field(None, description="action of the write")
    entity: str | None = Field(None, description="entity type, or type:id")
    fields: list[str] | None = Field(None, description="only these fields may be modified")


class ToolsFile(Written):
    """A whole `tools.yaml`."""

    schema_: Annotated[
        Literal["misstep.tools/1"], Field(alias="schema", description="name of the format and its version")
    ]
    extends: str | None = Field(None, description="another tools file whose tools and rules hold unless stated here")
    home_domains: list[str] = Field(default_factory=list, description="addresses of these domains are not external")
    own_addresses: list[str] = Field(default_factory=list, description="the owner's own addresses: never a recipient")
    unknown_tool_when: Conditions | None = Field(
        None, description="a call of an undeclared tool did not run where its result says so"
    )
    unknown_tool_limit: float = Field(0.5, ge=0, le=1, description="greatest share of calls to undeclared tools")
    failed_when: Conditions | None = Field(None, description="failure rule of the tools that have none of their own")
    redacted: list[str] = Field(default_factory=list, description="texts that stand for a value that was taken out")
    truncated_when: str | None = Field(None, description="pattern of a result that the harness has cut")
    compare: ScalarProfile = Field("strict", description="profile of the arguments whose tool states none")
    fields: dict[str, dict[str, Compare]] = Field(
        default_factory=dict, description="entity type → field → profile used for states, no-ops and goals"
    )
    tools: dict[str, Tool] = Field(description="the tools, by their declared names")
    allowances: list[Allowance] = Field(default_factory=list, description="writes that are never damage")
    rules: list[Rule] = Field(default_factory=list, description="what must be established before a call, in every task")
