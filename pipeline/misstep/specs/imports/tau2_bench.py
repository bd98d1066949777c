"""tau2-bench: tasks inside of result files, or the benchmark's own, and a database where one is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from misstep.contracts.errors import UsageError
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Step, read_gold
from misstep.specs.imports.imported import Imported, ImportedTask
from misstep.specs.imports.sources import find, read_json
from misstep.specs.imports.tau_bench import TABLES, database
from misstep.specs.imports.world import State

#: Entity type → fields that a record always has here, null where the first edition leaves them out.
_ALWAYS = {
    "reservation": ("status",),
    "order": (
        "cancel_reason",
        "exchange_items",
        "exchange_new_items",
        "exchange_payment_method_id",
        "exchange_price_difference",
        "return_items",
        "return_payment_method_id",
    ),
}


def read(
    source: Path, tools: CompiledTools, *, domain: str, database_folder: Path | None = None, **options: Any
) -> Imported:
    """Return the tasks of a domain. Templates are tasks without their persona; the stratum is the domain.

    Tasks are those inside of result files, else the benchmark's own: tasks were corrected after runs were published.
    Where result files disagree about what a customer wants, each version is a line of its own, for episodes with its
    instruction; where they disagree about its criteria alone, the first file counts. What the customer is expected
    to do is part of the reference, and authorized as well: in solo runs the agent does it.

    Args:
        source: folder of result files (`results/`), of the benchmark, or one result or task file.
        tools: the tools of the suite.
        domain: airline, retail or telecom.
        database_folder: folder of the initial database, where `source` has none: that of the first edition will do.
        options: none is known.

    Raises:
        UsageError: there are no tasks of the domain, or an option is not known.
        SpecificationError: a file cannot be read.
    """
    if options:
        raise UsageError(f"tau2-bench takes no option {', '.join(options)}")
    state = _state(source, domain, database_folder)
    tasks: list[ImportedTask] = []
    lines: dict[str, list[str]] = {}
    for task in _tasks(source, domain):
        name, asked = str(task["id"]), _instruction(task)
        same = " ".join(asked.split())
        seen = lines.setdefault(name, [])
        if same in seen:
            continue
        seen.append(same)
        criteria = task.get("evaluation_criteria") or {}
        gold = read_gold(tools, [_step(action) for action in criteria.get("actions") or []], state)
        line: dict[str, Any] = {
            "task_id": name if len(seen) == 1 else f"{name}@{len(seen)}",
            "template_id": name.partition("[PERSONA:")[0],
            "strata": {"domain": domain},
            "instruction": asked,
            "authorized": gold.authorized,
        }
        if len(seen) > 1:
            line["replaces"] = name
        if state.entities:
            line["state"] = domain
        if "DB" in (criteria.get("reward_basis") or ["DB"]):
            # else the benchmark judges by assertions that several ways lead to: the expected calls are one of them
            line["reference"] = gold.reference
        tasks.append(ImportedTask(line, gold))
    if not tasks:
        raise UsageError(f"{source} has no tasks of {domain}: give the folder of the benchmark or a result file")
    return Imported(tasks, {domain: state} if state.entities else {})


def _step(action: dict[str, Any]) -> Step:
    actor = "user" if action.get("requestor") == "user" else "agent"
    return Step(action["name"], dict(action.get("arguments") or {}), actor, action.get("compare_args"))


def _tasks(source: Path, domain: str) -> Iterator[dict[str, Any]]:
    paths = [source] if source.is_file() else sorted(source.glob("results/*.json*"))
    found = False
    for path in paths:
        document = read_json(path)
        if isinstance(document, dict) and _domain(document) == domain:
            found = True
            yield from document.get("tasks") or []
        elif source.is_file() and isinstance(document, list):
            found = True
            yield from document
    names = [f"{domain}/tasks{kind}.json" for kind in ("", "_small")]
    own = find(source, *(f"{folder}/{name}" for folder in ("domains", "data/tau2/domains") for name in names))
    if not found and own is not None:
        yield from read_json(own)


def _domain(document: dict[str, Any]) -> str | None:
    info = document.get("info") or {}
    name = (info.get("environment_info") or {}).get("domain_name")
    return str(name) if name is not None else None


def _state(source: Path, domain: str, folder: Path | None) -> State:
    """Return the database: the benchmark's own, else that of the first edition with the fields it leaves out."""
    own = find(source, f"domains/{domain}/db.json", f"data/tau2/domains/{domain}/db.json")
    if domain not in TABLES or (own is None and folder is None):
        return State()
    if own is not None:
        tables = read_json(own)
        return State(
            {f"{kind}:{key}": record for table, kind in TABLES[domain].items() for key, record in tables[table].items()}
        )
    entities: dict[str, dict[str, Any]] = {}
    for entity, fields in database(folder or source, domain).entities.items():
        kind, _, name = entity.partition(":")
        more = {"user_id": name} if kind == "user" else dict.fromkeys(_ALWAYS.get(kind, ()))
        entities[entity] = {**more, **fields}
    return State(entities)


def _instruction(task: dict[str, Any]) -> str:
    """Return what the customer wants, its parts a line each."""
    told = (task.get("user_scenario") or {}).get("instructions")
    if isinstance(told, dict):
        names = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
        return "\n".join(text for name in names if isinstance(text := told.get(name), str))
    return told if isinstance(told, str) else str(task.get("ticket") or "")
