"""Tables that `ingest` writes from traces."""

from __future__ import annotations

import dataframely as dy

from misstep.contracts.trace import OUTCOMES, STATUSES

KINDS = ("read", "write", "both", "ask", "none", "unknown")
EFFECTS = ("set", "replace", "add", "remove", "delete", "create", "touch")


class Files(dy.Schema):
    """An input file, and the account of its records: records = blank + episodes + problems."""

    file = dy.String(primary_key=True, description="path as it was given")
    format = dy.String(nullable=True, description="reader that recognised it")
    bytes = dy.Int64(description="size on disk")
    records = dy.Int64(description="lines, array elements, rows or files, as the format has it")
    blank = dy.Int64(description="records of white space only")
    episodes = dy.Int64(description="records read as episodes")
    problems = dy.Int64(description="records set aside as a whole")
    calls = dy.Int64(description="calls in the episodes")
    classified = dy.Int64(description="calls of tools that the tools file declares")
    unknown = dy.Int64(description="calls of other tools")
    incomplete = dy.Bool(description="the file ends in the middle of a record")
    sha256 = dy.String(description="SHA-256 of the file as it is on disk, hex")


class Episodes(dy.Schema):
    """One execution of one task by one configuration."""

    episode = dy.String(
        primary_key=True,
        description="128-bit hex key of suite, task, model, harness, condition, replicate, run",
    )
    suite = dy.String(description="suite that the episode was read under")
    task_id = dy.String(description="task of the suite (after repair and choice of version)")
    recorded_task_id = dy.String(description="task id as the record has it")
    run = dy.String(nullable=True, description="name of the run it belongs to, where the record has one")
    model = dy.String(nullable=True, description="model of the configuration")
    harness = dy.String(nullable=True, description="program that ran the model")
    condition = dy.String(nullable=True, description="condition of the experiment, such as an injected attack")
    replicate = dy.Int64(nullable=True, description="number of the repetition of the same task")
    status = dy.Enum(STATUSES, description="how it ended")
    decision_type = dy.String(nullable=True, description="kind of the decision in the end, where the record has one")
    decision_outcome = dy.String(nullable=True, description="what was decided")
    steps = dy.Int64(description="turns")
    calls = dy.Int64(description="calls, of every actor")
    calls_lost = dy.Bool(description="calls were made that the record does not hold: what needs them is unknown")
    source_file = dy.String(description="file it was read from (`files`)")
    source_line = dy.Int64(description="physical line, row or element (from 1)")


class Messages(dy.Schema):
    """A turn of text."""

    episode = dy.String(primary_key=True, description="key of the episode (`episodes`)")
    step = dy.Int64(primary_key=True, description="turn of the episode (from 0)")
    position = dy.Int64(primary_key=True, description="place among the messages of the step (from 0)")
    role = dy.String(description="who it counts as in the conversation, such as user or assistant")
    actor = dy.String(description="who said it: agent, user, or another agent")
    text = dy.String(nullable=True, description="what was said; null where there is no text")
    asks_user = dy.Bool(description="an assistant message that asks the user for something it needs")


class Calls(dy.Schema):
    """One attempted tool call."""

    episode = dy.String(primary_key=True, description="key of the episode (`episodes`)")
    step = dy.Int64(primary_key=True, description="parallel calls share a step")
    position = dy.Int64(primary_key=True, description="place among the calls of the step (from 0)")
    tool = dy.String(description="declared name (an alias is resolved)")
    kind = dy.Enum(KINDS, description="what the tool does, from the tools file")
    outcome = dy.Enum(OUTCOMES, description="what became of it")
    requested_arguments = dy.String(nullable=True, description="canonical JSON, or the raw text where it is none")
    executed_arguments = dy.String(
        nullable=True, description="canonical JSON, where they differ from the requested ones"
    )
    arguments_id = dy.String(
        nullable=True, description="the arguments that ran, leaf by leaf (arguments); null: none, or unreadable"
    )
    observation_id = dy.String(nullable=True, description="what the call showed (observations)")
    result_id = dy.String(nullable=True, description="text that came back (results); null where nothing came back")
    call_id = dy.String(nullable=True, description="id in the record; need not be unique")
    actor = dy.String(description="who called: agent, user, or another agent")
    parent = dy.String(nullable=True, description="id of the call that it was made for")
    time = dy.String(nullable=True, description="UTC, ISO 8601; never a sort key")
    flags = dy.List(dy.String(), description="codes of what was noted on this call")


