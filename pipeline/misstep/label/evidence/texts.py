"""Searches in texts, with Python's regular expressions (those of the suite files)."""

from __future__ import annotations

import re

import polars as pl

from misstep.contracts.values import parse
from misstep.label.mapped import mapped

_HOLE = re.compile(r"\{arguments[^{}]*\}")


def searched(text: pl.Expr, pattern: pl.Expr, *, any_case: bool = False) -> pl.Expr:
    """Return whether a pattern is found in a text; false where either is null."""
    return mapped(_search_any_case if any_case else _search, text, pattern)


def worded(text: pl.Expr, word: pl.Expr) -> pl.Expr:
    """Return whether a text holds another as whole words, in any case; false where either is null."""
    return mapped(_holds_word, text, word)


def spelled(value: pl.Expr) -> pl.Expr:
    """Return a canonical value as text: text as it is, other values in their canonical form."""
    plain = value.str.starts_with('"') & ~value.str.contains("\\", literal=True)
    return (
        pl.when(plain)
        .then(value.str.slice(1, value.str.len_chars() - 2))
        .when(value.str.starts_with('"'))
        .then(value.map_elements(parse, return_dtype=pl.String))
        .otherwise(value)
    )


def _search(text: str | None, pattern: str | None) -> bool:
    return text is not None and pattern is not None and re.search(pattern, text) is not None


def _search_any_case(text: str | None, pattern: str | None) -> bool:
    return text is not None and pattern is not None and re.search(pattern, text, re.IGNORECASE) is not None


def _holds_word(text: str | None, word: str | None) -> bool:
    if text is None or word is None:
        return False
    return re.search(whole_word(word), text, re.IGNORECASE) is not None


def whole_word(text: str) -> str:
    """Return the pattern of a text that stands as a whole: not flanked by letters, digits or `_`."""
    return rf"(?<!\w){re.escape(text)}(?!\w)"


def filled(pattern: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Return a pattern with a text in its hole (`{arguments.PATH}`), literally and as a whole word."""
    return mapped(_fill, pattern, text, kind=pl.String)


def _fill(pattern: str | None, text: str | None) -> str | None:
    if pattern is None or text is None:
        return None
    word = whole_word(text)
    return _HOLE.sub(lambda _: word, pattern)
