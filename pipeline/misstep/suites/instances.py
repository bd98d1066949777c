"""Templates and variants made into tasks, shared states and the plan of scripted episodes."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.suite import Task
from misstep.suites.filler import everyday
from misstep.suites.filling import fill
from misstep.suites.templates import Intent, Script, Template, Variant, WorldFile, read_templates, read_world
from misstep.suites.world import State


@dataclass(frozen=True)
class Instance:
    """A task with what its scripts need: `written` is the task as it goes to the file, `task` the same, checked."""

    task: Task
    written: dict[str, Any]
    variables: dict[str, Any]
    scripts: dict[str, Script]
    runs: dict[str, list[str]]

    def intent(self, script: str) -> Intent:
        """Return the labels that a script is written to get on this task."""
        intends = self.scripts[script].intends
        return Intent.model_validate(fill(intends.model_dump(), self.variables))


@dataclass(frozen=True)
class Sources:
    """A suite before it is written: its world, its tasks in order, its shared states."""

    world: WorldFile
    instances: list[Instance]
    states: dict[str, State]

    def initial(self, task: Task) -> State:
        """Return a copy of the initial state of a task: the shared one with the task's overrides."""
        state = copy.deepcopy(self.states[str(task.state)])
        for entity, fields in task.overrides.items():
            if fields is None:
                state.pop(entity, None)
            else:
                state.setdefault(entity, {}).update(copy.deepcopy(fields))
        return state


def read_sources(folder: Path, suite: str) -> Sources:
    """Return the tasks and states that the templates of a folder describe.

    Raises:
        SpecificationError: a file is not well formed, a variable or script is missing, or two records collide.
    """
    world = read_world(folder)
    states = {name: _base_state(name, world) for name in world.states}
    instances: list[Instance] = []
    for template in read_templates(folder):
        place = Place(str(folder / "templates"), field=template.template)
        for variant in template.variants:
            try:
                instances.append(_instance(template, variant, world, suite, states))
            except ValidationError as error:
                raise SpecificationError(f"variant {variant.id}: {error}", place) from error
            except SpecificationError as error:
                raise SpecificationError(f"variant {variant.id}: {error.message}", place) from error
    names = [instance.task.task_id for instance in instances]
    if len(set(names)) != len(names):
        raise SpecificationError("two variants have the same id", Place(str(folder / "templates")))
    return Sources(world, instances, states)


def _base_state(name: str, world: WorldFile) -> State:
    state = {f"contact:{key}": dict(person) for key, person in world.people.items()}
    for entity, record in everyday(name, world).items():
        state[entity] = _whole(entity, record, world)
    return state


def _whole(entity: str, record: Mapping[str, Any], world: WorldFile) -> dict[str, Any]:
    """Return a record with the fields that it does not state itself."""
    return {**copy.deepcopy(world.defaults.get(entity.partition(":")[0], {})), **copy.deepcopy(dict(record))}


def _instance(template: Template, variant: Variant, world: WorldFile, suite: str, states: dict[str, State]) -> Instance:
    people = {"people": world.people, "owner": world.owner}
    variables = {**people, **fill(variant.with_, people)}
    state_name = variant.state or template.state
    if state_name not in states:
        raise SpecificationError(f"no state is called {state_name}")
    for entity, record in fill(template.records, variables).items():
        whole = _whole(entity, record, world)
        if states[state_name].setdefault(entity, whole) != whole:
            raise SpecificationError(f"{entity} is in the state already, with other fields")
    unknown = {name for played in variant.runs.values() for name in played} - set(template.scripts)
    if unknown:
        raise SpecificationError(f"no script is called {', '.join(sorted(unknown))}")
    written: dict[str, Any] = {
        "task_id": f"{template.template}-{variant.id}",
        "suite": suite,
        "template_id": template.template,
        "strata": template.strata,
        "ambiguous": template.ambiguous,
        "instruction": " ".join(fill(variant.instruction, variables).split()),
        "state": state_name,
    }
    if variant.overrides:
        written["overrides"] = fill(variant.overrides, variables)
    parts = {**template.task, **variant.task}
    written.update({key: fill(part, variables) for key, part in parts.items() if part is not None})
    return Instance(Task.model_validate(written), written, variables, template.scripts, variant.runs)
