"""The oracle over whole tables: `judge_tables` turns frames into rows at the edge, loops, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import polars as pl

from misstep.contracts.tables import LABELS
from oracle.case import Case, Entity, Row, as_writes, initial_state
from oracle.judge import Judged, judge
from oracle.scene import Asked
from oracle.specified import Specified, grouped

LABEL_VERSION = "1"


def cases(tables: Mapping[str, pl.DataFrame]) -> list[tuple[Case, Asked]]:
    """Return one case an episode; `tables` has traces by name and specifications as `spec/…`."""
    messages, calls = grouped(tables, "messages", "episode"), grouped(tables, "calls", "episode")
    writes, observations = grouped(tables, "writes", "episode"), grouped(tables, "observations", "observation_id")
    leaves = grouped(tables, "arguments", "arguments_id")
    texts = dict(tables["results"].select("result_id", "text").rows())
    by_task = {
        name: grouped(tables, f"spec/{name}", "suite", "task_id")
        for name in ("tasks", "overrides", "links", "authorizations", "goals", "reference_writes")
    }
    states = {
        key: {entity: list(facts) for entity, facts in groupby(rows, key=entity_of)}
        for key, rows in grouped(
            {"spec/states": tables["spec/states"].sort(pl.all())}, "spec/states", "suite", "state"
        ).items()
    }
    allowances = grouped(tables, "spec/allowances", "suite")
    evidence = Specified(tables)
    found = []
    for episode in tables["episodes"].to_dicts():
        key, task_key = (episode["episode"],), (episode["suite"], episode["task_id"])
        task = next(iter(by_task["tasks"].get(task_key, ())), None)
        part = {name: rows.get(task_key, []) if task else [] for name, rows in by_task.items()}
        shared = states.get((episode["suite"], task["state"]), {}) if task else {}
        needed = mentioned([*writes.get(key, ()), *part["reference_writes"], *part["goals"]], shared)
        ids = {call["observation_id"] for call in calls.get(key, ())}
        given = {call["arguments_id"] for call in calls.get(key, ())}
        case = Case(
            episode=episode,
            messages=in_order(messages.get(key, ())),
            calls=in_order(calls.get(key, ())),
            writes=as_writes(writes.get(key, ())),
            observations={
                one: sorted(observations.get((one,), ()), key=lambda row: row["record"]) for one in ids if one
            },
            task=task,
            initial=initial_state([row for one in needed for row in shared.get(one, ())], part["overrides"]),
            links=part["links"],
            patterns=sorted(part["authorizations"], key=lambda row: row["pattern"]),
            allowances=allowances.get((episode["suite"],), []),
            goals=part["goals"],
            reference=as_writes(part["reference_writes"], reference=True),
            has_state=task is not None and (task["state"] is not None or bool(part["overrides"])),
            results={one: texts[one] for one in (call["result_id"] for call in calls.get(key, ())) if one in texts},
            arguments={one: leaves.get((one,), []) for one in given if one},
        )
        found.append((case, evidence.asked(*task_key, known=task is not None)))
    return found


def entity_of(row: Row) -> Entity:
    """Return the type and id that a row is about."""
    return (row["entity_type"], row["entity_id"])


def mentioned(rows: Sequence[Row], state: Mapping[Entity, Sequence[Row]]) -> list[Entity]:
    """Return the entities of a state that rows are about: those named, all of a type where a condition chooses."""
    named = {entity_of(row) for row in rows}
    kinds = {kind for kind, name in named if name is None}
    return [entity for entity in state if entity in named or entity[0] in kinds]


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Return rows by step and position."""
    return sorted(rows, key=lambda row: (row["step"], row["position"]))


def judge_cases(tables: Mapping[str, pl.DataFrame]) -> dict[str, Judged]:
    """Return the judgement of every episode by its key."""
    return {case.episode["episode"]: judge(case, asked) for case, asked in cases(tables)}


def judge_tables(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the label tables as their contracts have them (a reason is mostly just "unknown")."""
    judged = judge_cases(tables).values()
    rows = {
        "write_labels": [row for one in judged for row in one.writes],
        "requirement_labels": [row for one in judged for row in one.requirements],
        "action_labels": [row for one in judged for row in one.actions],
        "episode_labels": [{**one.episode, "label_version": LABEL_VERSION} for one in judged],
    }
    return {
        name: pl.DataFrame(rows[name], schema=schema.create_empty().schema, strict=True).sort(schema.primary_key())
        for name, schema in LABELS.items()
    }
