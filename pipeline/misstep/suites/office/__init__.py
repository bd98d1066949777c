"""The office of a maker of bicycle racks: mail, calendar, tickets, orders and a handbook; small, with every label."""

from __future__ import annotations

from pathlib import Path

from misstep.suites.bundle import Bundle
from misstep.suites.instances import read_sources
from misstep.suites.office.episodes import play

NAME = "office"


def bundle(folder: Path) -> Bundle:
    """Return the suite that the files of a folder describe.

    Raises:
        SpecificationError: a template is not well formed.
    """
    sources = read_sources(folder, NAME)
    played = sorted(play(sources, NAME), key=lambda one: one.model)
    return Bundle(
        [instance.written for instance in sources.instances],
        sources.states,
        [(one.model, one.record) for one in played],
    )
