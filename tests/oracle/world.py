"""Random suites for the agreement test: shapes of writes, and the tasks that authorize or miss them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from misstep.contracts.values import canonical, casefold

Row = dict[str, Any]

FEATURES = frozenset(
    {
        "allowances",
        "ambiguous",
        "batches",
        "clarification",
        "creations",
        "deletes",
        "evidence",
        "external",
        "follows",
        "from_state",
        "kept",
        "links",
        "lost",
        "mixed",
        "observations",
        "opaque",
        "other_actors",
        "parallel",
        "redacted",
        "references",
        "result_references",
        "rules",
        "safeact",
        "silent",
        "states",
        "unknown_entities",
        "unknown_outcomes",
        "unread",
    }
)
IDS = ("1", "2", "3", "4")
SCALARS = (1, 2, "a", "Ab", "ab", True, None)
RECIPIENTS = ("a@home", "b@home", "x@out", "y@out")
TOOLS: tuple[tuple[str, str, str, str], ...] = (  # tool, action, effect, entity type
    ("cal.update", "update", "set", "event"),
    ("cal.replace", "update", "replace", "event"),
    ("cal.tag", "tag", "add", "event"),
    ("cal.tag", "untag", "remove", "event"),
    ("cal.cancel", "cancel", "delete", "event"),
    ("cal.create", "create", "create", "event"),
    ("crm.update", "update", "set", "event"),
    ("crm.touch", "remind", "touch", "event"),
    ("mail.send", "send", "create", "mail"),
    ("mail.mark", "mark_read", "set", "mail"),
)


class Dice:
    """Seeded chance, with features that can be switched off without shifting the other draws."""

    def __init__(self, seed: int, features: frozenset[str]) -> None:
        self.random = random.Random(seed)
        self.features = features

    def chance(self, share: float, feature: str | None = None) -> bool:
        """Return true with the given probability, never where the feature is off."""
        hit = self.random.random() < share
        return hit and (feature is None or feature in self.features)

    def pick(self, options: Any) -> Any:
        """Return one of the options."""
        return self.random.choice(list(options))

    def some(self, options: Any, most: int) -> list[Any]:
        """Return up to `most` distinct options in random order."""
        pool = list(options)
        return self.random.sample(pool, self.random.randint(0, min(most, len(pool))))


def value_key(name: str, value: Any) -> str:
    """Return the comparison key of a field's value: titles forget case, all other fields are strict."""
    return casefold(value) if name == "title" else canonical(value)


def modified(name: str, value: Any) -> Row:
    """Return a row of a modified field."""
    text, key = canonical(value), value_key(name, value)
    return {"field": name, "value": text, "compare": key, "from_state": None, "free": name == "body"}


@dataclass(frozen=True)
class Shape:
    """What a write is like, wherever it happens."""

    tool: str
    action: str
    effect: str
    entity_type: str
    entity_id: str
    fields: tuple[tuple[str, Any], ...] = ()
    recipients: tuple[str, ...] = ()
    declared_external: bool = False
    extra: tuple[tuple[str, Any], ...] = ()
    opaque: bool = False

    def arguments(self) -> list[Row]:
        """Return the arguments that count: the id, the values, and extra ones."""
        named: dict[str, Any] = {} if self.effect == "create" else {"id": self.entity_id}
        for name, value in self.fields:
            if name != "body":
                named.setdefault(name, value)
        named |= dict(self.extra)
        return [{"name": name, "compare": value_key(name, value)} for name, value in sorted(named.items())]

    def row(self) -> Row:
        """Return the columns of a write that do not depend on where it happens."""
        external = self.declared_external or any(one.endswith("@out") for one in self.recipients)
        return {
            "tool": self.tool,
            "action": self.action,
            "domain": self.tool.split(".")[0],
            "entity_type": self.entity_type,
            "entity_id": self.entity_id,
            "effect": self.effect,
            "fields": [] if self.opaque else [modified(name, value) for name, value in self.fields],
            "opaque": self.opaque,
            "arguments": self.arguments(),
            "recipients": sorted(self.recipients),
            "external": external,
        }


def random_fields(dice: Dice, effect: str) -> tuple[tuple[str, Any], ...]:
    """Return fields that a write with this effect may modify."""
    if effect in ("delete", "touch"):
        return ()
    if effect in ("add", "remove"):
        members = dice.some(("a", "b", 1), 2) or ["a"]
        return tuple(("tags", member) for member in members)
    names = dice.some(("title", "start", "room", "body"), 2) or (["start"] if dice.chance(0.8) else [])
    pairs = [(name, dice.pick(SCALARS)) for name in names]
    if dice.chance(0.15, "mixed"):
        pairs.append(("tags", dice.pick((["a"], ["a", "b"], []))))
    return tuple(pairs)


def random_shape(dice: Dice) -> Shape:
    """Return a shape; creations get new ids where they happen."""
    off = {"create": "creations", "delete": "deletes"}
    tool, action, effect, kind = dice.pick(one for one in TOOLS if one[2] not in off or off[one[2]] in dice.features)
    sends = action in ("send", "cancel") or dice.chance(0.25)
    return Shape(
        tool,
        action,
        effect,
        kind,
        "new" if effect == "create" else dice.pick(IDS[:3] if dice.chance(0.7) else IDS),
        random_fields(dice, effect),
        tuple(dice.some(RECIPIENTS[:3] if dice.chance(0.7, "external") else RECIPIENTS[:2], 2)) if sends else (),
        dice.chance(0.05, "external"),
        opaque=effect in ("replace", "create") and dice.chance(0.5 if effect == "replace" else 0.15, "opaque"),
    )


