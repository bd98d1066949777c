"""tau-bench: tasks of a domain and its database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from misstep.contracts.errors import UsageError
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Step, read_gold
from misstep.specs.imports.imported import Imported, ImportedTask
from misstep.specs.imports.sources import demand, find, python_list, read_json
from misstep.specs.imports.world import State

#: Domain → tables of its database that calls read or write, with their entity types.
TABLES = {
    "airline": {"reservations": "reservation", "users": "user"},
    "retail": {"orders": "order", "users": "user", "products": "product"},
}


def read(source: Path, tools: CompiledTools, *, domain: str, split: str = "test", **options: Any) -> Imported:
    """Return the tasks of a split by their index: each is its own template, and the domain its stratum.

    Tasks are taken from the task files, else from result files, which repeat the task of every episode.

    Raises:
        UsageError: the folder is not that of the benchmark, or an option is not known.
        SpecificationError: a file cannot be read.
    """
    if options:
        raise UsageError(f"tau-bench takes no option {', '.join(options)}")
    state = database(source, domain)
    tasks: list[ImportedTask] = []
    for index, task in _tasks(source, tools, domain, split):
        gold = read_gold(tools, [_step(action) for action in task["actions"]], state)
        line = {
            "task_id": str(index),
            "template_id": str(index),
            "strata": {"domain": domain},
            "instruction": task["instruction"],
            "state": domain,
            "authorized": gold.authorized,
            "reference": gold.reference,
        }
        tasks.append(ImportedTask(line, gold))
    return Imported(tasks, {domain: state})


def _step(action: dict[str, Any]) -> Step:
    return Step(action["name"], dict(action["kwargs"] if "kwargs" in action else action["arguments"]))


def database(source: Path, domain: str) -> State:
    """Return the initial database of a domain.

    Raises:
        UsageError: the folder has none.
    """
    entities: dict[str, dict[str, Any]] = {}
    for table, kind in TABLES[domain].items():
        path = demand(
            source,
            f"db/{domain}_{table}.json",
            f"{domain}_{table}.json",
            f"tau_bench/envs/{domain}/data/{table}.json",
        )
        for key, record in read_json(path).items():
            entities[f"{kind}:{key}"] = record
    return State(entities)


def _tasks(source: Path, tools: CompiledTools, domain: str, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
    path = find(source, f"tasks/{domain}_tasks_{split}.json")
    if path is not None:
        yield from ((task["task_index"], task) for task in read_json(path))
        return
    path = find(source, f"tau_bench/envs/{domain}/tasks_{split}.py")
    if path is not None:
        yield from enumerate(python_list(path, "TASKS", f"TASKS_{split.upper()}"))
        return
    found: dict[int, dict[str, Any]] = {}
    for path in sorted(source.glob("results/*.json*")):
        # a result file does not say of which domain it is: its expected calls do
        given = {episode["task_id"]: episode["info"]["task"] for episode in read_json(path)}
        if all(tools.get(action["name"]) for task in given.values() for action in task["actions"]):
            found = given | found
    if not found:
        raise UsageError(f"{source} has no tasks of {domain} ({split}): give the folder of the benchmark")
    yield from sorted(found.items())
