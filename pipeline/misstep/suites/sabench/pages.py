"""Long lists in pages, and words looked for in records."""

from __future__ import annotations

import hashlib
import re

from misstep.suites.sabench.errors import invalid
from misstep.suites.sabench.schemas import Arguments
from misstep.suites.world import Record

_TOKEN = re.compile(r"([0-9a-f]{8})-(\d{1,6})\Z")


def page(name: str, found: list[Record], asked: Arguments, limit: int, token: str | None) -> Record:
    """Return a page of what was found, under `name`, with the token of the next page where there is one.

    Raises:
        ApiError: the token is not one of a page of the same question.
    """
    question = asked.model_dump_json(exclude={"limit", "page_token"})
    mark = hashlib.sha256(f"{name} {question}".encode()).hexdigest()[:8]
    start = 0
    if token is not None:
        parts = _TOKEN.match(token)
        if parts is None or parts[1] != mark:
            raise invalid("Invalid argument: page_token.", ("page_token", "not a token of this request"))
        start = int(parts[2])
    shown: Record = {name: found[start : start + limit], "total": len(found)}
    if start + limit < len(found):
        shown["next_page_token"] = f"{mark}-{start + limit}"
    return shown


def holds_words(query: str, *texts: object) -> bool:
    """Return whether every word of a query stands in one of the texts, as a part of a word, in any case."""
    text = " ".join(map(str, texts)).casefold()
    return all(word in text for word in query.casefold().split())
