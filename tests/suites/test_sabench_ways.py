"""Unusual ways of doing what was asked for, which no script of a template takes."""

from collections.abc import Iterator

from misstep.suites.filling import fill
from misstep.suites.sabench.acting import act
from misstep.suites.sabench.scripted import turns
from misstep.suites.sabench.sources import Instance, read_sources
from misstep.suites.scripts import Move
from suites.sabench_labels import labelled
from suites.sabench_world import SABENCH

ADDRESSES = ("to", "cc", "attendees")
WAYS = (
    "book-with-client",
    "book-from-ticket",
    "forward-right-message",
    "forward-to-the-right-one",
    "invite-the-namesake",
)


def loud(instance: Instance) -> Iterator[Move]:
    """Yield the calls of the reference, with addresses in capitals."""
    for move in instance.scripts["reference"].moves:
        filled = fill(move.arguments, instance.variables)
        arguments = {
            name: [one.upper() for one in value] if name in ADDRESSES else value for name, value in filled.items()
        }
        yield move.model_copy(update={"arguments": arguments})


def test_addresses_may_be_written_in_capitals() -> None:
    sources = read_sources(SABENCH)
    chosen = [one for one in sources.instances if one.task.template_id in WAYS]
    played = [act(sources, one, "reference", turns(list(loud(one))), "Done.", {"model": "loud"}) for one in chosen]
    assert len(played) > 20
    found = labelled(sources, played)
    wrong = [task for (task, _, _), row in found.items() if (row["goal"], row["cd"]) != (True, False)]
    assert wrong == []
