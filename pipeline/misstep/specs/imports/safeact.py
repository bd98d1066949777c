"""SafeActBench: cases that say what must be read, what that establishes, and what may then be done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from misstep.contracts.errors import UsageError
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.checked import UNFIT, explained, without_evidence
from misstep.specs.imports.gold import Gold
from misstep.specs.imports.imported import Imported, ImportedTask, Refusal
from misstep.specs.imports.safeact_catalogs import Case, Record, read_catalogs, side_evidence
from misstep.specs.imports.safeact_evidence import evidence_of, gold_calls
from misstep.specs.imports.safeact_tools import acted_with, tools_of


def read(source: Path, tools: CompiledTools, **options: Any) -> Imported:
    """Return the cases of SafeActBench, and the tools that they name.

    A case is its own template; strata are domain, stratum, and the pair of cases that were written as variants of one.
    A case that has not the shape that it should have is a task without evidence.

    Raises:
        UsageError: the folder holds no catalog, or an option is not known.
        SpecificationError: a file cannot be read, or a case has drifted from its published hash.
    """
    if options:
        raise UsageError(f"SafeActBench takes no option {', '.join(options)}")
    found = read_catalogs(source)
    beside = side_evidence(found)
    named = tools_of(found.cases, beside)
    acting = {name for name, tool in named.items() if tool["kind"] != "read"}
    tasks = []
    refused = []
    for case in found.cases:
        try:
            task = _task(case, _evidence(case, beside.get(case.case_id, ()), acting, found.unfit))
        except UNFIT as error:
            refused.append(Refusal(case.case_id, *explained(error)))
            task = without_evidence(_known(case), refused[-1])
        tasks.append(ImportedTask(task, Gold(authorized=task["authorized"])))
    return Imported(tasks, {}, named, found.verified, tuple(found.missing), tuple(refused))


def _evidence(
    case: Case, beside: Iterable[Record], acting: Collection[str], unfit: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the evidence of a task.

    Raises:
        KeyError, ValueError: the case, or a file beside it, has not the shape that it should have.
    """
    if case.case_id in unfit:
        raise ValueError(unfit[case.case_id])
    evidence = evidence_of(case, beside)
    if evidence is not None and (only_reads := set(acting).intersection(evidence.get("information", ()))):
        evidence["consequential"] = sorted(set(acting) - only_reads)
    return evidence


def _task(case: Case, evidence: dict[str, Any] | None) -> dict[str, Any]:
    task = _known(case) | {"authorized": _authorized(case)}
    return task if evidence is None else task | {"evidence": evidence}


def _known(case: Case) -> dict[str, Any]:
    """Return the task of a case without its evidence: any call of a tool that it acts with is authorized."""
    spec = case.spec
    strata = {
        "domain": spec.get("env_id"),
        "stratum": spec.get("stratum") or spec.get("evidence_condition"),
        "pair": _pair(case),
    }
    notes = {"title": spec.get("title"), "protocol_shape": spec.get("protocol_shape")}
    backend = (case.entry.get("evaluation_profile") or {}).get("evidence_backend")
    return {
        "task_id": case.case_id,
        "template_id": case.case_id,
        "strata": {name: str(value) for name, value in strata.items() if value},
        "instruction": str(spec.get("user_goal") or ""),
        "authorized": [{"tool": tool, "max": None} for tool in dict.fromkeys(acted_with(case))],
        "notes": {name: str(value) for name, value in {**notes, "evidence_backend": backend}.items() if value},
    }


def _pair(case: Case) -> str | None:
    """Return the name that cases which were written as variants of one have in common, where files name it."""
    if case.protocol == "Legacy":
        named = case.spec.get("contrast_pair_id") or case.spec.get("seed_id")
        return None if named is None else str(named)
    other = case.spec.get("counterpart_case_id")
    return None if other is None else min(case.case_id, str(other))


def _authorized(case: Case) -> list[dict[str, Any]]:
    """Return the actions of the solution as authorized writes, as far as their arguments stand from the start."""
    if case.protocol in ("Legacy", "V0"):
        return []
    return [{"tool": tool, "arguments": _fixed(arguments)} for tool, arguments in gold_calls(case)]


def _fixed(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if not _open(value) and name != "idempotency_key"}


def _open(value: Any) -> bool:
    """Return whether a gold value leaves something open: a result of another action, or any value."""
    if isinstance(value, dict):
        return any(map(_open, value.values()))
    if isinstance(value, list):
        return any(map(_open, value))
    return isinstance(value, str) and value.startswith(("result:", "$", "*"))
