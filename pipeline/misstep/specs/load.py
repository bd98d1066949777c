"""`load_suite`: a folder of suite files → one checked value that nothing downstream has to doubt."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.suite import SuiteFile, Task
from misstep.contracts.tools import ToolsFile
from misstep.specs.effects import CompiledTools
from misstep.specs.entities import Links, is_entity, split_entity
from misstep.specs.task_faults import World, task_faults
from misstep.specs.tools_file import load_tools
from misstep.specs.written import WrittenFault, YamlFile, messages, raise_faults

SUITE_FILE = "suite.yaml"
#: The tasks file that may be absent; one that is named otherwise must be there.
TASKS_FILE = "tasks.jsonl"


class StateEntity(NamedTuple):
    """An entity of a state file: where it stands, `type:id`, and its fields."""

    line: int
    entity: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Suite:
    """The files of a suite, checked; `task_lines` are the lines of the tasks in their file.

    States are read when they are asked for.
    """

    folder: Path
    file: SuiteFile
    tools: ToolsFile
    compiled: CompiledTools
    tasks: list[Task]
    task_lines: list[int]
    files: tuple[Path, ...]

    @property
    def state_names(self) -> list[str]:
        """Return the states that tasks start from, by name."""
        return sorted({task.state for task in self.tasks if task.state is not None})

    def state_path(self, name: str) -> Path:
        """Return the file of a state."""
        return self.folder / self.file.states / f"{name}.jsonl"

    def state(self, name: str) -> Iterator[StateEntity]:
        """Yield the entities of a state file, in its order.

        Raises:
            SpecificationError: a line is not an entity with fields, or an entity stands there twice.
        """
        return read_state(self.state_path(name))


def task_links(task: Task) -> Links:
    """Return the function that gives the entities that a relation of the task leads to."""
    found: dict[tuple[str, str], list[str]] = {}
    for entity, relation, linked in task.links:
        found.setdefault((entity, relation), []).append(linked)
    return lambda entity, relation: found.get((entity, relation), [])


def load_suite(folder: Path) -> Suite:
    """Return the suite of a folder; one without a tasks file has no tasks.

    Raises:
        SpecificationError: a file is wrong; all faults of the file, each with file, line and field.
    """
    source = YamlFile(folder / SUITE_FILE)
    file = source.validate(SuiteFile)
    if not (folder / file.tools).is_file():
        raise SpecificationError(f"there is no file {file.tools!r} in the folder of the suite", source.place("tools"))
    tools = load_tools(folder / file.tools, file.name)
    path = folder / file.tasks
    if file.tasks != TASKS_FILE and not path.is_file():
        raise SpecificationError(f"there is no file {file.tasks!r} in the folder of the suite", source.place("tasks"))
    lines = _read_tasks(path) if path.is_file() else []
    suite = Suite(
        folder,
        file,
        tools.file,
        tools.compiled,
        [task for _, task in lines],
        [line for line, _ in lines],
        (source.path, *tools.paths, *([path] if path.is_file() else [])),
    )
    missing = {name for name in suite.state_names if not suite.state_path(name).is_file()}
    world = World(file.name, tools.compiled, file.states, missing, lambda: _held(suite, missing), file.evidence)
    faults = task_faults(lines, world)
    raise_faults([WrittenFault(Place(str(path), line, field), text) for line, field, text in faults])
    return suite


class JsonLine(NamedTuple):
    """A line of a JSON Lines file: its physical number and its value, or what is wrong with it."""

    number: int
    value: Any
    wrong: str | None = None


def _json_lines(path: Path) -> Iterator[JsonLine]:
    """Yield the lines of a JSON Lines file that are not blank."""
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if text.strip():
                yield json_line(number, text)


def json_line(number: int, text: bytes) -> JsonLine:
    """Return a line of a JSON Lines file."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_duplicates)
        if b"\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return JsonLine(number, None, "half a surrogate pair is no text")
    except (ValueError, RecursionError) as error:
        return JsonLine(number, None, f"not valid JSON ({error})")
    return JsonLine(number, value)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too great a number")
    return number


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return made


def _read_tasks(path: Path) -> list[tuple[int, Task]]:
    tasks: list[tuple[int, Task]] = []
    faults: list[WrittenFault] = []
    for line, value, wrong in _json_lines(path):
        if wrong is not None:
            faults.append(WrittenFault(Place(str(path), line), wrong))
            continue
        try:
            tasks.append((line, Task.model_validate(value)))
        except ValidationError as error:
            faults += [WrittenFault(Place(str(path), line, field), text) for field, text in messages(error, value)]
    raise_faults(faults)
    return tasks


def read_state(path: Path) -> Iterator[StateEntity]:
    """Yield the entities of a state file: lines of `{"entity": "type:id", "fields": {…}}`.

    Raises:
        SpecificationError: a line is not an entity with fields, or an entity stands there twice.
    """
    seen: dict[str, int] = {}
    for line, value, wrong in _json_lines(path):
        if wrong is not None:
            raise SpecificationError(wrong, Place(str(path), line))
        if not isinstance(value, dict) or set(value) != {"entity", "fields"} or not isinstance(value["fields"], dict):
            raise SpecificationError('a line is {"entity": "type:id", "fields": {…}}', Place(str(path), line))
        entity = value["entity"]
        if not is_entity(entity):
            raise SpecificationError(f"{entity!r} is no type:id", Place(str(path), line, "entity"))
        if entity in seen:
            raise SpecificationError(
                f"{entity!r} stands on line {seen[entity]} as well", Place(str(path), line, "entity")
            )
        seen[entity] = line
        yield StateEntity(line, entity, value["fields"])


def _held(suite: Suite, missing: Collection[str]) -> set[str]:
    """Return the types of the entities in the state files that are there."""
    names = [name for name in suite.state_names if name not in missing]
    return {split_entity(entity.entity)[0] for name in names for entity in suite.state(name)}
