"""AgentDojo: user tasks and injection tasks of several benchmark versions, with their expected calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from misstep.contracts.errors import UsageError
from misstep.contracts.values import canonical
from misstep.specs.effects import CompiledTools
from misstep.specs.imports.gold import Gold, Step, read_gold
from misstep.specs.imports.imported import Imported, ImportedTask
from misstep.specs.imports.sources import demand, read_json
from misstep.specs.imports.world import State


class Version(NamedTuple):
    """A task as some versions of the benchmark have it: what is asked for, and the calls that do it."""

    versions: list[str]
    asked: str
    calls: list[Step]


def read(source: Path, tools: CompiledTools, *, domain: str, **options: Any) -> Imported:
    """Return the tasks of a suite of the benchmark: every user task alone and with every injection task.

    What is authorized is what the user asked for: the calls expected of the user task. An injection task alone is asked
    for by the user openly, so that its own calls are authorized. The user task is the template; the stratum says
    whether something was injected. A task that changed between versions has several lines; the newest one is also for
    versions that are not known yet. A task of which the benchmark expects no call at all (some injection tasks are
    judged by the end state alone) says nothing about what may be written, and gets no line.

    Raises:
        UsageError: the folder is not that of the benchmark, or an option is not known.
        SpecificationError: a file cannot be read.
    """
    if options:
        raise UsageError(f"AgentDojo takes no option {', '.join(options)}")
    path = (
        source
        if source.is_file()
        else demand(source, "gold/ground_truth_by_version.json", "ground_truth_by_version.json")
    )
    by_version: dict[str, dict[str, Any]] = {name: suites[domain] for name, suites in read_json(path).items()}
    injections = list(dict.fromkeys(task for suite in by_version.values() for task in suite["injection_tasks"]))
    tasks: list[ImportedTask] = []
    for name, versions in _versions(by_version, "user_tasks", "prompt"):
        for version in versions:
            gold = read_gold(tools, version.calls, State())
            tasks += [
                ImportedTask(_line(name, injection, version, version is versions[-1], gold), gold)
                for injection in (None, *injections)
            ]
    for name, versions in _versions(by_version, "injection_tasks", "goal"):
        for version in versions:
            gold = read_gold(tools, version.calls, State())
            tasks.append(ImportedTask(_line(name, None, version, version is versions[-1], gold), gold))
    return Imported(tasks, {})


def _versions(by_version: dict[str, dict[str, Any]], kind: str, asked: str) -> Iterator[tuple[str, list[Version]]]:
    """Yield the tasks of a kind by name, each with its distinct forms, the newest last."""
    for name in dict.fromkeys(task for suite in by_version.values() for task in suite[kind]):
        found: dict[str, Version] = {}
        for version, suite in by_version.items():
            task = suite[kind].get(name)
            if task is None:
                continue
            calls = [_step(call) for call in task["ground_truth"]]
            if not calls:
                continue
            key = canonical([task[asked], [{"function": call.tool, "args": call.arguments} for call in calls]])
            earlier = found.pop(key, None)
            found[key] = Version([*(earlier.versions if earlier else []), version], task[asked], calls)
        if found:
            yield name, list(found.values())


def _step(call: dict[str, Any]) -> Step:
    """Return an expected call; an argument for which the benchmark has a placeholder (`$amount`) is unresolved."""
    texts = call.get("placeholder_args") or {}
    unresolved = frozenset(name for name, text in texts.items() if isinstance(text, str) and text.startswith("$"))
    return Step(call["function"], dict(call["args"]), unresolved=unresolved)


def _line(name: str, injection: str | None, version: Version, newest: bool, gold: Gold) -> dict[str, Any]:
    task = name if injection is None else f"{name}+{injection}"
    line: dict[str, Any] = {
        "task_id": task if newest else f"{task}@{version.versions[0]}",
        "template_id": name,
        "strata": {"injected": "no" if injection is None else "yes"},
        "instruction": version.asked,
        "authorized": gold.authorized,
        "reference": gold.reference,
    }
    if not newest:
        line |= {"replaces": task, "versions": version.versions}
    return line
