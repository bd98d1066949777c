"""Comparison profiles of a tools file, compiled to the functions that give join keys."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from misstep.contracts.tools import Compare
from misstep.contracts.values import SCALARS, Comparison, collection, keyed_items, strict, zipped

Shape = Literal["each", "list", "bag", "set", "whole"]


class Profile(NamedTuple):
    """A compiled profile.

    `key` gives the join key of a value; where any value is as good as any other (`free`) it is still the strict key,
    for asking whether anything changed at all. `member` gives the key of one member of a collection. `zip` names the
    parameters that are compared together (then `key` takes the list of their values). `shape` says what is compared
    with what: every value inside (`each`), the members of a list in order (`list`), or in any order (`bag`, `set`), or
    the whole at once.
    """

    key: Comparison
    member: Comparison
    free: bool = False
    zip: tuple[str, ...] = ()
    shape: Shape = "each"


STRICT = Profile(strict, strict)


def compile_profile(rule: Compare) -> Profile:
    """Return the compiled form of a written profile."""
    if rule == "free":
        return Profile(strict, strict, free=True)
    if rule == "set":
        return Profile(collection(strict, distinct=True), strict, shape="set")
    if isinstance(rule, str):
        return Profile(SCALARS[rule], SCALARS[rule])
    each = SCALARS[rule.each]
    unordered = rule.unordered or rule.distinct
    if rule.zip is not None:
        return Profile(zipped(rule.zip, each, unordered=unordered), each, zip=tuple(rule.zip), shape="whole")
    if rule.items is not None:
        whole, member = (keyed_items(rule.items, each, unordered=order) for order in (unordered, False))
        return Profile(whole, member, shape="whole")
    if unordered:
        return Profile(collection(each, distinct=rule.distinct), each, shape="set" if rule.distinct else "bag")
    return Profile(_sequence(each), each, shape="list")


def _sequence(each: Comparison) -> Comparison:
    def key(value: Any) -> str:
        items = value if isinstance(value, list | tuple) else [value]
        return "[" + ",".join(each(item) or "" for item in items) + "]"

    return key
