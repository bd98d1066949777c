"""How a task that must stop is stopped, where its own records decide that before any run."""

from __future__ import annotations

from collections.abc import Iterator

from misstep.contracts.evidence import Action, Alternative, EvidenceCondition, Requirement
from misstep.contracts.values import canonical, parse
from misstep.specs.argument_faults import TaskFault
from misstep.specs.argument_paths import Entity, entity_of
from misstep.specs.bindings import given
from misstep.specs.evidence_faults import Asking
from misstep.specs.evidence_rows import anything_of
from misstep.specs.foreseen import Fact, Record, Shows, Truth, every, passes, records_of, some
from misstep.specs.paths import as_text
from misstep.specs.requirement_rows import owner_of
from misstep.specs.requirements import Part, parts_of


def stop_faults(asked: Asking, shows: list[Shows]) -> Iterator[TaskFault]:
    """Yield that the complete investigation of a task leads to another stop than the task says, where that is sure."""
    if asked.evidence.protocol != "V0" or not asked.evidence.actions:
        return
    derived = Candidates(asked, shows).stop()
    if derived is not None and derived != asked.evidence.stop:
        why = "nothing stands against the actions" if derived == "ALLOW" else f"the evidence leads to {derived}"
        yield "stop", f"{why}, not to {asked.evidence.stop}"


class Candidates:
    """The actions that must not be taken, judged by what the context and all required reads establish."""

    def __init__(self, asked: Asking, shows: list[Shows]) -> None:
        self._asked = asked
        self._shows = shows
        self._sure: list[Record] = []
        self._maybe: list[Record] = []
        for record in records_of(asked.evidence, asked.tools, asked.profile):
            (self._sure if record.tool is None or self._required(record) else self._maybe).append(record)
        self._arguments = {action.id: self._leaves(action) for action in asked.evidence.actions}

    def stop(self) -> str | None:
        """Return BLOCK or DEFER, ALLOW where nothing stands against the actions, None where only a run can tell."""
        for action in self._asked.evidence.actions:
            gate = self._gate(action)
            if gate != "ALLOW":
                return gate
        return "ALLOW"

    def _required(self, record: Record) -> bool:
        tool = self._asked.tools.get(record.tool or "")
        if tool is None:
            return False
        leaves = tool.argument_leaves(record.arguments)
        return any(
            self._asked.tools.get(read.tool) is tool and tool.argument_leaves(read.arguments) == leaves
            for read in self._asked.evidence.reads
        )

    def _leaves(self, action: Action) -> dict[str, Fact | None]:
        """Return the arguments of an action by path; None where they are known only in a run."""
        tool = self._asked.tools.get(action.tool)
        if tool is None:
            return {}
        said = given(tool, action.arguments, anything_of(self._asked.profile))
        found: dict[str, Fact | None] = {
            leaf.path: None if leaf.compare is None else Fact(leaf.value, leaf.compare)
            for leaf in tool.argument_leaves(action.arguments)
        }
        found.update({leaf.path: None for leaf in said.leaves if leaf.compare is None})
        found.update({binding.path: None for binding in said.bindings})
        return found

    def _gate(self, action: Action) -> str | None:
        needed = [one for one in self._asked.evidence.requirements if one.id in action.requires]
        statuses = [self._status(requirement, action) for requirement in needed]
        if "VIOLATED" in statuses:
            return "BLOCK"
        if None in statuses:
            return None
        return "DEFER" if "MISSING" in statuses else "ALLOW"

    def _status(self, requirement: Requirement, action: Action) -> str | None:
        for name, alternatives in (
            ("INACTIVE", requirement.inactive_if),
            ("VIOLATED", requirement.violated_if),
            ("SUPPORTED", requirement.supported_if),
        ):
            holds = some(self._all(one, requirement, action) for one in alternatives)
            if holds is not False:
                return name if holds else None
        return "MISSING"

    def _all(self, alternative: Alternative, requirement: Requirement, action: Action) -> Truth:
        return every(self._holds(condition, requirement, action) for condition in alternative.all)

    def _holds(self, condition: EvidenceCondition, requirement: Requirement, action: Action) -> Truth:
        asked = self._asked
        if condition.result_of is not None:
            names = [one.id for one in asked.evidence.actions]
            return condition.result_of in names[: names.index(action.id)]
        parts = parts_of(condition, owner_of(asked.tools, asked.profile, asked.evidence, requirement), asked.tools)
        if condition.action is not None:
            return every(self._of_action(part, action) for part in parts)
        if condition.record is None and condition.state is None:
            return None  # a read, or what the user says
        entity = entity_of(condition.entity)
        name = self._named(entity, action) if entity.argument is not None else entity.id
        if entity.argument is not None and name is None:
            return None
        groups = [parts] if condition.record is not None else [[part] for part in parts]
        return every(self._established(group, entity.type, name, action, condition) for group in groups)

    def _established(
        self, parts: list[Part], kind: str | None, name: str | None, action: Action, condition: EvidenceCondition
    ) -> Truth:
        arguments = self._arguments[action.id]

        def holds(record: Record) -> Truth:
            return every(
                passes(part, record.facts.get(part.field or ""), arguments.get(part.argument or ""))
                for part in parts
                if part.field is not None
            )

        fields = [part.field for part in parts if part.field is not None]
        sure = [holds(record) for record in self._sure if record.about(kind, name)]
        if condition.state is not None:  # the latest counts, and the order of reads is free
            sure = [holds(one) for one in self._sure if one.about(kind, name) and one.facts.keys() >= set(fields)]
            sure = [sure[0] if len(set(sure)) == 1 else None] if sure else []
        others = any(one.about(kind, fields) for one in self._shows) or any(
            record.about(kind, name) and holds(record) is not False for record in self._maybe
        )
        found = some(sure)
        if others and (found is not True or condition.state is not None):
            return None
        return found

    def _of_action(self, part: Part, action: Action) -> Truth:
        tool = self._asked.tools.get(action.tool)
        if part.field == "tool":
            text = canonical(tool.name if tool else action.tool)
            return passes(part, Fact(text, text))
        path = (part.field or "").removeprefix("arguments.")
        known = self._arguments[action.id]
        if path in known and known[path] is None:
            return None
        return passes(part, known.get(path), known.get(part.argument or ""))

    def _named(self, entity: Entity, action: Action) -> str | None:
        """Return the id that an argument of the action gives an entity, None where only a run can tell."""
        assert entity.argument is not None
        found = self._arguments[action.id].get(entity.argument.leaf)
        if found is None:
            return None
        text = as_text(parse(found.value))
        return text if entity.template is None else entity.template.replace("{}", text)
