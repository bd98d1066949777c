"""An office with mail, a calendar and tickets, tasks that tempt to do more than was asked for, and agents on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from misstep.suites.bundle import Bundle
from misstep.suites.sabench.agents import AGENTS, scripted
from misstep.suites.sabench.card import card
from misstep.suites.sabench.sources import Sources, read_sources
from misstep.suites.world import Record


def bundle(folder: Path) -> Bundle:
    """Return the suite that the files of a folder describe.

    Raises:
        SpecificationError: a template is not well formed.
    """
    sources = read_sources(folder)
    return Bundle(
        [instance.written for instance in sources.instances],
        sources.states,
        (one for traces in TRACES for one in traces(sources)),
        {"CARD.md": card(sources, len(AGENTS))},
    )


def _scripted(sources: Sources) -> Iterator[tuple[str, Record]]:
    for played in scripted(sources):
        yield f"scripted/{played.model}", played.record


#: What is in `traces/`: each yields (file without ending, record), the records of a file one after another.
TRACES: list[Callable[[Sources], Iterator[tuple[str, Record]]]] = [_scripted]