def mutated(dice: Dice, shape: Shape) -> Shape:
    """Return the shape with one thing changed."""
    what = dice.pick(
        ("entity", "entity", "value", "value", "field", "recipient", "recipient", "argument", "tool", "opaque")
    )
    if what == "entity" and shape.effect != "create":
        return replace(shape, entity_id=dice.pick(IDS))
    if what == "value" and shape.fields and shape.effect not in ("add", "remove"):
        return replace(shape, fields=tuple((name, dice.pick(SCALARS)) for name, _ in shape.fields))
    if what == "value" and shape.fields:
        return replace(shape, fields=(("tags", dice.pick(("a", "b", 1))),))
    if what == "field" and shape.effect in ("set", "create"):
        return replace(shape, fields=tuple(dict([*shape.fields, ("room", dice.pick(SCALARS))]).items()))
    if what == "recipient":
        return replace(
            shape, recipients=tuple(dice.some(RECIPIENTS if dice.chance(0.6, "external") else RECIPIENTS[:2], 3))
        )
    if what == "argument":
        return replace(shape, extra=(("mode", dice.pick(("x", "y"))),))
    if what == "tool" and shape.tool in ("cal.update", "crm.update"):
        return replace(shape, tool="crm.update" if shape.tool == "cal.update" else "cal.update")
    if what == "opaque" and shape.effect == "replace" and dice.chance(1, "opaque"):
        return replace(shape, opaque=not shape.opaque)
    return shape


def pattern(dice: Dice, shape: Shape, after: bool) -> Row:
    """Return a pattern that the shape mostly fits, more or less strict."""
    creates = shape.effect == "create"
    entities = {f"{shape.entity_type}:{shape.entity_id}"} | {
        f"event:{one}" for one in dice.some(IDS, 2) if dice.chance(0.4)
    }
    named = [(name, value) for name, value in shape.fields if name != "body"]
    fields = sorted({name for name, _ in named if dice.chance(0.8)}) if dice.chance(0.4) else None
    values: dict[str, set[str]] = {}
    for name, value in named:
        if dice.chance(0.5):
            values.setdefault(name, set()).add(value_key(name, value))
            if dice.chance(0.4):
                values[name].add(value_key(name, dice.pick(SCALARS)))
    tool = shape.tool if dice.chance(0.8) else None
    given = [one for one in shape.arguments() if dice.chance(0.8)] if dice.chance(0.35) else None
    return {
        "after_clarification": after,
        "tool": tool,
        "domain": None if tool is None else tool.split(".")[0],
        "action": shape.action if dice.chance(0.8) else None,
        "entities": None if creates or dice.chance(0.15) else sorted(entities),
        "created": shape.entity_type if creates and dice.chance(0.8) else None,
        "fields": fields,
        "values": [{"field": name, "compare": sorted(keys)} for name, keys in sorted(values.items())],
        "arguments": given,
        "exact_arguments": given is not None and dice.chance(0.5),
        "recipients": sorted({*shape.recipients, *dice.some(RECIPIENTS, 1)})
        if dice.chance(0.6) and shape.recipients
        else None,
        "external": dice.chance(0.25),
        "max": dice.pick((1, 1, 1, 1, 2, 3, None)),
        "inert": dice.chance(0.1),
    }


def condition(dice: Dice, shapes: list[Shape]) -> Row:
    """Return a goal condition that some shape brings about, or a random one."""
    shape = dice.pick(shapes) if shapes and dice.chance(0.7) else random_shape(dice)
    named = [(name, value) for name, value in shape.fields if name != "body"]
    name, value = dice.pick(named) if named else (dice.pick(("title", "start")), dice.pick(SCALARS))
    tests = {"add": "contains", "remove": "contains", "delete": "absent", "touch": "exists"}
    test = tests.get(shape.effect) if dice.chance(0.7) else None
    test = test or dice.pick(("is", "is", "contains", "exists", "absent", "count"))
    by_where = test == "count" or shape.effect == "create" or dice.chance(0.2)
    needle = dice.pick(("a", "b", 1))
    where = [(name, value)] if by_where and dice.chance(0.7) and test != "is" else []
    row: Row = {
        "entity_type": shape.entity_type,
        "entity_id": None if by_where else shape.entity_id,
        "where": [{"field": one, "compare": value_key(one, it)} for one, it in where],
        "field": None,
        "test": test,
        "value": "true",
        "compare": "true",
    }
    if test == "is":
        row |= {"field": name, "value": canonical(value), "compare": value_key(name, value)}
    elif test == "contains":
        row |= {"field": "tags" if dice.chance(0.6) else name, "value": canonical(needle), "compare": canonical(needle)}
    elif test == "count":
        count = canonical(dice.pick((0, 1, 1, 2)))
        row |= {"value": count, "compare": count}
    return row
