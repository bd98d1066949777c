"""What is looked for: tests of values, and the entities and arguments that conditions name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from misstep.contracts.values import canonical, parse
from oracle.case import Row
from oracle.coverage import Held
from oracle.leaves import Value, at_path, is_below, same
from oracle.ledger import BY, CONTEXT, Record
from oracle.logic import every, some
from oracle.scene import Moment

Condition = Sequence[Row]


def earliest(found: Sequence[Held]) -> Held:
    """Return whether something of this holds, and the first place where it does for certain."""
    sure = [one for one in found if one.holds is True]
    if not sure:
        return Held(some(one.holds for one in found))
    return min(sure, key=order)


def latest(found: Sequence[Held]) -> Held:
    """Return whether all of this holds, and the last place that it took."""
    together = every(one.holds for one in found)
    if together is not True:
        return Held(together)
    last = max((one.place or CONTEXT for one in found), default=CONTEXT)
    return next((one for one in found if (one.place or CONTEXT) == last), Held(True, CONTEXT, "context"))


def order(one: Held) -> tuple[tuple[int, int], int]:
    """Return the sort key of what came to hold: its place, then what did it."""
    return (one.place or CONTEXT, BY.index(one.by or "arguments"))


def argument(moment: Moment, path: str) -> list[Value | None] | None:
    """Return the attempt's argument at a path (none; several of a list); None: unreadable, or any value will do."""
    if moment.arguments is None or any(is_below(path, one) for one in moment.open):
        return None
    return at_path(moment.arguments, path)


def passes(part: Row, value: Value | None, moment: Moment) -> bool | None:
    """Return whether a value that is there passes the test of a part; a value None is not known."""
    if part["test"] in (None, "any"):
        return True
    if part["test"] == "argument":
        wanted = argument(moment, part["argument"])
        if wanted == []:
            return False
        if wanted is None or value is None:
            return None
        return some(None if one is None else same(value, one) for one in wanted)
    return None if value is None else TESTS[part["test"]](part, value)


def _contains(part: Row, value: Value) -> bool:
    """Return whether a text has the wanted part, or a list the wanted member."""
    found, wanted = parse(value.text), parse(part["value"])
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return isinstance(found, list) and canonical(wanted) in [canonical(one) for one in found]


TESTS: dict[str, Callable[[Row, Value], bool]] = {
    "is": lambda part, value: value.key in part["compare"],
    "is_not": lambda part, value: value.key not in part["compare"],
    "contains": _contains,
    "not_contains": lambda part, value: not _contains(part, value),
    "present": lambda part, value: parse(value.text) is not None and value.spelled.strip() != "",
}


def about(condition: Condition, record: Record, moment: Moment) -> bool | None:
    """Return whether a record is about the entity that a condition names (any record where it names none).

    None where it is not known which entity the record, or the condition, is about.
    """
    head = condition[0]
    if head["entity_type"] is None:
        return True
    if record.entity is None or record.entity[0] not in (None, head["entity_type"]):
        return False
    name = record.entity[1]
    if head["entity_argument"] is None and head["entity_id"] is None:
        return None if name is None else True
    return some(None if one is None or name is None else one == name for one in ids(head, moment))


def ids(head: Row, moment: Moment) -> list[str | None]:
    """Return the id that a condition names, or those that the attempt's argument gives; None for an unknown one."""
    if head["entity_argument"] is None:
        return [head["entity_id"]]
    given = argument(moment, head["entity_argument"])
    template = head["entity_template"] or "{}"
    return [None] if given is None else [one and template.replace("{}", one.spelled) for one in given]
