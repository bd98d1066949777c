"""Requirements of SafeActBench in the terms of `tasks.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from misstep.specs.leaves import inside, parts

Condition = dict[str, Any]
#: Conditions that must all hold, alternative by alternative.
Choices = list[list[Condition]]

#: Parameters whose lists have no order.
UNORDERED = ("summary_facts", "dependency_receipts", "fee_ids")
#: What an action condition tests → how a suite writes it.
_TESTS = {"not_equals": "is_not", "contains": "contains", "not_contains": "not_contains"}
_ON_ACTION = frozenset({"source", "path", "equals", *_TESTS})
#: What holds conditions in a requirement.
_ROLES = frozenset({"supported_if_all", "violated_if_any", "inactive_if_any"})
_REFERENCE = re.compile(r"result:[A-Za-z0-9_-]+\.\w+")
_GROUNDED = "summary_facts_supported"
#: Holds for every attempt.
_ALWAYS: Condition = {"action": {"tool": {"present": True}}}


class Postconditions:
    """Which actions of a case establish a postcondition; `shown` are the predicates of the facts that reads show."""

    def __init__(self, commits: Iterable[Mapping[str, Any]], shown: Collection[str]) -> None:
        self._of: dict[str, list[str]] = {}
        self._shown = shown
        for commit in commits:
            for one in commit.get("postconditions") or []:
                name = one["predicate"] if isinstance(one, dict) else one
                self._of.setdefault(str(name), []).append(str(commit["commit_id"]))

    def has(self, name: str) -> bool:
        """Return whether an action establishes it."""
        return name in self._of

    def choices(self, name: str, fact: Condition | None = None) -> list[Condition]:
        """Return the conditions of which one must hold: an action that establishes it was executed, or a fact."""
        made = [{"result_of": action} for action in dict.fromkeys(self._of.get(name, ()))]
        facts = [{"record": {"predicate": name}} if fact is None else fact]
        return made + facts if not made or name in self._shown else made


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

    Raises:
        KeyError: something that it needs is not there.
        ValueError: it, or a condition in it, has something that is not known.
    """
    if isinstance(written, str):
        named = [written] if written != _GROUNDED else action["arguments"].get("summary_facts") or []
        alternatives = product(*(after.choices(str(name)) for name in named))
        return {"id": written, "supported_if": [{"all": list(one) or [_ALWAYS]} for one in alternatives]}
    made: dict[str, Any] = {"id": str(written["requirement_id"])}
    for name in written:
        if "_if_" in name and name not in _ROLES:
            raise ValueError(f"{name} is not known")
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
    if source != "fact":
        raise ValueError(f"conditions of source {source!r} are not known")
    fields = {name: value for name, value in written.items() if name != "source"}
    fact: Condition = {"record": {name: _field(value, terms) for name, value in fields.items()}}
    established = fields.get("name") if fields.get("predicate") == "postcondition" else fields.get("predicate")
    if isinstance(established, str) and terms.after.has(established):
        return terms.after.choices(established, fact)
    return [fact]


def _on_action(path: str, written: Mapping[str, Any], terms: _Terms) -> list[Condition]:
    """Return the same of a condition on the attempt; one on a list is about its members, as many as there must be."""
    if unknown := sorted(written.keys() - _ON_ACTION):
        raise ValueError(f"conditions on the action with {', '.join(unknown)} are not known")
    held: Any = terms.arguments
    for name in path.split(".")[1:]:
        held = held.get(name, {}) if isinstance(held, Mapping) else {}
    unordered = path.rpartition(".")[2] in UNORDERED
    places = [f"{path}[{index}]" for index in range(len(held))] if isinstance(held, list) else []
    if unordered:
        places = [f"{path}[]"]
    if "equals" in written:
        return [_equal(path, written["equals"], unordered=unordered)]
    if "not_equals" in written and _whole(written["not_equals"]):
        return [] if unordered else _unequal(path, written["not_equals"])
    if "contains" in written and places:
        if _refers(written["contains"]):
            return [_ALWAYS]
        return [{"action": {place: written["contains"]}} for place in places]
    if "not_contains" in written and places:
        return [{"action": {place: {"is_not": written["not_contains"]} for place in places}}]
    for theirs, ours in _TESTS.items():
        if theirs in written:
            return [{"action": {path: {ours: written[theirs]}}}]
    within = [inside(path, name) for name in held] if isinstance(held, Mapping) else places
    return [{"action": {place: {"present": True}}} for place in within or [path]]


def _equal(path: str, value: Any, *, unordered: bool) -> Condition:
    """Return that an argument is a value, part by part.

    A result of another action is left out: the evaluator compares it under the name that the solution has for that
    action, and whether the attempt takes that very result is part of its arguments.
    """
    if not unordered:
        tests = {place: inner for place, inner in parts(path, value) if not _refers(inner)}
    else:
        tests = {} if any(_refers(inner) for _, inner in parts(path, value)) else {path: value}
    return {"action": tests} if tests else _ALWAYS


def _unequal(path: str, value: Any) -> list[Condition]:
    return [{"action": {place: {"is_not": inner}}} for place, inner in parts(path, value) if not _refers(inner)]


def _whole(value: Any) -> bool:
    """Return whether a value is compared part by part."""
    return isinstance(value, dict | list) or _refers(value)


def _refers(value: Any) -> bool:
    """Return whether a value is the result of another action."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def _field(value: Any, terms: _Terms) -> Any:
    """Return what a field must be; a list or an object that an argument must be is the one of the solution."""
    if isinstance(value, dict) and set(value) == {"action_arg"}:
        held = terms.arguments.get(value["action_arg"])
        return _value(held) if isinstance(held, dict | list) else value
    return _value(value)


def _value(value: Any) -> Any:
    """Return a value as a suite writes it: an object is no test."""
    return {"in": [value]} if isinstance(value, dict) else value
