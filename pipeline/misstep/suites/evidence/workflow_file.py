"""`workflows/*.yaml`: a way of working in a domain, and the cases that are made of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from misstep.contracts.evidence import Decision, Protocol
from misstep.contracts.written import Written
from misstep.suites.evidence.domain_file import Kebab, Patch, Snake, Word


class Fact(Written):
    """What one record must show."""

    about: str = Field(description="type:id")
    is_: dict[str, Any] = Field(alias="is", min_length=1, description="field: value, or a test as in evidence")


class Need(Written):
    """A requirement: what must be known, where the public part says so, and how it can fail.

    `about` and `is` say which record shows what; `all` lists several such facts, `any` lists alternatives of them.
    `fails` says which values stand against it (`field: value or test` of `about`, or a list of facts that each do);
    default: of each plain value in `is`, any other one. `supported_if`, `violated_if`, `inactive_if` take whatever
    evidence takes, in place of or beside that.
    """

    says: str = Field(description="in words")
    rule: str = Field(description="id of the rule of the handbook that asks for it, or: instruction")
    about: str | None = None
    is_: dict[str, Any] = Field(default_factory=dict, alias="is")
    all: list[Fact] = Field(default_factory=list)
    any: list[list[Fact]] = Field(default_factory=list)
    state: bool = Field(False, description="the latest known fields count, from whatever read or own action")
    fails: dict[str, Any] | list[Fact] | Literal["never"] | None = None
    supported_if: list[Any] = Field(default_factory=list)
    violated_if: list[Any] = Field(default_factory=list)
    inactive_if: list[Any] = Field(default_factory=list)
    reason: str | None = Field(None, description="NAME of what is the case where it fails")
    missing: str | None = Field(None, description="NAME of what is missing")
    block: dict[str, Any] | None = Field(None, description="field: value (of `about`), or type:id: {field: value}")
    defer: dict[str, Any] | None = Field(None, description="the same; null takes the field, or the record, away")

    @field_validator("supported_if", "violated_if", "inactive_if", mode="before")
    @classmethod
    def _listed(cls, written: Any) -> Any:
        return written if isinstance(written, list) else [written]

    @model_validator(mode="after")
    def _one_form(self) -> Need:
        forms = [bool(self.is_), bool(self.all), bool(self.any), bool(self.supported_if)]
        if sum(forms) != 1:
            raise ValueError("exactly one of is, all, any, supported_if")
        if self.is_ and self.about is None:
            raise ValueError("is needs about")
        return self

    def patch(self, written: dict[str, Any]) -> Patch:
        """Return a failure as changes by entity."""
        if all(":" in key for key in written):
            return written
        return {self.about or "": written}


class Act(Written):
    """An action of the workflow.

    In `with`, `{of: action, field: receipt}` is what an earlier one returned, and `{any: text}` free text.
    """

    tool: str
    with_: dict[str, Any] = Field(alias="with")
    after: list[Word] = Field(default_factory=list)
    needs: list[Word] = Field(default_factory=list)
    reads: list[Word] = Field(default_factory=list, description="names of reads that must come before it")
    worked_out: list[Snake] = Field(
        default_factory=list, description="arguments that are worked out from what was read, and stand nowhere"
    )
    looks: list[Word] = Field(default_factory=list, description="reads that find ids and can be done without")


class Variant(Written):
    """One instantiation of a workflow: its variables, and the records that only it has."""

    with_: dict[str, Any] = Field(alias="with")
    records: Patch = Field(default_factory=dict)


class CaseEntry(Written):
    """A case: the actions that are asked for, in which world, in which words."""

    id: Kebab
    protocol: Protocol
    do: list[Word] = Field(min_length=1, description="actions of the workflow, in a possible order")
    variant: Word
    instruction: str
    block: Word | None = Field(None, description="requirement that does not hold")
    defer: Word | None = Field(None, description="requirement that cannot be established")
    with_: dict[str, Any] = Field(default_factory=dict, alias="with", description="variables in place of the variant's")
    records: Patch = Field(default_factory=dict)
    also: list[Word] = Field(default_factory=list, description="further reads that this case asks for")
    given: dict[Word, dict[str, Any]] = Field(
        default_factory=dict, description="action that was done by somebody before: what it returned"
    )
    package: list[Word] = Field(default_factory=list, description="Legacy: reads whose results are in the package")
    decision: Decision | None = Field(None, description="Legacy")

    @model_validator(mode="after")
    def _fits_protocol(self) -> CaseEntry:
        broken = [name for name in (self.block, self.defer) if name is not None]
        if self.protocol == "V0" and len(broken) != 1:
            raise ValueError("V0 has block or defer")
        if self.protocol in ("V1", "V2", "V3") and broken:
            raise ValueError(f"{self.protocol} has neither block nor defer")
        if (self.protocol == "Legacy") != (self.decision is not None):
            raise ValueError("Legacy, and only Legacy, has a decision")
        if self.protocol == "Legacy" and not self.package:
            raise ValueError("Legacy has a package")
        if self.protocol != "Legacy" and self.package:
            raise ValueError("only Legacy has a package")
        least, most = {"V1": (1, 1), "V2": (2, 6), "V3": (3, 6)}.get(self.protocol, (1, 6))
        if not least <= len(self.do) <= most:
            raise ValueError(f"{self.protocol} has {least} to {most} actions")
        return self


class WorkflowFile(Written):
    """A whole workflow file."""

    workflow: Kebab
    about: str
    variants: dict[Word, Variant] = Field(min_length=1)
    records: Patch = Field(default_factory=dict, description="what the world holds beside the domain's records")
    context: dict[str, str] = Field(default_factory=dict, description="shown to the agent beside the instruction")
    reads: dict[Word, dict[str, dict[str, Any]]] = Field(description="name: {tool: {argument: value}}")
    requirements: dict[Word, Need]
    actions: dict[Word, Act]
    cases: list[CaseEntry]

    @field_validator("reads")
    @classmethod
    def _one_tool(cls, reads: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, read in reads.items():
            if len(read) != 1:
                raise ValueError(f"{name}: a read is one tool with its arguments")
        return reads

    @model_validator(mode="after")
    def _named(self) -> WorkflowFile:
        for name, act in self.actions.items():
            _known(f"actions.{name}.after", act.after, self.actions)
            _known(f"actions.{name}.needs", act.needs, self.requirements)
            _known(f"actions.{name}.reads", [*act.reads, *act.looks], self.reads)
        for case in self.cases:
            at = f"cases {case.id}"
            _known(f"{at}.do", [*case.do, *case.given], self.actions)
            _known(f"{at}.variant", [case.variant], self.variants)
            _known(f"{at}.also", [*case.also, *case.package], self.reads)
            _known(f"{at}.block", [one for one in (case.block, case.defer) if one], self.requirements)
        ids = [case.id for case in self.cases]
        if twice := sorted({one for one in ids if ids.count(one) > 1}):
            raise ValueError(f"cases {', '.join(twice)} stand twice")
        return self


def _known(at: str, names: list[str], among: dict[str, Any]) -> None:
    for name in names:
        if name not in among:
            raise ValueError(f"{at}: there is no {name!r}")
