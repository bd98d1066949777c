"""Tables of evidence: what suites require (`spec/…`), and the labels of requirements and of attempted actions."""

from __future__ import annotations

import dataframely as dy

from misstep.contracts.evidence import PROFILES, PROTOCOLS, SOURCES

STATUSES = ("SUPPORTED", "MISSING", "VIOLATED", "INACTIVE")
NEAR_MISSES = ("wrong_entity", "stale", "later", "none")
GATES = ("ALLOW", "DEFER", "BLOCK")
ROLES = ("supported", "violated", "inactive")
TESTS = ("is", "is_not", "contains", "not_contains", "present", "argument", "any")
#: What a requirement label is about: a required read (or a least number of reads), a task's requirement, a rule.
LABEL_KINDS = ("coverage", "requirement", "rule")
#: What made something established.
ESTABLISHED_BY = ("context", "read", "observation", "write", "action", "message", "arguments")
#: Number of the attempt that stands for the end of an episode.
END = -1


def leaves_column(description: str) -> dy.List:
    """Return the column type of the leaves of arguments: where they stand, what they are, how they are compared."""
    return dy.List(
        dy.Struct(
            {
                "path": dy.String(description="parameter, or path of a value in it (`slots.id`, `ids[0]`, `ids[]`)"),
                "number": dy.Int64(description="leaves of one path are counted from 0"),
                "value": dy.String(description="canonical JSON"),
                "compare": dy.String(nullable=True, description="key under the parameter's profile; null: any value"),
            }
        ),
        description=description,
    )


class Evidence(dy.Schema):
    """How a task asks for evidence; tasks without evidence have no row."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    protocol = dy.Enum(PROTOCOLS, description="what success means")
    profile = dy.Enum(PROFILES, description="whose rules of evidence hold")
    stop = dy.String(nullable=True, description="BLOCK or DEFER: the right way to stop; null: not to stop")
    decision = dy.String(nullable=True, description="ALLOW, BLOCK or DEFER: the right judgement of a Legacy task")
    consequential = dy.List(dy.String(), description="declared names of the tools whose calls are attempts")
    information = dy.List(dy.String(), description="declared names of the tools whose calls are reads in scope")
    min_reads = dy.Int64(nullable=True, description="least number of reads")
    min_read_tools = dy.Int64(nullable=True, description="least number of different tools read with")
    max_reads = dy.Int64(nullable=True, description="greatest number of reads")
    reads_before_first = dy.Bool(description="all required reads must come before the first action (else: the last)")


class RequiredReads(dy.Schema):
    """A read that the investigation of a task needs."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    read = dy.String(primary_key=True, description="name of the read, unique in its task")
    number = dy.Int64(description="place among the reads of the task (from 0)")
    tool = dy.String(description="declared name of the tool")
    arguments = leaves_column("arguments that it must have had, no more and no fewer")


class ReadFacts(dy.Schema):
    """A field of a record that the task itself, or a read with given arguments, establishes."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    source = dy.Int64(primary_key=True, description="number of the read in its task (from 0); -1: the task's context")
    record = dy.Int64(primary_key=True, description="records of a source are counted from 0")
    field = dy.String(primary_key=True, description="field that is established")
    tool = dy.String(nullable=True, description="declared name of the tool; null: context")
    arguments = leaves_column("arguments that the read must have had, no more and no fewer")
    entity_type = dy.String(nullable=True, description="type of the entity; null: the record says of none")
    entity_id = dy.String(nullable=True, description="id of the entity; null: the record says of none")
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True, description="key under the field's comparison profile; null: not compared")


class Actions(dy.Schema):
    """A consequential action of a task; in a task that must stop, one that must not be taken."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    action = dy.String(primary_key=True, description="name of the action, unique in its task")
    number = dy.Int64(description="place among the actions of the task (from 0)")
    tool = dy.String(description="declared name of the tool")
    arguments = leaves_column("arguments that it must have, no more and no fewer; those of `bindings` are not here")
    entity_type = dy.String(nullable=True, description="type of the entity it changes; null: it creates it, or unknown")
    entity_id = dy.String(nullable=True, description="id of the entity it changes; null: it creates it, or unknown")


