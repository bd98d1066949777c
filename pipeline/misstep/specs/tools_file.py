"""Tools files, read with what they extend, and compiled; faults are reported where they are written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from misstep.contracts.errors import Place, SpecificationError
from misstep.contracts.evidence import Rule
from misstep.contracts.tools import Allowance, ToolsFile
from misstep.specs.effects import CompiledTools
from misstep.specs.names import matches_any
from misstep.specs.rule_faults import rule_faults
from misstep.specs.written import WrittenFault, YamlFile, raise_faults

Named = TypeVar("Named", Allowance, Rule)


class ReadTools(NamedTuple):
    """A tools file: what it says together with what it extends, compiled, and the files it is made of."""

    file: ToolsFile
    compiled: CompiledTools
    paths: tuple[Path, ...]


def load_tools(path: Path, suite: str) -> ReadTools:
    """Return a tools file merged with those it extends, for a suite of some name.

    Raises:
        SpecificationError: a file is wrong; all faults of it, each with file, line and field.
    """
    written = _chain(path)
    file = merge([part for _, part in written])
    sources = [source for source, _ in written]
    try:
        compiled = CompiledTools(file, suite)
    except SpecificationError as error:
        raise_faults(list(_compile_faults(file, suite, sources, error)))
        raise
    raise_faults([*_allowance_faults(file, sources), *_rule_faults(written, compiled)])
    return ReadTools(file, compiled, tuple(source.path for source in sources))


def _chain(path: Path) -> list[tuple[YamlFile, ToolsFile]]:
    """Return a tools file and those it extends, the nearest first."""
    chain: list[tuple[YamlFile, ToolsFile]] = []
    seen: set[Path] = set()
    while True:
        seen.add(path.resolve())
        source = YamlFile(path)
        file = source.validate(ToolsFile)
        chain.append((source, file))
        if file.extends is None:
            return chain
        path = path.parent / file.extends
        if path.resolve() in seen:
            raise SpecificationError("the file extends itself", source.place("extends"))
        if not path.is_file():
            raise SpecificationError(f"there is no file {file.extends!r} beside this one", source.place("extends"))


def merge(chain: list[ToolsFile]) -> ToolsFile:
    """Return one tools file of several, the nearest first.

    What the nearest states counts: whole tools by name, field profiles by entity type and field, allowances and
    rules by id, and everything else as a whole.
    """
    merged = chain[-1]
    for file in reversed(chain[:-1]):
        stated: dict[str, Any] = {name: getattr(file, name) for name in file.model_fields_set}
        stated |= {
            "tools": merged.tools | file.tools,
            "fields": {
                kind: merged.fields.get(kind, {}) | file.fields.get(kind, {})
                for kind in dict.fromkeys((*merged.fields, *file.fields))
            },
            "allowances": _by_id(merged.allowances, file.allowances),
            "rules": _by_id(merged.rules, file.rules),
            "extends": None,
        }
        merged = merged.model_copy(update=stated)
    return merged


def _by_id(far: list[Named], near: list[Named]) -> list[Named]:
    """Return the parts of two files; of those with one id the nearer."""
    return list(({one.id: one for one in far} | {one.id: one for one in near}).values())


def _compile_faults(
    file: ToolsFile, suite: str, sources: list[YamlFile], first: SpecificationError
) -> Iterable[WrittenFault]:
    """Yield the faults of every tool, or the one that no tool has alone."""
    found = False
    for name, tool in file.tools.items():
        try:
            CompiledTools(file.model_copy(update={"tools": {name: tool}, "unknown_tool_when": None}), suite)
        except SpecificationError as error:
            if error.place is not None and (error.place.field or "").startswith(f"tools.{name}"):
                found = True
                yield _at(error, sources)
    if not found:
        yield _at(first, sources)


def _at(error: SpecificationError, sources: list[YamlFile]) -> WrittenFault:
    field = (error.place.field if error.place is not None else None) or ""
    return WrittenFault(_place(field, sources), error.message)


def _place(field: str, sources: list[YamlFile]) -> Place:
    """Return the place of a field in the nearest file that states the tool (or the part) it belongs to."""
    for source in sources:
        names = source.value.get("tools") or {}
        if field.startswith("tools."):
            if any(field.removeprefix("tools.").startswith(name) for name in names):
                return source.place(field)
        elif field.split(".", 1)[0].split("[", 1)[0] in source.value:
            return source.place(field)
    return sources[0].place(field)


def _rule_faults(written: list[tuple[YamlFile, ToolsFile]], tools: CompiledTools) -> Iterable[WrittenFault]:
    for source, part in written:
        yield from (WrittenFault(source.place(field), message) for field, message in rule_faults(part.rules, tools))


def _allowance_faults(file: ToolsFile, sources: list[YamlFile]) -> Iterable[WrittenFault]:
    actions = {rule.action for tool in file.tools.values() for rule in tool.writes}
    for source in sources:
        seen: set[str] = set()
        for index, allowance in enumerate(source.value.get("allowances") or []):
            field = f"allowances[{index}]"
            name, tool = str(allowance["id"]), allowance.get("tool")
            if name in seen:
                yield WrittenFault(source.place(f"{field}.id"), f"two allowances are called {name!r}")
            seen.add(name)
            if tool is not None and not matches_any(tool, file.tools):
                yield WrittenFault(source.place(f"{field}.tool"), f"no tool of the file is called {tool!r}")
            if (action := allowance.get("action")) is not None and action not in actions:
                yield WrittenFault(source.place(f"{field}.action"), f"no tool of the file has the action {action!r}")
