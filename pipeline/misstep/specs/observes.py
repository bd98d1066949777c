"""What a result shows: one row a field of a record, bound to an entity where the tools file says which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from misstep.contracts.tools import ObserveRule
from misstep.contracts.trace import Fault
from misstep.contracts.values import canonical
from misstep.specs.compare import STRICT, Profile
from misstep.specs.conditions import Test, all_hold
from misstep.specs.entities import EntityOf, compile_entity, compile_loop
from misstep.specs.fields import FieldProfiles, Redacted
from misstep.specs.paths import MISSING, Scope, compile_path, compile_template, is_path, root
from misstep.specs.places import placed
from misstep.specs.results import encode_lines, lines_of
from misstep.specs.sources import compile_source


class Observed(NamedTuple):
    """A record that a result shows: its fields, their canonical values and their keys (None: the values themselves).

    The values are one text, a line each: thousands of small texts would cost more to keep than they did to make.
    """

    entity_type: str
    entity_id: str | None
    fields: list[str]
    values: bytes
    compares: Sequence[str | None] | None

    def texts(self) -> list[str]:
        """Return the values one by one."""
        return lines_of(self.values)


#: (scope, records to extend, faults to extend).
Observer = Callable[[Scope, list[Observed], list[Fault] | None], None]
#: scope → names of fields, no two alike, and their canonical values as lines.
Facts = Callable[[Scope], tuple[list[str], bytes]]


def compile_observe(rule: ObserveRule, fields: FieldProfiles, redacted: Redacted) -> Observer:
    """Return the function that appends the records of one rule.

    Raises:
        SpecificationError: a path, template or condition is not well formed.
    """
    entity: EntityOf = placed("entity", compile_entity, rule.entity)
    loop = placed("for_each", compile_loop, rule.for_each) if rule.for_each is not None else None
    when: Test | None = placed("when", all_hold, rule.when) if rule.when else None
    facts = _facts(rule)

    def show(scope: Scope, records: list[Observed], faults: list[Fault] | None) -> None:
        if when is not None and not when(scope):
            return
        names, values = facts(scope)
        if not names:
            return
        kind, name = entity.get(scope)
        if kind is None or name is None or (redacted is not None and redacted(name)):
            name = None
            if faults is not None:
                faults.append(Fault("unbound-record", f"no id for {rule.entity}", "result"))
        kind = kind or "unknown"
        profiles = fields.get(kind)
        compares: Sequence[str | None] | None = None
        if redacted is not None or not (profiles is None or profiles.keys().isdisjoint(names)):
            compares = [
                _key(text, (profiles or {}).get(field, STRICT), redacted)
                for field, text in zip(names, lines_of(values), strict=True)
            ]
        records.append(Observed(kind, name, names, values, compares))

    if loop is None:
        return show
    items = loop

    def each(scope: Scope, records: list[Observed], faults: list[Fault] | None) -> None:
        for item in items(scope, None):
            scope.item = item
            show(scope, records, faults)
        scope.item = MISSING

    return each


def _key(text: str, profile: Profile, redacted: Redacted) -> str | None:
    if redacted is not None and redacted(text):
        return None
    return text if profile is STRICT else profile.key(msgspec.json.decode(text))


def _facts(rule: ObserveRule) -> Facts:
    if isinstance(rule.facts, str):
        get = placed("facts", compile_path, rule.facts)
        # what comes from a parsed result is plain already: encoding it is enough
        start = root(rule.facts)
        if start == "item" and rule.for_each is not None and is_path(rule.for_each):
            start = root(rule.for_each)
        return _plain_object(get) if start == "result" else _object(get)
    made = []
    for field, value in rule.facts.items():
        source = placed(f"facts.{field}", compile_source, value)
        if source.state is not None:
            raise ValueError(f"facts.{field}: a result does not show the state before the call")
        made.append((placed(f"facts.{field}", compile_template, field), source.get))

    def facts(scope: Scope) -> tuple[list[str], bytes]:
        found: dict[str, Any] = {}
        for name_of, value_of in made:
            name, value = name_of(scope), value_of(scope)
            if name is not MISSING and value is not MISSING:
                found[name] = value
        return list(found), _canonical_lines(found.values())

    return facts


def _plain_object(get: Callable[[Scope], Any]) -> Facts:
    def facts(scope: Scope) -> tuple[list[str], bytes]:
        value = get(scope)
        return (list(value), encode_lines(value.values())) if type(value) is dict else ([], b"")

    return facts


def _object(get: Callable[[Scope], Any]) -> Facts:
    def facts(scope: Scope) -> tuple[list[str], bytes]:
        value = get(scope)
        return (list(value), _canonical_lines(value.values())) if isinstance(value, dict) else ([], b"")

    return facts


def _canonical_lines(values: Iterable[Any]) -> bytes:
    return "".join([canonical(value) + "\n" for value in values]).encode()
