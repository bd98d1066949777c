"""How a random episode goes about a task that asks for evidence: mostly as it should, in parts or order not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from oracle.calls import outcome
from oracle.given import REDACTED
from oracle.inquiry import ACTS, READS, Act, Look, Reference
from oracle.steps import Steps
from oracle.world import IDS, RECIPIENTS, SCALARS, Row, Shape

AGREES = ("Yes, go ahead", "yes please", "Go ahead with number 1", "sure")
REFUSES = ("No, wait", "hm", "No, yes", "No, yes please", "wait, yes", "What is number 2?", None, "please")


class Conduct(Steps):
    """The turns of an episode that goes by what its task asks of evidence."""

    def investigate(self) -> None:
        """Add reads, talk and attempts; some reads come late."""
        dice, task = self.dice, self.task.inquiry
        self.placed: dict[str, tuple[str, dict[str, Any]]] = {}
        self.care = dice.pick((0.1, 0.1, 1.3))
        looks = [one for one in task.looks if not self.slips(0.15)]
        dice.random.shuffle(looks)
        late = [one for one in looks if self.slips(0.15)]
        if dice.chance(0.1 if task.lax else 0.6):
            self.identify()
        for look in looks:
            if look not in late:
                self.read(look)
            if self.slips(0.15):
                self.stray()
        for look in looks:
            if dice.chance(0.03 if task.lax else 0.45):
                self.overtake(look)
        if dice.chance(0.3 if self.task.row["ambiguous"] else 0.06, "clarification"):
            self.clarify()
        if not self.slips(0.3):
            self.talk()
        if dice.chance(0.2 if task.protocol in ("V0", "gold-stop", "Legacy") else 0.9):
            self.attempts()
        for look in late:
            self.read(look)
            if not task.lax and dice.chance(0.6):
                self.overtake(look)
        if self.slips(0.08):
            self.attempt(dice.pick(task.acts) if task.acts else None)

    def slips(self, share: float, feature: str | None = None) -> bool:
        """Return whether something goes wrong that does so often; in careful episodes it hardly ever does."""
        return self.dice.chance(share * self.care, feature)

    def attempts(self) -> None:
        """Add the actions in their order, now and then one too few, one too many, or two the other way round."""
        dice, acts = self.dice, list(self.task.inquiry.acts)
        if len(acts) > 1 and self.slips(0.12):
            acts[0], acts[1] = acts[1], acts[0]
        if not acts:
            self.attempt(None)
        for one in acts:
            if not self.slips(0.06):
                self.attempt(one)
            if self.slips(0.05):
                self.attempt(dice.pick((None, one)))
            if self.slips(0.08):
                self.talk()

    def identify(self) -> None:
        """Add a call that finds out who the user is."""
        self.next()
        self.call(
            "user.identify", "read", self.actor(), outcome(self.dice), None, {}, self.dice.pick((None, "Ann, number 1"))
        )

    def actor(self) -> str:
        """Return who makes a call: almost always the agent."""
        return "user" if self.slips(0.05, "other_actors") else "agent"

    def read(self, look: Look) -> None:
        """Add a read, almost always as it should be."""
        dice = self.dice
        self.next()
        given: dict[str, Any] | None = dict(look.arguments)
        tool = look.tool
        if self.slips(0.06):
            given = {**look.arguments, dice.pick(("id", "view")): dice.pick((*IDS, 1, None))}
        elif self.slips(0.04, "redacted"):
            given = {**look.arguments, dice.pick(look.arguments): REDACTED}
        elif self.slips(0.02, "unread"):
            given = None
        elif self.slips(0.04):
            tool = dice.pick(READS)
        elif dice.chance(0.1):
            given = {**look.arguments, "note": "other"}
        shown = self.batch.seen(look) if (not look.told or dice.chance(0.2)) and not self.slips(0.1) else None
        text = dice.pick((None, "title Ab", "numbers 1, 2 and 3", "numbers 1, 2 and 3", "a", "a"))
        self.call(tool, "read", self.actor(), outcome(dice) if self.slips(0.6) else "applied", shown, given, text)

    def stray(self) -> None:
        """Add a read that nobody asked for, perhaps out of scope."""
        self.next()
        if self.task.inquiry.lax and self.dice.chance(0.3):
            result = "unknown" if self.dice.chance(0.3) else outcome(self.dice)
            self.call("sys.mystery", "unknown", "agent", result, None, {"id": "1"})
            return
        tool = "web.search" if self.dice.chance(0.15) else self.dice.pick(READS)
        self.call(tool, "read", self.actor(), outcome(self.dice), None, {"id": self.dice.pick(IDS)}, "nothing")

    def overtake(self, look: Look) -> None:
        """Add a write, by whomever, to what a read showed."""
        entity, facts = self.dice.pick(look.shows)
        name = self.dice.pick(facts) if self.dice.chance(0.4) else next(iter(facts))
        value = facts[name] if self.dice.chance(0.25) else self.dice.pick(SCALARS)
        if entity is None or name == "tags":
            return
        shape = Shape("sys.change", "update", "set", "event", entity.split(":")[1], ((name, value),))
        if self.dice.chance(0.15):
            shape = replace(shape, effect="replace", opaque=self.dice.chance(0.5))
        elif self.dice.chance(0.1):
            shape = replace(shape, effect="delete", fields=())
        self.next()
        rows = [shape.row() | {"step": self.step, "position": self.position, "item": 0, "follows": None}]
        actor = self.dice.pick(("agent", "agent", "user"))
        result = outcome(self.dice)
        given = {"id": entity.split(":")[1]}
        if self.dice.chance(0.12, "unknown_entities"):
            known, given = {"arguments_known": True, "entity_id": None}, {"id": REDACTED}
        elif self.dice.chance(0.08, "unread"):
            known = {"arguments_known": False, "entity_id": None, "fields": [], "arguments": []}
            known |= {"entity_type": self.dice.pick((None, "event", "mail"))}
            known |= {"effect": self.dice.pick(("touch", "set", "create"))}
        else:
            known = {"arguments_known": True}
        self.call("sys.change", "write", actor, result, None, given)
        self.wrote([row | known for row in rows], actor, result)

    def talk(self) -> None:
        """Add a proposal and an answer."""
        dice = self.dice
        self.step, self.position = self.step + 1, 0
        if not self.slips(0.1):
            self.say(
                "assistant", asks=True, text=None if self.slips(0.1) else dice.pick(("Shall I?", "Shall I change 2?"))
            )
            self.step += 1
        said = dice.pick(AGREES if not self.slips(0.3) else REFUSES)
        self.say("user", asks=False, actor="helper" if self.slips(0.05, "other_actors") else None, text=said)
        if dice.chance(0.5):
            self.step += 1

    def attempt(self, act: Act | None) -> None:
        """Add an attempt at an action, mostly right (None: at something that is no action of the task)."""
        dice = self.dice
        self.next()
        if act is None:
            tool = dice.pick(ACTS)
            shape = Shape(tool, "update", "set", "event", dice.pick(IDS), (("title", "zz"),))
            self.act(tool, shape, {"id": shape.entity_id}, outcome(dice), None)
            return
        given: dict[str, Any] | None = {name: self.resolved(value) for name, value in act.arguments.items()}
        shape = act.shape
        assert given is not None
        given = {name: 7 if value == "*" else value for name, value in given.items()}
        if self.slips(0.06):
            given[dice.pick(given)] = dice.pick(("zz", "$id", 2, None))
        elif self.slips(0.05):
            given["extra"] = dice.pick((1, None))
        elif self.slips(0.03):
            del given[dice.pick(given)]
        elif self.slips(0.05, "redacted"):
            given[dice.pick([*given, "title"])] = REDACTED
        elif self.slips(0.02, "unread"):
            given = None
        elif dice.chance(0.1):
            given["note"] = dice.pick(("other", "$x"))
        if given is not None and isinstance(given.get("title"), int) and dice.chance(0.3):
            given["title"] = str(given["title"])
        if given is not None and self.task.inquiry.lax and dice.chance(0.15):
            given["idempotency_key"] = dice.pick(("k1", "k2", f"k{self.calls}", f"k{self.calls}", " ", "$k", 5))
        if given is not None and isinstance(given.get("ids"), list) and dice.chance(0.3):
            given["ids"] = [*given["ids"], dice.pick((*given["ids"], "1", "result:c1.id", "result:c2.token"))]
        if self.slips(0.08):
            shape = replace(shape, entity_id=dice.pick(IDS))
        if shape.recipients and dice.chance(0.7):
            shape = replace(shape, recipients=tuple(dice.some(RECIPIENTS, 3)))
        self.act(act.tool, shape, given, outcome(dice) if self.slips(0.8) else "applied", act)

    def act(self, tool: str, shape: Shape, given: dict[str, Any] | None, result: str, act: Act | None) -> None:
        """Add the call of an attempt with its write, and what it returned."""
        dice, number = self.dice, self.calls
        shown, facts = None, dict[str, Any]()
        if act is not None and dice.chance(0.8):
            entity = f"event:n{number}" if dice.chance(0.7) else None
            facts = {"id": f"n{number}", "token": dice.pick((f"k{number}", f"k{number}", *IDS[:1]))}
            if self.slips(0.2):
                facts.pop(dice.pick(facts))
            shown = self.batch.seen(Look(tool, {}, [(entity, facts)]))
        if act is not None:
            self.placed[act.name] = (f"c{number}", facts)
        self.call(tool, "write", self.actor(), result, shown, given, dice.pick((None, "done")))
        name = shape.entity_id
        if name == "new":
            name = f"n{number}" if dice.chance(0.5) else f"new:{self.step}.{self.position}.0"
        row: Row = shape.row() | {"step": self.step, "position": self.position, "item": 0, "follows": None}
        actor = self.batch.rows["calls"][-1]["actor"]
        if not self.slips(0.05):
            known = not self.slips(0.03, "unknown_entities")
            self.wrote(
                [row | {"entity_id": name if known else None, "arguments_known": given is not None}], actor, result
            )

    def resolved(self, value: Any) -> Any:
        """Return an argument with what the agent gives for the results of earlier actions."""
        if isinstance(value, dict):
            return {name: self.resolved(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.resolved(one) for one in value]
        if not isinstance(value, Reference):
            return value
        call, returned = self.placed.get(value.action, ("c99", {}))
        made = self.dice.random.random() * (1.2 if self.care > 1 else 0.82)
        if made < 0.5:
            return f"result:{call}.{value.field}"
        if made < 0.8:
            return returned.get(value.field, "n77")
        options = (f"result:c{self.dice.pick(range(9))}.{value.field}", f"result:{call}.other", "1", REDACTED, "n77")
        return self.dice.pick(options)

    def decided(self) -> Row:
        """Return how the episode says that it ended: mostly as the task has it."""
        dice, task = self.dice, self.task.inquiry
        right = task.stop or task.decision
        if right is None or dice.chance(0.08):
            return {"decision_type": None, "decision_outcome": None}
        said = right if dice.chance(0.6) else dice.pick(("ALLOW", "BLOCK", "DEFER", "NONE", "block", "defer"))
        kind = dice.pick(("NO_ACTION", right))
        return {"decision_type": kind, "decision_outcome": None if dice.chance(0.08) else said}
