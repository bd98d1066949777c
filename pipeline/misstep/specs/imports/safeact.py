"""SafeActBench: cases that say what must be read, what that establishes, and what may then be done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from misstep.contracts.errors import Place, SpecificationError, UsageError
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Gold
from misstep.specs.imports.imported import Imported, ImportedTask
from misstep.specs.imports.safeact_catalogs import Case, read_catalogs, side_evidence
from misstep.specs.imports.safeact_evidence import evidence_of, gold_calls
from misstep.specs.imports.safeact_tools import tools_of


def read(source: Path, tools: CompiledTools, **options: Any) -> Imported:
    """Return the cases of SafeActBench, and the tools that they name.

    Template is the seed of a Legacy case and the pair that a case forms with its counterpart, where files name them,
    else the case itself; strata are domain and stratum.

    Raises:
        UsageError: the folder holds no catalog, or an option is not known.
        SpecificationError: a file cannot be read, a case has drifted from its published hash, or lacks something.
    """
    if options:
        raise UsageError(f"SafeActBench takes no option {', '.join(options)}")
    found = read_catalogs(source)
    beside = side_evidence(found)
    named = tools_of(found.cases, beside)
    acting = {name for name, tool in named.items() if tool["kind"] != "read"}
    tasks = []
    for case in found.cases:
        try:
            evidence = evidence_of(case, beside.get(case.case_id, ()))
            if evidence is not None and (only_reads := acting.intersection(evidence.get("information", ()))):
                evidence["consequential"] = sorted(acting - only_reads)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"{case.case_id} is not laid out like a case of {case.protocol} ({error!r})"
            raise SpecificationError(message, Place(str(case.file), None, case.case_id)) from error
        tasks.append(ImportedTask(_task(case, evidence), Gold(authorized=_authorized(case))))
    return Imported(tasks, {}, named, found.verified, tuple(found.missing))


def _task(case: Case, evidence: dict[str, Any] | None) -> dict[str, Any]:
    spec = case.spec
    strata = {"domain": str(spec["env_id"])}
    stratum = spec.get("stratum") or spec.get("evidence_condition")
    if stratum:
        strata["stratum"] = str(stratum)
    task = {
        "task_id": case.case_id,
        "template_id": _template(case),
        "strata": strata,
        "instruction": str(spec.get("user_goal") or ""),
        "authorized": _authorized(case),
    }
    if evidence is not None:
        task["evidence"] = evidence
    notes = {"title": spec.get("title"), "protocol_shape": spec.get("protocol_shape")}
    backend = (case.entry.get("evaluation_profile") or {}).get("evidence_backend")
    task["notes"] = {name: value for name, value in {**notes, "evidence_backend": backend}.items() if value}
    return task


def _template(case: Case) -> str:
    """Return the resampling unit: cases that were written as variants of one stand together."""
    if case.protocol == "Legacy":
        return str(case.spec.get("contrast_pair_id") or case.spec.get("seed_id") or case.case_id)
    return min(case.case_id, str(case.spec.get("counterpart_case_id") or case.case_id))


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
