"""Whole random table sets: a few tasks, many episodes over them, everything small so that things collide often."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import polars as pl
from hypothesis import strategies as st

from misstep.contracts.tables import SPECS, TRACES
from misstep.contracts.values import canonical
from oracle.asking import Asking, rule
from oracle.calls import call_rows, effects, records
from oracle.conduct import Conduct
from oracle.given import identity, leaves
from oracle.inquiry import Inquiry, Task, observed
from oracle.world import (
    FEATURES,
    IDS,
    SCALARS,
    Dice,
    Row,
    condition,
    mutated,
    pattern,
    random_shape,
    value_key,
)

Tables = dict[str, pl.DataFrame]
STATUSES = ["completed"] * 14 + ["budget_exhausted", "aborted", "infrastructure_failure", "unknown"]


@dataclass(frozen=True)
class Knobs:
    """What a batch is made of."""

    seed: int
    episodes: int = 100
    tasks: int = 12
    features: frozenset[str] = FEATURES


def knobs(episodes: int = 100) -> st.SearchStrategy[Knobs]:
    """Return a strategy of batches with at least so many episodes; it shrinks to fewer tasks and features."""
    return st.builds(
        Knobs,
        seed=st.integers(0, 2**32 - 1),
        episodes=st.just(episodes),
        tasks=st.integers(6, 30),
        features=st.sets(st.sampled_from(sorted(FEATURES)), max_size=4).map(lambda off: FEATURES - off),
    )


class Batch:
    """Rows by table, filled task by task and episode by episode."""

    def __init__(self, knobs: Knobs) -> None:
        self.knobs = knobs
        self.dice = Dice(knobs.seed, knobs.features)
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self.tasks: list[Task] = []
        self.known: set[str] = set()
        self.shown = [f"o{index}" for index in range(24)]
        for one in self.shown:
            self.add("observations", *records(self.dice, one))

    def add(self, table: str, *rows: Row) -> None:
        """Add rows to a table."""
        self.rows[table] += rows

    def once(self, table: str, name: str, rows: list[Row]) -> str:
        """Add the rows of a thing that is known by what is in it; return its name."""
        if name not in self.known:
            self.known.add(name)
            self.add(table, *rows)
        return name

    def given(self, tool: str, arguments: dict[str, Any], *, lax: bool) -> str:
        """Return the id of arguments, whose leaves are there."""
        name = identity(f"{tool} {lax}", arguments)
        return self.once("arguments", name, [{"arguments_id": name, **leaf} for leaf in leaves(arguments, lax=lax)])

    def returned(self, text: str) -> str:
        """Return the id of a result's text, which is there."""
        name = hashlib.md5(text.encode()).hexdigest()
        return self.once("results", name, [{"result_id": name, "text": text}])

    def seen(self, look: Any) -> str:
        """Return the id of the observation of what a read shows, whose rows are there."""
        name = hashlib.md5(repr(look.shows).encode()).hexdigest()
        return self.once("observations", name, observed(look, name))

    def suite(self, name: str, tasks: int, *, lax: bool = False) -> None:
        """Add a suite: shared states, allowances, rules, tasks."""
        for state in ("s1", "s2"):
            for kind, one in (*(("event", one) for one in IDS[:3]), ("mail", "1"), ("mail", "2")):
                self.add("spec/states", *self.facts({"suite": name, "state": state}, kind, one))
        for index in range(self.dice.random.randint(0, 3) if "allowances" in self.dice.features else 0):
            self.add("spec/allowances", self.allowance(name, index))
        for index in range(self.dice.pick((1, 2, 3)) if name == "one" and "rules" in self.dice.features else 0):
            for table, row in rule(self.dice, name, index):
                self.add(table, row)
        for index in range(tasks):
            self.task(name, f"t{index}", lax=lax)

    def facts(self, key: Row, kind: str, name: str) -> list[Row]:
        """Return an entity of an initial state with some of its fields."""
        values: dict[str, Any] = {"@exists": not self.dice.chance(0.05, "deletes")}
        for field in ("title", "start", "room", "read", "body"):
            if self.dice.chance(0.6):
                values[field] = self.dice.pick(SCALARS)
        if self.dice.chance(0.6):
            values["tags"] = self.dice.pick((["a"], ["a", "b"], [], "a b"))
        return [
            key
            | {"entity_type": kind, "entity_id": name, "field": field, "value": canonical(value)}
            | {"compare": None if field == "body" else value_key(field, value)}
            for field, value in values.items()
        ]

    def allowance(self, suite: str, index: int) -> Row:
        """Return an allowance of bookkeeping."""
        row = {"suite": suite, "allowance": f"a{index}", "tool": None, "action": None, "entity_type": None}
        row |= {"entity_id": None, "fields": None}
        narrow = self.dice.pick(("action", "tool", "fields", "entity"))
        if narrow == "action":
            row["action"] = self.dice.pick(("mark_read", "remind", "untag"))
        elif narrow == "tool":
            row |= {"tool": self.dice.pick((r"^crm\.touch$", r"^mail\.m.*$"))}
        elif narrow == "fields":
            row |= {"action": "update", "fields": self.dice.pick((["body"], ["room"], ["body", "start"]))}
        else:
            row |= {"entity_type": self.dice.pick(("event", "mail")), "entity_id": self.dice.pick(IDS)}
        return row

    def task(self, suite: str, name: str, *, lax: bool) -> None:
        """Add a task with what its user authorizes, its links, its goal and reference calls."""
        dice, key = self.dice, {"suite": suite, "task_id": name}
        ambiguous = dice.chance(0.2, "ambiguous")
        with_state = dice.chance(0.7, "states")
        asking = Asking(dice, suite, name, lax=lax)
        inquiry = asking.task() if dice.chance(1 if lax else 0.85, "evidence") else Inquiry(None, lax)
        for table, one in asking.rows:
            self.add(table, one)
        wanted = [random_shape(dice) for _ in range(dice.random.randint(1, 4))]
        wanted += [one.shape for one in inquiry.acts if dice.chance(0.7)]
        others = [mutated(dice, shape) for shape in wanted if dice.chance(0.7)] + [random_shape(dice)]
        after = dice.chance(0.6 if ambiguous else 0.25, "clarification")
        kinds = ["none", "conditions", "conditions", "reference", "reference"]
        goal = dice.pick(kinds if "references" in dice.features else kinds[:3])
        row = key | {"template_id": f"p{name}", "ambiguous": ambiguous, "instruction": "do it", "goal": goal}
        row |= {"state": dice.pick(("s1", "s2")) if with_state else None, "authorized_after": after}
        task = Task(row, wanted, others, inquiry)
        self.tasks.append(task)
        self.add("spec/tasks", row)
        if with_state and dice.chance(0.5):
            self.add("spec/overrides", *self.facts(key, "event", dice.pick(IDS)))
        if dice.chance(0.5, "links"):
            ends = dice.random.sample(IDS, 2)
            self.add(
                "spec/links", key | {"entity": f"event:{ends[0]}", "relation": "thread", "linked": f"event:{ends[1]}"}
            )
        shapes = [shape for shape in wanted if dice.chance(0.85)]
        shapes += [dice.pick(shapes) for _ in range(dice.random.randint(0, 2)) if shapes]
        patterns = [] if ambiguous else [pattern(dice, shape, after and dice.chance(0.3)) for shape in shapes]
        patterns += [pattern(dice, shape, True) for shape in shapes if ambiguous and after]
        for index, one in enumerate(patterns):
            self.add("spec/authorizations", key | one | {"pattern": index, "name": f"authorized[{index}]"})
        if goal == "conditions":
            for index in range(dice.pick((0, 1, 1, 2))):
                self.add("spec/goals", key | condition(dice, wanted) | {"condition": index})
        if goal == "reference":
            self.reference(task)

    def reference(self, task: Task) -> None:
        """Add reference calls: writes that the user wants, some of other actors, some inert."""
        dice = self.dice
        for step in range(dice.random.randint(0, 3)):
            rows = call_rows(dice, effects(dice, task, faithful=True), step, 0, reference=True)
            actor = "user" if dice.chance(0.1, "other_actors") else "agent"
            inert = dice.chance(0.12)
            hidden = [row | {"opaque": row["effect"] == "replace"} for row in rows]
            hidden = [row | {"fields": [] if row["opaque"] else row["fields"]} for row in hidden]
            key = {"suite": task.row["suite"], "task_id": task.row["task_id"], "actor": actor, "inert": inert}
            self.add("spec/reference_writes", *(row | key for row in hidden))
            if not inert:
                task.calls.append([row | {"actor": actor} for row in rows])

    def episode(self, index: int) -> None:
        """Add an episode: turns of talk, reads and writes."""
        dice = self.dice
        task = dice.pick(self.tasks)
        name = hashlib.md5(f"{self.knobs.seed}/{index}".encode()).hexdigest()
        steps = Conduct(self, name, task)
        faithful = bool(task.calls) and dice.chance(0.6)
        if task.inquiry.protocol is not None and dice.chance(0.6):
            steps.investigate()
        elif faithful:
            for rows in task.calls:
                if not dice.chance(0.05):
                    steps.repeat(rows)
            if dice.chance(0.4):
                steps.write(task)
            if dice.chance(0.3, "kept"):
                steps.send_along(task)
        else:
            for _ in range(dice.pick((0, 0, 1, 2, 3, 4, 5))):
                steps.anything(task)
            if dice.chance(0.2, "observations"):
                steps.seen_and_changed()
        steps.close()
        known = not dice.chance(0.04)
        self.add(
            "episodes",
            {
                "episode": name,
                "suite": task.row["suite"] if known else dice.pick((task.row["suite"], "three")),
                "task_id": task.row["task_id"] if known else "gone",
                "recorded_task_id": task.row["task_id"],
                **dict.fromkeys(("run", "harness", "condition")),
                **steps.decided(),
                "model": dice.pick(("m1", "m2")),
                "replicate": index,
                "status": dice.pick(STATUSES),
                "steps": steps.step + 1,
                "calls": steps.calls,
                "calls_lost": dice.chance(0.05, "lost"),
                "source_file": "traces.jsonl",
                "source_line": index + 1,
            },
        )

    def tables(self) -> Tables:
        """Return the frames, each in its contract's column order and sorted by key."""
        schemas = {**TRACES, **{f"spec/{name}": schema for name, schema in SPECS.items()}}
        return {
            name: schema.validate(
                pl.DataFrame(self.rows[name], schema=schema.create_empty().schema).sort(schema.primary_key())
            )
            for name, schema in schemas.items()
        }


def batch(knobs: Knobs) -> Tables:
    """Return the tables of a random batch; the same knobs give the same tables."""
    made = Batch(knobs)
    made.suite("one", (2 * knobs.tasks + 4) // 5)
    made.suite("two", max(1, 2 * knobs.tasks // 5))
    if "safeact" in made.dice.features:
        made.suite("sab", max(1, knobs.tasks // 4), lax=True)
    for index in range(knobs.episodes):
        made.episode(index)
    return made.tables()
