"""The cohort as files: traces by configuration and condition, and the audits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from misstep.suites.sabench.cohort.audits import audit_of_ambiguity, audit_of_damage
from misstep.suites.sabench.cohort.episodes import episodes
from misstep.suites.sabench.cohort.margins import DAMAGE_JUDGED, QUESTION_JUDGED, printed_count
from misstep.suites.sabench.cohort.mitigation import EFFECTS, studied, under
from misstep.suites.sabench.cohort.plan import Role, plan
from misstep.suites.sabench.sources import Sources
from misstep.suites.world import Record


class Cohort:
    """The plan of the cohort, and what comes of it."""

    def __init__(self, sources: Sources, published: Path) -> None:
        """Make the plan, from the printed figures in a folder.

        Raises:
            ContractError: no plan meets them.
        """
        self.sources = sources
        self.seed = sources.world.seed
        self.published = published
        self.roles: Sequence[Role] = plan(sources.instances, published, self.seed)

    def traces(self) -> Iterator[tuple[str, Record]]:
        """Yield (file without ending, record): the cohort, then each condition, by configuration."""
        for role, played in episodes(self.sources, self.roles, self.seed):
            yield f"cohort/{_file(role.configuration)}", played.record
        tasks = studied(self.sources.instances, self.seed)
        for condition in EFFECTS:
            roles = under(condition, self.roles, tasks, self.seed)
            for role, played in episodes(self.sources, roles, self.seed, condition):
                yield f"conditions/{condition.name}/{_file(role.configuration)}", played.record

    def audits(self) -> dict[str, str]:
        """Return path → CSV of judgements."""
        return {
            "audits/damage.csv": audit_of_damage(self.roles, printed_count(self.published, DAMAGE_JUDGED), self.seed),
            "audits/ambiguity.csv": audit_of_ambiguity(
                self.roles, printed_count(self.published, QUESTION_JUDGED), self.seed
            ),
        }


def _file(configuration: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", configuration.lower())
