"""Tables of the suite files, written to `spec/` so that labelling needs nothing else."""

from __future__ import annotations

import dataframely as dy

from misstep.contracts.tables.traces import EFFECTS, arguments_column, fields_column


class Tasks(dy.Schema):
    """A task."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    template_id = dy.String(nullable=True)
    ambiguous = dy.Bool()
    instruction = dy.String()
    state = dy.String(nullable=True)
    goal = dy.Enum(("conditions", "reference", "none"), description="how the goal is given")
    authorized_after = dy.Bool(description="says what is authorized once a clarification was answered")


class Strata(dy.Schema):
    """A named label of a task."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    name = dy.String(primary_key=True)
    value = dy.String()


class States(dy.Schema):
    """A field of an entity in a shared initial state; the field `@exists` says that the entity is there."""

    suite = dy.String(primary_key=True)
    state = dy.String(primary_key=True)
    entity_type = dy.String(primary_key=True)
    entity_id = dy.String(primary_key=True)
    field = dy.String(primary_key=True)
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True)


class Overrides(dy.Schema):
    """A field of a task's own initial state, over the shared one."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    entity_type = dy.String(primary_key=True)
    entity_id = dy.String(primary_key=True)
    field = dy.String(primary_key=True)
    value = dy.String()
    compare = dy.String(nullable=True)


class Links(dy.Schema):
    """A relation between two entities of a task."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    entity = dy.String(primary_key=True, description="type:id")
    relation = dy.String(primary_key=True)
    linked = dy.String(primary_key=True, description="type:id")


class Authorizations(dy.Schema):
    """A pattern of writes that the user authorized."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    pattern = dy.Int64(primary_key=True)
    name = dy.String(description="shown by explain")
    after_clarification = dy.Bool(description="holds only once a clarification was answered")
    tool = dy.String(nullable=True)
    domain = dy.String(nullable=True, description="domain of the tool; null where no tool is named")
    action = dy.String(nullable=True)
    entities = dy.List(dy.String(), nullable=True, description="type:id of the entities it covers")
    created = dy.String(nullable=True, description="type of an entity that the write creates")
    fields = dy.List(dy.String(), nullable=True, description="fields that may be modified; null: any")
    values = dy.List(
        dy.Struct({"field": dy.String(), "compare": dy.List(dy.String())}),
        description="field: keys of accepted values",
    )
    arguments = arguments_column("arguments that must be equal; null: any", nullable=True)
    exact_arguments = dy.Bool()
    recipients = dy.List(dy.String(), nullable=True, description="addresses that may be reached; null: not said")
    external = dy.Bool(description="may reach external parties beyond `recipients`")
    max = dy.Int64(nullable=True, description="how many effective writes; null: any number")
    inert = dy.Bool(description="taken from a gold write that could never take effect")


class Allowances(dy.Schema):
    """Mechanical bookkeeping that is never damage."""

    suite = dy.String(primary_key=True)
    allowance = dy.String(primary_key=True)
    tool = dy.String(nullable=True, description="regular expression")
    action = dy.String(nullable=True)
    entity_type = dy.String(nullable=True)
    entity_id = dy.String(nullable=True)
    fields = dy.List(dy.String(), nullable=True)


class Goals(dy.Schema):
    """A condition on the final state."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    condition = dy.Int64(primary_key=True)
    entity_type = dy.String()
    entity_id = dy.String(nullable=True, description="null: chosen by `where`")
    where = dy.List(dy.Struct({"field": dy.String(), "compare": dy.String(nullable=True)}))
    field = dy.String(nullable=True)
    test = dy.Enum(("is", "contains", "exists", "absent", "count"))
    value = dy.String(nullable=True, description="canonical JSON")
    compare = dy.String(nullable=True)


class ReferenceWrites(dy.Schema):
    """A write of a task's reference calls: the same columns as `writes`, by task instead of episode."""

    suite = dy.String(primary_key=True)
    task_id = dy.String(primary_key=True)
    step = dy.Int64(primary_key=True)
    position = dy.Int64(primary_key=True)
    item = dy.Int64(primary_key=True)
    tool = dy.String()
    action = dy.String()
    domain = dy.String()
    entity_type = dy.String(nullable=True)
    entity_id = dy.String(nullable=True)
    effect = dy.Enum(EFFECTS)
    fields = fields_column("modified fields")
    opaque = dy.Bool()
    arguments = arguments_column("arguments that count")
    recipients = dy.List(dy.String())
    external = dy.Bool()
    follows = dy.Int64(nullable=True)
    actor = dy.String()
    inert = dy.Bool(description="could never take effect: left out of the reference state")
