"""The audit of sabench's scripted agents, put into a document: `python -m agreement.sabench ../docs/sabench-audit.md`.

Run in `tests/`. What is expected was written down before, in `suites/sabench_expected.yaml`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from agreement.report import written
from misstep.suites.played import Played
from misstep.suites.sabench.agents import AGENTS, episodes
from misstep.suites.sabench.sources import Sources, read_sources
from suites.sabench_labels import Frames, rows, tables
from suites.sabench_world import SABENCH

EXPECTED = Path(__file__).resolve().parents[1] / "suites" / "sabench_expected.yaml"
STRUCTURES = ("independent", "dependent", "external", "cross_tool")

#: An episode and its labels.
Judged = tuple[Played, Mapping[str, Any]]
Numbers = dict[str, int]


@dataclass
class Moves:
    """Tempting moves of a family and structure: made; flagged, with the patterns, with the external flag intended."""

    made: int = 0
    damage: int = 0
    patterns: int = 0
    external: int = 0
    outside: int = 0


def expected() -> dict[str, Any]:
    """Return what was written down before: numbers by agent, and tempting moves by family and structure."""
    found: dict[str, Any] = yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))
    return found


def play(sources: Sources, agent: str) -> list[Played]:
    """Return the episodes of a scripted agent."""
    return [one for instance in sources.instances for one in episodes(sources, instance, agent)]


def judge(played: Iterable[Played], frames: Frames) -> list[Judged]:
    """Return episodes with the labels that their tables say."""
    known = rows(frames)
    return [(one, known[str(one.instance.task.task_id), one.model, one.replicate]) for one in played]


def numbers(judged: Iterable[Judged]) -> Numbers:
    """Return how many episodes of an agent have which label, as the file of expectations has them."""
    found: Counter[str] = Counter(dict.fromkeys(("goal", "cd", "external", "ab", "unnecessary", "exhausted"), 0))
    for _, row in judged:
        found["episodes"] += 1
        found["goal"] += row["goal"] is True
        found["cd"] += row["cd"] is True
        found["external"] += row["cd_external_only"] is True
        found["ab"] += row["ab"] is True
        found["unnecessary"] += row["unnecessary_clarification"] is True
        found["exhausted"] += row["status"] == "budget_exhausted"
        found["failed"] += row["failed"]
    return dict(found)


def moves(judged: Iterable[Judged]) -> dict[tuple[str, str], Moves]:
    """Return the tempting moves by family and structure."""
    found: dict[tuple[str, str], Moves] = {}
    for one, row in judged:
        if one.script not in one.instance.scripts or not one.instance.scripts[one.script].trap:
            continue
        strata, intent = one.instance.task.strata, one.intent
        cell = found.setdefault((strata["trap"], strata["structure"]), Moves())
        cell.made += 1
        cell.damage += row["cd"] is True
        cell.patterns += row["pattern"] == sorted(intent.patterns)
        cell.external += row["cd_external_only"] is intent.external
        cell.outside += row["cd_external_only"] is True
    return found


def agents_table(judged: Mapping[str, list[Judged]]) -> str:
    """Return the table of agents."""
    lines = [
        "| agent | tasks | episodes | goal | CD | external CD | AB | unnecessary question | out of turns "
        "| failed calls | as expected |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for agent, group in judged.items():
        one = numbers(group)
        tasks = len({played.instance.task.task_id for played, _ in group})
        ambiguous = sum(played.instance.task.ambiguous for played, _ in group)
        shares = [_share(one[name], one["episodes"]) for name in ("goal", "cd", "external")]
        shares += [_share(one["ab"], ambiguous), _share(one["unnecessary"], one["episodes"] - ambiguous)]
        same = "yes" if one == expected()["agents"][agent] else "no"
        cells = [agent, tasks, one["episodes"], *shares, one["exhausted"], one["failed"], same]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def moves_table(judged: Mapping[str, list[Judged]]) -> str:
    """Return the table of tempting moves."""
    lines = [
        "| trap | structure | moves | flagged | with the intended patterns | external as intended | external "
        "| as expected |",
        "|---|---|--:|--:|--:|--:|--:|---|",
    ]
    found = moves(one for group in judged.values() for one in group)
    for trap, cells in expected()["moves"].items():
        for structure in STRUCTURES:
            one = found.pop((trap, structure), Moves())
            counts = [one.made, one.damage, one.patterns, one.external, one.outside]
            same = counts == [cells[structure][0]] * 4 + [cells[structure][1]]
            texts = [trap, structure, *map(str, counts), "yes" if same else "no"]
            lines.append(f"| {' | '.join(texts)} |")
    lines += [f"| {trap} | {structure} | {one.made} | | | | | no |" for (trap, structure), one in found.items()]
    return "\n".join(lines) + "\n"


def page(text: str, judged: Mapping[str, list[Judged]]) -> str:
    """Return a document with the tables as they are now."""
    return written(written(text, "agents", agents_table(judged)), "moves", moves_table(judged))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""


def apart(judged: Mapping[str, list[Judged]]) -> Iterator[str]:
    """Yield what is not as it was written down, in words."""
    for agent, group in judged.items():
        found, wanted = numbers(group), expected()["agents"][agent]
        yield from (f"{agent}: {key} {found[key]}, not {wanted[key]}" for key in found if found[key] != wanted.get(key))
    yield from (line for line in moves_table(judged).splitlines() if line.endswith("| no |"))


def main(document: Path) -> None:
    """Judge all scripted agents and put the tables into the document; print what is not as it was written down."""
    sources = read_sources(SABENCH)
    judged = {}
    for agent in AGENTS:
        played = play(sources, agent)
        judged[agent] = judge(played, tables(sources, played))
    print(*apart(judged), sep="\n")
    document.write_text(page(document.read_text(encoding="utf-8"), judged), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
