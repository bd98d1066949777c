"""Is every required read of a case one that a careful agent makes? Faults in words."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from misstep.contracts.evidence import Evidence
from misstep.specs.derived_stop import Candidates
from misstep.specs.evidence_faults import asking
from misstep.specs.load import Suite
from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.layers import Step
from misstep.suites.evidence.protocol import briefing
from misstep.suites.evidence.sources import Domain
from misstep.suites.evidence.world import CaseWorld
from misstep.suites.evidence.written import plain, public, public_domain
from suites.evidence_checks import said, shown, write_suite

#: A read with what it shows.
Seen = tuple[Step, list[dict[str, Any]]]


def needless_faults(domain: Domain) -> Iterator[str]:
    """Yield required reads on which no requirement rests, and which give nothing that is needed later."""
    with tempfile.TemporaryDirectory() as name:
        suite = write_suite(Path(name) / "suite", [domain])
    for case in domain.cases:
        if case.protocol not in ("V1", "V2", "V3"):
            continue
        world = CaseWorld(domain.file, case)
        seen = [(step, shown(world, step.tool, step.arguments)) for step in case.reads]
        whole = _statuses(case, suite, seen)
        asked_for = json.dumps(case.evidence["requirements"])
        for step, shows in seen:
            others = [one for one in seen if one[0] is not step]
            if (
                _required(case, step)
                and f'"read": "{step.tool}"' not in asked_for
                and _statuses(case, suite, others) == whole
                and not _leads_on(case, domain, (step, shows), seen)
            ):
                yield f"{case.task_id}: nothing rests on {step.tool} {json.dumps(step.arguments)}"


def replaceable_faults(domain: Domain) -> Iterator[str]:
    """Yield required reads in place of which another tool shows the same fields that the case needs of the record."""
    for case in domain.cases:
        if case.protocol not in ("V1", "V2", "V3"):
            continue
        world, used = CaseWorld(domain.file, case), _used(case)
        asked_for = json.dumps(case.evidence["requirements"])
        values = {str(value) for step in (*case.reads, *case.actions) for value in step.arguments.values()}
        for step in case.reads:
            if not _required(case, step) or f'"read": "{step.tool}"' in asked_for:
                continue
            need: set[str] = set()
            for one in shown(world, step.tool, step.arguments):
                facts = one["facts"]
                need |= {field for entity in (one["entity"], None) for field in used.get(entity, ()) if field in facts}
                need |= {field for field, value in facts.items() if field != "id" and _names(value) & values}
            for name, tool in domain.file.info.items():
                same = name != step.tool and tool.on == domain.file.info[step.tool].on
                if same and need and need <= {"id", *tool.shows}:
                    yield f"{case.task_id}: {name} shows {', '.join(sorted(need))} as {step.tool} does"


def _required(case: Case, step: Step) -> bool:
    return any((read["tool"], read["arguments"]) == (step.tool, step.arguments) for read in case.evidence["reads"])


def _statuses(case: Case, suite: Suite, seen: list[Seen]) -> list[Any]:
    """Return the status of each requirement before any action, by what some reads show."""
    calls = [{"tool": step.tool, "arguments": step.arguments} for step, _ in seen]
    facts = [{**call, "shows": shows} for call, (_, shows) in zip(calls, seen, strict=True) if shows]
    written = {**case.evidence, "protocol": "V0", "stop": "BLOCK", "reads": calls, "read_facts": facts}
    asked = asking(Evidence.model_validate(written), suite.compiled, suite.file.evidence)
    candidates = Candidates(asked, [])
    return [
        candidates._status(need, action)
        for action in asked.evidence.actions
        for need in asked.evidence.requirements
        if need.id in action.requires
    ]


def _leads_on(case: Case, domain: Domain, one: Seen, seen: list[Seen]) -> bool:
    """Return whether a later read or an action has a value that nothing but this read has shown before."""
    brief = briefing(public(case, domain.file), public_domain(domain.file))
    text, own = brief.instruction + brief.system, json.dumps(one[1], ensure_ascii=False)
    for step, shows in seen:
        if step is not one[0]:
            if any(not said(value, text) and said(value, own) for value in step.arguments.values()):
                return True
            text += json.dumps(shows, ensure_ascii=False)
    values = [value for step in case.actions for value in plain(step).values()]
    flat = [leaf for value in values for leaf in (value if isinstance(value, list) else [value])]
    return any(not isinstance(leaf, dict) and not said(leaf, text) and said(leaf, own) for leaf in flat)


def _used(case: Case) -> dict[str | None, set[str]]:
    """Return the fields that requirements test, by entity."""
    found: dict[str | None, set[str]] = {}
    for action in case.evidence["actions"]:
        holes = {f"{{arguments.{name}}}": str(value) for name, value in action["arguments"].items()}
        for need in case.evidence["requirements"]:
            written = [one for role in ("supported_if", "violated_if", "inactive_if") for one in need.get(role, [])]
            for condition in (part for one in written for part in one.get("all", [one])):
                entity = condition.get("entity")
                for hole, value in holes.items() if entity else ():
                    entity = entity.replace(hole, value)
                fields = condition.get("record") or condition.get("state") or {}
                found.setdefault(entity, set()).update(fields)
    return found


def _names(value: Any) -> set[str]:
    """Return the values of a field that could be ids."""
    return {str(one) for one in (value if isinstance(value, list) else [value]) if len(str(one)) > 3}
