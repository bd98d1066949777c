"""The templates of the suite made into tasks, each with its own office."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from misstep.contracts.errors import SpecificationError
from misstep.contracts.suite import Task
from misstep.suites.filling import fill
from misstep.suites.instances import AnyInstance, check_names, initial_state, told_where, whole, written_task
from misstep.suites.sabench.everyday import Stock, everyday, read_stock
from misstep.suites.sabench.office import Office
from misstep.suites.sabench.templates import Deed, Template, Variant, WorldFile
from misstep.suites.scripts import Move
from misstep.suites.templates import read_templates, read_written
from misstep.suites.world import State

NAME = "sabench"


@dataclass(frozen=True)
class Instance(AnyInstance):
    """A task with the reads that help on it and its scripts."""

    look: list[Move]
    scripts: Mapping[str, Deed]


@dataclass(frozen=True)
class Sources:
    """The suite before it is written: its world, its tasks in order, its shared states."""

    world: WorldFile
    instances: list[Instance]
    states: dict[str, State]

    def office(self, task: Task) -> Office:
        """Return the office of a task as it is when the task is given."""
        now = self.world.states[str(task.state)].now
        return Office(initial_state(self.states[str(task.state)], task), owner=self.world.owner, now=now)


def read_sources(folder: Path) -> Sources:
    """Return the tasks and states that the files of a folder describe.

    Raises:
        SpecificationError: a file is not well formed, or a variable is missing.
    """
    world = read_written(folder / "world.yaml", WorldFile)
    stock = read_stock(folder)
    states = {week: _base(world, week, stock) for week in world.states}
    instances = []
    for template in read_templates(folder, Template):
        for variant in template.variants:
            with told_where(folder, template, variant):
                instances.append(_instance(template, variant, world, states))
    check_names(folder, instances)
    return Sources(world, instances, states)


def _base(world: WorldFile, week: str, stock: Stock) -> State:
    contacts = {f"contact:{key}": dict(person) for key, person in world.people.items()}
    return contacts | everyday(world.seed, week, world.states[week].now, world.people, world.owner, stock)


def _instance(template: Template, variant: Variant, world: WorldFile, states: Mapping[str, State]) -> Instance:
    people = {"people": world.people, "owner": world.owner}
    variables = {**people, **fill(variant.with_, people)}
    week = variant.state or template.state
    if week not in states:
        raise SpecificationError(f"no state is called {week}")
    overrides = {}
    for entity, record in fill({**template.records, **variant.records}, variables).items():
        overrides[entity] = None if record is None else whole(entity, record, world.defaults)
        if entity in states[week]:
            raise SpecificationError(f"{entity} is one of the everyday records already")
    overrides = {entity: record for entity, record in overrides.items() if record is not None}
    written = written_task(template, variant, variables, NAME, overrides)
    task = Task.model_validate(copy.deepcopy(written))
    return Instance(task, written, variables, look=template.look, scripts=template.scripts)
