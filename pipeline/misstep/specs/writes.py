"""What a call changes: one row an entity, by the rules of its tool."""

from __future__ import annotations

from typing import Any, NamedTuple

from misstep.contracts.tools import ToolsFile, WriteRule
from misstep.contracts.trace import Call, Fault, Outcome
from misstep.contracts.values import canonical
from misstep.contracts.written import Conditions
from misstep.specs.conditions import Test, all_hold
from misstep.specs.entities import Links, compile_entity, compile_loop
from misstep.specs.fields import FieldProfiles, FieldRow, Redacted, compile_fields
from misstep.specs.paths import MISSING, Getter, Scope, compile_path, root
from misstep.specs.places import placed
from misstep.specs.recipients import compile_external, compile_recipients

ArgumentRow = tuple[str, str | None]


class WriteRow(NamedTuple):
    """A row of `writes` without episode, step and position; columns in the order of the table."""

    item: int
    tool: str
    action: str
    domain: str
    entity_type: str | None
    entity_id: str | None
    effect: str
    fields: list[FieldRow]
    opaque: bool
    arguments: list[ArgumentRow]
    arguments_known: bool
    recipients: list[str]
    external: bool
    outcome: Outcome
    follows: int | None
    actor: str


class Context(NamedTuple):
    """What the rules of a tool need to know of their tool and suite."""

    tool: str
    domain: str
    file: ToolsFile
    fields: FieldProfiles
    redacted: Redacted


class Attempt(NamedTuple):
    """A call as its rules see it, and what they have found so far: `items` maps loop index to item, one a rule."""

    call: Call
    outcome: Outcome
    scope: Scope
    arguments: list[ArgumentRow]
    links: Links | None
    rows: list[WriteRow]
    items: list[dict[int, int]]
    faults: list[Fault] | None


class Writer:
    """One rule of a tool, compiled."""

    __slots__ = (
        "_applied_in",
        "_creates",
        "_entity",
        "_external",
        "_failed_in",
        "_fields",
        "_follows",
        "_loop",
        "_recipients",
        "_redacted",
        "_when",
        "_when_failed",
        "action",
        "domain",
        "effect",
        "entity_type",
        "tool",
        "written",
    )

    def __init__(self, rule: WriteRule, context: Context) -> None:
        self.tool = context.tool
        self.action = rule.action
        self.domain = rule.domain or context.domain
        self._creates = rule.creates if rule.creates is not None else rule.action in ("create", "send")
        self.effect = _effect(rule, self._creates)
        self.written = rule.entity
        self._entity = placed("entity", compile_entity, rule.entity)
        self.entity_type = self._entity.type
        self._loop = placed("for_each", compile_loop, rule.for_each) if rule.for_each is not None else None
        self._when = placed("when", _when, rule.when)
        self._when_failed = placed("when", _when, {path: v for path, v in rule.when.items() if root(path) != "result"})
        self._fields = compile_fields(rule, context.fields, context.redacted)
        self._recipients = placed("recipients", compile_recipients, rule.recipients, context.file.own_addresses)
        self._external = compile_external(context.file, rule.external)
        self._follows = rule.follows
        self._applied_in = placed("applied_in", compile_path, rule.applied_in) if rule.applied_in else None
        self._failed_in = placed("failed_in", compile_path, rule.failed_in) if rule.failed_in else None
        self._redacted = context.redacted

    def write(self, attempt: Attempt) -> None:
        """Append the rows of this rule, and the items they have."""
        found: dict[int, int] = {}
        attempt.items.append(found)
        scope = attempt.scope
        if self._loop is None:
            if self._happens(attempt):
                found[0] = self._append(attempt, 0, attempt.outcome)
            return
        seen: set[str] = set()
        for index, item in enumerate(self._loop(scope, attempt.links)):
            element = canonical(item)
            if element in seen:
                _note(attempt, "batch-duplicate", f"{element} stands more than once in the call")
                continue
            seen.add(element)
            scope.item = item
            if self._happens(attempt):
                found[index] = self._append(attempt, index, self._outcome_of(attempt, element))
        scope.item = MISSING

    def _happens(self, attempt: Attempt) -> bool:
        test = self._when if attempt.outcome in ("applied", "unknown") else self._when_failed
        return test is None or test(attempt.scope)

    def _outcome_of(self, attempt: Attempt, element: str) -> Outcome:
        """Return the outcome of one element: what the result says of it, else that of the call."""
        if (self._applied_in is None and self._failed_in is None) or attempt.outcome in ("rejected", "dry_run"):
            return attempt.outcome
        applied, failed = _members(self._applied_in, attempt.scope), _members(self._failed_in, attempt.scope)
        if applied is not None and element in applied:
            return "applied"
        if failed is not None and element in failed:
            return "failed"
        return "failed" if applied is not None and self._failed_in is None else attempt.outcome

    def _append(self, attempt: Attempt, index: int, outcome: Outcome) -> int:
        scope, call = attempt.scope, attempt.call
        item = len(attempt.rows)
        kind, name = self._entity.get(scope)
        known = True
        if name is not None and self._redacted is not None and self._redacted(name):
            name = None
            _note(attempt, "redacted", f"the id of {self.written} was taken out")
        elif name is None and self._creates:
            name = f"new:{call.step}.{call.position}.{item}"
        elif name is None and outcome not in ("failed", "rejected"):
            _note(attempt, "unbound-record", f"no id for {self.written}")
        fields, opaque = self._fields(scope, kind)
        recipients = self._recipients(scope)
        if self._redacted is not None and any(map(self._redacted, recipients)):
            recipients = [one for one in recipients if not self._redacted(one)]
            known = False
        attempt.rows.append(
            WriteRow(
                item,
                self.tool,
                self.action,
                self.domain,
                kind,
                name,
                self.effect,
                fields,
                opaque,
                attempt.arguments,
                known,
                recipients,
                self._external(recipients),
                outcome,
                self._parent(attempt, index),
                call.actor,
            )
        )
        return item

    def _parent(self, attempt: Attempt, index: int) -> int | None:
        if self._follows is None:
            return None
        items = attempt.items[self._follows]
        return items.get(index, next(iter(items.values()), None))

    def unreadable(self, item: int, call: Call, outcome: Outcome) -> WriteRow:
        """Return the row of a call whose arguments could not be read: something was written, nobody knows where."""
        return WriteRow(
            item,
            self.tool,
            self.action,
            self.domain,
            None,
            None,
            self.effect,
            [],
            True,
            [],
            False,
            [],
            self._external([]),
            outcome,
            self._follows,
            call.actor,
        )


def compile_writers(rules: list[WriteRule], context: Context) -> list[Writer]:
    """Return the compiled rules of a tool.

    Raises:
        SpecificationError: a path, template or condition is not well formed.
    """
    return [placed(f"writes[{index}]", Writer, rule, context) for index, rule in enumerate(rules)]


def _effect(rule: WriteRule, creates: bool) -> str:
    if creates:
        return "create"
    for name in ("set", "replace", "add", "remove"):
        if getattr(rule, name) is not None:
            return name
    return "delete" if rule.delete else "touch"


def _when(conditions: Conditions) -> Test | None:
    return all_hold(conditions, assume_result=True) if conditions else None


def _members(get: Getter | None, scope: Scope) -> set[str] | None:
    if get is None:
        return None
    value: Any = get(scope)
    return {canonical(part) for part in value} if isinstance(value, list) else None


def _note(attempt: Attempt, code: str, message: str) -> None:
    if attempt.faults is not None:
        attempt.faults.append(Fault(code, message, "arguments"))
