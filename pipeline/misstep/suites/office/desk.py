"""What the tools of the office do: mail, calendar, tickets, orders, the handbook, and finding people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.office import diary, mail, orders, pages, tickets
from misstep.suites.world import Desk, World, needed


def find_contacts(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the people whose name holds all the words asked for."""
    words = needed(arguments, "name")[0].casefold().split()
    found = [
        {"id": name, **record}
        for name, record in world.of("contact")
        if all(word in f"{record['name']} {record['company']}".casefold() for word in words)
    ]
    return {"ok": True, "contacts": found}


DESK = Desk(
    transitions={
        **mail.TOOLS,
        **diary.TOOLS,
        **tickets.TOOLS,
        **orders.TOOLS,
        **pages.TOOLS,
        "contacts.search": find_contacts,
    },
    in_words=mail.IN_WORDS | tickets.IN_WORDS,
    aliases={"send_email": "mail.send"},
)
