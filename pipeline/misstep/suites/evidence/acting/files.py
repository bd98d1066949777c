"""The cohort as files: traces by configuration, and by run and condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from misstep.suites.evidence.acting.episodes import Stage
from misstep.suites.evidence.cohort.conditions import conditions
from misstep.suites.evidence.cohort.plan import plan
from misstep.suites.evidence.cohort.ways import Configuration, Role
from misstep.suites.evidence.sources import Domain
from misstep.suites.world import Record

SEED = 1


class Cohort:
    """The plan of the cohort, and what comes of it."""

    def __init__(self, domains: Iterable[Domain], published: Path, seed: int = SEED) -> None:
        """Make the plan, from the printed figures in a folder.

        Raises:
            ContractError: no plan meets them.
        """
        self.stage = Stage(domains, seed)
        self.roles: Sequence[Role] = plan(self.stage.cases(), published, seed)
        self.others: Sequence[Role] = conditions(self.roles, published, seed)

    def traces(self) -> Iterator[tuple[str, Record]]:
        """Yield (file without ending, record): the cohort by configuration, then its other runs by condition."""
        for role, record in self.stage.episodes(sorted(self.roles, key=lambda role: _file(role.configuration))):
            yield f"cohort/{_file(role.configuration)}", record
        for role, record in self.stage.episodes(sorted(self.others, key=_place)):
            yield _place(role), record


def _place(role: Role) -> str:
    return f"conditions/{role.run}/{role.condition}/{_file(role.configuration)}"


def _file(configuration: Configuration) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", f"{configuration.model}-{configuration.harness}".lower())
