"""Imported tasks under the checks that every suite undergoes: one that fails them is kept without its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from misstep.contracts.suite import Task
from misstep.specs.evidence_rows import evidence_rows
from misstep.specs.imports.imported import Refusal
from misstep.specs.load import JsonLine, json_line, task_links
from misstep.specs.task_faults import World, task_faults
from misstep.specs.written import messages

Line = dict[str, Any]
#: What fails where something has not the shape that it should have.
UNFIT = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
EVIDENCE = "evidence"


def checked(lines: Iterable[Line], world: World) -> tuple[list[Line], list[Refusal]]:
    """Return the lines of `tasks.jsonl`, and the tasks whose evidence was taken out, each with the first reason.

    Only faults of the evidence are mended in this way; others are found when the suite is loaded.
    """
    kept: list[Line] = []
    refused: list[Refusal] = []
    for number, line in enumerate(lines, 1):
        found = next(_faults(number, line, world), None) if line.get(EVIDENCE) is not None else None
        if found is None:
            kept.append(line)
        else:
            kept.append(without_evidence(line, found))
            refused.append(found)
    return kept, refused


def without_evidence(line: Line, refused: Refusal) -> Line:
    """Return a task that asks for no evidence, with the reason among its notes."""
    rest = {name: value for name, value in line.items() if name != EVIDENCE}
    why = f"{refused.field}: {refused.reason}" if refused.field else refused.reason
    return rest | {"notes": {**line.get("notes", {}), "evidence_refused": why}}


def explained(error: Exception) -> tuple[str, str]:
    """Return field and reason of something that had not the shape that it should have."""
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0]), "is not there"
    return "", str(error) or type(error).__name__


def _faults(number: int, line: Line, world: World) -> Iterator[Refusal]:
    """Yield what is wrong with the evidence of a task."""
    name = str(line["task_id"])
    try:
        for field, reason in _found(number, line, world):
            if field == EVIDENCE or field.startswith((f"{EVIDENCE}.", f"{EVIDENCE}[")):
                yield Refusal(name, field, reason)
    except UNFIT as error:
        field, reason = explained(error)
        yield Refusal(name, field or EVIDENCE, reason)


def _found(number: int, line: Line, world: World) -> Iterator[tuple[str, str]]:
    written = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass")
    read: JsonLine = json_line(number, written)
    if read.wrong is not None:
        yield EVIDENCE, read.wrong
        return
    try:
        task = Task.model_validate(read.value)
    except ValidationError as error:
        yield from messages(error, read.value)
        return
    yield from ((field, reason) for _, field, reason in task_faults([(number, task)], world))
    evidence_rows(world.suite, task, world.profile, world.tools, task_links(task))
