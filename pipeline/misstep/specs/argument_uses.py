"""Which arguments of the attempt a condition speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from misstep.contracts.evidence import EvidenceCondition, FieldTest
from misstep.specs.argument_paths import Written, argument_path, entity_of, from_root, hole, told_about


class Use(NamedTuple):
    """Where in a condition an argument stands; `paths` gives it, and raises a ValueError where it is no path."""

    field: str
    paths: Callable[[], list[Written]]


def uses_of(condition: EvidenceCondition) -> Iterator[Use]:
    """Yield the places of a condition at which an argument of the attempt may stand."""
    yield Use("entity", lambda: _listed(entity_of(condition.entity).argument))
    for name in ("record", "state", "action", "arguments"):
        for field, wanted in (getattr(condition, name) or {}).items():
            if name == "action" and field != "tool":
                yield Use(f"action.{field}", partial(_parsed, from_root, field))
            yield _in_test(f"{name}.{field}", wanted)
    yield Use("told", lambda: told_about(condition.told or ""))
    if condition.known is not None:
        yield Use("known", partial(_parsed, argument_path, condition.known))


def parameters_of(condition: EvidenceCondition) -> set[str]:
    """Return the parameters of the attempt that a well-formed condition speaks of."""
    return {path.parameter for use in uses_of(condition) for path in use.paths()}


def _in_test(field: str, wanted: Any) -> Use:
    if isinstance(wanted, FieldTest):
        path = wanted.action_arg
        return Use(f"{field}.action_arg", lambda: [] if path is None else [argument_path(path)])
    return Use(field, lambda: _listed(hole(wanted)))


def _parsed(parse: Callable[[str], Written], text: str) -> list[Written]:
    return [parse(text)]


def _listed(path: Written | None) -> list[Written]:
    return [] if path is None else [path]
