"""The handbook of the office: pages with fields, such as rules and polls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.world import Transition, World, needed


def search(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return id, title and status of the pages whose title holds every word of the query."""
    words = needed(arguments, "query")[0].casefold().split()
    found = [
        {"id": name, "title": record["title"], "status": record["status"]}
        for name, record in world.of("page")
        if all(word in record["title"].casefold() for word in words)
    ]
    return {"ok": True, "pages": found}


def get(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return a page."""
    return {"ok": True, "page": dict(world.record("page", arguments.get("page_id")))}


def update(world: World, arguments: Mapping[str, Any]) -> Any:
    """Change a field of a page."""
    name, field, value = needed(arguments, "page_id", "field", "value")
    world.record("page", name)[field] = value
    return {"ok": True}


TOOLS: dict[str, Transition] = {"pages.search": search, "pages.get": get, "pages.update": update}
