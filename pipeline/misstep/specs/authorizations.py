"""Authorization patterns and goal conditions → rows whose values are the keys that joins use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from misstep.contracts.suite import Choice, Condition, Pattern, Task
from misstep.contracts.values import canonical
from misstep.specs.compare import Profile
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import split_entity
from misstep.specs.recipients import split_addresses

Row = dict[str, Any]


def authorization_rows(suite: str, task: Task, tools: CompiledTools) -> Iterator[Row]:
    """Yield the rows of `authorizations` of a task: what holds always, then what holds after a clarification."""
    number = 0
    for list_name, patterns, after in (
        ("authorized", task.authorized, False),
        ("authorized_after_clarification", task.authorized_after_clarification or [], True),
    ):
        for index, pattern in enumerate(patterns):
            tool = None if pattern.tool is None else tools.get(pattern.tool)
            yield {
                "suite": suite,
                "task_id": task.task_id,
                "pattern": number,
                "name": pattern.id or f"{list_name}[{index}]",
                "after_clarification": after,
                "tool": pattern.tool if tool is None else tool.name,
                "domain": None if tool is None else _domain(tool, pattern.action),
                "action": pattern.action,
                "entities": [pattern.entity] if pattern.entity is not None else pattern.entity_in,
                "created": pattern.created,
                "fields": pattern.fields,
                "values": _values(pattern, tool, tools),
                "arguments": _arguments(pattern, tool),
                "exact_arguments": pattern.exact_arguments,
                "recipients": _recipients(pattern),
                "external": pattern.external is True,
                "max": pattern.max,
                "inert": pattern.inert,
            }
            number += 1


def _domain(tool: CompiledTool, action: str | None) -> str:
    for writer in tool.writers:
        if action is None or writer.action == action:
            return writer.domain
    return tool.domain


def _entity_type(pattern: Pattern, tool: CompiledTool | None) -> str | None:
    """Return the type of the entities that a pattern covers: as it says, else as the only such effect of its tool."""
    if pattern.created is not None:
        return pattern.created
    named = pattern.entity or (pattern.entity_in[0] if pattern.entity_in else None)
    if named is not None:
        return split_entity(named)[0]
    if tool is None:
        return None
    fitting = [one for one in tool.writers if pattern.action is None or one.action == pattern.action]
    return fitting[0].entity_type if fitting else None


def _values(pattern: Pattern, tool: CompiledTool | None, tools: CompiledTools) -> list[Row]:
    kind = _entity_type(pattern, tool)
    effects = {
        writer.effect
        for writer in (tool.writers if tool is not None else ())
        if pattern.action is None or writer.action == pattern.action
    }
    rows = []
    for field, accepted in pattern.values.items():
        profile = tools.profile(kind or "", field)
        choices = accepted.in_ if isinstance(accepted, Choice) else [accepted]
        keys = [key for choice in choices for key in _keys(choice, profile, members=bool(effects & {"add", "remove"}))]
        rows.append({"field": field, "compare": list(dict.fromkeys(keys))})
    return rows


def _keys(value: Any, profile: Profile, *, members: bool) -> list[str]:
    """Return the keys that a value may have in a write: its own, or those of its members where members are moved."""
    if not members:
        return [profile.key(value) or canonical(value)]
    return [profile.member(item) or canonical(item) for item in (value if isinstance(value, list) else [value])]


def _arguments(pattern: Pattern, tool: CompiledTool | None) -> list[Row] | None:
    if pattern.arguments is None:
        return None
    if tool is not None:
        counted = tool.counted_arguments(pattern.arguments)
    else:
        counted = sorted((name, canonical(value)) for name, value in pattern.arguments.items() if value is not None)
    return [{"name": name, "compare": key} for name, key in counted]


def _recipients(pattern: Pattern) -> list[str] | None:
    if pattern.recipients is None:
        return None
    return sorted({part.strip().lower() for text in pattern.recipients for part in split_addresses(text)})


def goal_rows(suite: str, task: Task, tools: CompiledTools) -> Iterator[Row]:
    """Yield the rows of `goals` of a task."""
    for number, condition in enumerate(task.goal or []):
        kind, name = _target(condition)
        test, value = _test(condition)
        profile = tools.profile(kind, condition.field or "")
        key = profile.member if test == "contains" else profile.key
        compared = test in ("is", "contains") and not profile.free
        yield {
            "suite": suite,
            "task_id": task.task_id,
            "condition": number,
            "entity_type": kind,
            "entity_id": name,
            "where": [
                {"field": field, "compare": None if of.free else of.key(wanted)}
                for field, wanted in (condition.where or {}).items()
                if field != "type"
                for of in (tools.profile(kind, field),)
            ],
            "field": condition.field,
            "test": test,
            "value": canonical(value),
            "compare": key(value) if compared else None,
        }


def _target(condition: Condition) -> tuple[str, str | None]:
    if condition.entity is not None:
        return split_entity(condition.entity)
    return str((condition.where or {})["type"]), None


def _test(condition: Condition) -> tuple[str, Any]:
    """Return the test and what it compares with; `exists: false` is `absent`, and the reverse."""
    stated = condition.model_fields_set
    if "is_" in stated:
        return "is", condition.is_
    if "contains" in stated:
        return "contains", condition.contains
    if "count" in stated:
        return "count", condition.count
    there = condition.exists if "exists" in stated else not condition.absent
    return ("exists" if there else "absent"), True
