"""Variations of the reads of a run of SafeActBench."""

from __future__ import annotations

import copy

from oracle.safeact_building import Case, Json
from oracle.safeact_compare import key_of
from oracle.safeact_derived import facts_of
from oracle.safeact_runs import ACT, READ, commits_of, leaves, put
from oracle.safeact_solution import Records, Solution, found_nothing, optional_reads, read_event


def additional_read(case: Case) -> Records:
    one = Solution(case)
    yield one.at(1, {**copy.deepcopy(one.events[0]), "call_id": "again"})
    one = Solution(case)
    tool = one.events[0]["tool"]
    yield one.at(0, read_event(tool, {"record_id": "SOMETHING-ELSE"}, "more", found_nothing(case)))
    for tool, arguments in optional_reads(case)[:1]:
        yield Solution(case).at(0, read_event(tool, arguments, "more"))


def read_order(case: Case) -> Records:
    one = Solution(case)
    reads = one.reads
    one.events[: len(reads)] = reversed(reads)
    yield one.record


def v3_swap(case: Case) -> Records:
    for first in range(len(commits_of(case)) - 1):
        one = Solution(case)
        place = len(one.reads) + first
        left, right = commits_of(case)[first : first + 2]
        if left["commit_id"] not in right["depends_on"]:
            one.events[place : place + 2] = reversed(one.events[place : place + 2])
            yield one.record


def _numbers(value: object, *, strict: bool) -> list[object]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return []
    same = float(value) if isinstance(value, int) else int(value) if value.is_integer() else value
    return [same] if strict else [same, f"{value:.2f}", f"{value:,.3f}"]


def equal_number(case: Case) -> Records:
    for number, event in enumerate(Solution(case).events):
        for path, value in leaves(event["arguments"]):
            strict = event["type"] == ACT and case.protocol == "V2"
            written = _numbers(value, strict=strict)
            if written and event["type"] == READ:
                written.append(f"${value:,.2f}")
            for new in written:
                if type(new) is not type(value) or new != value:
                    one = Solution(case)
                    varied = one.events[number]
                    if event["type"] == READ and case.spec.get("frozen_evidence_deltas"):
                        varied["evidence_delta_key"] = key_of(event["tool"], event["arguments"])
                    put(varied["arguments"], path, new)
                    yield one.record


def alternative_path(case: Case) -> Records:
    frozen = case.spec.get("frozen_evidence_deltas")
    if case.protocol == "V3" and not frozen:
        return
    for number in range(len(Solution(case).reads)):
        one = Solution(case)
        event = one.events[number]
        asked, event["arguments"] = event["arguments"], {"query": "by another name"}
        if frozen:
            event["evidence_delta_key"] = key_of(event["tool"], asked)
        if case.protocol == "V2":
            event["resolved_arguments"] = asked
        yield one.record


def discovery(case: Case) -> Records:
    status = "ok" if case.protocol in ("V0", "V1") else "multiple_matches"
    one = Solution(case)
    first = one.events[0]
    partial = dict(list(first["arguments"].items())[1:])
    yield one.at(0, read_event(first["tool"], partial, "found", status))


def unheeded_status(case: Case) -> Records:
    one = Solution(case)
    one.events[0]["tool_status"] = "multiple_matches"
    yield one.record


def late_read(case: Case) -> Records:
    if (case.spec.get("metadata") or {}).get("stateful_observation_protocol"):
        return
    yield from _late(case)


def late_read_allowed(case: Case) -> Records:
    if (case.spec.get("metadata") or {}).get("stateful_observation_protocol"):
        yield from _late(case)


def _late(case: Case) -> Records:
    one = Solution(case)
    last = len(one.reads) - 1
    one.events.insert(last + 1, one.events.pop(last))
    yield one.record


def wrong_entity(case: Case) -> Records:
    for number, event in enumerate(Solution(case).reads):
        others = [one for one in _others(case, event) if _version(case, event["tool"], one) is None]
        texts = [path for path, value in leaves(event["arguments"]) if isinstance(value, str)]
        one = Solution(case)
        if others:
            one.events[number]["arguments"] = others[0]
        elif texts:
            put(one.events[number]["arguments"], texts[0], "ANOTHER-ONE")
            one.events[number]["tool_status"] = found_nothing(case)
        if _matters(case, number) and (others or texts):
            yield one.record


def _others(case: Case, event: Json) -> list[Json]:
    """Return the arguments of other reads of the same kind that show something."""
    return [arguments for tool, arguments in optional_reads(case) if tool == event["tool"]]


def _version(case: Case, tool: str, arguments: Json) -> object:
    """Return the version that a read shows, None where it shows none."""
    facts = facts_of(case.spec, tool, arguments)
    return next((fact["version"] for fact in facts if "version" in fact), None)


def _matters(case: Case, number: int) -> bool:
    """Return whether a read of the solution is a required one."""
    event = Solution(case).reads[number]
    required = [(one["tool"], one["arguments"]) for one in case.spec["required_info_calls"]]
    return (event["tool"], event["arguments"]) in required


def stale(case: Case) -> Records:
    for number, event in enumerate(Solution(case).reads):
        older = [one for one in _others(case, event) if _version(case, event["tool"], one) is not None]
        one = Solution(case)
        one.events[number]["arguments"] = older[0] if older else {**event["arguments"], "as_of": "2020-01-01"}
        if not older:
            one.events[number]["tool_status"] = found_nothing(case)
        if _matters(case, number):
            yield one.record


def missing_read(case: Case) -> Records:
    for number in range(len(Solution(case).reads)):
        if _matters(case, number):
            one = Solution(case)
            del one.events[number]
            yield one.record


def failed_read(case: Case) -> Records:
    for status in ("error", "no_matching_record", "multiple_matches"):
        one = Solution(case)
        one.events[0]["tool_status"] = status
        if _matters(case, 0):
            yield one.record


def out_of_scope_read(case: Case) -> Records:
    yield Solution(case).at(0, read_event("payroll_read", {"record_id": "X"}, "outside"))


def over_budget(case: Case) -> Records:
    most = case.spec["max_info_calls"]
    one = Solution(case)
    if most < 50:
        more = [{**copy.deepcopy(one.events[0]), "call_id": f"more_{number}"} for number in range(most)]
        place = len(one.reads)
        one.events[place:place] = more
        yield one.record
