"""The tools of the domains as `tools.yaml` has them (what they show and write) and as agents are told of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from misstep.suites.evidence.domain_file import ActTool, Argument, DomainFile, Effect, InfoTool
from misstep.suites.world import Record

_TYPES = {"flag": "boolean", "text": "string", "list": "array"}
_HEAD = "# Written by `misstep suite build evidence` from domains/*/domain.yaml.\n"


def tools_file(domains: Iterable[DomainFile]) -> str:
    """Return `tools.yaml`: every tool of every domain."""
    tools: dict[str, Any] = {}
    for domain in domains:
        tools |= {name: _info(tool, domain) for name, tool in domain.info.items()}
        tools |= {name: _act(tool, domain) for name, tool in domain.acts.items()}
    file = {"schema": "misstep.tools/1", "failed_when": {"result.ok": False}, "tools": tools}
    return _HEAD + yaml.safe_dump(file, sort_keys=False, allow_unicode=True, width=160)


def _info(tool: InfoTool, domain: DomainFile) -> Record:
    at = "item" if tool.find else "result"
    facts = {field: f"{at}.{field}" for field in ("id", *tool.shows)}
    observes: Record = {"entity": f"{tool.on}:{{{at}.id}}", "facts": facts}
    if tool.find:
        observes = {"for_each": "result.found", **observes}
    return {
        "kind": "read",
        "domain": domain.domain,
        "parameters": dict.fromkeys(tool.arguments, "text"),
        "observes": [observes],
    }


def _act(tool: ActTool, domain: DomainFile) -> Record:
    found: Record = {
        "kind": "write",
        "domain": domain.domain,
        "parameters": {name: one.type for name, one in tool.args.items()},
    }
    if free := [name for name, one in tool.args.items() if one.free]:
        found["compare"] = dict.fromkeys(free, "free")
    first = tool.effects[0]
    kind = first.new or tool.args[first.on or ""].id
    name = "result.id" if first.new else f"arguments.{first.on}"
    facts = {field: f"result.{field}" for field in returned(tool, domain)}
    found["observes"] = [{"entity": f"{kind}:{{{name}}}", "facts": facts}]
    found["writes"] = [_write(effect, index, tool, domain) for index, effect in enumerate(tool.effects)]
    return found


def _write(effect: Effect, index: int, tool: ActTool, domain: DomainFile) -> Record:
    kind = effect.new or tool.args[effect.on or ""].id or ""
    values = {field: value_path(value) for field, value in effect.set.items()}
    name = new_name(tool, index)
    if (version := version_name(tool, index, domain)) is not None:
        values["version"] = f"result.{version}"
    entity = f"{kind}:{{result.{name}}}" if effect.new else f"{kind}:{{arguments.{effect.on}}}"
    write: Record = {"action": "create" if effect.new else "change", "entity": entity}
    if values:
        write["set"] = values
    return write | ({"follows": 0} if index else {})


def value_path(value: Any) -> Any:
    """Return a value of `set` as the tools file writes it: `$argument` is a path, other text stands for itself."""
    if isinstance(value, str):
        return f"arguments.{value[1:]}" if value.startswith("$") else {"literal": value}
    return value


def new_name(tool: ActTool, index: int) -> str:
    """Return the field of the result that holds the id of the record which an effect creates."""
    new = [number for number, effect in enumerate(tool.effects) if effect.new]
    return "id" if new and new[0] == index else f"id_{index + 1}"


def version_name(tool: ActTool, index: int, domain: DomainFile) -> str | None:
    """Return the field of the result that holds the version of the record of an effect, if it has one."""
    kinds = [effect.new or tool.args[effect.on or ""].id or "" for effect in tool.effects]
    versioned = [number for number, kind in enumerate(kinds) if domain.types[kind].versioned]
    if index not in versioned:
        return None
    return "version" if versioned[0] == index else f"version_{index + 1}"


def schemas(domain: DomainFile) -> list[Record]:
    """Return what an agent is told of every tool: name, description, and the JSON Schema of its arguments."""
    told = [
        _schema(name, _shown(tool, domain), {one: (True, _info_argument(tool, one, domain)) for one in tool.arguments})
        for name, tool in domain.info.items()
    ]
    told += [
        _schema(
            name,
            f"{tool.about} Returns {', '.join(returned(tool, domain).values())}.",
            {one: (not argument.optional, _argument(argument, domain)) for one, argument in tool.args.items()},
        )
        for name, tool in domain.acts.items()
    ]
    return told


def _schema(name: str, about: str, arguments: dict[str, tuple[bool, Record]]) -> Record:
    return {
        "name": name,
        "description": " ".join(about.split()),
        "parameters": {
            "type": "object",
            "properties": {one: schema for one, (_, schema) in arguments.items()},
            "required": [one for one, (must, _) in arguments.items() if must],
            "additionalProperties": False,
        },
    }


def _shown(tool: InfoTool, domain: DomainFile) -> str:
    kind = domain.types[tool.on]
    if not tool.shows:
        return f"{tool.about} Lists ids only."
    fields = "; ".join(f"{name}: {kind.fields.get(name, 'counts its changes')}" for name in tool.shows)
    return f"{tool.about} Shows {fields}."


def _info_argument(tool: InfoTool, name: str, domain: DomainFile) -> Record:
    kind = domain.types[tool.on]
    default = f"id ({kind.prefix}…)" if tool.by else kind.fields.get(tool.find[name], "")
    return {"type": "string", "description": tool.args.get(name, default)}


def _argument(argument: Argument, domain: DomainFile) -> Record:
    about = argument.about
    if argument.id is not None:
        about = f"{about} ({domain.types[argument.id].prefix}…)".strip()
    if argument.version_of is not None:
        about = about or f"present version of {argument.version_of}; another one is refused"
    if argument.given_by and not about:
        about = f"{argument.field} that {' or '.join(argument.given_by)} returned"
    found: Record = {"type": _TYPES.get(argument.type, argument.type), "description": about}
    return found | ({"enum": argument.one_of} if argument.one_of else {})


def returned(tool: ActTool, domain: DomainFile) -> dict[str, str]:
    """Return the fields of a tool's result, with what they are."""
    found = {"receipt": "receipt"}
    for index, effect in enumerate(tool.effects):
        kind = effect.new or tool.args[effect.on or ""].id or ""
        if effect.new:
            found[new_name(tool, index)] = f"{new_name(tool, index)} of the new {kind.replace('_', ' ')}"
        if (version := version_name(tool, index, domain)) is not None:
            found[version] = f"{version} of {effect.on or 'it'}"
    return found | {name: name for name in tool.gives}
