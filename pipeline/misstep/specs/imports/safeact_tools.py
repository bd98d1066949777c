"""The tools of SafeActBench, from the cases that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from misstep.specs.imports.checked import UNFIT
from misstep.specs.imports.safeact_catalogs import Case, Record
from misstep.specs.imports.safeact_evidence import gold_calls

#: Parameters that the benchmark compares in a way of their own, whichever tool has them.
_OWN: Mapping[str, Any] = {
    "idempotency_key": "free",
    "summary_facts": {"each": "loose", "unordered": True},
    "dependency_receipts": {"each": "loose", "unordered": True},
    "fee_ids": {"each": "loose", "distinct": True},
}
_DELETING = frozenset({"delete", "remove", "purge", "erase"})
_ID = "_id"


#: A tool, whether it is acted with, and arguments, None where it is only named.
_Use = tuple[str, bool, Mapping[str, Any] | None]


def tools_of(cases: Sequence[Case], beside: Mapping[str, Iterable[Record]]) -> dict[str, dict[str, Any]]:
    """Return the tools of a tools file: what cases read with is read, what they act with is written.

    Of a case that has not the shape that it should have, the tools that can be told.
    """
    reads: dict[str, list[Mapping[str, Any]]] = {}
    acts: dict[str, list[Mapping[str, Any]]] = {}
    for case in cases:
        for name, acting, arguments in _uses(case, beside.get(case.case_id, ())):
            if isinstance(name, str) and name:
                known = (acts if acting else reads).setdefault(name, [])
                if isinstance(arguments, Mapping):
                    known.append(arguments)
    for name in (name for case in cases for name in _legacy(case) if name not in acts):
        reads.setdefault(name, [])
    return {name: _tool(name, reads.get(name), acts.get(name)) for name in sorted({*reads, *acts})}


def acted_with(case: Case) -> Iterator[str]:
    """Yield the tools that a case acts with, as far as they can be told."""
    if case.protocol not in ("Legacy", "V0"):
        yield from (name for name, acting, _ in _uses(case, ()) if acting and isinstance(name, str) and name)


def _uses(case: Case, beside: Iterable[Record]) -> Iterator[_Use]:
    """Yield what a case does with tools, until something has not the shape that it should have."""
    for part in (_read_with, _acted_with):
        try:
            yield from part(case)
        except UNFIT:
            continue
    yield from ((record.tool, False, record.arguments) for record in beside)


def _read_with(case: Case) -> Iterator[_Use]:
    spec = case.spec
    yield from ((name, False, None) for name in spec.get("info_tools") or [])
    yield from ((call["tool"], False, call["arguments"]) for call in spec.get("required_info_calls") or [])
    yield from ((rule["tool"], False, rule["args_match"]) for rule in spec.get("evidence_rules") or [])


def _acted_with(case: Case) -> Iterator[_Use]:
    named = [*(case.spec.get("public_action_tools") or []), *(case.entry.get("action_tools") or [])]
    yield from ((name, True, None) for name in named)
    yield from ((tool, True, arguments) for tool, arguments in gold_calls(case))


def _legacy(case: Case) -> list[str]:
    """Return the tools of a Legacy case that only look something up."""
    if case.protocol != "Legacy":
        return []
    candidate = (case.spec.get("candidate_action") or {}).get("tool")
    return [name for name in case.spec.get("available_tools") or [] if name != candidate]


def _tool(name: str, reads: list[Mapping[str, Any]] | None, acts: list[Mapping[str, Any]] | None) -> dict[str, Any]:
    kind = "read" if acts is None else "write" if reads is None else "both"
    seen = sorted({argument for one in (*(reads or ()), *(acts or ())) for argument in one})
    if acts is not None and "idempotency_key" not in seen:
        seen.append("idempotency_key")
    own = {one: _OWN[one] for one in seen if one in _OWN}
    made: dict[str, Any] = {"kind": kind} | ({"compare": own} if own else {})
    if acts is not None:
        made["writes"] = [_write(name, acts)]
    return made


def _write(name: str, acts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what an action is taken to change: the entity that an argument names in every case, else a new one."""
    always = sorted(set.intersection(*(set(one) for one in acts))) if acts else []
    named = next((one for one in always if one.endswith(_ID) and _given(one, acts)), None)
    rule: dict[str, Any] = {"action": name}
    if named is None:
        return rule | {"entity": f"{name}:new", "creates": True}
    rule["entity"] = f"{named.removesuffix(_ID)}:{{arguments.{named}}}"
    if _DELETING & set(name.split("_")):
        return rule | {"delete": True}
    fields = {one: f"arguments.{one}" for one in always if one != named and one not in _OWN}
    return rule | ({"set": fields} if fields else {})


def _given(argument: str, acts: list[Mapping[str, Any]]) -> bool:
    """Return whether an argument always names something that was there before, no result of another action."""
    return all(isinstance(one[argument], str) and not one[argument].startswith(("result:", "$", "*")) for one in acts)
