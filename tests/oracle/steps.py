"""The turns of one random episode: talk, reads, questions and writes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Protocol

from oracle.calls import blurred, call_rows, effects, outcome
from oracle.inquiry import Task
from oracle.world import IDS, SCALARS, Dice, Row, Shape, modified, mutated, random_fields


class Sink(Protocol):
    """Where the rows go, and what results show there."""

    dice: Dice
    rows: dict[str, list[Row]]
    shown: list[str]

    def add(self, table: str, *rows: Row) -> None:
        """Add rows to a table."""

    def given(self, tool: str, arguments: dict[str, Any], *, lax: bool) -> str:
        """Return the id of arguments, whose leaves are there."""

    def returned(self, text: str) -> str:
        """Return the id of a result's text, which is there."""


class Steps:
    """The turns of one episode."""

    def __init__(self, batch: Sink, episode: str, task: Task) -> None:
        self.batch, self.dice, self.episode, self.task = batch, batch.dice, episode, task
        self.step, self.position, self.calls = 0, 0, 0
        self.latest: list[Shape] = []
        if not self.dice.chance(0.08, "silent"):
            self.say("user", asks=False, text=self.dice.pick((None, "please change number 1", "2")))

    def say(self, role: str, *, asks: bool, actor: str | None = None, text: str | None = None) -> None:
        """Add a message at the current step."""
        row = {"episode": self.episode, "step": self.step, "position": 9, "role": role, "text": text}
        self.batch.add(
            "messages", row | {"actor": actor or ("agent" if role == "assistant" else "user"), "asks_user": asks}
        )

    def next(self) -> None:
        """Go to the next step, or stay in this one for a parallel call."""
        if self.calls and self.position < 8 and self.dice.chance(0.2, "parallel"):
            self.position += 1
        else:
            self.step, self.position = self.step + 1, 0

    def call(
        self,
        tool: str,
        kind: str,
        actor: str,
        result: str,
        shown: str | None,
        given: dict[str, Any] | None = None,
        text: str | None = None,
    ) -> None:
        """Add a call; arguments None are unreadable."""
        row = {"episode": self.episode, "step": self.step, "position": self.position, "tool": tool, "kind": kind}
        row |= dict.fromkeys(("requested_arguments", "executed_arguments", "parent", "time"))
        row |= {"result_id": None if text is None else self.batch.returned(text), "call_id": f"c{self.calls}"}
        row |= {"arguments_id": None if given is None else self.batch.given(tool, given, lax=self.task.inquiry.lax)}
        self.batch.add("calls", row | {"actor": actor, "outcome": result, "observation_id": shown, "flags": []})
        self.calls += 1

    def anything(self, task: Task) -> None:
        """Add a read, a question, or a write."""
        if self.dice.chance(0.3, "observations"):
            self.next()
            actor = "user" if self.dice.chance(0.1, "other_actors") else "agent"
            given = {"id": self.dice.pick(IDS)} if self.dice.chance(0.7) else None
            self.call("cal.get", "read", actor, outcome(self.dice), self.dice.pick(self.batch.shown), given)
        if self.dice.chance(0.25 if task.row["ambiguous"] else 0.06, "clarification"):
            self.clarify()
        if self.dice.chance(0.4, "kept"):
            self.send_along(task)
        else:
            self.write(task)

    def clarify(self) -> None:
        """Ask the user, who answers mostly: in a message of its own, beside a call, or through an ask tool."""
        self.step, self.position = self.step + 1, 0
        if self.dice.chance(0.3):
            self.call("user.ask", "ask", "agent", self.dice.pick((outcome(self.dice), "applied", "unknown")), None)
            return
        if self.dice.chance(0.3):
            self.call("cal.get", "read", self.dice.pick(("agent", "user")), "applied", None)
        actor = "helper" if self.dice.chance(0.1, "other_actors") else "agent"
        self.say("assistant", asks=not self.dice.chance(0.2), actor=actor)
        self.step, self.position = self.step + 1, 0
        if not self.dice.chance(0.2):
            self.say("user", asks=False)

    def write(self, task: Task) -> None:
        """Add a call that writes."""
        self.next()
        shapes = self.latest if self.latest and self.dice.chance(0.15) else effects(self.dice, task, faithful=False)
        self.latest = [
            replace(one, fields=tuple((name, self.dice.pick(SCALARS)) for name, _ in one.fields))
            if one.effect == "set" and self.dice.chance(0.5)
            else one
            for one in shapes
        ]
        rows = call_rows(self.dice, shapes, self.step, self.position, reference=False)
        actor = "user" if self.dice.chance(0.1, "other_actors") else "agent"
        self.put([blurred(self.dice, row) for row in rows], actor, outcome(self.dice))

    def send_along(self, task: Task) -> None:
        """Add a write that the user wants, along with values that its entity has already, or may have."""
        dice = self.dice
        shapes = [one for one in task.wanted if one.effect in ("set", "replace") and not one.opaque]
        shapes = [one for one in shapes if self.held(one.entity_type, one.entity_id)]
        if not shapes:
            self.write(task)
            return
        shape = dice.pick(shapes)
        held = self.held(shape.entity_type, shape.entity_id)
        if dice.chance(0.3, "unknown_outcomes"):
            doubted = ((dice.pick(sorted(held)), dice.pick(SCALARS)),)
            effect, fields = ("delete", ()) if dice.chance(0.3, "deletes") else ("set", doubted)
            self.change(replace(shape, effect=effect, fields=fields), "unknown")
        names = dice.random.sample(sorted(held), min(len(held), dice.pick((1, 1, 2))))
        fields = dict(shape.fields) | {name: held[name] for name in names}
        self.change(replace(shape, fields=tuple(fields.items())), outcome(dice))

    def held(self, kind: str, name: str) -> dict[str, Any]:
        """Return the values of an entity, roughly: those at the start, then those that it was given."""
        row, rows = self.task.row, self.batch.rows
        at_start = [
            *(one for one in rows["spec/states"] if (one["suite"], one["state"]) == (row["suite"], row["state"])),
            *(
                one
                for one in rows["spec/overrides"]
                if (one["suite"], one["task_id"]) == (row["suite"], row["task_id"])
            ),
        ]
        given = [
            one for one in rows["writes"] if one["episode"] == self.episode and one["effect"] in ("set", "replace")
        ]
        facts = [(one, one) for one in at_start] + [(one, field) for one in given for field in one["fields"]]
        return {
            field["field"]: json.loads(field["value"])
            for one, field in facts
            if (one["entity_type"], one["entity_id"]) == (kind, name)
            and field["field"] != "@exists"
            and field["value"] is not None
        }

    def seen_and_changed(self) -> None:
        """Add a read and a change that may hide what it showed, in any order, then a write to what was shown."""
        shown = self.dice.pick(self.batch.rows["observations"])
        name, kind, entity = shown["field"], shown["entity_type"], shown["entity_id"] or "4"
        value = json.loads(shown["value"])
        update = Shape("cal.update", "update", "set", kind, entity, ((name, value),))
        if self.dice.chance(0.5):
            self.change(replace(update, tool="cal.replace", effect="replace", opaque=self.dice.chance(0.6, "opaque")))
            self.see(shown["observation_id"])
        else:
            self.see(shown["observation_id"])
            self.change(replace(update, tool="cal.replace", effect="replace", opaque=self.dice.chance(0.6, "opaque")))
        self.change(update if self.dice.chance(0.7) else mutated(self.dice, update))

    def see(self, shown: str) -> None:
        """Add a read."""
        self.next()
        self.call("cal.get", "read", "user" if self.dice.chance(0.15, "other_actors") else "agent", "applied", shown)

    def change(self, shape: Shape, result: str = "applied") -> None:
        """Add a write of a shape, now and then with something unknown about it."""
        self.next()
        rows = [shape.row() | {"step": self.step, "position": self.position, "item": 0, "follows": None}]
        self.put([blurred(self.dice, row) for row in rows], "agent", result)

    def repeat(self, rows: list[Row]) -> None:
        """Add a reference call, its creations under other ids, almost always as it should be."""
        self.next()
        made = [row | {"step": self.step, "position": self.position, "arguments_known": True} for row in rows]
        for row in made:
            if str(row["entity_id"]).startswith("new:"):
                row["entity_id"] = f"new:{self.step}.{self.position}.{row['item']}"
            if row["follows"] is not None and row["fields"] and self.dice.chance(0.3):
                row["fields"] = [modified(name, value) for name, value in random_fields(self.dice, row["effect"])]
        if self.dice.chance(0.05):
            made = [blurred(self.dice, row) for row in made]
        self.put(made, rows[0]["actor"], "applied" if self.dice.chance(0.93) else outcome(self.dice))

    def put(self, rows: list[Row], actor: str, result: str) -> None:
        """Add the call and its writes."""
        shown = self.dice.pick(self.batch.shown) if self.dice.chance(0.15, "observations") else None
        given = {"id": rows[0]["entity_id"] or "9"} if self.dice.chance(0.8) else None
        self.call(rows[0]["tool"], "both" if shown else "write", actor, result, shown, given)
        self.wrote(rows, actor, result)

    def wrote(self, rows: list[Row], actor: str, result: str) -> None:
        """Add the writes of a call; items of a batch may fare differently."""
        for row in rows:
            apart = len(rows) > 1 and row["follows"] is None and self.dice.chance(0.1)
            own = outcome(self.dice) if apart and result == "applied" else result
            self.batch.add("writes", row | {"episode": self.episode, "outcome": own, "actor": actor})

    def close(self) -> None:
        """End the episode, mostly with a message, sometimes a question or a late call."""
        self.step, self.position = self.step + 1, 0
        if self.dice.chance(0.85):
            self.say("assistant", asks=self.dice.chance(0.45))
        if self.dice.chance(0.25):
            self.step += 1
            self.call("cal.get", "read", self.dice.pick(("agent", "user")), "applied", None)
