"""Cases acted out: each way to end gets exactly the labels of that way, on every case that can end so."""

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from misstep.suites.evidence.acting.moves import follow
from misstep.suites.evidence.acting.prepared import Prepared, Staged
from misstep.suites.evidence.acting.reading import Manner
from misstep.suites.evidence.acting.ways import play, playable
from misstep.suites.evidence.cohort.ways import WAYS, way_of
from misstep.suites.evidence.protocol import run
from misstep.suites.evidence.sources import Domain, read_domains
from misstep.suites.evidence.world import CaseWorld
from suites.evidence_checks import EVIDENCE
from suites.evidence_house import house
from suites.evidence_labels import ended, labelled


@pytest.fixture(scope="module")
def domains() -> list[Domain]:
    return read_domains(EVIDENCE)


def acted(prepared: Prepared, way: str, number: int = 0, manner: Manner | None = None) -> dict[str, Any]:
    """Return the record of one way on a case."""
    draw = random.Random(f"{prepared.case.task_id}/{way}/{number}")
    moves = play(prepared, way, manner or Manner(), draw)
    identity = {"suite": "evidence", "task_id": prepared.case.task_id, "model": way, "replicate": number}
    return run(follow(moves), prepared.digested, Staged(prepared), identity)


def everything(domains: Sequence[Domain]) -> Iterator[tuple[Prepared, str]]:
    for domain in domains:
        for case in domain.cases:
            prepared = Prepared.of(case, domain)
            yield from ((prepared, way) for way in sorted(playable(prepared)))


def test_every_way_on_every_case_gets_its_labels(domains: list[Domain]) -> None:
    wanted = list(everything(domains))
    found = labelled(domains, [acted(*one) for one in wanted])
    apart = {}
    for prepared, name in wanted:
        way = way_of(prepared.case.protocol, name)
        row = found[prepared.case.task_id, name, None, None, None, 0]
        if ended(row) != (way.end, way.complete):
            apart[prepared.case.task_id, name] = ended(row)
    assert apart == {}


def test_what_cannot_be_played_is_known_and_rare(domains: list[Domain]) -> None:
    closed: Counter[tuple[str, str]] = Counter()
    for domain in domains:
        for case in domain.cases:
            able = playable(Prepared.of(case, domain))
            closed.update((case.protocol, way.name) for way in WAYS[case.protocol] if way.name not in able)
    judged = {("Legacy", f"wrong: {answer}") for answer in ("ALLOW", "BLOCK", "DEFER")}
    known = {("V2", "partial"), ("V3", "partial"), ("V2", "gap and partial"), ("V3", "gap and partial")}
    assert closed.keys() <= judged | known
    assert all(closed["V2", way] + closed["V3", way] < 80 for way in ("partial", "gap and partial"))


def test_episodes_of_one_way_differ(domains: list[Domain]) -> None:
    for prepared, way in random.Random(1).sample(list(everything(domains)), 40):
        if prepared.case.protocol != "Legacy":
            calls = [
                [(e["tool"], e["arguments"]) for e in acted(prepared, way, k)["events"] if "tool" in e]
                for k in range(8)
            ]
            assert len({str(one) for one in calls}) > 1, (prepared.case.task_id, way)


def test_a_staged_world_gives_what_the_world_gives() -> None:
    domain = house()
    for case in domain.cases:
        prepared = Prepared.of(case, domain)
        for way in playable(prepared):
            moves = play(prepared, way, Manner(), random.Random(way))
            identity = {"suite": "evidence", "task_id": case.task_id}
            staged = run(follow(moves), prepared.brief, Staged(prepared, 3), identity)
            assert staged == run(follow(moves), prepared.brief, CaseWorld(domain.file, case, 3), identity)


def test_nobody_acts_on_what_nothing_has_shown(domains: list[Domain]) -> None:
    """A solution in any drawn order calls for nothing but what was told or shown in an earlier turn."""
    for domain in domains:
        for case in domain.cases[::5]:
            if case.protocol != "Legacy":
                prepared = Prepared.of(case, domain)
                made: list[str] = []
                names = {(step.tool, str(step.arguments)): step for step in case.reads}
                for turn in play(prepared, "solved", Manner(0.2, 0.5, 0, 0, 0), random.Random(case.task_id)).turns:
                    steps = [names.get((move.tool, str(move.arguments))) for move in turn]
                    assert not any(step and prepared.unknown(step, made) for step in steps)
                    made += [step.id for step in steps if step]


def test_the_record_keeps_a_digest_of_the_system_prompt(domains: list[Domain]) -> None:
    prepared, way = next(everything(domains))
    assert prepared.digested == dataclasses.replace(prepared.brief, system=prepared.digested.system, tools=[])
    assert len(str(acted(prepared, way)["events"][0])) < 300
