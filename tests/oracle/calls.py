"""Random calls with their writes, for episodes and for reference solutions of the agreement test."""

from __future__ import annotations

from dataclasses import replace

from oracle.inquiry import Task
from oracle.world import IDS, Dice, Row, Shape, modified, mutated, random_fields, random_shape


def effects(dice: Dice, task: Task, *, faithful: bool) -> list[Shape]:
    """Return the shapes of one call's writes: mostly one, sometimes a batch over several entities."""
    pool = task.wanted if task.wanted and dice.chance(0.75) else task.others
    shape = dice.pick(pool) if pool and not dice.chance(0.07) else random_shape(dice)
    if faithful and dice.chance(0.25, "opaque"):
        shape = Shape("cal.replace", "update", "replace", "event", dice.pick(IDS), random_fields(dice, "replace"))
    elif faithful and dice.chance(0.25, "creations"):
        shape = Shape("cal.create", "create", "create", "event", "new", random_fields(dice, "create"))
    if not faithful and dice.chance(0.35):
        shape = mutated(dice, shape)
    if shape.effect != "create" and dice.chance(0.15, "batches"):
        return [replace(shape, entity_id=one) for one in dice.random.sample(IDS, 2)]
    return [shape]


def call_rows(dice: Dice, shapes: list[Shape], step: int, position: int, *, reference: bool) -> list[Row]:
    """Return the rows of a call's writes, consequences of them included, less what differs between the tables."""
    rows = []
    for item, shape in enumerate(shapes):
        row = shape.row() | {"step": step, "position": position, "item": item, "follows": None}
        if shape.effect == "create" and shape.entity_id == "new":
            known = not reference and dice.chance(0.4)
            row["entity_id"] = f"n{dice.random.randint(1, 2)}" if known else f"new:{step}.{position}.{item}"
        rows.append(row)
    if dice.chance(0.5 if shapes[0].effect == "replace" else 0.25, "follows"):
        child = (
            random_shape(dice) if dice.chance(0.5) else Shape("cal.update", "update", "set", "event", dice.pick(IDS))
        )
        if not child.fields and child.effect == "set":
            child = replace(child, fields=random_fields(dice, "set"))
        row = child.row() | {"step": step, "position": position, "item": len(rows), "follows": 0}
        row |= {name: rows[0][name] for name in ("tool", "domain", "arguments")}
        if child.entity_id == "new":
            row["entity_id"] = f"new:{step}.{position}.{len(rows)}"
        rows.append(row)
        if dice.chance(0.15):
            again = Shape("mail.mark", "mark_read", "set", "mail", dice.pick(IDS), random_fields(dice, "set"))
            row = again.row() | {"step": step, "position": position, "item": len(rows), "follows": len(rows) - 1}
            rows.append(row | {name: rows[0][name] for name in ("tool", "domain", "arguments")})
    return [from_state(dice, row) for row in rows]


def from_state(dice: Dice, row: Row) -> Row:
    """Return the write with, now and then, a field that takes the value of another field (a swap)."""
    if row["effect"] != "set" or not row["fields"] or not dice.chance(0.1, "from_state"):
        return row
    first = row["fields"][0] | {"value": None, "compare": None, "from_state": dice.pick(("start", "room"))}
    return row | {"fields": [first, *row["fields"][1:]]}


def blurred(dice: Dice, row: Row) -> Row:
    """Return the write with, now and then, something about it that is not known."""
    row = row | {"arguments_known": True}
    if dice.chance(0.03, "unread"):
        row |= {"arguments_known": False, "arguments": [], "fields": [], "recipients": [], "external": False}
        row |= {"entity_id": None, "entity_type": dice.pick((None, row["entity_type"]))}
    elif dice.chance(0.05, "unknown_entities"):
        row["entity_id"] = None
    if row["fields"] and dice.chance(0.06, "redacted"):
        at = dice.random.randrange(len(row["fields"]))
        hidden = row["fields"][at] | {"value": None, "compare": None, "from_state": None}
        row["fields"] = [hidden if index == at else one for index, one in enumerate(row["fields"])]
    if row["arguments"] and dice.chance(0.04, "redacted"):
        row["arguments"] = [row["arguments"][0] | {"compare": None}, *row["arguments"][1:]]
    return row


def outcome(dice: Dice) -> str:
    """Return what became of a call."""
    if dice.chance(0.07, "unknown_outcomes"):
        return "unknown"
    return str(dice.pick(["applied"] * 17 + ["failed", "rejected", "dry_run"]))


def records(dice: Dice, observation: str) -> list[Row]:
    """Return the observation rows of a result that shows one or two records."""
    rows = []
    for record in range(dice.pick((1, 1, 2))):
        kind = dice.pick(("event", "event", "event", "mail"))
        name = None if dice.chance(0.05) else dice.pick((*IDS[2:], *IDS, "n1"))
        kind = "unknown" if name is None and dice.chance(0.3) else kind
        shown = dict(random_fields(dice, "set"))
        if dice.chance(0.3):
            shown["tags"] = dice.pick((["a"], ["a", "b"], []))
        for field, value in shown.items():
            entry = modified(field, value)
            rows.append(
                {
                    "observation_id": observation,
                    "record": record,
                    "field": field,
                    "entity_type": kind,
                    "entity_id": name,
                    "value": entry["value"],
                    "compare": None if field == "body" else entry["compare"],
                }
            )
    return rows
