"""Requirements of SafeActBench in the terms of `tasks.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

Condition = dict[str, Any]
#: Conditions that must all hold, alternative by alternative.
Choices = list[list[Condition]]

#: Parameters whose lists have no order.
UNORDERED = ("summary_facts", "dependency_receipts", "fee_ids")
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

    def has(self, name: str) -> bool:
        """Return whether an action establishes it."""
        return name in self._of

    def choices(self, name: str) -> list[Condition]:
        """Return the conditions of which one must hold: an action that establishes it was executed; else a fact."""
        return [{"result_of": action} for action in self._of.get(name, ())] or [{"record": {"predicate": name}}]


class _Terms(NamedTuple):
    """What the requirements of an action refer to: its arguments, and what the actions of the case establish."""

    arguments: Mapping[str, Any]
    after: Postconditions


def requirement(written: Any, action: Mapping[str, Any], after: Postconditions) -> dict[str, Any]:
    """Return a requirement of an action.

    Args:
        written: an object with conditions, the name of a postcondition or of a fact, or `summary_facts_supported`.
        action: the action that has it, with its arguments.
        after: what the actions of the case establish.
    """
    if isinstance(written, str):
        named = [written] if written != _GROUNDED else action["arguments"].get("summary_facts") or []
        alternatives = product(*(after.choices(str(name)) for name in named))
        return {"id": written, "supported_if": [{"all": list(one) or [_ALWAYS]} for one in alternatives]}
    made: dict[str, Any] = {"id": str(written["requirement_id"])}
    for name in ("description", "missing_reason"):
        if written.get(name):
            made[name] = written[name]
    terms = _Terms(action["arguments"], after)
    supported = _choices(written.get("supported_if_all") or [], terms)
    made["supported_if"] = [{"all": one or [_ALWAYS]} for one in supported]
    for theirs, ours in (("violated_if_any", "violated_if"), ("inactive_if_any", "inactive_if")):
        if groups := list(_groups(written.get(theirs) or [], terms)):
            made[ours] = groups
    if identity := sorted({name for one in written.get("supported_if_all") or [] for name in _naming(one)}):
        made["identity"] = identity
    return made


def _naming(condition: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a condition on a fact that say which entity it is about: those of ids."""
    if condition.get("source", "fact") == "fact":
        yield from (name for name in condition if name.endswith("_id"))


def _groups(written: Iterable[Mapping[str, Any]], terms: _Terms) -> Iterator[dict[str, Any]]:
    for group in written:
        for one in _choices(group["all"], terms):
            reason = {"reason": group["reason"]} if group.get("reason") else {}
            yield {"all": one or [_ALWAYS], **reason}


def _choices(conditions: Iterable[Mapping[str, Any]], terms: _Terms) -> Choices:
    """Return the alternatives that conditions amount to: some conditions hold in several ways."""
    return [list(one) for one in product(*(_condition(each, terms) for each in conditions))]


def _condition(written: Mapping[str, Any], terms: _Terms) -> list[Condition]:
    """Return the conditions of which one must hold for a written condition to hold."""
    source = written.get("source", "fact")
    if source == "postcondition":
        return terms.after.choices(str(written["name"]))
    if source == "action":
        return _on_action(str(written["path"]), written, terms)
    fields = {name: value for name, value in written.items() if name != "source"}
    established = fields.get("name") if fields.get("predicate") == "postcondition" else fields.get("predicate")
    if isinstance(established, str) and terms.after.has(established):
        return terms.after.choices(established)
    return [{"record": {name: _field(value, terms) for name, value in fields.items()}}]


def _on_action(path: str, written: Mapping[str, Any], terms: _Terms) -> list[Condition]:
    """Return the same of a condition on the attempt; one on a list is about its members, as many as there must be."""
    held: Any = terms.arguments
    for name in path.split(".")[1:]:
        held = held.get(name, {}) if isinstance(held, Mapping) else {}
    places = [f"{path}[{index}]" for index in range(len(held))] if isinstance(held, list) else []
    if path.rpartition(".")[2] in UNORDERED:
        places = [f"{path}[]"]
    if "equals" in written:
        return [{"action": {path: _value(written["equals"])}}]
    if "contains" in written and places:
        return [{"action": {place: written["contains"]}} for place in places]
    if "not_contains" in written and places:
        return [{"action": {place: {"is_not": written["not_contains"]} for place in places}}]
    if "not_equals" in written and places and isinstance(written["not_equals"], list):
        return [{"action": {place: {"is_not": one}}} for place, one in zip(places, written["not_equals"], strict=False)]
    for theirs, ours in _TESTS.items():
        if theirs in written:
            return [{"action": {path: {ours: written[theirs]}}}]
    inside = [f"{path}.{name}" for name in held] if isinstance(held, Mapping) else places
    return [{"action": {place: {"present": True}}} for place in inside or [path]]


def _field(value: Any, terms: _Terms) -> Any:
    """Return what a field must be; a list or an object that an argument must be is the one of the solution."""
    if isinstance(value, dict) and set(value) == {"action_arg"}:
        held = terms.arguments.get(value["action_arg"])
        return _value(held) if isinstance(held, dict | list) else value
    return _value(value)


def _value(value: Any) -> Any:
    """Return a value as a suite writes it: an object is no test."""
    return {"in": [value]} if isinstance(value, dict) else value