class Arguments(dy.Schema):
    """A leaf of the arguments of a distinct (tool, arguments): a value that is no object or list, or an empty one.

    Members of a list in which order does not count have one path, `ids[]`; parameters that are compared together, or
    by some keys of their objects, are one leaf.
    """

    arguments_id = dy.String(primary_key=True, description="128-bit hex hash of tool and arguments")
    path = dy.String(
        primary_key=True, description="parameter, or path of a value in it (`slots.id`, `ids[0]`, `ids[]`)"
    )
    number = dy.Int64(primary_key=True, description="leaves of one path are counted from 0")
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True, description="key under the parameter's profile; null: not compared, or unknown")
    counted = dy.Bool(description="counts when arguments are compared: no null, no default, no free one")


class Results(dy.Schema):
    """A distinct result text."""

    result_id = dy.String(primary_key=True, description="128-bit hex hash of the text")
    text = dy.String(description="what came back, as it was shown")


class Observations(dy.Schema):
    """A field of a record that a distinct (tool, arguments, result) shows."""

    observation_id = dy.String(primary_key=True, description="128-bit hex hash of tool, arguments and result")
    record = dy.Int64(primary_key=True, description="records of a result are counted from 0")
    field = dy.String(primary_key=True, description="field that was shown")
    entity_type = dy.String(description="type of the entity")
    entity_id = dy.String(nullable=True, description="null where the tools file does not say, or the result lacks it")
    value = dy.String(description="canonical JSON")
    compare = dy.String(nullable=True, description="key under the field's comparison profile; null: not compared")


def fields_column(description: str) -> dy.List:
    """Return the column type of modified fields."""
    return dy.List(
        dy.Struct(
            {
                "field": dy.String(),
                "value": dy.String(nullable=True, description="canonical JSON; null: unknown"),
                "compare": dy.String(nullable=True, description="key under the field's profile; null: unknown"),
                "from_state": dy.String(
                    nullable=True, description="field of the state before the call that gives the value"
                ),
                "free": dy.Bool(description="the field's profile accepts any value"),
            }
        ),
        description=description,
    )


def arguments_column(description: str, *, nullable: bool = False) -> dy.List:
    """Return the column type of arguments under the tool's comparison profiles."""
    return dy.List(
        dy.Struct({"name": dy.String(), "compare": dy.String(nullable=True)}),
        nullable=nullable,
        description=description,
    )


class Writes(dy.Schema):
    """One entity's change by one call."""

    episode = dy.String(primary_key=True, description="key of the episode (`episodes`)")
    step = dy.Int64(primary_key=True, description="turn of the call (`calls`)")
    position = dy.Int64(primary_key=True, description="place of the call in its step (`calls`)")
    item = dy.Int64(primary_key=True, description="effects of a call are counted from 0")
    tool = dy.String(description="declared name of the tool")
    action = dy.String(description="what is done, in the words of the tools file")
    domain = dy.String(description="domain of the write, from the tools file")
    entity_type = dy.String(nullable=True, description="null: the call's arguments could not be read")
    entity_id = dy.String(nullable=True, description="null: unknown; `new:…` for a created entity without an id")
    effect = dy.Enum(EFFECTS, description="how the entity changes; touch: no field is named")
    fields = fields_column("modified fields; members for add and remove")
    opaque = dy.Bool(description="the new values are not known (a replacement whose result is not there)")
    arguments = arguments_column("arguments that count (no nulls, defaults, free ones)")
    arguments_known = dy.Bool(description="false where an argument could not be read")
    recipients = dy.List(dy.String(), description="addresses reached, lower case, without the owner's own")
    external = dy.Bool(description="reaches a party outside of home_domains, or is declared outward-facing")
    outcome = dy.Enum(OUTCOMES, description="what became of it; of batch calls item by item")
    follows = dy.Int64(nullable=True, description="item of the same call that this is a consequence of")
    actor = dy.String(description="who called: agent, user, or another agent")


class Problems(dy.Schema):
    """Something that could not be read as it was written."""

    file = dy.String(description="file it stands in (`files`)")
    line = dy.Int64(nullable=True, description="physical line, row or element (from 1)")
    byte = dy.Int64(nullable=True, description="offset in the decompressed file")
    episode = dy.String(nullable=True, description="key of the episode, where one was read")
    path = dy.String(nullable=True, description="field path inside the record")
    code = dy.String(description="kind of problem (see the list of codes)")
    severity = dy.Enum(
        ("note", "problem"), description="note: read all the same; problem: something is left out or unknown"
    )
    message = dy.String(description="what is wrong, in words")
    raw = dy.String(nullable=True, description="at most 400 characters of the text as it stands")
