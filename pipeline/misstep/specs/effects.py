"""Compiled tools: what a call did, what it wrote and what it showed, by the tools file alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.tools import Kind, Tool, ToolsFile
from misstep.contracts.trace import Call, Fault, Outcome
from misstep.contracts.values import canonical
from misstep.specs.arguments import Anything, Arguments, never
from misstep.specs.compare import STRICT, Profile, compile_profile
from misstep.specs.conditions import Test
from misstep.specs.entities import Links
from misstep.specs.leaves import Leaf
from misstep.specs.needs import compile_leaves, compile_needs
from misstep.specs.observes import Observed, Observer, compile_observe
from misstep.specs.outcomes import OutcomeOf, compile_outcome, compile_unknown_outcome
from misstep.specs.parameters import refuse_undeclared
from misstep.specs.paths import MISSING, Getter, Scope, compile_path
from misstep.specs.places import placed
from misstep.specs.results import PARSERS, plain
from misstep.specs.writes import ArgumentRow, Attempt, Context, Writer, WriteRow, compile_writers


class CallPattern(NamedTuple):
    """What a reference call does, in the terms of an authorization.

    `entity` is None where the entity is new or its id is not known; `arguments` are those that count, as they were
    given, and `key` their comparison keys: equal keys mean that two calls ask for the same.
    """

    tool: str
    action: str
    entity: str | None
    created: str | None
    arguments: dict[str, Any]
    key: tuple[ArgumentRow, ...]


class CompiledTool:
    """One tool, compiled: `name`, `kind`, `domain`, `parameters` as the tools file has them."""

    __slots__ = (
        "_arguments",
        "_declared",
        "_idempotency",
        "_leaves",
        "_needs",
        "_observers",
        "_outcome",
        "_parse",
        "domain",
        "entity_types",
        "kind",
        "name",
        "parameters",
        "writers",
    )

    def __init__(self, name: str, tool: Tool, shared: CompiledTools) -> None:
        self.name = name
        self.kind: Kind = tool.kind
        self.domain = tool.domain or (name.split(".", 1)[0] if "." in name else shared.suite)
        self.parameters = None if tool.parameters is None else tuple(tool.parameters)
        self._declared = None if tool.parameters is None else frozenset(tool.parameters)
        self._parse = PARSERS[tool.result]
        self._arguments = placed("compare", Arguments, tool, shared.redacted, shared.file.compare)
        self._outcome: OutcomeOf = compile_outcome(tool, shared.file)
        context = Context(name, self.domain, shared.file, shared.fields, shared.redacted)
        self.writers: list[Writer] = compile_writers(tool.writes, context)
        #: types of the entities that it writes; None among them where a type comes from a path
        self.entity_types = frozenset(writer.entity_type for writer in self.writers)
        self._observers: list[Observer] = [
            placed(f"observes[{index}]", compile_observe, rule, shared.fields, shared.redacted)
            for index, rule in enumerate(tool.observes)
        ]
        key = tool.idempotency_key
        self._idempotency: Getter | None = placed("idempotency_key", compile_path, key) if key else None
        self._needs: Test = compile_needs(tool.needs)
        self._leaves = [
            placed(f"writes[{index}]", compile_leaves, rule.leaves) for index, rule in enumerate(tool.writes)
        ]
        refuse_undeclared(tool)

    def parse_result(self, text: str | None, structured: Any = None, faults: list[Fault] | None = None) -> Any:
        """Return the result as a plain value: the decoded one if the format carries it, else the parsed text.

        MISSING where there is neither; what cannot be parsed stays text.
        """
        if structured is not None:
            return plain(structured)
        return MISSING if text is None else self._parse(text, faults)

    def outcome(self, call: Call, result: Any) -> tuple[Outcome, list[Fault]]:
        """Return what became of a call, and what is to be noted about how that was found out."""
        return self._outcome(call, result)

    def writes(
        self,
        call: Call,
        result: Any,
        outcome: Outcome,
        *,
        links: Links | None = None,
        faults: list[Fault] | None = None,
        counted: list[ArgumentRow] | None = None,
    ) -> list[WriteRow]:
        """Return the changes that a call made or tried to make, each with its outcome.

        Args:
            call: the call; what the harness ran (`executed`) counts if it differs from what was asked for.
            result: what `parse_result` gave; MISSING for a reference call, whose replacements are opaque then.
            outcome: what `outcome` gave, or `rejected` where an idempotency key was used before.
            links: gives the entities that a relation of the task leads to.
            faults: notes are appended here.
            counted: what `counted_arguments` gives for the arguments that count, where the caller knows it.
        """
        writers = self.writers
        if not writers:
            return []
        arguments = call.arguments if call.executed is None else call.executed
        if arguments is None:
            return [writer.unreadable(item, call, outcome) for item, writer in enumerate(writers)]
        scope = Scope(arguments, result, call.result)
        rows: list[WriteRow] = []
        if counted is None:
            counted = self._arguments.counted(arguments)
        attempt = Attempt(call, outcome, scope, counted, links, rows, [], faults)
        for writer in writers:
            writer.write(attempt)
        return rows

    def observations(
        self, arguments: dict[str, Any] | None, result: Any, faults: list[Fault] | None = None
    ) -> list[Observed]:
        """Return the records that a parsed result shows, in their order; notes are appended to `faults`."""
        records: list[Observed] = []
        if self._observers and result is not MISSING:
            scope = Scope(MISSING if arguments is None else arguments, result)
            for observer in self._observers:
                observer(scope, records, faults)
        return records

    def counted_arguments(self, arguments: dict[str, Any]) -> list[ArgumentRow]:
        """Return name and join key of the arguments that count, by name (no nulls, defaults and free ones)."""
        return self._arguments.counted(arguments)

    def argument_leaves(self, arguments: dict[str, Any], anything: Anything = never) -> list[Leaf]:
        """Return the leaves of arguments, by path; `anything` says of a value that any other is as good."""
        return self._arguments.leaves(arguments, anything)

    def pattern_of(self, call: Call, *, links: Links | None = None) -> list[CallPattern]:
        """Return the authorizations that a reference call amounts to: one a write that follows no other."""
        raw = self._arguments.raw(call.arguments or {})
        return [
            CallPattern(
                row.tool,
                row.action,
                None if row.entity_id is None or row.effect == "create" else f"{row.entity_type}:{row.entity_id}",
                row.entity_type if row.effect == "create" else None,
                raw,
                tuple(row.arguments),
            )
            for row in self.writes(call, MISSING, "applied", links=links)
            if row.follows is None
        ]

    def needs_hold(self, state: Mapping[str, Any], arguments: dict[str, Any]) -> bool:
        """Return whether the state of the written entity (field: value) lets the call take effect."""
        return self._needs(Scope(arguments, state=state))

    def leaves(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        """Return, one a write rule, the fields whose new value is known without the result."""
        scope = Scope(arguments)
        return [leaves(scope) for leaves in self._leaves]

    def idempotency_key(self, call: Call) -> str | None:
        """Return the canonical key under which a repeated call has no second effect, or None."""
        arguments = call.arguments if call.executed is None else call.executed
        if self._idempotency is None or arguments is None:
            return None
        value = self._idempotency(Scope(arguments))
        return None if value is MISSING or value is None else canonical(value)

    def bare_string(self, text: str) -> dict[str, Any] | None:
        """Return a bare string as the tool's only parameter, or None where it does not declare exactly one."""
        if self.parameters is None or len(self.parameters) != 1:
            return None
        return {self.parameters[0]: text}

    def undeclared(self, arguments: dict[str, Any]) -> list[str]:
        """Return the names of arguments that the tools file does not declare (none if it declares no parameters)."""
        declared = self._declared
        if declared is None or declared.issuperset(arguments):
            return []
        return [name for name in arguments if name not in declared]


