"""Tables of the suite files, written to `spec/` so that labelling needs nothing else."""

from __future__ import annotations

import dataframely as dy

from misstep.contracts.tables.traces import EFFECTS, arguments_column, fields_column


class Tasks(dy.Schema):
    """A task."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="name of the task, unique in its suite")
    template_id = dy.String(nullable=True, description="what several tasks were instantiated from: the resampling unit")
    ambiguous = dy.Bool(description="nothing is explicitly authorized: the safe behaviour is to ask")
    instruction = dy.String(description="what the user wants, in words")
    state = dy.String(nullable=True, description="shared initial state (`spec/states`); null: none is given")
    goal = dy.Enum(("conditions", "reference", "none"), description="how the goal is given")
    authorized_after = dy.Bool(description="says what is authorized once a clarification was answered")


class Strata(dy.Schema):
    """A named label of a task."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    name = dy.String(primary_key=True, description="name of the label, such as trap or domain")
    value = dy.String(description="the label")


class States(dy.Schema):
    """A field of an entity in a shared initial state; the field `@exists` says that the entity is there."""

    suite = dy.String(primary_key=True, description="suite of the state")
    state = dy.String(primary_key=True, description="name of the state, shared by tasks")
    entity_type = dy.String(primary_key=True, description="type of the entity")
    entity_id = dy.String(primary_key=True, description="id of the entity, unique within its type")
    field = dy.String(primary_key=True, description="field of the entity")
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True, description="key under the field's comparison profile; null: not compared")


class Overrides(dy.Schema):
    """A field of a task's own initial state, over the shared one."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    entity_type = dy.String(primary_key=True, description="type of the entity")
    entity_id = dy.String(primary_key=True, description="id of the entity, unique within its type")
    field = dy.String(primary_key=True, description="field of the entity; `@exists` false takes the entity away")
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True, description="key under the field's comparison profile; null: not compared")


class Links(dy.Schema):
    """A relation between two entities of a task."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    entity = dy.String(primary_key=True, description="type:id")
    relation = dy.String(primary_key=True, description="how `linked` relates to `entity`, such as parent or thread")
    linked = dy.String(primary_key=True, description="type:id")


class Authorizations(dy.Schema):
    """A pattern of writes that the user authorized."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    pattern = dy.Int64(primary_key=True, description="number of the pattern in its task (from 0)")
    name = dy.String(description="shown by explain")
    after_clarification = dy.Bool(description="holds only once a clarification was answered")
    tool = dy.String(nullable=True, description="declared name of the tool; null: any")
    domain = dy.String(nullable=True, description="domain of the tool; null where no tool is named")
    action = dy.String(nullable=True, description="action of the write; null: any")
    entities = dy.List(dy.String(), nullable=True, description="type:id of the entities it covers")
    created = dy.String(nullable=True, description="type of an entity that the write creates")
    fields = dy.List(dy.String(), nullable=True, description="fields that may be modified; null: any")
    values = dy.List(
        dy.Struct({"field": dy.String(), "compare": dy.List(dy.String())}),
        description="field: keys of accepted values",
    )
    arguments = arguments_column("arguments that must be equal; null: any", nullable=True)
    exact_arguments = dy.Bool(description="no argument but those named may be given")
    recipients = dy.List(dy.String(), nullable=True, description="addresses that may be reached; null: not said")
    external = dy.Bool(description="may reach external parties beyond `recipients`")
    max = dy.Int64(nullable=True, description="how many effective writes; null: any number")
    inert = dy.Bool(description="taken from a gold write that could never take effect")


class Allowances(dy.Schema):
    """Mechanical bookkeeping that is never damage."""

    suite = dy.String(primary_key=True, description="suite that allows it")
    allowance = dy.String(primary_key=True, description="id of the allowance")
    tool = dy.String(nullable=True, description="regular expression")
    action = dy.String(nullable=True, description="action of the write; null: any")
    entity_type = dy.String(nullable=True, description="type of the entity; null: any")
    entity_id = dy.String(nullable=True, description="id of the entity; null: any")
    fields = dy.List(dy.String(), nullable=True, description="only these fields may be modified; null: any")


class Goals(dy.Schema):
    """A condition on the final state."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    condition = dy.Int64(primary_key=True, description="number of the condition in its task (from 0)")
    entity_type = dy.String(description="type of the entity, or of those that `where` chooses")
    entity_id = dy.String(nullable=True, description="null: chosen by `where`")
    where = dy.List(
        dy.Struct({"field": dy.String(), "compare": dy.String(nullable=True)}),
        description="fields that an entity must have to be chosen",
    )
    field = dy.String(nullable=True, description="field that is tested; null: the entity itself")
    test = dy.Enum(("is", "contains", "exists", "absent", "count"), description="what must hold")
    value = dy.String(nullable=True, description="canonical JSON")
    compare = dy.String(nullable=True, description="key of the wanted value; null: any value will do")


class ReferenceWrites(dy.Schema):
    """A write of a task's reference calls: the same columns as `writes`, by task instead of episode."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    step = dy.Int64(primary_key=True, description="place of the call in the reference (from 0)")
    position = dy.Int64(primary_key=True, description="always 0: reference calls come one after the other")
    item = dy.Int64(primary_key=True, description="effects of a call are counted from 0")
    tool = dy.String(description="declared name of the tool")
    action = dy.String(description="what is done, in the words of the tools file")
    domain = dy.String(description="domain of the write, from the tools file")
    entity_type = dy.String(nullable=True, description="null: unknown")
    entity_id = dy.String(nullable=True, description="null: unknown; `new:…` for a created entity without an id")
    effect = dy.Enum(EFFECTS, description="how the entity changes; touch: no field is named")
    fields = fields_column("modified fields")
    opaque = dy.Bool(description="the new values are not known (a replacement whose result is not there)")
    arguments = arguments_column("arguments that count")
    recipients = dy.List(dy.String(), description="addresses reached, lower case, without the owner's own")
    external = dy.Bool(description="reaches a party outside of home_domains, or is declared outward-facing")
    follows = dy.Int64(nullable=True, description="item of the same call that this is a consequence of")
    actor = dy.String(description="who calls: agent or user")
    inert = dy.Bool(description="could never take effect: left out of the reference state")
