"""Cases derived from another: the same task, known through other reads, where its specification then says so."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from oracle.safeact_building import Case, Json
from oracle.safeact_compare import key_of
from oracle.safeact_runs import READ, commits_of, reference

#: A derived case, and the record of a solution that its specification allows.
Derived = tuple[Case, Json]


def _renamed(case: Case, ending: str) -> Case:
    spec = copy.deepcopy(case.spec)
    spec["episode_id"] = f"{case.case_id}-{ending}"
    return Case(spec["episode_id"], case.protocol, spec)


def facts_of(spec: Json, tool: str, arguments: Json) -> list[Json]:
    """Return the facts that a read establishes."""
    key = key_of(tool, arguments)
    if key in (deltas := spec.get("frozen_evidence_deltas") or {}):
        return list(deltas[key])
    rules = [one for one in spec.get("evidence_rules") or [] if (one["tool"], one["args_match"]) == (tool, arguments)]
    return [fact for one in rules for fact in one["facts"]]


def _add(spec: Json, tool: str, arguments: Json, facts: list[Json]) -> None:
    """Let a read show some facts; nothing requires it."""
    if tool not in spec["info_tools"]:
        spec["info_tools"].append(tool)
    if spec.get("frozen_evidence_deltas"):
        spec["frozen_evidence_deltas"].setdefault(key_of(tool, arguments), []).extend(facts)
    else:
        spec["evidence_rules"].append({"tool": tool, "args_match": arguments, "facts": facts})


def _free(spec: Json, place: int | None = None) -> Json:
    """Take a read (the first that shows something) off the required ones, and return it."""
    reads = spec["required_info_calls"]
    shown = (number for number, read in enumerate(reads) if facts_of(spec, read["tool"], read["arguments"]))
    one = reads.pop(next(shown) if place is None else place)
    spec["min_info_calls"] = min(spec.get("min_info_calls", 2), len(reads) + 1)
    spec["min_distinct_info_tools"] = min(spec.get("min_distinct_info_tools", 2), len({one["tool"] for one in reads}))
    return dict(one)


def _instead(case: Case, read: Json, others: list[tuple[str, Json]]) -> Json:
    """Return the solution with other reads in the place of one."""
    record = reference(case)
    events: list[Json] = []
    for event in record["events"]:
        if event["type"] == READ and (event["tool"], event["arguments"]) == (read["tool"], read["arguments"]):
            events += [
                {**event, "tool": tool, "arguments": arguments, "call_id": f"other_{number}"}
                for number, (tool, arguments) in enumerate(others)
            ]
        else:
            events.append(event)
    return {**record, "events": events}


def equal_fact(case: Case) -> Iterator[Derived]:
    """Yield the case in which another tool shows what one read shows."""
    made = _renamed(case, "EQ")
    read = _free(made.spec)
    facts = facts_of(made.spec, read["tool"], read["arguments"])
    other = f"{read['tool']}_replica"
    _add(made.spec, other, read["arguments"], facts)
    yield made, _instead(made, read, [(other, read["arguments"])])


def indirect_state(case: Case) -> Iterator[Derived]:
    """Yield the case in which a log, asked with arguments of its own, tells of the state that one read shows."""
    made = _renamed(case, "IN")
    read = _free(made.spec)
    told = [
        {**fact, "source_record_id": "log", "event": "recorded", "entry": 17}
        for fact in facts_of(made.spec, read["tool"], read["arguments"])
    ]
    _add(made.spec, "event_log_read", {"since": "yesterday"}, told)
    yield made, _instead(made, read, [("event_log_read", {"since": "yesterday"})])


def joint_support(case: Case) -> Iterator[Derived]:
    """Yield the case in which one requirement needs what several reads show, one of them in two halves."""
    made = _renamed(case, "JO")
    action: Json = made.spec if case.protocol == "V1" else commits_of(made)[0]
    written: list[Any] = action["requirements"]
    merged = [one for one in written if isinstance(one, dict) and _of_facts(one)]
    conditions = [condition for one in merged for condition in one["supported_if_all"]]
    action["requirements"] = [one for one in written if one not in merged] + [
        {"requirement_id": "all_together", "missing_reason": "TOGETHER", "supported_if_all": conditions}
    ]
    read = _free(made.spec)
    facts = facts_of(made.spec, read["tool"], read["arguments"])
    halves = [(f"{read['tool']}_{name}", read["arguments"]) for name in ("first", "second")]
    for number, (tool, arguments) in enumerate(halves):
        _add(made.spec, tool, arguments, facts[number::2])
    if len(conditions) > 1:
        yield made, _instead(made, read, halves)


def _of_facts(requirement: Json) -> bool:
    """Return whether a requirement is about facts alone, in one way."""
    plain = all(one.get("source", "fact") == "fact" for one in requirement["supported_if_all"])
    return plain and not requirement.get("violated_if_any") and not requirement.get("inactive_if_any")


def wrong_entity_fact(case: Case) -> Iterator[Derived]:
    """Yield the case in which nothing but requirements asks for a read, and what was read is about another entity."""
    for place, read in enumerate(case.spec["required_info_calls"]):
        ids = {value for value in read["arguments"].values() if isinstance(value, str)}
        other = {value: f"{value}-OTHER" for value in ids}

        def about(value: Any, other: dict[str, str] = other) -> Any:
            return other.get(value, value) if isinstance(value, str) else value

        yield from _instead_of(
            case, place, f"WE{place}", {name: about(one) for name, one in read["arguments"].items()}, about
        )


def stale_fact(case: Case) -> Iterator[Derived]:
    """Yield the case in which nothing but requirements asks for a read, and an older state of it was read."""
    for place, read in enumerate(case.spec["required_info_calls"]):
        ids = {value for value in read["arguments"].values() if isinstance(value, str)}

        def before(value: Any, ids: set[str] = ids) -> Any:
            if isinstance(value, bool):
                return not value
            if isinstance(value, int | float):
                return value - 1
            return f"{value} (before)" if isinstance(value, str) and value not in ids else value

        yield from _instead_of(case, place, f"ST{place}", {**read["arguments"], "as_of": "2020-01-01"}, before)


def _instead_of(case: Case, place: int, ending: str, arguments: Json, change: Any) -> Iterator[Derived]:
    """Yield the case with a read that shows changed facts in the place of one, where requirements tell them apart."""
    made = _renamed(case, ending)
    read = _free(made.spec, place)
    facts = facts_of(made.spec, read["tool"], read["arguments"])
    told = [
        {name: value if name == "predicate" else change(value) for name, value in fact.items()} | {"record_version": 0}
        for fact in facts
    ]
    if any(_tells(made, old, new) for old, new in zip(facts, told, strict=True)):
        _add(made.spec, read["tool"], arguments, told)
        yield made, _instead(made, read, [(read["tool"], arguments)])


def _tells(case: Case, old: Json, new: Json) -> bool:
    """Return whether a requirement, which nothing can violate, tests a field in which two facts differ."""
    actions = commits_of(case) or [case.spec]
    written = [one for action in actions for one in action["requirements"] if isinstance(one, dict)]
    groups = [group for one in written for group in one.get("violated_if_any") or []]
    if any(one.get("predicate") == old["predicate"] for group in groups for one in group["all"]):
        return False
    conditions = [
        one for each in written for one in each["supported_if_all"] if one.get("predicate") == old["predicate"]
    ]
    apart = {name for name, value in old.items() if new.get(name) != value}
    return any(apart & (set(one) - {"source", "predicate", "record_version"}) for one in conditions)
