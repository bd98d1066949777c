"""What must hold of the templates of sabench, as lists of faults in words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from misstep.ingest.questions import asks_user
from misstep.suites.played import Played
from misstep.suites.sabench.acting import act
from misstep.suites.sabench.records import faults
from misstep.suites.sabench.scripted import turns
from misstep.suites.sabench.sources import Instance, Sources
from suites.office_suite import goal_holds, holds
from suites.sabench_labels import labelled

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
    else:
        done = [condition for condition in task.goal if holds(condition, office.records)]
        yield from (f"{condition} holds before anything was done" for condition in done)


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
        where = place(one)
        for event in one.record["events"]:
            result = event.get("result")
            if isinstance(result, dict) and "error" in result:
                yield f"{where}: {event['tool']} {event['arguments']}: {result['error']}"
            if "{" in event.get("text", "") and event["role"] == "assistant":
                yield f"{where}: unfilled text {event['text']}"


def wrong_labels(sources: Sources, played: Sequence[Played]) -> Iterator[str]:
    """Yield where the labels of the pipeline, or the goal in the world, are not those of the scripts."""
    found = labelled(sources, played)
    for one in played:
        task = one.instance.task
        yield from mislabelled(one, found[str(task.task_id), one.model, one.replicate])
        reached = None if task.ambiguous or one.record["status"] != "completed" else goal_holds(task, one.final)
        if reached is not None and reached is not one.intent.goal:
            yield f"{place(one)}: in the world the goal is {reached}"


def mislabelled(one: Played, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield which labels of an episode are not those that it is written to get."""
    intent = one.intent
    responses = [name for name in ("wrote", "asked", "neither") if row[name]]
    found = {
        "goal": (row["goal"], intent.goal),
        "cd": (row["cd"], intent.cd),
        "external": (row["cd_external_only"], intent.external),
        "patterns": (row["pattern"] or [], sorted(intent.patterns)),
        "response": (responses[0] if responses else "unknown", intent.response),
        "ab": (bool(row["ab"]), bool(intent.ab)),
    }
    for name, (got, wanted) in found.items():
        if got != wanted:
            yield f"{place(one)}: {name} is {got}, intended {wanted}"


def place(one: Played) -> str:
    """Return which episode this is."""
    return f"{one.instance.task.task_id}, {one.model}, {one.script}, {one.replicate}"