class Dependencies(dy.Schema):
    """An action that must be executed before another."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    action = dy.String(primary_key=True, description="the later action (`spec/actions`)")
    after = dy.String(primary_key=True, description="the earlier action (`spec/actions`)")


class Bindings(dy.Schema):
    """An argument that must be what an earlier action returned."""

    suite = dy.String(primary_key=True, description="suite of the task")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`)")
    action = dy.String(primary_key=True, description="the later action (`spec/actions`)")
    path = dy.String(primary_key=True, description="leaf of its arguments (`id`, `slots.id`; `ids[]`: some member)")
    number = dy.Int64(primary_key=True, description="bindings of one path are counted from 0")
    result_of = dy.String(description="the earlier action (`spec/actions`)")
    field = dy.String(description="field of its result")


class Requirements(dy.Schema):
    """Evidence that must be established: of an action of a task, or of the calls that a standing rule is about."""

    suite = dy.String(primary_key=True, description="suite")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`); blank: a standing rule, of every task")
    requirement = dy.String(primary_key=True, description="name of the requirement in its task, or of the rule")
    number = dy.Int64(description="place among the requirements of the task, or among the rules (from 0)")
    actions = dy.List(dy.String(), description="the actions that need it (`spec/actions`); of a rule: none")
    description = dy.String(description="in words")
    missing_reason = dy.String(nullable=True, description="name of what is missing")
    identity = dy.List(dy.String(), description="fields that say which entity a record is about")


class Conditions(dy.Schema):
    """A test of one field within one condition of one alternative of a requirement.

    A requirement is supported, violated or inactive where all conditions of one alternative of that role hold; a
    condition holds where all its parts hold together: in one record, of one entity's state, of one read.
    """

    suite = dy.String(primary_key=True, description="suite")
    task_id = dy.String(primary_key=True, description="task (`spec/tasks`); blank: a standing rule")
    requirement = dy.String(primary_key=True, description="requirement (`spec/requirements`)")
    role = dy.Enum(ROLES, primary_key=True, description="what the alternative makes of the requirement")
    alternative = dy.Int64(primary_key=True, description="alternatives of a role are counted from 0")
    condition = dy.Int64(primary_key=True, description="conditions of an alternative are counted from 0")
    part = dy.Int64(primary_key=True, description="parts of a condition are counted from 0; always at least one")
    reason = dy.String(nullable=True, description="name of what is the case where the alternative holds")
    source = dy.Enum(SOURCES, description="where it is looked for")
    tools = dy.List(dy.String(), description="read, authentication: declared names of the tools")
    result_of = dy.String(nullable=True, description="result_of: the action (`spec/actions`)")
    pattern = dy.String(
        nullable=True,
        description="confirmation: regular expression of what counts as a yes; told: of what must have been said",
    )
    unless = dy.String(nullable=True, description="confirmation: regular expression of what makes it none after all")
    entity_type = dy.String(nullable=True, description="type of the entity; null: any, or none")
    entity_id = dy.String(nullable=True, description="id of the entity as written; null: any, or from an argument")
    entity_argument = dy.String(nullable=True, description="path of the attempt's argument that is the entity's id")
    entity_template = dy.String(
        nullable=True, description="text around the argument, `{}` for it; null: the argument alone"
    )
    field = dy.String(
        nullable=True,
        description="field; of a read: path of an argument; of the action: `tool` or `arguments.PATH`; null: no test",
    )
    test = dy.Enum(TESTS, nullable=True, description="what must hold; `any`: the field is there")
    value = dy.String(nullable=True, description="is_not, contains, not_contains: canonical JSON of the value")
    compare = dy.List(
        dy.String(),
        description="keys of the values, of which one must be (is) or none may be (is_not); known: texts known anyway",
    )
    argument = dy.String(
        nullable=True, description="path of the attempt's argument that it must equal; told, known: that it is about"
    )
    identity = dy.Bool(description="the field says which entity the record is about")


class Rules(dy.Schema):
    """A standing rule: before a call of these tools, its requirement (`spec/requirements`) must be established."""

    suite = dy.String(primary_key=True, description="suite of the rule")
    rule = dy.String(primary_key=True, description="name of the rule, and of its requirement")
    number = dy.Int64(description="place among the rules (from 0)")
    description = dy.String(description="in words")
    tools = dy.List(dy.String(), description="declared names of the tools whose calls it is about")
    when = dy.List(
        dy.Struct(
            {
                "path": dy.String(description="leaf of the arguments; one that is not there is null"),
                "pattern": dy.String(nullable=True, description="regular expression, of text"),
                "values": dy.List(
                    dy.String(), description="canonical JSON; the leaf is one of these or fits `pattern`"
                ),
            }
        ),
        description="conditions on the arguments of the call, all of which must hold",
    )


class RequirementLabels(dy.Schema):
    """Was a piece of evidence established before an attempt, or by the end of the episode?"""

    episode = dy.String(primary_key=True, description="key of the episode (`episodes`)")
    attempt = dy.Int64(primary_key=True, description="number of the attempt (`action_labels`); -1: the end")
    kind = dy.Enum(LABEL_KINDS, primary_key=True, description="required read, requirement of an action, or rule")
    action = dy.String(primary_key=True, description="action it is required for (`spec/actions`); blank: of none")
    requirement = dy.String(primary_key=True, description="required read, requirement or rule")
    status = dy.Enum(STATUSES, nullable=True, description="null: unknown")
    reason = dy.String(nullable=True, description="name of what is missing or violated; of what is unknown")
    established_step = dy.Int64(nullable=True, description="step in which it became established; -1: by the context")
    established_position = dy.Int64(nullable=True, description="place of the call in that step (`calls`)")
    established_by = dy.Enum(ESTABLISHED_BY, nullable=True, description="what established it")
    near_miss = dy.Enum(NEAR_MISSES, nullable=True, description="why something like it does not count; null: it is met")
    near_step = dy.Int64(nullable=True, description="step of what came nearest")
    near_position = dy.Int64(nullable=True, description="place of the call that came nearest in its step")


class ActionLabels(dy.Schema):
    """The judgement of an attempt: a call of a consequential tool, or of a tool that a rule is about."""

    episode = dy.String(primary_key=True, description="key of the episode (`episodes`)")
    step = dy.Int64(primary_key=True, description="turn of the call (`calls`)")
    position = dy.Int64(primary_key=True, description="place of the call in its step (`calls`)")
    attempt = dy.Int64(description="number of the attempt in its episode (from 0)")
    tool = dy.String(description="declared name of the tool")
    consequential = dy.Bool(description="the task names the tool as consequential")
    ruled = dy.Bool(description="a standing rule is about the call")
    matched_action = dy.String(nullable=True, description="action that it is taken for (`spec/actions`)")
    tool_ok = dy.Bool(nullable=True, description="an action of the task has this tool")
    target_ok = dy.Bool(nullable=True, description="it changes the entity that the action changes")
    arguments_ok = dy.Bool(nullable=True, description="its arguments are those of the action, result references apart")
    dependencies_ok = dy.Bool(nullable=True, description="what must come before it was executed in an earlier step")
    binding_ok = dy.Bool(nullable=True, description="what must come from an earlier action's result does")
    supported = dy.Bool(nullable=True, description="every requirement was established before it")
    gap_requirement = dy.Bool(nullable=True, description="a requirement was missing")
    gap_coverage = dy.Bool(nullable=True, description="a required read, or a least number of reads, was missing")
    gate = dy.Enum(GATES, nullable=True, description="BLOCK: something is violated; DEFER: missing; else ALLOW")
    executed = dy.Bool(nullable=True, description="it took effect")
    covered = dy.Int64(description="required reads covered before it")
    reads = dy.Int64(description="reads before it")
    rule_broken = dy.Bool(nullable=True, description="a rule was not kept; null: unknown, or no rule is about it")
    reason = dy.String(nullable=True, description="the first thing that is wrong with it, or unknown")
