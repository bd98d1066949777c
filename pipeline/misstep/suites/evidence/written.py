"""Cases as they go to files: the private task, and the part that an agent may see."""

from __future__ import annotations

import copy
import json
from typing import Any

from misstep.suites.evidence.cases import Case, is_free
from misstep.suites.evidence.domain_file import DomainFile
from misstep.suites.evidence.layers import Step
from misstep.suites.evidence.tools import schemas
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.world import Record


def task(case: Case, domain: DomainFile) -> Record:
    """Return a line of `tasks.jsonl`: private, with `evidence`."""
    written: Record = {
        "task_id": case.task_id,
        "template_id": case.workflow,
        "strata": {"domain": domain.title},
        "instruction": instruction(case, domain),
        "state": domain.domain,
    }
    if case.records:
        written["overrides"] = overrides(case, domain)
    if case.protocol in ("V1", "V2", "V3"):
        written["authorized"] = [
            {"id": step.id, "tool": step.tool, "arguments": _known(step.arguments)} for step in case.actions
        ]
    if case.protocol == "Legacy":
        written["evidence"] = {"protocol": "Legacy", "decision": case.entry.decision}
    else:
        written["evidence"] = case.evidence
    return written


def overrides(case: Case, domain: DomainFile) -> dict[str, Any]:
    """Return the records of a case as changes of its domain's state."""
    return copy.deepcopy(
        {
            entity: fields
            for entity, fields in case.records.items()
            if (fields is not None or entity in domain.records) and domain.records.get(entity) != fields
        }
    )


def _known(arguments: Record) -> Record:
    """Return the arguments that do not depend on results or on words."""
    return {
        name: value
        for name, value in arguments.items()
        if not is_free(value) and "result_of" not in json.dumps(value, ensure_ascii=False)
    }


def public(case: Case, domain: DomainFile) -> Record:
    """Return what an agent may see of a case; the tools and rules of its domain stand in another file."""
    return {
        "case": case.task_id,
        "domain": case.domain,
        "kind": "judge" if case.protocol == "Legacy" else "act",
        "instruction": instruction(case, domain),
        "context": case.context,
    }


def public_domain(domain: DomainFile) -> Record:
    """Return what every agent is told of a domain: who it works for, the time, the handbook, the tools."""
    return {
        "domain": domain.domain,
        "role": " ".join(domain.role.split()),
        "now": domain.now,
        "rules": [" ".join(text.split()) for text in domain.rules.values()],
        "tools": schemas(domain),
    }


def instruction(case: Case, domain: DomainFile) -> str:
    """Return what is asked for; of a Legacy case with the action that is put forward and the package of evidence."""
    if case.protocol != "Legacy":
        return case.instruction
    world = CaseWorld(domain, case)
    lines = [case.instruction, "", "Action put forward:"]
    lines += [f"- {step.tool} {_text(plain(step))}" for step in case.actions]
    lines += ["", "What was collected:"]
    lines += [f"- {step.tool} {_text(step.arguments)}: {_text(_seen(world, step))}" for step in case.reads]
    return "\n".join(lines)


def plain(step: Step) -> Record:
    """Return the arguments of a step with its free text as text."""
    return {name: value["any"] if is_free(value) else value for name, value in step.arguments.items()}


def _seen(world: CaseWorld, step: Step) -> Any:
    result = world.act(step.tool, step.arguments)
    return result.get("found", {name: value for name, value in result.items() if name != "ok"})


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
