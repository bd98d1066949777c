"""An office with mail, a calendar and tickets, tasks that tempt to do more than was asked for, and agents on them."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from misstep.storage.bundled import bundled
from misstep.suites.bundle import Bundle
from misstep.suites.sabench.agents import AGENTS, scripted
from misstep.suites.sabench.card import card
from misstep.suites.sabench.cohort.files import Cohort
from misstep.suites.sabench.sources import read_sources


def bundle(folder: Path) -> Bundle:
    """Return the suite that the files of a folder describe, with traces of its scripted agents and of its cohort.

    Raises:
        SpecificationError: a template is not well formed.
        ContractError: the tasks do not allow a cohort that meets the printed figures.
    """
    sources = read_sources(folder)
    cohort = Cohort(sources, bundled("published"))
    return Bundle(
        [instance.written for instance in sources.instances],
        sources.states,
        chain(((f"scripted/{played.model}", played.record) for played in scripted(sources)), cohort.traces()),
        {"CARD.md": card(sources, len(AGENTS)), **cohort.audits()},
    )
