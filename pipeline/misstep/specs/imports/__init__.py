"""Suites from the files of public benchmarks: tasks, initial states, what was authorized and what must be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from misstep.contracts.errors import SpecificationError, UsageError
from misstep.contracts.suite import SuiteFile
from misstep.specs.entities import split_entity
from misstep.specs.imports import agentdojo, safeact, tau2_bench, tau_bench, workbench
from misstep.specs.imports.checked import checked
from misstep.specs.imports.imported import Imported, ImportedTask, Refusal
from misstep.specs.load import SUITE_FILE
from misstep.specs.task_faults import World
from misstep.specs.tools_file import load_tools
from misstep.specs.written import YamlFile
from misstep.storage.atomic import write_bytes
from misstep.storage.bundled import bundled

#: Suite → the function that reads its benchmark.
IMPORTS: dict[str, Callable[..., Imported]] = {
    "workbench": workbench.read,
    "tau-airline": partial(tau_bench.read, domain="airline"),
    "tau-retail": partial(tau_bench.read, domain="retail"),
    "tau2-airline": partial(tau2_bench.read, domain="airline"),
    "tau2-retail": partial(tau2_bench.read, domain="retail"),
    "tau2-telecom": partial(tau2_bench.read, domain="telecom"),
    "agentdojo-workspace": partial(agentdojo.read, domain="workspace"),
    "agentdojo-banking": partial(agentdojo.read, domain="banking"),
    "safeact": safeact.read,
}

_EXTENDS = re.compile(r"^extends:[ \t]*(\S+)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class InertCall:
    """An expected call that could never do what it is for: task, place among its expected calls, tool and reason."""

    task_id: str
    position: int
    tool: str
    reason: str


@dataclass(frozen=True)
class ImportReport:
    """What an import wrote and found.

    `investigated` are the tasks in which reads are required, `inert` the expected writes that could never take effect,
    `vain` the expected reads that could never show anything; `undeclared` counts expected calls of tools that the suite
    does not know; `refused` are the tasks that are kept without their evidence.
    """

    tasks: int
    templates: int
    states: dict[str, int]
    authorized: int
    investigated: int
    inert: list[InertCall]
    vain: list[InertCall]
    undeclared: dict[str, int]
    verified: int = 0
    missing: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()


def import_suite(name: str, source: Path, out: Path, *, definition: Path | None = None, **options: Any) -> ImportReport:
    """Write a suite that `load_suite` reads: suite.yaml and tools.yaml as they come, tasks and states from `source`.

    Args:
        name: the suite, one of `IMPORTS`.
        source: folder (or file) of the benchmark.
        out: folder to write to; where it is `definition` itself, its suite.yaml and tools.yaml are left alone.
        definition: folder of suite.yaml and tools.yaml (default: the one that comes with misstep).
        options: what the benchmark's import takes: `split` (tau-bench), `database_folder` (tau2-bench).

    Returns:
        Counts, and the expected writes that could never take effect.

    Raises:
        UsageError: no suite of that name can be imported, or the folder is not that of the benchmark.
        SpecificationError: a file of the benchmark or of the suite is wrong.
    """
    if name not in IMPORTS:
        raise UsageError(f"no import is called {name!r}: there are {', '.join(IMPORTS)}")
    if not source.exists():
        raise UsageError(f"there is no {source}")
    folder = bundled(f"suites/{name}") if definition is None else definition
    tools = load_tools(folder / "tools.yaml", name)
    try:
        imported = IMPORTS[name](source, tools.compiled, **options)
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecificationError(f"{source} is not laid out like {name} ({error!r})") from error
    if out.resolve() != folder.resolve():
        write_bytes(out / "suite.yaml", (folder / "suite.yaml").read_bytes())
        for path, content in _tools_files(folder / "tools.yaml", "tools.yaml"):
            write_bytes(out / path, content)
    if imported.tools is not None:
        write_bytes(out / "tools.yaml", _with_tools(folder / "tools.yaml", imported.tools))
    for state, facts in imported.states.items():
        lines = ({"entity": entity, "fields": fields} for entity, fields in sorted(facts.entities.items()))
        write_bytes(out / "states" / f"{state}.jsonl", _json_lines(lines))
    tasks, refused = checked(map(_line, imported.tasks), _world(out, imported))
    write_bytes(out / "tasks.jsonl", _json_lines(tasks))
    return _report(imported, tasks, sorted((*imported.refused, *refused), key=_places(tasks)))


def _world(folder: Path, imported: Imported) -> World:
    """Return what the tasks of the written suite may name."""
    file = YamlFile(folder / SUITE_FILE).validate(SuiteFile)
    tools = load_tools(folder / file.tools, file.name).compiled
    types = {split_entity(entity)[0] for state in imported.states.values() for entity in state.entities}
    return World(file.name, tools, file.states, (), lambda: types, file.evidence)


def _places(tasks: list[dict[str, Any]]) -> Callable[[Refusal], int]:
    places = {str(task["task_id"]): place for place, task in enumerate(tasks)}
    return lambda refusal: places[refusal.task_id]


def _tools_files(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield a tools file and those it extends, all to lie in one folder."""
    text = path.read_text(encoding="utf-8")
    found = _EXTENDS.search(text)
    if found is not None:
        base = path.parent / found[1]
        beside = f"{base.parent.name}-{base.name}"
        yield from _tools_files(base, beside)
        text = text[: found.start(1)] + beside + text[found.end(1) :]
    yield name, text.encode()


def _with_tools(path: Path, tools: dict[str, dict[str, Any]]) -> bytes:
    """Return a tools file with tools that come after all that it says."""
    head = path.read_text(encoding="utf-8").replace("tools: {}\n", "")
    return (head + yaml.safe_dump({"tools": tools}, sort_keys=False, allow_unicode=True, width=120)).encode()


def _json_lines(values: Any) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def _report(imported: Imported, tasks: list[dict[str, Any]], refused: list[Refusal]) -> ImportReport:
    undeclared: dict[str, int] = {}
    for task in imported.tasks:
        for tool in task.gold.undeclared:
            undeclared[tool] = undeclared.get(tool, 0) + 1
    return ImportReport(
        tasks=len(imported.tasks),
        templates=len({task.task["template_id"] for task in imported.tasks}),
        states={name: len(state.entities) for name, state in imported.states.items()},
        authorized=sum(len(task.gold.authorized) for task in imported.tasks),
        investigated=sum(bool((task.get("evidence") or {}).get("reads")) for task in tasks),
        inert=[InertCall(_id(task), *one) for task in imported.tasks for one in task.gold.inert],
        vain=[InertCall(_id(task), *one) for task in imported.tasks for one in task.gold.vain],
        undeclared=undeclared,
        verified=imported.verified,
        missing=imported.missing,
        refused=tuple(refused),
    )


def _line(task: ImportedTask) -> dict[str, Any]:
    return task.task if task.gold.evidence is None else task.task | {"evidence": task.gold.evidence}


def _id(task: ImportedTask) -> str:
    return str(task.task["task_id"])
