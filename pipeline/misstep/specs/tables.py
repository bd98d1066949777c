"""A suite → the tables of `spec/`, so that labelling needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from misstep.contracts.suite import Task
from misstep.contracts.tables import SPECS
from misstep.contracts.trace import Call
from misstep.contracts.values import canonical
from misstep.specs.authorizations import Row, authorization_rows, goal_rows
from misstep.specs.compare import STRICT, Profile
from misstep.specs.effects import CompiledTools
from misstep.specs.entities import split_entity
from misstep.specs.evidence_rows import evidence_rows
from misstep.specs.load import Suite, task_links
from misstep.specs.names import name_pattern
from misstep.specs.paths import MISSING
from misstep.specs.rules import rule_rows

#: Tables of what must be established.
EVIDENCE = (
    "evidence",
    "required_reads",
    "read_facts",
    "requirements",
    "conditions",
    "actions",
    "dependencies",
    "bindings",
    "rules",
)
#: Field that says that an entity is there.
EXISTS = "@exists"


def spec_tables(suite: Suite) -> dict[str, pl.DataFrame]:
    """Return the tables of a suite by name, each as its contract says; state files are read here.

    Raises:
        SpecificationError: a state file is wrong.
    """
    name, tools, tasks = suite.file.name, suite.compiled, suite.tasks
    rows: dict[str, Iterable[Row]] = {
        "tasks": [_task(name, task) for task in tasks],
        "strata": [
            {"suite": name, "task_id": task.task_id, "name": label, "value": value}
            for task in tasks
            for label, value in task.strata.items()
        ],
        "overrides": (row for task in tasks for row in _override_rows(name, task, tools)),
        "links": [
            {"suite": name, "task_id": task.task_id, "entity": entity, "relation": relation, "linked": linked}
            for task in tasks
            for entity, relation, linked in dict.fromkeys(task.links)
        ],
        "authorizations": (row for task in tasks for row in authorization_rows(name, task, tools)),
        "allowances": _allowance_rows(name, tools),
        "goals": (row for task in tasks for row in goal_rows(name, task, tools)),
        "reference_writes": (row for task in tasks for row in _reference_rows(name, task, suite)),
    }
    frames = {table: _frame(table, list(made)) for table, made in rows.items()}
    frames["states"] = _states(suite)
    frames |= {table: _frame(table, made) for table, made in _evidence(suite).items()}
    return {table: frames[table] for table in SPECS}


def _evidence(suite: Suite) -> dict[str, list[Row]]:
    """Return the rows of all that says what must be established before what is done, by table."""
    name, profile = suite.file.name, suite.file.evidence
    rows: dict[str, list[Row]] = {table: [] for table in EVIDENCE}
    made = [evidence_rows(name, task, profile, suite.compiled, task_links(task)) for task in suite.tasks]
    for one in (*made, rule_rows(name, suite.compiled, profile)):
        for table, more in one.items():
            rows[table] += more
    return rows


def _frame(table: str, rows: list[Row] | Mapping[str, list[Any]]) -> pl.DataFrame:
    contract = SPECS[table]
    wanted = dict(contract.create_empty().schema)
    frame = pl.DataFrame(rows, schema=wanted, orient="row" if isinstance(rows, list) else None)
    return contract.validate(frame, cast=True).sort(contract.primary_key())


def _task(suite: str, task: Task) -> Row:
    return {
        "suite": suite,
        "task_id": task.task_id,
        "template_id": task.template_id,
        "ambiguous": task.ambiguous,
        "instruction": task.instruction,
        "state": task.state,
        "goal": "conditions" if task.goal is not None else "reference" if task.reference is not None else "none",
        "authorized_after": task.authorized_after_clarification is not None,
    }


def _states(suite: Suite) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {
        name: [] for name in ("suite", "state", "entity_type", "entity_id", "field", "value", "compare")
    }
    kinds, names, fields = columns["entity_type"], columns["entity_id"], columns["field"]
    values, keys = columns["value"], columns["compare"]
    profiles = suite.compiled.fields
    for state in suite.state_names:
        before = len(fields)
        for entity in suite.state(state):
            kind, name = split_entity(entity.entity)
            first = len(fields)
            for field, text, key in _facts(entity.fields, profiles.get(kind, {})):
                fields.append(field)
                values.append(text)
                keys.append(key)
            kinds += [kind] * (len(fields) - first)
            names += [name] * (len(fields) - first)
        columns["state"] += [state] * (len(fields) - before)
    columns["suite"] = [suite.file.name] * len(fields)
    return _frame("states", columns)


def _facts(fields: Mapping[str, Any], profiles: Mapping[str, Profile]) -> Iterator[tuple[str, str, str | None]]:
    """Yield field, value and key of an entity that is there."""
    yield EXISTS, "true", "true"
    for field, value in fields.items():
        if field == EXISTS:
            continue
        text = canonical(value)
        profile = profiles.get(field, STRICT)
        yield field, text, text if profile is STRICT else profile.key(value)


def _override_rows(suite: str, task: Task, tools: CompiledTools) -> Iterator[Row]:
    for entity, fields in task.overrides.items():
        kind, name = split_entity(entity)
        facts = [(EXISTS, "false", "false")] if fields is None else _facts(fields, tools.fields.get(kind, {}))
        for field, text, key in facts:
            yield {
                "suite": suite,
                "task_id": task.task_id,
                "entity_type": kind,
                "entity_id": name,
                "field": field,
                "value": text,
                "compare": key,
            }


def _allowance_rows(suite: str, tools: CompiledTools) -> Iterator[Row]:
    for allowance in tools.file.allowances:
        kind, name = (None, None) if allowance.entity is None else split_entity(allowance.entity)
        yield {
            "suite": suite,
            "allowance": allowance.id,
            "tool": None if allowance.tool is None else name_pattern(allowance.tool),
            "action": allowance.action,
            "entity_type": kind,
            "entity_id": name or None,
            "fields": allowance.fields,
        }


def _reference_rows(suite: str, task: Task, loaded: Suite) -> Iterator[Row]:
    links = task_links(task)
    for step, gold in enumerate(task.reference or []):
        tool = loaded.compiled.get(gold.tool)
        if tool is None:  # refused while the suite was loaded
            continue
        actor = "agent" if gold.actor == loaded.file.actor else gold.actor
        call = Call(step, 0, tool.name, gold.arguments, has_result=False, actor=actor)
        for row in tool.writes(call, MISSING, "applied", links=links):
            made = row._asdict()
            made["fields"] = [field._asdict() for field in row.fields]
            made["arguments"] = [{"name": name, "compare": key} for name, key in row.arguments]
            del made["arguments_known"], made["outcome"]
            yield {"suite": suite, "task_id": task.task_id, "step": step, "position": 0, **made, "inert": gold.inert}
