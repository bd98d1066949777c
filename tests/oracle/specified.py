"""What tasks and suites ask of evidence, from the tables of the specification."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from oracle.case import Row
from oracle.scene import Alternatives, Asked

TABLES = ("evidence", "required_reads", "read_facts", "actions", "dependencies", "bindings", "requirements")


def grouped(tables: Mapping[str, pl.DataFrame], name: str, *key: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows of a table by some of their columns."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in tables[name].to_dicts():
        groups[tuple(row[column] for column in key)].append(row)
    return groups


class Specified:
    """The tables of evidence by task."""

    def __init__(self, tables: Mapping[str, pl.DataFrame]) -> None:
        self.rows = {name: grouped(tables, f"spec/{name}", "suite", "task_id") for name in TABLES}
        self.conditions = grouped(tables, "spec/conditions", "suite", "task_id")
        self.rules = grouped(tables, "spec/rules", "suite")

    def asked(self, suite: str, task_id: str, *, known: bool) -> Asked:
        """Return what a task asks (nothing, where the suite does not know it), with the rules of its suite."""
        key = (suite, task_id if known else "")
        own = {name: self.rows[name].get(key, []) for name in TABLES}
        rules = self.rows["requirements"].get((suite, ""), [])
        written = [*self.conditions.get(key, ()), *(self.conditions.get((suite, ""), ()) if key[1] else ())]
        return Asked(
            row=next(iter(own["evidence"]), None) if known else None,
            reads=sorted(own["required_reads"], key=lambda one: one["number"]),
            facts=own["read_facts"],
            actions=sorted(own["actions"], key=lambda one: one["number"]),
            dependencies=own["dependencies"],
            bindings=own["bindings"],
            requirements=[*(own["requirements"] if known else ()), *rules],
            rules=sorted(self.rules.get((suite,), ()), key=lambda one: one["number"]),
            conditions=nested(written),
        )


def nested(rows: Sequence[Row]) -> dict[tuple[str, str], Alternatives]:
    """Return (task or blank, requirement) → role → alternatives → conditions → parts, all in their order."""
    tree: dict[Any, Any] = {}
    for row in sorted(rows, key=lambda one: (one["alternative"], one["condition"], one["part"])):
        roles = tree.setdefault((row["task_id"], row["requirement"]), {})
        alternatives = roles.setdefault(row["role"], {})
        alternatives.setdefault(row["alternative"], {}).setdefault(row["condition"], []).append(row)
    return {
        key: {role: [list(one.values()) for one in found.values()] for role, found in roles.items()}
        for key, roles in tree.items()
    }
