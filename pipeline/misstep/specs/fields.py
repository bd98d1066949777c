"""Modified fields of a write: `set`, `replace`, `add` and `remove`, compiled to functions of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import Any, NamedTuple

from misstep.contracts.tools import Value, WriteRule
from misstep.contracts.values import canonical
from misstep.specs.compare import STRICT, Profile
from misstep.specs.paths import MISSING, Getter, Scope, compile_path, compile_template, root
from misstep.specs.places import placed
from misstep.specs.results import encode_each
from misstep.specs.sources import ValueSource, compile_source

FieldProfiles = Mapping[str, Mapping[str, Profile]]
Redacted = Callable[[str], Any] | None


class FieldRow(NamedTuple):
    """A modified field; columns in the order of the struct in `writes.fields`."""

    field: str
    value: str | None
    compare: str | None
    from_state: str | None
    free: bool


#: (scope, entity type) → modified fields, and whether some new values are not known.
FieldsOf = Callable[[Scope, str | None], tuple[list[FieldRow], bool]]

_NONE: Mapping[str, Profile] = {}
_new = tuple.__new__


def compile_fields(rule: WriteRule, profiles: FieldProfiles, redacted: Redacted) -> FieldsOf:
    """Return the function that gives the fields that a rule modifies.

    Raises:
        SpecificationError: a path or template is not well formed.
    """
    if rule.replace is not None:
        return _record(placed("replace", compile_path, rule.replace), profiles, redacted, rule.replace, whole=True)
    if isinstance(rule.set, str):
        return _record(placed("set", compile_path, rule.set), profiles, redacted, rule.set, whole=False)
    for name, values in (("set", rule.set), ("add", rule.add), ("remove", rule.remove)):
        if isinstance(values, dict):
            return _listed(name, values, profiles, redacted)
    return lambda scope, kind: ([], False)


def _record(get: Getter, profiles: FieldProfiles, redacted: Redacted, path: str, *, whole: bool) -> FieldsOf:
    # what comes from a parsed result is plain already: encoding it is enough
    texts_of: Callable[[Iterable[Any]], list[str]] = encode_each if root(path) == "result" else _canonical_each

    def fields(scope: Scope, kind: str | None) -> tuple[list[FieldRow], bool]:
        value = get(scope)
        if not isinstance(value, dict):
            return [], whole or (value is MISSING and scope.result is MISSING)
        of_kind = profiles.get(kind or "", _NONE)
        if not of_kind and redacted is None:
            texts = texts_of(value.values())
            return list(map(_new, repeat(FieldRow), zip(value, texts, texts, repeat(None), repeat(False)))), False
        return [
            _row(name, item, text, of_kind.get(name, STRICT), redacted)
            for (name, item), text in zip(value.items(), texts_of(value.values()), strict=True)
        ], False

    return fields


def _canonical_each(values: Iterable[Any]) -> list[str]:
    return [canonical(value) for value in values]


def _row(field: str, value: Any, text: str, profile: Profile, redacted: Redacted) -> FieldRow:
    """Return the row of a field that gets a value; what was taken out of a trace is unknown."""
    if redacted is not None and redacted(text):
        return FieldRow(field, None, None, None, profile.free)
    return FieldRow(field, text, text if profile is STRICT else profile.key(value), None, profile.free)


def _listed(effect: str, values: dict[str, Value], profiles: FieldProfiles, redacted: Redacted) -> FieldsOf:
    made: list[tuple[str | None, Getter, ValueSource]] = [
        (
            None if "{" in field else field,
            placed(f"{effect}.{field}", compile_template, field),
            placed(f"{effect}.{field}", compile_source, value),
        )
        for field, value in values.items()
    ]
    if effect != "set" and any(source.state is not None for _, _, source in made):
        raise ValueError(f"{effect} takes no value from the state")

    def fields(scope: Scope, kind: str | None) -> tuple[list[FieldRow], bool]:
        rows: list[FieldRow] = []
        opaque = False
        of_kind = profiles.get(kind or "", _NONE)
        for written, name_of, source in made:
            name = name_of(scope) if written is None else written
            if name is MISSING:
                continue
            profile = of_kind.get(name, STRICT)
            if source.state is not None:
                rows.append(FieldRow(name, None, None, source.state, profile.free))
                continue
            value = source.get(scope)
            if value is MISSING:
                opaque = opaque or (source.needs_result and scope.result is MISSING)
            elif effect == "set":
                rows.append(_row(name, value, canonical(value), profile, redacted))
            else:
                member = profile._replace(key=profile.member) if profile.key is not profile.member else profile
                for item in value if isinstance(value, list | tuple) else [value]:
                    rows.append(_row(name, item, canonical(item), member, redacted))
        return rows, opaque

    return fields
