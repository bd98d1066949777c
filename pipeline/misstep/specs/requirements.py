"""Requirements of tasks and of standing rules → rows whose values are the keys that joins use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from misstep.contracts.evidence import Alternative, EvidenceCondition, FieldTest, Profile
from misstep.contracts.values import canonical, loose
from misstep.specs.argument_paths import argument_keys, argument_path, entity_of, from_root, hole, told_about
from misstep.specs.authorizations import Row
from misstep.specs.confirmation import REFUSAL, YES
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.names import declared

#: Text that stands for any value in a specification.
ANY = "*"


class Owner(NamedTuple):
    """What conditions need to know of their requirement: `acting` are the tools of the attempts it is about."""

    acting: list[CompiledTool]
    identity: list[str]
    profile: Profile


class Part(NamedTuple):
    """A test of one field: `keys` are those of which one must be (is) or none may be (is_not)."""

    field: str | None = None
    test: str | None = None
    value: str | None = None
    keys: Sequence[str] = ()
    argument: str | None = None


def condition_rows(owner: Owner, role: str, alternatives: Iterable[Alternative], tools: CompiledTools) -> Iterator[Row]:
    """Yield the rows of `conditions` of some alternatives, without the requirement they belong to.

    Raises:
        ValueError: a path or entity is not well formed.
    """
    for number, alternative in enumerate(alternatives):
        for index, condition in enumerate(alternative.all):
            entity = entity_of(condition.entity)
            for place, part in enumerate(parts_of(condition, owner, tools)):
                yield {
                    "role": role,
                    "alternative": number,
                    "condition": index,
                    "part": place,
                    "reason": alternative.reason,
                    "source": condition.source,
                    "tools": read_by(condition, tools),
                    "result_of": condition.result_of,
                    "pattern": _pattern(condition),
                    "unless": REFUSAL if condition.confirmation is True else None,
                    "entity_type": entity.type,
                    "entity_id": entity.id,
                    "entity_argument": None if entity.argument is None else entity.argument.leaf,
                    "entity_template": entity.template,
                    "field": part.field,
                    "test": part.test,
                    "value": part.value,
                    "compare": list(part.keys),
                    "argument": part.argument,
                    "identity": part.field in owner.identity or (condition.read is not None and bool(part.argument)),
                }


def _pattern(condition: EvidenceCondition) -> str | None:
    if condition.confirmation is True:
        return YES
    return condition.told if condition.told is not None else condition.confirmation or None


def read_by(condition: EvidenceCondition, tools: CompiledTools) -> list[str]:
    """Return the declared names of the tools that a condition says must have been called."""
    return declared(condition.read or condition.authentication or [], tools)


def parts_of(condition: EvidenceCondition, owner: Owner, tools: CompiledTools) -> list[Part]:
    """Return the tests of a condition, at least one.

    Raises:
        ValueError: a path is not well formed.
    """
    found: list[Part] = []
    if condition.record is not None or condition.state is not None:
        kind = entity_of(condition.entity).type
        for field, wanted in (condition.record or condition.state or {}).items():
            keys_of = partial(record_keys, tools, owner.profile, kind, field)
            found.append(_tested(field, wanted, keys_of))
    elif condition.action is not None:
        for path, wanted in condition.action.items():
            found += _about_action(path, wanted, owner.acting, tools)
    elif condition.told is not None:
        about = next(iter(told_about(condition.told)), None)
        found.append(Part(argument=None if about is None else about.leaf))
    elif condition.known is not None:
        own = sorted({address.strip().casefold() for address in tools.file.own_addresses})
        found.append(Part(argument=argument_path(condition.known).leaf, keys=own))
    elif condition.read is not None:
        reading = [tool for name in read_by(condition, tools) if (tool := tools.get(name)) is not None]
        for path, wanted in (condition.arguments or {}).items():
            found += _about_arguments(path, wanted, reading)
    return found or [Part()]


def _about_action(path: str, wanted: Any, acting: list[CompiledTool], tools: CompiledTools) -> Iterator[Part]:
    if path == "tool":
        yield _tested(path, wanted, lambda name: [canonical(tool.name if (tool := tools.get(name)) else name)])
        return
    for part in _about_arguments(from_root(path).leaf, wanted, acting):
        yield part._replace(field=f"arguments.{part.field}")


def _about_arguments(path: str, wanted: Any, called: list[CompiledTool]) -> Iterator[Part]:
    written = argument_path(path)
    if isinstance(wanted, FieldTest) or wanted == ANY or hole(wanted) is not None:
        yield _tested(
            written.leaf,
            wanted,
            lambda value: [key for keys in argument_keys(called, written, value).values() for key in keys],
        )
        return
    for (leaf, _), keys in argument_keys(called, written, wanted).items():
        yield Part(leaf, "is", None, keys)


def _tested(field: str, wanted: Any, keys_of: Callable[[Any], list[str]]) -> Part:
    """Return the test that is written for a field; `keys_of` gives the keys that a value may have there."""
    if not isinstance(wanted, FieldTest):
        if wanted == ANY and isinstance(wanted, str):
            return Part(field, "any")
        argument = hole(wanted)
        if argument is not None:
            return Part(field, "argument", argument=argument.leaf)
        return Part(field, "is", keys=keys_of(wanted))
    if wanted.in_ is not None:
        return Part(field, "is", keys=list(dict.fromkeys(key for value in wanted.in_ for key in keys_of(value))))
    if wanted.action_arg is not None:
        return Part(field, "argument", argument=argument_path(wanted.action_arg).leaf)
    if wanted.present is not None:
        return Part(field, "present")
    test = next(iter(wanted.model_fields_set))
    value = getattr(wanted, test)
    return Part(field, test, canonical(value), keys_of(value) if test == "is_not" else [])


def record_keys(tools: CompiledTools, profile: Profile, kind: str | None, field: str, value: Any) -> list[str]:
    """Return the keys that a value of a field may have; of a record of any type or none, first that without a type."""
    if kind is None and profile == "safeact":
        return [loose(value)]
    kinds = [kind] if kind is not None else ["", *(name for name, fields in tools.fields.items() if field in fields)]
    keys = (tools.profile(one, field).key(value) for one in kinds)
    return list(dict.fromkeys(canonical(value) if key is None else key for key in keys))
