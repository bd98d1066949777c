"""What a call needs of the state to take effect, and what it leaves behind: for replaying reference calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from misstep.contracts.tools import Among, Need, Value
from misstep.contracts.values import canonical
from misstep.specs.conditions import Test, all_hold
from misstep.specs.paths import MISSING, Getter, Scope, compile_path
from misstep.specs.places import placed
from misstep.specs.sources import compile_source

_ALLOWED = "arguments state"


def compile_needs(alternatives: list[dict[str, Need]]) -> Test:
    """Return a test over `arguments` and `state` that is true where some alternative holds (none: always true).

    Raises:
        SpecificationError: a path or pattern is not well formed.
    """
    tests = [placed(f"needs[{index}]", _all, needs) for index, needs in enumerate(alternatives)]
    return (lambda scope: any(test(scope) for test in tests)) if tests else (lambda scope: True)


def _all(needs: dict[str, Need]) -> Test:
    tests = [
        placed(path, _among, path, need)
        if isinstance(need, Among)
        else placed(path, all_hold, {path: need}, allow=_ALLOWED)
        for path, need in needs.items()
    ]
    return lambda scope: all(test(scope) for test in tests)


def _among(path: str, need: Among) -> Test:
    get = compile_path(path, allow=_ALLOWED)
    if (need.in_ is None) == (need.not_in is None):
        raise ValueError("name either in or not_in")
    holds = compile_path(need.in_ if need.in_ is not None else need.not_in or "", allow=_ALLOWED)
    wanted = need.in_ is not None

    def test(scope: Scope) -> bool:
        value, held = get(scope), holds(scope)
        if value is MISSING:
            return not wanted
        members = {canonical(part) for part in _members(held)}
        return all((canonical(part) in members) == wanted for part in _members(value))

    return test


def _members(value: Any) -> list[Any]:
    if value is MISSING:
        return []
    return value if isinstance(value, list) else list(value) if isinstance(value, dict) else [value]


def compile_leaves(leaves: dict[str, Value]) -> Callable[[Scope], dict[str, Any]]:
    """Return the function that gives the fields whose new value is known without the result.

    Raises:
        SpecificationError: a source is not well formed, or takes its value from the state.
    """
    made: list[tuple[str, Getter]] = []
    for field, value in leaves.items():
        source = placed(f"leaves.{field}", compile_source, value)
        if source.state is not None:
            raise ValueError(f"leaves.{field}: a value from the state is not known")
        made.append((field, source.get))
    return lambda scope: {field: value for field, get in made if (value := get(scope)) is not MISSING}
