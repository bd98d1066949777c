"""Standing rules of a tools file → rows of `rules`, and of the requirement that each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from misstep.contracts.evidence import Profile, Rule
from misstep.contracts.values import canonical
from misstep.contracts.written import Conditions
from misstep.specs.argument_paths import from_root
from misstep.specs.authorizations import Row
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.names import declared
from misstep.specs.requirements import Owner, condition_rows

#: Task of a requirement that holds for every task.
EVERY_TASK = ""
_FLAGS = re.compile(r"\(\?([a-z]+)\)")


def rule_rows(suite: str, tools: CompiledTools, profile: Profile) -> dict[str, list[Row]]:
    """Return the rows of the rules of a suite, by table.

    Raises:
        ValueError: a path or an entity is not well formed.
    """
    rows: dict[str, list[Row]] = {"rules": [], "requirements": [], "conditions": []}
    for number, rule in enumerate(tools.file.rules):
        acting = ruled(rule, tools)
        rows["rules"].append(
            {
                "suite": suite,
                "rule": rule.id,
                "number": number,
                "description": rule.description,
                "tools": [tool.name for tool in acting],
                "when": when_rows(rule.when),
            }
        )
        rows["requirements"].append(
            {
                "suite": suite,
                "task_id": EVERY_TASK,
                "requirement": rule.id,
                "number": number,
                "actions": [],
                "description": rule.description,
                "missing_reason": None,
                "identity": [],
            }
        )
        own = {"suite": suite, "task_id": EVERY_TASK, "requirement": rule.id}
        made = condition_rows(Owner(acting, [], profile), "supported", rule.requires, tools)
        rows["conditions"] += [row | own for row in made]
    return rows


def ruled(rule: Rule, tools: CompiledTools) -> list[CompiledTool]:
    """Return the tools whose calls a rule is about."""
    return [tool for name in declared(rule.before, tools) if (tool := tools.get(name)) is not None]


def when_rows(conditions: Conditions) -> list[Row]:
    """Return the conditions on the arguments of a call as tests of their leaves.

    Raises:
        ValueError: a path does not lead from the arguments.
    """
    rows: list[Row] = []
    for path, expected in conditions.items():
        accepted = expected if isinstance(expected, list) else [expected]
        patterns = [one for one in accepted if isinstance(one, str)]
        rows.append(
            {
                "path": from_root(path).leaf,
                "pattern": one_pattern(patterns),
                "values": [canonical(one) for one in accepted if not isinstance(one, str)],
            }
        )
    return rows


def one_pattern(patterns: Iterable[str]) -> str | None:
    """Return one pattern for what fits any of some, or None where there are none."""
    listed = list(patterns)
    if len(listed) < 2:
        return next(iter(listed), None)
    flags = [(found[1], one[found.end() :]) if (found := _FLAGS.match(one)) else ("", one) for one in listed]
    return "|".join(f"(?{flag}:{one})" for flag, one in flags)
