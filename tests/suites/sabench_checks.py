"""What must hold of the templates of sabench, as lists of faults in words."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from misstep.contracts.tables import SPECS, TRACES
from misstep.ingest.questions import asks_user
from misstep.ingest.run import ingest
from misstep.label import label
from misstep.specs.load import load_suite
from misstep.storage.parquet import scan
from misstep.suites.build import write_lines
from misstep.suites.played import Played
from misstep.suites.sabench.acting import act
from misstep.suites.sabench.records import faults
from misstep.suites.sabench.scripted import turns
from misstep.suites.sabench.sources import Instance, Sources
from suites.office_suite import goal_holds
from suites.sabench_world import SABENCH

TRAPS = {"ambiguity", "cascade_harm", "mis_targeting", "overreach"}
STRUCTURES = {"independent", "dependent", "external", "cross_tool"}
DOMAINS = {"mail", "calendar", "tickets"}


def task_faults(sources: Sources, instance: Instance) -> Iterator[str]:
    """Yield what is wrong with a task before anybody does anything."""
    task, office = instance.task, sources.office(instance.task)
    yield from (f"initial state: {fault}" for fault in faults(office.records))
    if set(task.strata) != {"trap", "structure", "domain"} or not (
        task.strata["trap"] in TRAPS and task.strata["structure"] in STRUCTURES and task.strata["domain"] in DOMAINS
    ):
        yield f"strata {task.strata}"
    own = Counter(entity.partition(":")[0] for entity in task.overrides)
    if sum(own.values()) < 7:
        yield f"only {sum(own.values())} records of its own"
    for entity in task.overrides:
        kind, _, name = entity.partition(":")
        digits = "".join(filter(str.isdigit, name))
        low, high = (40, 89) if kind == "series" else (400, 899)
        if kind != "contact" and not (digits and low <= int(digits) <= high):
            yield f"id {entity} is not between {low} and {high}"
    if task.ambiguous != (task.strata["trap"] == "ambiguity"):
        yield "ambiguous and trap do not fit"
    if task.ambiguous:
        if task.goal is not None or task.authorized:
            yield "an ambiguous task has a goal or authorizes something"
    elif not task.goal or not task.authorized:
        yield "no goal or nothing authorized"
    elif goal_holds(task, office.records):
        yield "the goal holds before anything was done"


def script_faults(instance: Instance) -> Iterator[str]:
    """Yield which scripts are missing, and what they intend that their kind does not allow."""
    intents = {name: instance.intent(name) for name in instance.scripts}
    traps = [name for name, script in instance.scripts.items() if script.trap]
    if not traps:
        yield "no script is marked as the trap"
    for name, script in instance.scripts.items():
        intent = intents[name]
        moves = [*script.moves, *instance.look]
        if any(move.tool is None or move.actor or move.lost or move.busy or move.answer for move in moves):
            yield f"{name}: a move is not a plain call"
        if script.trap and not intent.cd:
            yield f"{name}: a trap without damage"
        if bool(intent.cd) != bool(intent.patterns):
            yield f"{name}: damage and patterns do not fit"
        for says in script.says:
            if "{" not in says and asks_user(says) != (intent.response == "asked"):
                yield f"{name}: {says!r} asks: {asks_user(says)}"
        if len(script.says) < 2:
            yield f"{name}: fewer than two endings"
    if instance.task.ambiguous:
        needed = {"reference": ("asked", False), "stops": ("neither", False)}
        kinds = {(intent.cd, intent.external) for intent in intents.values()}
        if not {(True, True), (True, False)} <= kinds:
            yield "needs a guess that is external and one that is not"
    else:
        needed = {"reference": ("wrote", False), "asks": ("asked", False), "stops": (None, False)}
        kinds = {(intent.goal, intent.cd) for intent in intents.values()}
        if not {(True, True), (False, True)} <= kinds:
            yield "needs damage with the goal reached and damage with the goal missed"
    for name, (response, damage) in needed.items():
        if name not in intents:
            yield f"no script {name}"
        elif intents[name].cd is not damage or response not in (None, intents[name].response):
            yield f"{name}: intends {intents[name]}"


def every_script(sources: Sources, instances: Iterable[Instance]) -> Iterator[Played]:
    """Yield an episode of each script on each task, after all reads that help; each ending in turn."""
    for instance in instances:
        for name, script in instance.scripts.items():
            for number, says in enumerate(script.says, start=1):
                looked = turns(instance.look) if number == 1 else []
                who = {"model": name, "replicate": number}
                yield act(sources, instance, name, [*looked, *turns(script.moves)], says, who)


def label_faults(sources: Sources, played: list[Played]) -> Iterator[str]:
    """Yield where labels are not those of script and world, and what of the records no script is meant to leave."""
    yield from wrong_labels(sources, played)
    yield from record_faults(played)


def record_faults(played: list[Played]) -> Iterator[str]:
    """Yield which calls of episodes failed, and texts with variables in them."""
    for one in played:
        where = f"{one.instance.task.task_id}, {one.script}, ending {one.replicate}"
        for event in one.record["events"]:
            result = event.get("result")
            if isinstance(result, dict) and "error" in result:
                yield f"{where}: {event['tool']} {event['arguments']}: {result['error']}"
            if "{" in event.get("text", "") and event["role"] == "assistant":
                yield f"{where}: unfilled text {event['text']}"


def wrong_labels(sources: Sources, played: list[Played]) -> Iterator[str]:
    """Yield where the labels of the pipeline, or the state that it replays, are not those of script and world."""
    rows = labelled(sources, played)
    for one in played:
        row = rows[one.instance.task.task_id, one.model, one.replicate]
        intent, task = one.intent, one.instance.task
        responses = [name for name in ("wrote", "asked", "neither") if row[name]]
        got = {
            "goal": row["goal"],
            "cd": row["cd"],
            "external": row["cd_external_only"],
            "patterns": row["pattern"] or [],
            "response": responses[0] if responses else "unknown",
        }
        wanted = {
            "goal": intent.goal,
            "cd": intent.cd,
            "external": intent.external,
            "patterns": sorted(intent.patterns),
            "response": intent.response,
        }
        where = f"{task.task_id}, {one.script}, ending {one.replicate}"
        for name, value in wanted.items():
            if got[name] != value:
                yield f"{where}: {name} is {got[name]}, intended {value}"
        finished = one.record["status"] == "completed"
        if finished and not task.ambiguous and goal_holds(task, one.final) is not intent.goal:
            yield f"{where}: in the world the goal is {goal_holds(task, one.final)}"
        if task.ambiguous and bool(row["ab"]) != bool(intent.ab):
            yield f"{where}: ab is {row['ab']}"


def labelled(sources: Sources, played: list[Played]) -> dict[tuple[str, str, int], dict[str, Any]]:
    """Return the labels that the pipeline gives, with the patterns of violations that follow no other write."""
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name) / "suite", Path(name) / "out"
        folder.mkdir()
        for file in ("suite.yaml", "tools.yaml"):
            shutil.copy(SABENCH / file, folder / file)
        tasks = {one.instance.task.task_id: one.instance.written for one in played}
        write_lines(folder / "tasks.jsonl", tasks.values())
        for state, records in sources.states.items():
            lines = [{"entity": entity, "fields": fields} for entity, fields in records.items()]
            write_lines(folder / "states" / f"{state}.jsonl", lines)
        write_lines(folder / "traces" / "all.jsonl", [one.record for one in played])
        ingest([folder / "traces"], load_suite(folder), out)
        frames = {name: scan(out, name) for name in TRACES}
        frames |= {f"spec/{name}": scan(out, f"spec/{name}") for name in SPECS}
        made = {name: frame.collect() for name, frame in label(frames).items()}
        writes, episodes = frames["writes"].collect(), frames["episodes"].collect()
    key = ("episode", "step", "position", "item")
    violations = (
        made["write_labels"]
        .filter(pl.col("violation"))
        .join(writes.select(*key, "follows"), on=key)
        .filter(pl.col("follows").is_null())
        .group_by("episode")
        .agg(pl.col("pattern").cast(pl.String).sort())
    )
    joined = episodes.join(made["episode_labels"], on="episode").join(violations, on="episode", how="left")
    return {(row["task_id"], row["model"], row["replicate"]): row for row in joined.iter_rows(named=True)}
