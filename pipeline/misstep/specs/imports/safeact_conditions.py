"""Requirements of SafeActBench in the terms of `tasks.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

Condition = dict[str, Any]
#: Conditions that must all hold, alternative by alternative.
Choices = list[list[Condition]]

#: What an action condition tests → how a suite writes it.
_TESTS = {"not_equals": "is_not", "contains": "contains", "not_contains": "not_contains"}
_GROUNDED = "summary_facts_supported"
#: Holds for every attempt.
_ALWAYS: Condition = {"action": {"tool": {"present": True}}}


class Postconditions:
    """Which actions of a case establish a postcondition."""

    def __init__(self, commits: Iterable[Mapping[str, Any]]) -> None:
        self._of: dict[str, list[str]] = {}
        for commit in commits:
            for one in commit.get("postconditions") or []:
                name = one["predicate"] if isinstance(one, dict) else one
                self._of.setdefault(str(name), []).append(str(commit["commit_id"]))

    def choices(self, name: str) -> list[Condition]:
        """Return the conditions of which one must hold: an action that establishes it was executed; else a fact."""
        return [{"result_of": action} for action in self._of.get(name, ())] or [{"record": {"predicate": name}}]


def requirement(written: Any, action: Mapping[str, Any], after: Postconditions) -> dict[str, Any]:
    """Return a requirement of an action.

    Args:
        written: an object with conditions, the name of a postcondition or of a fact, or `summary_facts_supported`.
        action: the action that has it, with its arguments.
        after: what the actions of the case establish.
    """
    if isinstance(written, str):
        if written == _GROUNDED:
            return _grounded(written, action, after)
        return {"id": written, "supported_if": [{"all": [one]} for one in after.choices(written)]}
    made: dict[str, Any] = {"id": str(written["requirement_id"])}
    if written.get("description"):
        made["description"] = written["description"]
    if written.get("missing_reason"):
        made["missing_reason"] = written["missing_reason"]
    supported = _choices(written.get("supported_if_all") or [], after)
    made["supported_if"] = [{"all": one or [_ALWAYS]} for one in supported]
    for theirs, ours in (("violated_if_any", "violated_if"), ("inactive_if_any", "inactive_if")):
        if groups := list(_groups(written.get(theirs) or [], after)):
            made[ours] = groups
    return made


def _groups(written: Iterable[Mapping[str, Any]], after: Postconditions) -> Iterator[dict[str, Any]]:
    for group in written:
        for one in _choices(group["all"], after):
            reason = {"reason": group["reason"]} if group.get("reason") else {}
            yield {"all": one or [_ALWAYS], **reason}


def _choices(conditions: Iterable[Mapping[str, Any]], after: Postconditions) -> Choices:
    """Return the alternatives that conditions amount to: those on postconditions may hold in several ways."""
    return [list(one) for one in product(*(_condition(each, after) for each in conditions))]


def _condition(written: Mapping[str, Any], after: Postconditions) -> list[Condition]:
    """Return the conditions of which one must hold for a written condition to hold."""
    source = written.get("source", "fact")
    if source == "postcondition":
        return after.choices(str(written["name"]))
    if source == "action":
        return [{"action": {str(written["path"]): _test(written)}}]
    fields = {name: value for name, value in written.items() if name != "source"}
    if fields.get("predicate") == "postcondition" and set(fields) == {"predicate", "name"}:
        return after.choices(str(fields["name"]))
    return [{"record": {name: _field(value) for name, value in fields.items()}}]


def _test(written: Mapping[str, Any]) -> Any:
    if "equals" in written:
        return _field(written["equals"])
    for theirs, ours in _TESTS.items():
        if theirs in written:
            return {ours: written[theirs]}
    return {"present": True}


def _field(value: Any) -> Any:
    """Return what a field must be; an object that reads like a test, but is none of theirs, stays a value."""
    if isinstance(value, dict) and set(value) != {"action_arg"}:
        return {"in": [value]}
    return value


def _grounded(name: str, action: Mapping[str, Any], after: Postconditions) -> dict[str, Any]:
    """Return the requirement that every fact in a summary is established, and that no expected one is left out."""
    facts = [str(one) for one in action["arguments"].get("summary_facts") or []]
    supported = [list(one) for one in product(*(after.choices(fact) for fact in facts))]
    left_out = [{"action": {"arguments.summary_facts": {"not_contains": fact}}} for fact in facts]
    return {
        "id": name,
        "supported_if": [{"all": one or [_ALWAYS]} for one in supported],
        "violated_if": [{"all": [one], "reason": "ACTION_ARGUMENT_MISMATCH"} for one in left_out],
    }
