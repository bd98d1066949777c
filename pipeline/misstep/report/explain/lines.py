"""Lines of text: cut where they are too long, wrapped where they are too wide."""

from __future__ import annotations

from textwrap import shorten, wrap

WIDTH = 110


def cut(text: str, longest: int) -> str:
    """Return a text on one line, its middle left to the imagination where it is too long."""
    flat = " ".join(text.split())
    return (
        flat
        if len(flat) <= longest
        else shorten(flat, longest, placeholder=" …")
        if " " in flat
        else flat[:longest] + "…"
    )


def wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Return a text as lines of at most about 110 characters, the first and the others with their own indentation."""
    later = first + "  " if rest is None else rest
    return wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    ) or [first]
