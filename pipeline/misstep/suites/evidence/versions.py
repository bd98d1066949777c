"""Version numbers as the world shows them: they count up, and no two records have the same ones.

The written files say 1, 2, 3. In the world each record counts from a number of its own, so that a version which a
call returned can be told from any number that was shown before.
"""

from __future__ import annotations

import zlib
from typing import Any

from misstep.contracts.evidence import TESTS
from misstep.suites.evidence.domain_file import DomainFile, Patch
from misstep.suites.world import Record


def shown_version(entity: str, written: int) -> int:
    """Return the number that the world shows for a version of an entity (`type:id`)."""
    return (zlib.crc32(entity.encode()) % 9000 + 1000) * 100 + written


def with_versions(domain: DomainFile, records: Patch) -> Patch:
    """Return records with the versions that the world shows."""
    return {
        entity: None if fields is None else _fields(domain, entity, fields, shown_version)
        for entity, fields in records.items()
    }


def arguments_with_versions(domain: DomainFile, tool: str, arguments: Record) -> Record:
    """Return the arguments of an action with the versions that the world shows."""
    found = dict(arguments)
    for name, argument in domain.acts[tool].args.items() if tool in domain.acts else ():
        if argument.version_of is not None and isinstance(found.get(name), int):
            kind = domain.acts[tool].args[argument.version_of].id
            found[name] = shown_version(f"{kind}:{arguments.get(argument.version_of)}", found[name])
    return found


def requirement_with_versions(domain: DomainFile, need: Record) -> Record:
    """Return a requirement in which versions that are named outright are those that the world shows."""
    found = dict(need)
    for role in ("supported_if", "violated_if", "inactive_if"):
        if role in need:
            found[role] = [_alternative(domain, one) for one in need[role]]
    return found


def _alternative(domain: DomainFile, alternative: Any) -> Any:
    if not isinstance(alternative, dict):
        return alternative
    if "all" in alternative:
        return {**alternative, "all": [_alternative(domain, one) for one in alternative["all"]]}
    entity = alternative.get("entity")
    kinds = [kind for kind in ("record", "state") if isinstance(alternative.get(kind), dict)]
    if not kinds or not isinstance(entity, str) or "{" in entity:
        return alternative
    return {**alternative, kinds[0]: _fields(domain, entity, alternative[kinds[0]], _tested)}


def _tested(entity: str, written: Any) -> Any:
    if isinstance(written, dict) and written.keys() <= TESTS:
        return {
            test: [shown_version(entity, one) for one in value]
            if isinstance(value, list)
            else shown_version(entity, value)
            if isinstance(value, int) and not isinstance(value, bool)
            else value
            for test, value in written.items()
        }
    return shown_version(entity, written) if isinstance(written, int) else written


def _fields(domain: DomainFile, entity: str, fields: Record, shown: Any) -> Record:
    kind = domain.types.get(entity.partition(":")[0])
    if kind is None or not kind.versioned or fields.get("version") is None:
        return dict(fields)
    return {**fields, "version": shown(entity, fields["version"])}
