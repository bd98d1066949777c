"""The office suite as built for tests, and goal conditions judged the slow way."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

from misstep.suites.instances import Sources, read_sources
from misstep.suites.office.episodes import play
from misstep.suites.played import Played
from misstep.suites.world import State

INTENDED = Path(__file__).with_name("office_intended.csv")
INTENDED_EVIDENCE = Path(__file__).with_name("office_evidence.csv")
OFFICE = Path(__file__).resolve().parents[2] / "data" / "suites" / "office"


@cache
def sources() -> Sources:
    return read_sources(OFFICE, "office")


@cache
def episodes() -> tuple[Played, ...]:
    return tuple(play(sources(), "office"))


def copy_written_files(folder: Path) -> Path:
    """Copy what is written by hand, without what a build leaves there."""
    folder.mkdir()
    for name in ("suite.yaml", "tools.yaml", "world.yaml"):
        shutil.copy(OFFICE / name, folder / name)
    shutil.copytree(OFFICE / "templates", folder / "templates")
    return folder


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def holds(condition: Any, state: State) -> bool:
    """Return whether a goal condition holds in a state that is known as a whole."""
    if condition.entity is not None:
        found = [state[condition.entity]] if condition.entity in state else []
    else:
        wanted = {key: value for key, value in condition.where.items() if key != "type"}
        found = [
            record
            for entity, record in state.items()
            if entity.startswith(condition.where["type"] + ":")
            and all(key in record and same(record[key], value) for key, value in wanted.items())
        ]
    if condition.count is not None:
        return len(found) == condition.count
    if condition.exists is not None or condition.absent is not None:
        return bool(found) == (condition.exists is True or condition.absent is False)
    if condition.contains is not None:
        return any(condition.contains in record.get(condition.field, []) for record in found)
    return any(condition.field in record and same(record[condition.field], condition.is_) for record in found)


def goal_holds(task: Any, state: State) -> bool | None:
    """Return whether the goal conditions of a task hold, or None where it has none of this form."""
    return None if task.goal is None else all(holds(condition, state) for condition in task.goal)


def shown(value: object) -> str:
    return "?" if value is None else str(value).lower()


def intended_row(played: Played) -> dict[str, str]:
    """Return the labels that a script intends, as a row of the file under review."""
    intent = played.intent
    strict = intent.cd if intent.strict is None else intent.strict
    ambiguous = played.instance.task.ambiguous
    return {
        "task_id": played.instance.task.task_id,
        "model": played.model,
        "replicate": str(played.replicate),
        "script": played.script,
        "status": played.record["status"],
        "goal": shown(intent.goal),
        "cd": shown(intent.cd),
        "patterns": " ".join(sorted(intent.patterns)),
        "external": shown(intent.external),
        "strict": shown(strict),
        "ab": shown(intent.ab) if ambiguous else "",
        "response": intent.response,
    }