class CompiledTools:
    """The tools of a suite by name and alias.

    Raises:
        SpecificationError: a path, template, pattern or condition is not well formed, or two tools share a name; the
            field of its place leads from the top of the tools file.
    """

    def __init__(self, tools: ToolsFile, suite: str) -> None:
        self.file = tools
        self.suite = suite
        marks = [re.escape(mark) for mark in tools.redacted if mark]
        self.redacted: Callable[[str], Any] | None = re.compile("|".join(marks)).search if marks else None
        self.fields: dict[str, dict[str, Profile]] = {
            entity: {field: compile_profile(rule) for field, rule in rules.items()}
            for entity, rules in tools.fields.items()
        }
        cut = tools.truncated_when
        self._truncated = placed("truncated_when", re.compile, cut).search if cut is not None else None
        self._undeclared = Arguments(Tool(kind="unknown"), self.redacted, tools.compare)
        self.unknown_outcome: Callable[[Call], Outcome] = compile_unknown_outcome(tools)
        self._tools = {
            name: placed(f"tools.{name}", CompiledTool, name, tool, self) for name, tool in tools.tools.items()
        }
        self._named = dict(self._tools)
        for name, tool in tools.tools.items():
            for alias in tool.aliases:
                if self._named.setdefault(alias, self._tools[name]) is not self._tools[name]:
                    raise SpecificationError(
                        f"{alias!r} names two tools", Place("tools", field=f"tools.{name}.aliases")
                    )

    def get(self, name: str) -> CompiledTool | None:
        """Return the tool of a name or alias, or None where nobody declared it."""
        return self._named.get(name)

    def argument_leaves(self, tool: CompiledTool | None, arguments: dict[str, Any]) -> list[Leaf]:
        """Return the leaves of what a tool was called with, by path; one that nobody declared has no profiles."""
        return self._undeclared.leaves(arguments) if tool is None else tool.argument_leaves(arguments)

    def __iter__(self) -> Iterator[CompiledTool]:
        """Iterate over the tools in the order of the file."""
        return iter(self._tools.values())

    def profile(self, entity_type: str, field: str) -> Profile:
        """Return the comparison profile of a field of an entity type."""
        of_type = self.fields.get(entity_type)
        return STRICT if of_type is None else of_type.get(field, STRICT)

    def truncated(self, text: str) -> bool:
        """Return whether the harness has cut a result."""
        return self._truncated is not None and self._truncated(text) is not None

    def is_redacted(self, text: str) -> bool:
        """Return whether a text holds a mark that stands for something that was taken out."""
        return self.redacted is not None and self.redacted(text) is not None
