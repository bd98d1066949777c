"""Templates and variants made into tasks, shared states and the plan of scripted episodes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.suite import Task
from misstep.suites.filler import everyday
from misstep.suites.filling import fill
from misstep.suites.templates import (
    AnyTemplate,
    AnyVariant,
    Intent,
    Script,
    Template,
    Variant,
    WorldFile,
    read_templates,
    read_world,
)
from misstep.suites.world import State


@dataclass(frozen=True)
class AnyInstance:
    """A task with what its scripts need: `written` is the task as it goes to the file, `task` the same, checked."""

    task: Task
    written: dict[str, Any]
    variables: dict[str, Any]
    scripts: Mapping[str, Script]

    def intent(self, script: str) -> Intent:
        """Return the labels that a script is written to get on this task."""
        intends = self.scripts[script].intends
        return Intent.model_validate(fill(intends.model_dump(), self.variables))


@dataclass(frozen=True)
class Instance(AnyInstance):
    """A task with the scripts that each agent plays on it."""

    runs: dict[str, list[str]]


@dataclass(frozen=True)
class Sources:
    """A suite before it is written: its world, its tasks in order, its shared states."""

    world: WorldFile
    instances: list[Instance]
    states: dict[str, State]

    def initial(self, task: Task) -> State:
        """Return a copy of the initial state of a task."""
        return initial_state(self.states[str(task.state)], task)


def initial_state(shared: State, task: Task) -> State:
    """Return a copy of a shared state with the overrides of a task."""
    state: State = _copied(shared)
    for entity, fields in task.overrides.items():
        if fields is None:
            state.pop(entity, None)
        else:
            state.setdefault(entity, {}).update(copy.deepcopy(fields))
    return state


def _copied(value: Any) -> Any:
    """Return a copy of what JSON can hold; much faster than `copy.deepcopy`, for states are large."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def read_sources(folder: Path, suite: str) -> Sources:
    """Return the tasks and states that the templates of a folder describe.

    Raises:
        SpecificationError: a file is not well formed, a variable or script is missing, or two records collide.
    """
    world = read_world(folder)
    states = {name: _base_state(name, world) for name in world.states}
    instances: list[Instance] = []
    for template in read_templates(folder, Template):
        for variant in template.variants:
            with told_where(folder, template, variant):
                instances.append(_instance(template, variant, world, suite, states))
    check_names(folder, instances)
    return Sources(world, instances, states)


@contextmanager
def told_where(folder: Path, template: AnyTemplate, variant: AnyVariant) -> Iterator[None]:
    """Let errors say in which template and variant they are."""
    place = Place(str(folder / "templates"), field=template.template)
    try:
        yield
    except ValidationError as error:
        raise SpecificationError(f"variant {variant.id}: {error}", place) from error
    except SpecificationError as error:
        raise SpecificationError(f"variant {variant.id}: {error.message}", place) from error


def check_names(folder: Path, instances: Iterable[AnyInstance]) -> None:
    """Check that no two tasks have the same name.

    Raises:
        SpecificationError: two have.
    """
    names = [instance.task.task_id for instance in instances]
    if len(set(names)) != len(names):
        raise SpecificationError("two variants have the same id", Place(str(folder / "templates")))


def _base_state(name: str, world: WorldFile) -> State:
    state = {f"contact:{key}": dict(person) for key, person in world.people.items()}
    for entity, record in everyday(name, world).items():
        state[entity] = whole(entity, record, world.defaults)
    return state


def whole(entity: str, record: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a record with the fields that it does not state itself."""
    return copy.deepcopy({**defaults.get(entity.partition(":")[0], {}), **record})


def _instance(template: Template, variant: Variant, world: WorldFile, suite: str, states: dict[str, State]) -> Instance:
    people = {"people": world.people, "owner": world.owner}
    variables = {**people, **fill(variant.with_, people)}
    state_name = variant.state or template.state
    if state_name not in states:
        raise SpecificationError(f"no state is called {state_name}")
    for entity, record in fill(template.records, variables).items():
        made = whole(entity, record, world.defaults)
        if states[state_name].setdefault(entity, made) != made:
            raise SpecificationError(f"{entity} is in the state already, with other fields")
    unknown = {name for played in variant.runs.values() for name in played} - set(template.scripts)
    if unknown:
        raise SpecificationError(f"no script is called {', '.join(sorted(unknown))}")
    overrides = fill(variant.overrides, variables)
    written = written_task(template, variant, variables, suite, overrides)
    return Instance(Task.model_validate(written), written, variables, template.scripts, variant.runs)


def written_task(
    template: AnyTemplate,
    variant: AnyVariant,
    variables: Mapping[str, Any],
    suite: str,
    overrides: Mapping[str, Mapping[str, Any] | None],
) -> dict[str, Any]:
    """Return a task as it goes to the file."""
    written: dict[str, Any] = {
        "task_id": f"{template.template}-{variant.id}",
        "suite": suite,
        "template_id": template.template,
        "strata": template.strata,
        "ambiguous": template.ambiguous,
        "instruction": " ".join(fill(variant.instruction, variables).split()),
        "state": variant.state or template.state,
    }
    if overrides:
        written["overrides"] = overrides
    parts = {**template.task, **variant.task}
    return written | {key: fill(part, variables) for key, part in parts.items() if part is not None}
