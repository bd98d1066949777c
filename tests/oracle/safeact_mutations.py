"""Mutations of runs of SafeActBench: what is varied, apart from what the result must be (`safeact_expected.csv`)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

from oracle.safeact_building import Case, Json
from oracle.safeact_compare import REFERENCE
from oracle.safeact_derived import (
    equal_fact,
    indirect_state,
    joint_support,
    stale_fact,
    wrong_entity_fact,
)
from oracle.safeact_reads import (
    additional_read,
    alternative_path,
    discovery,
    equal_number,
    failed_read,
    late_read,
    late_read_allowed,
    missing_read,
    out_of_scope_read,
    over_budget,
    read_order,
    stale,
    unheeded_status,
    v3_swap,
    wrong_entity,
)
from oracle.safeact_runs import ACT, commits_of, leaves, put, reference
from oracle.safeact_solution import Records, Solution

#: Tools of other cases, and one that nobody knows.
FOREIGN, UNKNOWN = "node_reboot", "nobody_knows_this"


class Mutation(NamedTuple):
    """A record that was varied: the case it is of, the kind of variation, its number, and the record."""

    case: Case
    kind: str
    number: int
    record: Json


def own_keys(case: Case) -> Records:
    one = Solution(case)
    for number, event in enumerate(one.actions):
        event["arguments"]["idempotency_key"] = f"key-{number}"
    yield one.record


def list_order(case: Case) -> Records:
    for number, event in enumerate(Solution(case).events):
        for name in ("summary_facts", "dependency_receipts"):
            if event["type"] == ACT and len(event["arguments"].get(name) or ()) > 1:
                one = Solution(case)
                one.events[number]["arguments"][name].reverse()
                yield one.record


def reordered(case: Case) -> Records:
    commits = commits_of(case)
    for first in range(len(commits) - 1):
        if commits[first]["commit_id"] in commits[first + 1]["depends_on"]:
            one = Solution(case)
            place = len(one.reads) + first
            one.events[place : place + 2] = reversed(one.events[place : place + 2])
            yield one.record


def _references(case: Case) -> Iterator[tuple[int, tuple[object, ...], str]]:
    for number, event in enumerate(Solution(case).events):
        if event["type"] == ACT:
            for path, value in leaves(event["arguments"]):
                if isinstance(value, str) and REFERENCE.match(value):
                    yield number, path, value


def invented_result(case: Case) -> Records:
    for number, path, _ in _references(case):
        for new in ("result:never_made.receipt_id", "RCPT-000123"):
            if "dependency_receipts" not in path or new.startswith("result:"):
                one = Solution(case)
                put(one.events[number]["arguments"], path, new)
                yield one.record


def forward_result(case: Case) -> Records:
    for number, path, value in _references(case):
        one = Solution(case)
        own = one.events[number]["call_id"]
        put(one.events[number]["arguments"], path, f"result:{own}.{value.partition('.')[2]}")
        yield one.record


def wrong_result_field(case: Case) -> Records:
    for number, path, value in _references(case):
        one = Solution(case)
        put(one.events[number]["arguments"], path, f"{value.partition('.')[0]}.no_such_field")
        yield one.record


def _plain(case: Case) -> Iterator[tuple[int, tuple[object, ...], object]]:
    """Yield the first text, number or boolean of each action that stands in its solution as it is."""
    free = {name for name, value in _template(case).items() if isinstance(value, str) and value.startswith("$")}
    for number, event in enumerate(Solution(case).events):
        if event["type"] == ACT:
            for path, value in leaves(event["arguments"]):
                reference_ = isinstance(value, str) and value.startswith("result:")
                if not reference_ and path[0] not in ("summary_facts", "idempotency_key", *free):
                    yield number, path, value
                    break


def _template(case: Case) -> Json:
    return dict((case.spec.get("key_action_template") or {}).get("arguments") or {})


def wrong_argument(case: Case) -> Records:
    for number, path, value in _plain(case):
        one = Solution(case)
        new = (not value) if isinstance(value, bool) else f"{value}-OTHER" if isinstance(value, str) else value + 1  # type: ignore[operator]
        put(one.events[number]["arguments"], path, new)
        yield one.record


def missing_argument(case: Case) -> Records:
    for number, path, _ in _plain(case):
        one = Solution(case)
        del one.events[number]["arguments"][path[0]]
        yield one.record


def missing_key(case: Case) -> Records:
    for number, event in enumerate(Solution(case).events):
        if event["type"] == ACT and "idempotency_key" in event["arguments"]:
            one = Solution(case)
            del one.events[number]["arguments"]["idempotency_key"]
            yield one.record


def other_key(case: Case) -> Records:
    for number, event in enumerate(Solution(case).events):
        if event["type"] == ACT and "idempotency_key" in event["arguments"]:
            one = Solution(case)
            one.events[number]["arguments"]["idempotency_key"] = "a key of one's own"
            yield one.record


def unexpected_argument(case: Case) -> Records:
    for number, _, _ in _plain(case):
        one = Solution(case)
        one.events[number]["arguments"]["priority"] = "high"
        yield one.record


def numeric_text(case: Case) -> Records:
    for number, event in enumerate(Solution(case).events):
        for path, value in leaves(event["arguments"]):
            if event["type"] == ACT and isinstance(value, int | float) and not isinstance(value, bool):
                one = Solution(case)
                put(one.events[number]["arguments"], path, str(value))
                yield one.record


def placeholder(case: Case) -> Records:
    for number, path, value in _plain(case):
        one = Solution(case)
        put(one.events[number]["arguments"], path, f"${value}")
        yield one.record


def free_text(case: Case) -> Records:
    commits = commits_of(case) or [case.spec.get("key_action_template") or {}]
    for number, commit in enumerate(commits):
        forbidden = (commit.get("payload_policy") or {}).get("forbidden_free_text_fields")
        if forbidden:
            one = Solution(case)
            one.actions[number]["arguments"][forbidden[0]] = "Dear all"
            yield one.record


def ungrounded_summary(case: Case) -> Records:
    for number, commit in enumerate(commits_of(case)):
        if "summary_facts_supported" in commit["requirements"]:
            for new in (["something_else"], commit["arguments"]["summary_facts"][:-1]):
                one = Solution(case)
                one.actions[number]["arguments"]["summary_facts"] = new
                yield one.record


def wrong_tool(case: Case) -> Records:
    for tool in (FOREIGN, UNKNOWN):
        one = Solution(case)
        one.actions[0]["tool"] = tool
        yield one.record


def extra_action_first(case: Case) -> Records:
    one = Solution(case)
    yield one.at(len(one.reads), {"type": ACT, "tool": FOREIGN, "arguments": {"node": "n-1"}, "call_id": "extra"})


def extra_action_last(case: Case) -> Records:
    one = Solution(case)
    last = copy.deepcopy(one.events[-1])
    yield one.at(len(one.events), {**last, "call_id": "extra"})
    one = Solution(case)
    yield one.at(len(one.events), {"type": ACT, "tool": FOREIGN, "arguments": {"node": "n-1"}, "call_id": "extra"})


def read_after_end(case: Case) -> Records:
    one = Solution(case)
    yield one.at(len(one.events), {**copy.deepcopy(one.events[0]), "call_id": "late"})


def repeated_action(case: Case) -> Records:
    one = Solution(case)
    if len(one.actions) > 1:
        yield one.at(len(one.reads) + 1, {**copy.deepcopy(one.actions[0]), "call_id": "twice"})


def action_in_v0(case: Case) -> Records:
    template = case.spec.get("key_action_template") or commits_of(case)[0]
    for tool, arguments in ((template["tool"], template["arguments"]), (FOREIGN, {}), (UNKNOWN, {})):
        one = Solution(case)
        yield one.at(len(one.events), {"type": ACT, "tool": tool, "arguments": arguments, "call_id": "act"})


def wrong_stop(case: Case) -> Records:
    for outcome in {"BLOCK", "DEFER", "NONE"} - {case.spec["expected_stop_outcome"]}:
        one = Solution(case)
        one.record["terminal"]["outcome"] = outcome
        yield one.record


def no_stop(case: Case) -> Records:
    one = Solution(case)
    del one.record["terminal"]
    yield one.record


def stopped_short(case: Case) -> Records:
    one = Solution(case)
    del one.events[-1]
    yield one.record


def key_reused(case: Case) -> Records:
    one = Solution(case)
    if len(one.actions) > 1:
        for event in one.actions[:2]:
            event["arguments"]["idempotency_key"] = "one-key"
        yield one.record


def same_call_id(case: Case) -> Records:
    one = Solution(case)
    if len(one.actions) > 1:
        one.events[-1]["call_id"] = one.events[0]["call_id"]
        yield one.record


def malformed_arguments(case: Case) -> Records:
    one = Solution(case)
    one.events[0]["arguments"] = "not an object"
    yield one.record


def parse_error(case: Case) -> Records:
    one = Solution(case)
    one.record["metadata"] = {"parse_error": "no JSON object in the answer"}
    yield one.record


#: Kinds that vary a record, in the order of the table of expectations.
VARIATIONS: dict[str, Callable[[Case], Records]] = {
    made.__name__: made
    for made in (
        additional_read, v3_swap, equal_number, alternative_path, discovery, read_order, unheeded_status,
        late_read_allowed, own_keys, list_order, wrong_entity, stale, missing_read, failed_read, late_read,
        out_of_scope_read, over_budget, reordered, invented_result, forward_result, wrong_result_field, wrong_argument,
        missing_argument, missing_key, other_key,
        unexpected_argument, numeric_text, placeholder, free_text, ungrounded_summary, wrong_tool,
        extra_action_first, extra_action_last, read_after_end, repeated_action, action_in_v0, wrong_stop, no_stop,
        stopped_short, key_reused, same_call_id, malformed_arguments, parse_error,
    )
}  # fmt: skip
#: Kinds that vary the specification too; those of a kind above are counted with it.
DERIVATIONS = {
    "equal_fact": equal_fact,
    "joint_support": joint_support,
    "indirect_state": indirect_state,
    "wrong_entity": wrong_entity_fact,
    "stale": stale_fact,
}


def mutations(cases: list[Case], protocols: dict[str, set[str]]) -> Iterator[Mutation]:
    """Yield the solutions of the cases and all mutations of them, kind by kind.

    Args:
        cases: the cases.
        protocols: kind → the protocols that it is expected to have a meaning for.
    """
    for case in cases:
        yield Mutation(case, "reference", 0, reference(case))
        if case.protocol == "Legacy":
            decision = next(one for one in ("allow", "defer") if one != case.spec["gold_decision"])
            yield Mutation(case, "wrong_judgement", 0, {**reference(case), "decision": decision})
            continue
        for kind, vary in VARIATIONS.items():
            if case.protocol in protocols[kind]:
                for number, record in enumerate(vary(case)):
                    yield Mutation(case, kind, number, record)
        for kind, derive in DERIVATIONS.items():
            if case.protocol in protocols[kind] and case.protocol != "V0":
                for number, (derived, record) in enumerate(derive(case)):
                    yield Mutation(derived, kind, number, record)
