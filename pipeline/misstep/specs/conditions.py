"""Conditions of the tools file: what must stand at a path."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from misstep.contracts.values import canonical
from misstep.contracts.written import Conditions, Scalar
from misstep.specs.paths import MISSING, Getter, Scope, as_text, compile_path, root

Test = Callable[[Scope], bool]


def all_hold(conditions: Conditions, *, allow: str = "arguments result item", assume_result: bool = False) -> Test:
    """Return a test that is true where every condition holds (none: always true).

    With `assume_result`, conditions on a result that is not there hold: what it would say is not known.

    Raises:
        ValueError: a path or pattern is not well formed; the message names the condition.
    """
    tests = [_one(path, expected, allow, assume_result) for path, expected in conditions.items()]
    if not tests:
        return lambda scope: True
    if len(tests) == 1:
        return tests[0]
    return lambda scope: all(test(scope) for test in tests)


def any_holds(conditions: Conditions, *, allow: str = "arguments result item") -> Test:
    """Return a test that is true where at least one condition holds (none: never true).

    Raises:
        ValueError: a path or pattern is not well formed; the message names the condition.
    """
    tests = [_one(path, expected, allow, False) for path, expected in conditions.items()]
    if len(tests) == 1:
        return tests[0]
    return lambda scope: any(test(scope) for test in tests)


def _one(path: str, expected: Scalar | list[Scalar], allow: str, assume_result: bool) -> Test:
    getter = compile_path(path, allow=allow)
    whole = path == "result"
    tests = [_value_test(path, getter, one, whole) for one in (expected if isinstance(expected, list) else [expected])]
    test: Test = tests[0] if len(tests) == 1 else lambda scope: any(one(scope) for one in tests)
    if assume_result and root(path) == "result":
        return lambda scope: scope.result is MISSING or test(scope)
    return test


def _value_test(path: str, getter: Getter, expected: Scalar, whole: bool) -> Test:
    if expected is None:
        return lambda scope: (value := getter(scope)) is MISSING or value is None
    if isinstance(expected, str):
        try:
            search = re.compile(expected).search
        except re.error as error:
            raise ValueError(f"{path}: {expected!r} is no pattern ({error})") from error
        if whole:
            return lambda scope: (text := shown(scope)) is not None and search(text) is not None
        return lambda scope: _found(search, getter(scope))
    wanted = canonical(expected)
    return lambda scope: (value := getter(scope)) is not MISSING and _equal(value, wanted)


def _found(search: Callable[[str], re.Match[str] | None], value: Any) -> bool:
    if value is MISSING or value is None:
        return False
    return search(as_text(value)) is not None


def _equal(value: Any, wanted: str) -> bool:
    return not isinstance(value, str | list | dict) and canonical(value) == wanted


def shown(scope: Scope) -> str | None:
    """Return the text of a whole result: what was shown, else its canonical form, None where nothing came back."""
    if isinstance(scope.result, str) and (scope.result or scope.text is None):
        return scope.result
    if scope.text is not None:
        return scope.text
    return None if scope.result is MISSING or scope.result is None else canonical(scope.result)
