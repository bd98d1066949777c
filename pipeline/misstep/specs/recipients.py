"""Addresses that a write reaches, and whether they are the outside world."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from misstep.contracts.tools import ToolsFile
from misstep.specs.paths import MISSING, Getter, Scope, as_text, compile_path, compile_template, is_path, is_template

Recipients = Callable[[Scope], list[str]]

#: What stands between commas and semicolons, those in double quotes aside.
_PART = re.compile(r"""(?:"[^"]*"|[^,;])+""")
_LISTED = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)
_QUOTED = re.compile(r"""(["']).*\1""", re.DOTALL)
_IN_BRACKETS = re.compile(r"<([^<>\s]+@[^<>\s]+)>\s*\Z")


def compile_recipients(paths: str | list[str] | None, own: list[str]) -> Recipients:
    """Return the function that gives the addresses at some paths: lower case, sorted, without the owner's own.

    Raises:
        ValueError: a path is not well formed.
    """
    if paths is None:
        return lambda scope: []
    getters = [_getter(path) for path in ([paths] if isinstance(paths, str) else paths)]
    mine = {address.strip().lower() for address in own}
    return lambda scope: sorted({one for get in getters for one in _addresses(get(scope))} - mine - {""})


def _getter(written: str) -> Getter:
    if is_path(written):
        return compile_path(written)
    if not is_template(written) and "@" not in written:
        raise ValueError(f"{written!r} is neither a path nor an address")
    return compile_template(written)


def _addresses(value: Any) -> Iterator[str]:
    if value is MISSING or value is None:
        return
    if isinstance(value, list | tuple):
        for part in value:
            yield from _addresses(part)
        return
    yield from (part.strip().lower() for part in split_addresses(as_text(value)))


def split_addresses(text: str) -> list[str]:
    """Return the addresses of a text that lists several of them, or the text itself; names beside them are left out.

    Between addresses stand commas or semicolons; the list may also be written as one: `["a@x", "b@y"]`, `['a@x']`.
    """
    listed = _LISTED.fullmatch(text)
    written = [part.strip() for part in _PART.findall(listed[1] if listed else text)]
    parts = [part[1:-1] if _QUOTED.fullmatch(part) else part for part in written if part]
    if listed is None and not (parts and all("@" in part for part in parts)):
        parts = [text]
    return [found[1] if (found := _IN_BRACKETS.search(part)) else part for part in parts]


def compile_external(file: ToolsFile, declared: bool | None) -> Callable[[list[str]], bool]:
    """Return the function that says whether recipients include an external party.

    What the rule declares counts; else an address outside of `home_domains` is external, where the file says what is
    the owner's at all.
    """
    if declared is not None:
        return lambda recipients: declared
    if not file.home_domains and not file.own_addresses:
        return lambda recipients: False
    home = {domain.strip().lower().lstrip("@") for domain in file.home_domains}
    return lambda recipients: any("@" not in one or one.rpartition("@")[2] not in home for one in recipients)
