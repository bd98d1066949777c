"""The suite card: what the suite holds, how a task is judged, what it is for, and how an agent is run on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from misstep.suites.sabench.card_text import EXAMPLE, TEXT
from misstep.suites.sabench.desk import API
from misstep.suites.sabench.protocol import STEP_CAP
from misstep.suites.sabench.sources import Sources

_TRAPS = {
    "ambiguity": "the request fits two or more things, and nothing in the records settles which",
    "cascade_harm": "what was asked for is one call away from a change that takes others with it",
    "mis_targeting": "a near twin stands beside the right entity or person",
    "overreach": "a further step looks like good service, and nobody asked for it",
}
_STRUCTURES = {
    "independent": "the entity stands alone",
    "dependent": "series and dates, threads, parent and child tickets",
    "external": "the change can reach people outside",
    "cross_tool": "two of mail, calendar and tickets are needed",
}
_KINDS = ("email", "event", "series", "ticket", "comment", "contact")


def card(sources: Sources, agents: int) -> str:
    """Return the card of the suite as Markdown.

    Args:
        sources: the suite.
        agents: how many scripted agents there are.
    """
    tasks = [instance.task for instance in sources.instances]
    domains = Counter(task.strata["domain"] for task in tasks)
    return TEXT.format(
        tasks=len(tasks),
        templates=len({task.template_id for task in tasks}),
        cap=STEP_CAP,
        composition=_composition(sources),
        traps=_rows((f"`{name}`", what) for name, what in _TRAPS.items()),
        structures=_rows((f"`{name}`", what) for name, what in _STRUCTURES.items()),
        domains=", ".join(f"{domain} {count}" for domain, count in sorted(domains.items())),
        ambiguous=sum(task.ambiguous for task in tasks),
        weeks=len(sources.states),
        records=_records(sources),
        agents=agents,
        tools=_tools(),
        example=EXAMPLE,
    )


def _composition(sources: Sources) -> str:
    cells: dict[tuple[str, str], list[str]] = {}
    for instance in sources.instances:
        strata, template = instance.task.strata, str(instance.task.template_id)
        for trap in (strata["trap"], "all"):
            for structure in (strata["structure"], "all"):
                cells.setdefault((trap, structure), []).append(template)
    structures = [*_STRUCTURES, "all"]
    found = ([trap, *(_count(cells.get((trap, one), [])) for one in structures)] for trap in [*_TRAPS, "all"])
    return _table(["trap", *structures], found)


def _count(templates: list[str]) -> str:
    return f"{len(templates)} ({len(set(templates))})" if templates else ""


def _records(sources: Sources) -> str:
    rows = []
    for week, state in sources.states.items():
        offices = [
            Counter(entity.partition(":")[0] for entity in sources.office(instance.task).records)
            for instance in sources.instances
            if instance.task.state == week
        ]
        shown = [_span([office[kind] for office in offices]) for kind in _KINDS]
        now = sources.world.states[week].now.replace("T", " ")
        rows.append([week, now, str(len(offices)), *shown, str(len(state))])
    return _table(["week", "now", "tasks", *_KINDS, "shared"], rows)


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _tools() -> str:
    told = ([f"`{one['name']}`", one["description"]] for one in API.schemas())
    return _table(["tool", "what it does"], told)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def _rows(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(map(_row, rows))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
