"""Value sources of the tools file: literals, paths, templates and patterns, compiled to getters."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from misstep.contracts.tools import Source, Value
from misstep.specs.paths import (
    MISSING,
    Getter,
    Scope,
    as_text,
    compile_path,
    compile_template,
    is_path,
    is_template,
    root,
    roots,
    state_field,
)


class ValueSource(NamedTuple):
    """A compiled source: `state` names the field of the state that gives the value (then `get` gives MISSING)."""

    get: Getter
    state: str | None = None
    needs_result: bool = False


def compile_source(value: Value) -> ValueSource:
    """Return the compiled form of a value source.

    Raises:
        ValueError: a path, template or pattern is not well formed, or the source says two things at once.
    """
    if isinstance(value, str):
        if is_path(value):
            return _path(value)
        if is_template(value):
            return ValueSource(compile_template(value), needs_result="result" in roots(value))
    if isinstance(value, Source):
        return _written(value)
    return ValueSource(lambda scope: value)


def _path(path: str) -> ValueSource:
    field = state_field(path)
    if field is not None:
        return ValueSource(lambda scope: MISSING, state=field)
    get = compile_path(path)
    if root(path) == "arguments":  # an argument that is null counts as not given
        return ValueSource(lambda scope: MISSING if (value := get(scope)) is None else value)
    return ValueSource(get, needs_result=root(path) == "result")


def _written(source: Source) -> ValueSource:
    given = source.model_fields_set
    if len(given & {"literal", "path", "text"}) != 1 or ("pattern" in given and "path" not in given):
        raise ValueError("a source is one of literal, path (with or without pattern) and text")
    if "literal" in given:
        literal = source.literal
        return ValueSource(lambda scope: literal)
    if source.text is not None:
        made = ValueSource(compile_template(source.text), needs_result="result" in roots(source.text))
    else:
        made = _path(source.path or "")
    if source.pattern is not None:
        if made.state is not None:
            raise ValueError("a pattern cannot look into the state")
        made = made._replace(get=_group(source.pattern, made.get))
    if "default" in given:
        if made.state is not None:
            raise ValueError("a value from the state has no default")
        made = made._replace(get=_or_else(made.get, source.default))
    return made


def _group(pattern: str, get: Getter) -> Getter:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no pattern ({error})") from error
    group = 1 if compiled.groups else 0

    def first(scope: Scope) -> Any:
        value = get(scope)
        if value is MISSING or value is None:
            return MISSING
        match = compiled.search(as_text(value))
        found = None if match is None else match.group(group)
        return MISSING if found is None else found

    return first


def _or_else(get: Getter, default: Any) -> Getter:
    return lambda scope: default if (value := get(scope)) is MISSING else value
