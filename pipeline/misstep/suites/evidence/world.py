"""The simulated world of a case: it executes reads and actions, gives opaque receipts, rejects what does not fit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.domain_file import ActTool, DomainFile, Effect, InfoTool
from misstep.suites.evidence.layers import copied, initial
from misstep.suites.evidence.tools import new_name, version_name
from misstep.suites.evidence.versions import shown_version
from misstep.suites.world import Record, State

_CHECKED = {"number": (int, float), "integer": (int,), "flag": (bool,), "list": (list,), "text": (str,)}


class Rejected(Exception):
    """The world does not do what it was asked for; nothing has changed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def shown(self) -> Record:
        """Return what the caller is told."""
        return {"ok": False, "error": {"code": self.code, "message": str(self)}}


class CaseWorld:
    """The records of one episode, and the values that its actions have returned.

    Receipts and new ids are hashes of the seed, the case and the call: nobody can guess them, and nothing showed them
    before. `records` holds the fields of every entity, without their ids.
    """

    def __init__(self, domain: DomainFile, case: Case, seed: int = 0) -> None:
        self.domain = domain
        self.records: State = initial(domain, case.records)
        self._seed = f"{seed}/{case.task_id}"
        self._made = 0
        self._returned: dict[tuple[str, str], list[Any]] = {key: list(values) for key, values in case.given.items()}

    def act(self, tool: str, arguments: Mapping[str, Any]) -> Record:
        """Return what a call gives, errors included."""
        try:
            if tool in self.domain.info:
                return self._read(self.domain.info[tool], dict(arguments))
            if tool in self.domain.acts:
                return self._write(tool, self.domain.acts[tool], dict(arguments))
            raise Rejected("unknown_tool", f"There is no tool {tool}.")
        except Rejected as rejected:
            return rejected.shown()

    def _read(self, tool: InfoTool, arguments: Record) -> Record:
        _named(arguments, set(tool.arguments), set(tool.arguments))
        for name, value in arguments.items():
            if not isinstance(value, (str, int, float)) or value == "":
                raise Rejected("invalid_argument", f"{name} is not a value to look up.")
        if tool.by is not None:
            name = str(arguments[tool.by])
            fields = self.records.get(f"{tool.on}:{name}")
            if fields is None or not _visible(tool, fields):
                raise Rejected("not_found", f"No {tool.on.replace('_', ' ')} {name}.")
            return {"ok": True, **_shown(tool, name, fields)}
        start = f"{tool.on}:"
        found = [
            _shown(tool, entity.removeprefix(start), fields)
            for entity, fields in sorted(self.records.items())
            if entity.startswith(start)
            and _visible(tool, fields)
            and all(
                _meets({"id": entity.removeprefix(start), **fields}.get(field), arguments[name])
                for name, field in tool.find.items()
            )
        ]
        return {"ok": True, "found": found}

    def _write(self, name: str, tool: ActTool, arguments: Record) -> Record:
        arguments = {key: value for key, value in arguments.items() if value is not None}
        _named(arguments, set(tool.args), {key for key, one in tool.args.items() if not one.optional})
        for key, value in arguments.items():
            self._check(key, value, tool, arguments)
        for effect in tool.effects:
            self._allowed(effect, tool, arguments)
        result: Record = {"ok": True, "receipt": self._code("rc_", name, arguments)}
        for index, effect in enumerate(tool.effects):
            self._change(effect, index, tool, arguments, result)
        for field, prefix in tool.gives.items():
            result[field] = self._code(prefix, name, field)
        for field, value in result.items():
            if field != "ok":
                self._returned.setdefault((name, field), []).append(value)
        return result

    def _check(self, name: str, value: Any, tool: ActTool, arguments: Record) -> None:
        argument = tool.args[name]
        types = _CHECKED[argument.type]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types) or value == "":
            raise Rejected("invalid_argument", f"{name} is not of type {argument.type}.")
        if argument.one_of and value not in argument.one_of:
            raise Rejected("invalid_argument", f"{name} is one of {', '.join(map(str, argument.one_of))}.")
        if argument.id is not None and f"{argument.id}:{value}" not in self.records:
            raise Rejected("not_found", f"No {argument.id.replace('_', ' ')} {value}.")
        if argument.version_of is not None:
            owner = arguments.get(argument.version_of)
            fields = self.records.get(f"{tool.args[argument.version_of].id}:{owner}", {})
            if fields.get("version") != value:
                raise Rejected("version_conflict", f"{owner} has another version than {value}.")
        if argument.given_by and not any(
            value in self._returned.get((other, argument.field), []) for other in argument.given_by
        ):
            raise Rejected("invalid_reference", f"{name} was not issued by {' or '.join(argument.given_by)}.")

    def _allowed(self, effect: Effect, tool: ActTool, arguments: Record) -> None:
        if effect.on is None or effect.on not in arguments:
            return
        name = arguments[effect.on]
        fields = self.records[f"{tool.args[effect.on].id}:{name}"]
        for field, values in effect.when.items():
            if fields.get(field) not in values:
                raise Rejected("wrong_state", f"{name} has {field} {fields.get(field, 'not set')}.")

    def _change(self, effect: Effect, index: int, tool: ActTool, arguments: Record, result: Record) -> None:
        if effect.on is not None and effect.on not in arguments:
            return
        values = {
            field: arguments.get(value[1:]) if isinstance(value, str) and value.startswith("$") else value
            for field, value in effect.set.items()
        }
        values = {field: value for field, value in values.items() if value is not None}
        if effect.new is not None:
            name = self._code(self.domain.types[effect.new].prefix, effect.new, arguments)
            entity, before = f"{effect.new}:{name}", {"version": shown_version(f"{effect.new}:{name}", 0)}
            result[new_name(tool, index)] = name
        else:
            entity = f"{tool.args[str(effect.on)].id}:{arguments[str(effect.on)]}"
            before = self.records[entity]
        version = version_name(tool, index, self.domain)
        if version is not None:
            values["version"] = result[version] = int(before["version"]) + 1
        self.records.setdefault(entity, {}).update(copied(values))

    def _code(self, prefix: str, *parts: Any) -> str:
        self._made += 1
        text = "/".join(map(str, (self._seed, self._made, *parts)))
        return prefix + hashlib.sha256(text.encode()).hexdigest()[:8]


def _shown(tool: InfoTool, name: str, fields: Record) -> Record:
    return copied({"id": name, **{field: fields[field] for field in tool.shows if field in fields}})


def _visible(tool: InfoTool, fields: Record) -> bool:
    return all(fields.get(field) in values for field, values in tool.where.items())


def _meets(value: Any, asked: Any) -> bool:
    members = value if isinstance(value, list) else [value]
    return any(str(one).casefold() == str(asked).casefold() for one in members)


def _named(arguments: Record, known: set[str], needed: set[str]) -> None:
    for name in arguments:
        if name not in known:
            raise Rejected("invalid_argument", f"There is no argument {name}.")
    for name in sorted(needed):
        if name not in arguments:
            raise Rejected("invalid_argument", f"{name} is missing.")
