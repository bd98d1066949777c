"""Cases made of workflows: what a task asks for, in which world, and what must be established before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from misstep.contracts.errors import SpecificationError
from misstep.suites.evidence.domain_file import DomainFile, Patch
from misstep.suites.evidence.layers import Step, failure, merged
from misstep.suites.evidence.needs import requirement
from misstep.suites.evidence.versions import arguments_with_versions, requirement_with_versions, with_versions
from misstep.suites.evidence.workflow_file import Act, CaseEntry, WorkflowFile
from misstep.suites.filling import fill


@dataclass(frozen=True)
class Case:
    """A case as it is derived: what agents may see of it, and what they may not.

    Attributes:
        instruction: public, without the package of a Legacy case, which is rendered from the world.
        records: what the world holds beside the domain's records; null: it holds no such record.
        reads: of the solution, in order; those that `evidence` does not name can be done without.
        actions: of the solution, or those that must not be taken, in order.
        evidence: `evidence` of the task; of a Legacy case that of its candidate as if it were to be judged by reading.
        given: values that actions returned which somebody did before: (tool, field) → values.
        worked_out: action → arguments that stand nowhere and follow from what was read.
    """

    task_id: str
    domain: str
    workflow: str
    entry: CaseEntry
    instruction: str
    context: dict[str, str]
    records: Patch
    reads: tuple[Step, ...]
    actions: tuple[Step, ...]
    evidence: dict[str, Any]
    given: Mapping[tuple[str, str], tuple[Any, ...]]
    worked_out: Mapping[str, list[str]]

    @property
    def protocol(self) -> str:
        """Return how it asks for evidence."""
        return self.entry.protocol


def cases_of(domain: DomainFile, workflow: WorkflowFile) -> list[Case]:
    """Return the cases of a workflow, in the order of its file.

    Raises:
        SpecificationError: a variable does not exist, or a case asks for an action before those that it comes after.
    """
    return [_case(domain, workflow, entry) for entry in workflow.cases]


def _case(domain: DomainFile, workflow: WorkflowFile, entry: CaseEntry) -> Case:
    variant = workflow.variants[entry.variant]
    variables = {**variant.with_, **entry.with_}
    chosen = {name: workflow.actions[name] for name in entry.do}
    broken = next((name for name in (entry.block, entry.defer) if name is not None), None)
    layers = [fill(layer, variables) for layer in (workflow.records, variant.records, entry.records)]
    names = {name for action in chosen.values() for name in action.reads} | set(entry.also)
    if entry.protocol == "Legacy":
        names = set(entry.package)
    looks = set() if entry.protocol == "Legacy" else {name for action in chosen.values() for name in action.looks}
    reads = tuple(
        Step(name, tool, fill(arguments, variables))
        for name, read in workflow.reads.items()
        if name in names | looks
        for tool, arguments in read.items()
    )
    actions = tuple(
        Step(
            name,
            action.tool,
            arguments_with_versions(domain, action.tool, _given(fill(action.with_, variables), entry, variables)),
        )
        for name, action in chosen.items()
    )
    if broken is not None:
        layers.append(failure(workflow, entry, broken, actions, variables))
    given: dict[tuple[str, str], tuple[Any, ...]] = {}
    for name, fields in entry.given.items():
        for field, value in fill(fields, variables).items():
            key = (workflow.actions[name].tool, field)
            given[key] = (*given.get(key, ()), value)
    required = tuple(step for step in reads if step.id in names)
    evidence = _evidence(workflow, entry, chosen, required, actions, variables)
    evidence["requirements"] = [requirement_with_versions(domain, need) for need in evidence["requirements"]]
    evidence["consequential"] = list(domain.acts)
    for step, action in zip(actions, evidence["actions"], strict=True):
        action["arguments"] = _compared(domain, step)
    return Case(
        f"{workflow.workflow}-{entry.id}",
        domain.domain,
        workflow.workflow,
        entry,
        " ".join(str(fill(entry.instruction, variables)).split()),
        fill(workflow.context, variables),
        with_versions(domain, merged(*layers)),
        reads,
        actions,
        evidence,
        given,
        {name: action.worked_out for name, action in chosen.items()},
    )


def _given(arguments: dict[str, Any], entry: CaseEntry, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments in which `{of, field}` is a result of an earlier action, or what is given of it."""

    def read(value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"of", "field"}:
            if value["of"] in entry.given:
                return fill(entry.given[value["of"]][value["field"]], variables)
            if value["of"] not in entry.do:
                raise SpecificationError(f"case {entry.id}: {value['of']!r} is neither done nor given")
            return {"result_of": value["of"], "field": value["field"]}
        return [read(one) for one in value] if isinstance(value, list) else value

    return {name: read(value) for name, value in arguments.items()}


def is_free(value: Any) -> bool:
    """Return whether an argument is free text: `{any: text}`."""
    return isinstance(value, dict) and set(value) == {"any"}


def _compared(domain: DomainFile, step: Step) -> dict[str, Any]:
    """Return the arguments of an action that count: without those that its tool says are free."""
    known = domain.acts[step.tool].args if step.tool in domain.acts else {}
    kept = {name: value for name, value in step.arguments.items() if name not in known or not known[name].free}
    return {name: "*" if is_free(value) else value for name, value in kept.items()}


def _evidence(
    workflow: WorkflowFile,
    entry: CaseEntry,
    chosen: Mapping[str, Act],
    reads: tuple[Step, ...],
    actions: tuple[Step, ...],
    variables: Mapping[str, Any],
) -> dict[str, Any]:
    after = {name: _after(name, action, entry) for name, action in chosen.items()}
    names = list(dict.fromkeys(name for action in chosen.values() for name in action.needs))
    needed = [requirement(name, workflow.requirements[name], variables) for name in names]
    before = list(dict.fromkeys(one for listed in after.values() for one in listed))
    needed += [
        {"id": f"{one}-done", "description": f"{one} has been done.", "supported_if": [{"result_of": one}]}
        for one in before
    ]
    written = []
    for step in actions:
        requires = [*chosen[step.id].needs, *(f"{one}-done" for one in after[step.id])]
        action = {"id": step.id, "tool": step.tool, "arguments": step.arguments, "requires": requires}
        written.append(action | ({"after": after[step.id]} if after[step.id] else {}))
    evidence: dict[str, Any] = {
        "protocol": entry.protocol,
        "reads": [{"id": step.id, "tool": step.tool, "arguments": step.arguments} for step in reads],
        "requirements": needed,
        "actions": written,
    }
    if entry.protocol in ("V2", "V3"):
        first = {name for one, action in chosen.items() if not after[one] for name in action.reads}
        if any(step.id not in first and step.id not in entry.also for step in reads):
            evidence["reads_before_first"] = False  # some belong to later actions only, and can be made after the first
    if entry.protocol == "V0":
        evidence["stop"] = "BLOCK" if entry.block else "DEFER"
    if entry.protocol == "Legacy":
        evidence["decision"] = entry.decision
    return evidence


def _after(name: str, action: Act, entry: CaseEntry) -> list[str]:
    """Return the actions of the case that must come before one; in a chain, the one before it and no other."""
    place = entry.do.index(name)
    if entry.protocol == "V2":
        return entry.do[place - 1 : place] if place else []
    found = [one for one in action.after if one in entry.do]
    for one in found:
        if entry.do.index(one) > place:
            raise SpecificationError(f"case {entry.id}: {name} comes after {one}; list it later")
    return found
