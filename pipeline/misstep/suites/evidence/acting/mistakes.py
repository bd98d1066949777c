"""Actions that are not the right ones: a wrong value, an invented receipt, another tool, one thing twice."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Collection, Iterator
from typing import Any

from misstep.suites.evidence.acting.moves import Move
from misstep.suites.evidence.acting.prepared import Prepared, plain
from misstep.suites.evidence.domain_file import Argument
from misstep.suites.evidence.layers import Step
from misstep.suites.world import Record

_TEXTS = ("as discussed", "per the request", "see the file", "agreed by phone")


def guessed(prepared: Prepared, step: Step, made: Collection[str], draw: random.Random) -> Move:
    """Return an action with a guess in place of what nothing has shown; of one argument, where all was shown."""
    unknown = prepared.unknown(step, made)
    if not unknown:
        return wrong(prepared, step, draw) or missing(prepared, step, draw)
    arguments = plain(step)
    for name in unknown:
        arguments[name] = _instead(arguments[name], prepared.domain.acts[step.tool].args[name], prepared, draw)
    return Move(step.tool, arguments, step.id)


def wrong(prepared: Prepared, step: Step, draw: random.Random, *, loose: bool = False) -> Move | None:
    """Return an action of which one argument is wrong, or nothing if it has none that counts.

    Args:
        prepared: the case.
        step: the action.
        draw: chooses.
        loose: only arguments that no requirement speaks of, so that all of them remain established.
    """
    tool = prepared.domain.acts[step.tool]
    tied = set(_tied(prepared, step)) if loose else set()
    names = [
        name
        for name in prepared.compared(step)
        if name in tool.args and name not in tied and tool.args[name].type != "list"
    ]
    if not names:
        return None
    arguments = plain(step)
    name = draw.choice(names)
    arguments[name] = _instead(arguments[name], tool.args[name], prepared, draw)
    return Move(step.tool, arguments, step.id)


def missing(prepared: Prepared, step: Step, draw: random.Random) -> Move:
    """Return an action that lacks an argument that its tool needs."""
    tool = prepared.domain.acts[step.tool]
    needed = [name for name in step.arguments if not tool.args[name].optional]
    left_out = draw.choice(needed)
    return Move(step.tool, {name: value for name, value in plain(step).items() if name != left_out}, step.id)


def _tied(prepared: Prepared, step: Step) -> Iterator[str]:
    """Yield the arguments that requirements of an action speak of."""
    actions = {action["id"]: action for action in prepared.case.evidence["actions"]}
    needed = actions[step.id]["requires"]
    text = json.dumps([one for one in prepared.case.evidence["requirements"] if one["id"] in needed])
    for name in step.arguments:
        if re.search(rf'(arguments\.|"){name}["}}]', text):
            yield name


def _instead(value: Any, argument: Argument, prepared: Prepared, draw: random.Random) -> Any:
    """Return a value that is not the right one, and could be taken for one."""
    if isinstance(value, dict):
        return _invented("rc_", draw)
    if argument.one_of:
        return draw.choice([one for one in argument.one_of if one != value] or [f"{value} "])
    if argument.type == "flag":
        return not value
    if argument.version_of is not None:
        return draw.choice([1, 2, 3, int(value) - 1])
    if isinstance(value, int):
        return draw.choice([value + 1, value + 10, value * 2 + 1])
    if isinstance(value, float):
        return draw.choice([value + 1, round(value * 1.1 + 1, 2), value * 2 + 1])
    if argument.given_by:
        return _invented(str(value)[:3], draw)
    if argument.id is not None:
        twins = [name for name in prepared.entities.get(argument.id, ()) if name != value]
        everyone = [
            entity.partition(":")[2]
            for entity in prepared.world.records
            if entity.startswith(f"{argument.id}:") and not entity.endswith(f":{value}")
        ]
        return draw.choice(twins or everyone or [f"{value}0"])
    if isinstance(value, list):
        return value[:-1]
    return f"{value} (new)" if not str(value)[-1:].isdigit() else f"{str(value)[:-1]}{(int(str(value)[-1]) + 3) % 10}"


def _invented(prefix: str, draw: random.Random) -> str:
    return f"{prefix}{draw.getrandbits(32):08x}"


def others(prepared: Prepared) -> list[Move]:
    """Return calls of consequential tools that the case does not ask for, on records that something shows if it can."""
    return _others(prepared, known=True) or _others(prepared, known=False)


def _others(prepared: Prepared, *, known: bool) -> list[Move]:
    own = {step.tool for step in prepared.case.actions}
    found = []
    for name, tool in prepared.domain.acts.items():
        needed = {key: one for key, one in tool.args.items() if not one.optional}
        if name in own or (known and any(one.given_by for one in needed.values())):
            continue
        arguments: Record = {}
        for key, argument in needed.items():
            arguments[key] = _some(key, argument, arguments, tool.args, prepared, known=known)
        if None not in arguments.values():
            found.append(Move(name, arguments))
    return found


def _some(
    name: str,
    argument: Argument,
    chosen: Record,
    arguments: dict[str, Argument],
    prepared: Prepared,
    *,
    known: bool,
) -> Any:
    """Return a value that an argument could have; null: none is known."""
    if argument.id is not None:
        there = prepared.entities.get(argument.id, ())
        return next(iter(there), None if known else prepared.anyone(argument.id))
    if argument.version_of is not None:
        kind = arguments[argument.version_of].id
        version = prepared.world.records.get(f"{kind}:{chosen.get(argument.version_of)}", {}).get("version")
        return version if known else version or 1
    if argument.given_by:
        return "rc_0badc0de"
    if argument.one_of:
        return argument.one_of[0]
    return {"flag": True, "number": 10, "integer": 1, "list": []}.get(argument.type, _TEXTS[len(name) % len(_TEXTS)])
