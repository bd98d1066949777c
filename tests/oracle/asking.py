"""The rows of random evidence: of tasks, and of standing rules."""

from __future__ import annotations

from typing import Any

from misstep.contracts.values import canonical
from oracle.given import ANYTHING, wanted
from oracle.inquiry import (
    ABOUT,
    ACTS,
    BLANK,
    FIELDS,
    NO,
    PROTOCOLS,
    READS,
    YES,
    Act,
    Inquiry,
    Look,
    Reference,
    without_references,
)
from oracle.world import IDS, RECIPIENTS, SCALARS, Dice, Row, Shape, value_key


class Asking:
    """The rows of a task's evidence, or of a rule."""

    def __init__(self, dice: Dice, suite: str, task_id: str, *, lax: bool) -> None:
        self.dice, self.lax = dice, lax
        self.key = {"suite": suite, "task_id": task_id}
        self.rows: list[tuple[str, Row]] = []

    def add(self, table: str, **columns: Any) -> None:
        """Add a row."""
        self.rows.append((f"spec/{table}", self.key | columns))

    def task(self) -> Inquiry:
        """Return what a task asks for; its rows are added."""
        dice = self.dice
        options = [one for one in PROTOCOLS if not self.lax or not one.startswith("gold")]
        made = Inquiry(dice.pick([*options, *([] if self.lax else ["gold-stop"])]), self.lax)
        made.looks = [self.look(index) for index in range(dice.pick((0, 1, 2, 2, 3)))]
        kept = list({(one.tool, canonical(one.arguments)): one for one in made.looks}.values())
        made.looks = kept
        some = dice.pick((2, 3))
        count = {"V0": dice.pick((0, 1, 1, 2)), "V1": 1, "V2": some, "V3": some}.get(made.protocol or "", 0)
        made.acts = [self.act(made, index) for index in range(count)]
        made.stop = dice.pick(("BLOCK", "DEFER")) if made.protocol == "V0" else None
        made.decision = dice.pick(("ALLOW", "BLOCK", "DEFER")) if made.protocol == "Legacy" else None
        made.most = dice.pick((2, 4, 6)) if self.lax and dice.chance(0.4) else None
        self.evidence(made)
        self.shown(made)
        for one in made.acts:
            self.action(one)
        for index in range(dice.pick((0, 1, 2, 2)) if made.acts else 0):
            self.requirement(made, index)
        return made

    def evidence(self, made: Inquiry) -> None:
        """Add how the task asks, and what must be read."""
        dice = self.dice
        acts = sorted({one.tool for one in made.acts} | set(dice.some(ACTS, 1))) if made.acts else list(ACTS)
        self.add(
            "evidence",
            protocol=made.protocol,
            profile="safeact" if self.lax else "standard",
            stop=made.stop,
            decision=made.decision,
            consequential=acts,
            information=list(READS),
            min_reads=dice.pick((0, 1, 2, 3)) if dice.chance(0.15) else None,
            min_read_tools=dice.pick((1, 2)) if dice.chance(0.1) else None,
            max_reads=made.most,
            reads_before_first=not dice.chance(0.25),
        )
        for index, look in enumerate(made.looks):
            arguments = dict(look.arguments)
            if dice.chance(0.1):
                arguments[dice.pick(arguments)] = ANYTHING
            if index == 0 or dice.chance(0.8):
                self.add(
                    "required_reads",
                    read=f"reads[{index}]",
                    number=index,
                    tool=look.tool,
                    arguments=wanted(arguments, lax=self.lax),
                )

    def look(self, index: int) -> Look:
        """Return a read, with one or two records that it shows."""
        dice = self.dice
        name = dice.pick(IDS[:3])
        tool = dice.pick(READS)
        arguments: dict[str, Any] = {"id": name}
        if dice.chance(0.3):
            arguments["view"] = dice.pick(("full", 1, "1", None))
        if dice.chance(0.2):
            arguments["ids"] = dice.some(IDS, 3)
        if dice.chance(0.1):
            arguments["note"] = "n"
        shows = [(f"event:{name}" if dice.chance(0.9) else None, self.facts())]
        if dice.chance(0.3):
            shows.append((f"event:{dice.pick(IDS)}", self.facts()))
        return Look(tool, arguments, shows, told=dice.chance(0.5))

    def facts(self) -> dict[str, Any]:
        """Return some fields of a record."""
        names = self.dice.random.sample(FIELDS, 2)
        found = {name: self.dice.pick(SCALARS) for name in names}
        if self.dice.chance(0.3):
            found["tags"] = self.dice.pick((["a"], ["a", "b"], [], "a b"))
        return found

    def shown(self, made: Inquiry) -> None:
        """Add what the context and reads establish."""
        if self.dice.chance(0.4):
            made.context = [(f"event:{self.dice.pick(IDS[:3])}", self.facts())]
            self.records(-1, None, {}, made.context)
        for index, look in enumerate(made.looks):
            if look.told:
                self.records(index, look.tool, look.arguments, look.shows)

    def records(self, source: int, tool: str | None, arguments: dict[str, Any], shows: list[Any]) -> None:
        """Add the records of a source."""
        for record, (entity, facts) in enumerate(shows):
            kind, name = entity.split(":") if entity else (None, None)
            for one, value in facts.items():
                self.add(
                    "read_facts",
                    source=source,
                    record=record,
                    field=one,
                    tool=tool,
                    arguments=wanted(arguments, lax=self.lax),
                    entity_type=kind,
                    entity_id=name,
                    value=canonical(value),
                    compare=None if one == "body" else value_key(one, value),
                )

    def act(self, made: Inquiry, index: int) -> Act:
        """Return an action; in workflows it mostly comes after others, with their results among its arguments."""
        dice = self.dice
        tool = dice.pick(ACTS)
        name = dice.pick(IDS[:3])
        value = dice.pick((1, 2, "a", "Ab"))
        creates = tool in ("cal.create", "mail.send")
        kind, effect = "mail" if tool == "mail.send" else "event", "create" if creates else "set"
        to = tuple(dice.some(RECIPIENTS[:2], 2)) if kind == "mail" else ()
        action = "create" if creates else "update"
        shape = Shape(tool, action, effect, kind, "new" if creates else name, (("title", value),), to)
        arguments: dict[str, Any] = {"title": value} if creates else {"id": name, "title": value}
        if dice.chance(0.15):
            arguments["note"] = "because"
        if dice.chance(0.2):
            arguments["slots"] = {"at": dice.pick((1, "1")), "to": dice.pick(([], [1, "x"], {}))}
        if dice.chance(0.1):
            arguments["extra"] = ANYTHING
        one = Act(f"a{index}", tool, arguments, shape)
        if index and made.protocol in ("V2", "V3", "V0"):
            earlier = [f"a{index - 1}"] if made.protocol == "V2" else dice.some([f"a{at}" for at in range(index)], 2)
            one.after = earlier
            if earlier and dice.chance(0.6, "result_references"):
                place = dice.pick(("ref", "slots", "ids", *(("ids", "ids") if self.lax else ())))
                reference = Reference(dice.pick(earlier), dice.pick(("id", "token")))
                if place == "slots":
                    one.arguments["slots"] = {"from": reference}
                elif place == "ids":
                    one.arguments["ids"] = [*([] if self.lax else dice.some(IDS, 2)), reference]
                else:
                    one.arguments["ref"] = reference
        return one

    def action(self, one: Act) -> None:
        """Add an action, what must come before it, and what of it is a result."""
        fixed, bound = without_references(one.arguments)
        kind = None if one.shape.effect == "create" else one.shape.entity_type
        self.add(
            "actions",
            action=one.name,
            number=int(one.name[1:]),
            tool=one.tool,
            arguments=wanted(fixed, lax=self.lax),
            entity_type=kind,
            entity_id=None if kind is None else one.shape.entity_id,
        )
        for earlier in one.after:
            self.add("dependencies", action=one.name, after=earlier)
        for number, (path, reference) in enumerate(bound):
            self.add(
                "bindings", action=one.name, path=path, number=number, result_of=reference.action, field=reference.field
            )

    def requirement(self, made: Inquiry, index: int) -> None:
        """Add a requirement of some actions."""
        dice, name = self.dice, f"r{index}"
        acting = [one for one in made.acts if dice.chance(0.6)] or made.acts[:1]
        identity = ["room"] if dice.chance(0.25) else []
        self.add(
            "requirements",
            requirement=name,
            number=index,
            actions=[one.name for one in acting],
            description="",
            missing_reason=dice.pick((None, "not_known")),
            identity=identity,
        )
        self.alternatives(name, "supported", made, acting[0], identity, dice.pick((1, 1, 2)))
        if dice.chance(0.35):
            self.alternatives(name, "violated", made, acting[0], identity, 1)
        if dice.chance(0.35):
            self.alternatives(name, "inactive", made, acting[0], identity, 1)

    def alternatives(
        self, name: str, role: str, made: Inquiry, act: Act | None, identity: list[str], count: int
    ) -> None:
        """Add alternatives of one or two conditions."""
        for alternative in range(count):
            for condition in range(self.dice.pick((1, 1, 2))):
                head, parts = self.condition(made, act, 0.1 if role == "supported" else 0.7)
                for part, tested in enumerate(parts):
                    self.add(
                        "conditions",
                        requirement=name,
                        role=role,
                        alternative=alternative,
                        condition=condition,
                        part=part,
                        **{"reason": f"{role}[{alternative}]", **BLANK, **head, **tested}
                        | {
                            "identity": tested.get("field") in identity or (head["source"], tested.get("test")) == ABOUT
                        },
                    )

    def condition(self, made: Inquiry, act: Act | None, off: float) -> tuple[Row, list[Row]]:
        """Return what a condition is about, and its tests, which what is shown mostly passes, or (`off`) does not."""
        dice = self.dice
        kinds = ["record"] * 5 + ["state"] * 4 + ["read"] * 2
        kinds += ["confirmation", "confirmation", "authentication", "told", "known"] if dice.chance(0.6) else []
        source = dice.pick([*kinds, *(["action"] if act else []), *(["result_of"] * 3 if act and act.after else [])])
        grounds = [*made.context, *(one for look in made.looks for one in look.shows)]
        if source in ("record", "state") and grounds:
            entity, facts = dice.pick(grounds)
            head: Row = {"source": source}
            if entity and (source == "state" or dice.chance(0.8)):
                head |= self.about(entity.split(":")[1])
            elif source == "state":
                head |= self.about(dice.pick(IDS))
            return head, [self.test(name, value, off) for name, value in list(facts.items())[: dice.pick((1, 1, 2))]]
        if source == "action" and act:
            tests = [self.test("arguments.title", act.arguments["title"], off)]
            if dice.chance(0.3):
                tests.append({"field": "tool", "test": "is", "compare": [canonical(act.tool)]})
            return {"source": source}, tests
        if source == "result_of" and act:
            return {"source": source, "result_of": dice.pick(act.after)}, [{}]
        if source == "confirmation":
            about = self.about(dice.pick(IDS)) if dice.chance(0.2) else {}
            return {"source": source, "pattern": YES, "unless": NO if dice.chance(0.7) else None, **about}, [{}]
        if source == "authentication":
            return {"source": source, "tools": ["user.identify"]}, [{}]
        if source == "told":
            hole = dice.chance(0.6)
            pattern = r"\bnumber {arguments.id}" if hole else "please"
            return {"source": source, "pattern": pattern}, [{"argument": "id"} if hole else {}]
        if source == "known":
            return {"source": source}, [{"argument": dice.pick(("id", "title", "ids", "slots")), "compare": ["own"]}]
        tools = dice.pick((["cal.get"], ["cal.get", "crm.find"], list(READS)))
        head = {"source": "read", "tools": tools}
        tests = [{}]
        if dice.chance(0.6 if made.looks else 0.35):
            name = dice.pick(made.looks).arguments["id"] if made.looks else dice.pick(IDS)
            same = {"field": "id", "test": "argument", "argument": "id"}
            tests = [same if dice.chance(0.5) else {"field": "id", "test": "is", "compare": [canonical(name)]}]
        if dice.chance(0.4):
            head |= self.about(dice.pick(IDS[:3]))
        return head, tests

    def about(self, name: str) -> Row:
        """Return what names an entity: its id, or an argument of the attempt."""
        if self.dice.chance(0.3):
            return {"entity_type": "event", "entity_argument": "id", "entity_template": self.dice.pick((None, "{}"))}
        return {"entity_type": "event", "entity_id": name}

    def test(self, name: str, value: Any, off: float) -> Row:
        """Return a test of a field that a value mostly passes, or (`off`) does not."""
        dice = self.dice
        other = dice.pick(SCALARS) if dice.chance(off) else value
        kind = dice.pick(("is",) * 6 + ("is_not", "contains", "not_contains", "present", "argument", "any"))
        row: Row = {"field": name, "test": kind}
        if kind == "is":
            keys = [value_key(name.removeprefix("arguments."), one) for one in (other, *dice.some(SCALARS, 1))]
            return row | {"compare": sorted(set(keys))}
        if kind == "is_not":
            kept = dice.pick([one for one in SCALARS if one != value])
            return row | {"value": canonical(kept), "compare": [value_key(name.removeprefix("arguments."), kept)]}
        if kind == "contains":
            part = (
                value[:1]
                if isinstance(value, str) and value
                else value[0]
                if isinstance(value, list) and value
                else "a"
            )
            return row | {"value": canonical(part)}
        if kind == "not_contains":
            return row | {"value": canonical(dice.pick(("z", "b", 1)))}
        return row | ({"argument": "title"} if kind == "argument" else {})


def rule(dice: Dice, suite: str, number: int) -> list[tuple[str, Row]]:
    """Return the rows of a standing rule."""
    asking = Asking(dice, suite, "", lax=False)
    name = f"rule{number}"
    when = {"path": "id", "pattern": "^[12]$" if dice.chance(0.5) else None, "values": ['"3"', "null"]}
    asking.add(
        "requirements", requirement=name, number=number, actions=[], description="", missing_reason=None, identity=[]
    )
    asking.alternatives(name, "supported", Inquiry(None), None, [], dice.pick((1, 1, 2)))
    tools = dice.pick((["cal.update"], ["cal.update", "crm.update"], list(ACTS), ["cal.cancel", "cal.replace"]))
    row = {"suite": suite, "rule": name, "number": number, "description": "", "tools": tools}
    return [*asking.rows, ("spec/rules", row | {"when": [when] if dice.chance(0.3) else []})]
