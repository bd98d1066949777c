"""Parameters that the rules of a tool name although it does not declare them: their paths lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.tools import Among, CompareRule, Need, ObserveRule, Source, Tool, WriteRule
from misstep.contracts.written import Conditions
from misstep.specs.entities import loop_paths
from misstep.specs.paths import paths_of, root, segments

#: Field of a tool, and a path or a parameter that stands there.
Named = tuple[str, str]


def refuse_undeclared(tool: Tool) -> None:
    """Return nothing for a tool whose rules name declared parameters alone, or that declares none.

    Raises:
        SpecificationError: a rule names another one.
    """
    if tool.parameters is None:
        return
    for field, name in _named(tool):
        if name not in tool.parameters:
            raise SpecificationError(f"the tool declares no parameter {name!r}", Place("tools", field=field))
    for field, path in _paths(tool):
        if root(path) == "arguments":
            name = next(iter(segments(path)), "*")
            if name != "*" and name not in tool.parameters:
                raise SpecificationError(
                    f"{path!r}: the tool declares no parameter {name!r}", Place("tools", field=field)
                )


def _named(tool: Tool) -> Iterator[Named]:
    """Yield the parameters that stand by their bare name."""
    for part in ("compare", "defaults"):
        yield from ((f"{part}.{name}", name) for name in getattr(tool, part))
    for name, profile in tool.compare.items():
        if isinstance(profile, CompareRule):
            yield from ((f"compare.{name}.zip[{index}]", zipped) for index, zipped in enumerate(profile.zip or []))


def _paths(tool: Tool) -> Iterator[Named]:
    yield from _in_text("idempotency_key", tool.idempotency_key)
    for name in ("succeeded_when", "failed_when", "dry_run"):
        yield from _in_conditions(name, getattr(tool, name))
    for index, needs in enumerate(tool.needs):
        for path, need in needs.items():
            yield from _in_need(f"needs[{index}].{path}", path, need)
    for index, write in enumerate(tool.writes):
        yield from _placed(f"writes[{index}]", _in_write(write))
    for index, observe in enumerate(tool.observes):
        yield from _placed(f"observes[{index}]", _in_observe(observe))


def _placed(field: str, inner: Iterator[Named]) -> Iterator[Named]:
    return ((f"{field}.{name}", path) for name, path in inner)


def _in_write(rule: WriteRule) -> Iterator[Named]:
    for name in ("entity", "replace", "applied_in", "failed_in"):
        yield from _in_text(name, getattr(rule, name))
    yield from _in_loop(rule.for_each)
    yield from _in_conditions("when", rule.when)
    for name in ("set", "leaves", "add", "remove"):
        yield from _in_values(name, getattr(rule, name))
    for text in [rule.recipients] if isinstance(rule.recipients, str) else rule.recipients or []:
        yield from _in_text("recipients", text)


def _in_observe(rule: ObserveRule) -> Iterator[Named]:
    yield from _in_text("entity", rule.entity)
    yield from _in_loop(rule.for_each)
    yield from _in_conditions("when", rule.when)
    yield from _in_values("facts", rule.facts)


def _in_text(field: str, text: str | None) -> Iterator[Named]:
    return ((field, path) for path in paths_of(text or ""))


def _in_loop(text: str | None) -> Iterator[Named]:
    return (("for_each", path) for path in loop_paths(text or ""))


def _in_conditions(field: str, conditions: Conditions | None) -> Iterator[Named]:
    return ((f"{field}.{path}", path) for path in conditions or {})


def _in_need(field: str, path: str, need: Need) -> Iterator[Named]:
    yield field, path
    if isinstance(need, Among):
        yield from _in_text(f"{field}.in", need.in_)
        yield from _in_text(f"{field}.not_in", need.not_in)


def _in_values(field: str, values: dict[str, Any] | str | None) -> Iterator[Named]:
    if not isinstance(values, dict):
        yield from _in_text(field, values)
        return
    for name, value in values.items():
        yield from _in_text(f"{field}.{name}", name if "{" in name else None)
        for text in (value.path, value.text) if isinstance(value, Source) else (value,):
            yield from _in_text(f"{field}.{name}", text if isinstance(text, str) else None)
