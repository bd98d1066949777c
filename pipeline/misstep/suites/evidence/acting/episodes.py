"""The roles of the plan acted out: each configuration does in the world of a case what it was chosen to do."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from misstep.suites.evidence.acting.altered import Altered, judged, plays
from misstep.suites.evidence.acting.habits import HABITS, Habits, spoken
from misstep.suites.evidence.acting.moves import Move, Moves, follow
from misstep.suites.evidence.acting.prepared import Prepared, Staged
from misstep.suites.evidence.acting.reading import move
from misstep.suites.evidence.acting.ways import play, playable
from misstep.suites.evidence.cases import Case
from misstep.suites.evidence.cohort import ways as planned
from misstep.suites.evidence.cohort.matched import STATIC
from misstep.suites.evidence.protocol import run
from misstep.suites.evidence.sources import Domain
from misstep.suites.turns import Turn
from misstep.suites.world import Record

#: The name of the suite in records.
SUITE = "evidence"
_UNSCORED = "infrastructure_failure"


class Stage:
    """The cases of the suite prepared for acting, each once, and how they are altered by conditions."""

    def __init__(self, domains: Iterable[Domain], seed: int) -> None:
        self.seed = seed
        self.prepared: dict[str, Prepared] = {}
        self.altered: dict[str, Altered] = {}
        for domain in domains:
            for case in domain.cases:
                self.prepared[case.task_id] = Prepared.of(case, domain)
                self.altered[case.task_id] = Altered(case, domain)

    def cases(self) -> list[planned.Case]:
        """Return the cases as the plan sees them."""
        return [
            planned.Case(
                name,
                prepared.case.domain,
                prepared.case.protocol,
                prepared.case.workflow,
                playable(prepared),
                answer(prepared.case),
                self.altered[name].able,
            )
            for name, prepared in self.prepared.items()
        ]

    def episodes(self, roles: Iterable[planned.Role]) -> Iterator[tuple[planned.Role, Record]]:
        """Yield the record of each role, in their order."""
        for role in roles:
            yield role, self.episode(role)

    def episode(self, role: planned.Role) -> Record:
        """Return the record of a configuration that plays its role on a case."""
        who = role.configuration
        part = (role.case.case_id, who.model, who.harness, role.replicate, role.condition, role.group or role.run)
        draw = random.Random("/".join(map(str, (self.seed, *part))))
        habits = HABITS[who.model, who.harness]
        identity = {
            "suite": SUITE,
            "task_id": role.case.case_id,
            "model": who.model,
            "harness": who.harness,
            "condition": role.condition,
            "run": role.group or role.run,
            "replicate": role.replicate,
        }
        prepared = self.prepared[role.case.case_id]
        if role.condition == STATIC:
            record = self._judgement(role, habits, draw, identity)
        else:
            if role.condition != planned.ORIGINAL:
                prepared = self.altered[role.case.case_id].under(role.condition)
            moves = self._moves(prepared, role, habits, draw)
            world = Staged(prepared, "/".join(map(str, (self.seed, *part))))
            record = run(follow(moves), prepared.digested, world, identity)
        return _cut(record, draw) if role.status == _UNSCORED else record

    def _moves(self, prepared: Prepared, role: planned.Role, habits: Habits, draw: random.Random) -> Moves:
        if role.way == planned.LOST:
            moves = play(prepared, planned.SOLVED, habits.manner, draw)
        elif role.run == planned.MAIN:
            moves = play(prepared, role.way, habits.manner, draw)
        else:
            moves = plays(prepared, role, habits.manner, draw)
        if role.status == "budget_exhausted":
            moves.reads_on = _reads_on(prepared, moves)
        return spoken(moves, habits, draw)

    def _judgement(
        self, role: planned.Role, habits: Habits, draw: random.Random, identity: Mapping[str, object]
    ) -> Record:
        prepared = self.altered[role.case.case_id].fixed
        moves = spoken(judged(role, draw), habits, draw)
        return run(lambda *_: _said(moves), prepared.digested, Staged(prepared), identity)


def answer(case: Case) -> str:
    """Return what is the right judgement of a case."""
    return str(case.entry.decision or case.evidence.get("stop") or "ALLOW")


def _said(moves: Moves) -> Turn:
    return follow(replace(moves, turns=[]))(None, ())  # type: ignore[arg-type]


def _reads_on(prepared: Prepared, moves: Moves) -> Sequence[Move]:
    """Return the reads that were made already, to be made again until no turn is left."""
    made = [one for turn in moves.turns for one in turn if one.tool in prepared.domain.info]
    return made or [move(next(iter(prepared.reads.values())))]


def _cut(record: Record, draw: random.Random) -> Record:
    """Return a record that breaks off somewhere, because what runs the agent failed."""
    calls = [place for place, event in enumerate(record["events"]) if event["type"] == "call"]
    place = draw.choice(calls) if calls else 2
    kept = {key: value for key, value in record.items() if key != "decision"}
    return {**kept, "status": _UNSCORED, "events": record["events"][:place]}
