"""The one canonical text form of values, and the comparison profiles that map values to join keys.

A value of a trace is stored as canonical JSON with its type in it: `50`, `50.0` and `5e1` are all `50`, and never equal
`"50"` or `true`; integers of any size stay exact; object keys are sorted; text is never taken for anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

#: A compiled comparison profile: value → key that joins use, or None where every value is accepted.
Comparison = Callable[[Any], str | None]

_encode = msgspec.json.Encoder(order="deterministic").encode
_MOMENT = re.compile(
    r"^\s*(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?\s*$"
)
_TEXT = frozenset((str,))
_PLAIN = frozenset((str, int, bool, type(None)))
#: Digits of a whole number that text may spell: reading more takes long, and Python refuses to.
_DIGITS = 4000
_LOGICAL = {"true": "True", "false": "False"}
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?\Z")
_NUMBER = re.compile(r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$")


def canonical(value: Any) -> str:
    """Return the canonical text of a decoded JSON value; equal texts mean equal values of equal type.

    Raises:
        ValueError: a number is not finite, or an object key is no text.
    """
    kind = type(value)
    if kind in _PLAIN or ((kind is dict or kind is list) and _is_plain(value)):
        return _encode(value).decode()
    return _encode(_normalised(value)).decode()


def _is_plain(value: dict[Any, Any] | list[Any]) -> bool:
    """Return whether there is nothing in a value that has another form (most have not; finding out is cheaper)."""
    items: Collection[Any] = value
    if type(value) is dict:
        if not _TEXT.issuperset(map(type, value)):
            return False
        items = value.values()
    if _PLAIN.issuperset(map(type, items)):
        return True
    for item in items:
        kind = type(item)
        if kind not in _PLAIN and not ((kind is dict or kind is list) and _is_plain(item)):
            return False
    return True


def _normalised(value: Any) -> Any:
    kind = type(value)
    if kind is float:
        if value.is_integer():
            return int(value)
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError("a number that is not finite has no canonical form")
        return value
    if kind is dict:
        return {_text_key(key): _normalised(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_normalised(item) for item in value]
    return value


def _text_key(key: Any) -> str:
    if type(key) is not str:
        raise ValueError(f"object key {key!r} is no text")
    return key


def parse(text: str) -> Any:
    """Return the value of a canonical text (the inverse of `canonical`)."""
    return msgspec.json.decode(text)


def as_number(value: Any) -> int | float | None:
    """Return the number that a value is or spells (`"$"`, thousands separators and words are not read), else None."""
    if type(value) is int or type(value) is float:
        return value
    if isinstance(value, str) and _NUMBER.match(value.strip()):
        text = value.strip()
        if not re.fullmatch(r"[+-]?\d+", text):
            return real if math.isfinite(real := float(text)) else None
        return int(text) if len(text) <= _DIGITS else None
    return None


def strict(value: Any) -> str:
    """Return the key under which only equal values of equal type meet."""
    return canonical(value)


def free(value: Any) -> None:
    """Return None: any value is as good as any other (bodies, reasons, summaries)."""
    return None


def casefold(value: Any) -> str:
    """Return a key that forgets the case of text and runs of white space in it."""
    return canonical(" ".join(value.split()).casefold()) if isinstance(value, str) else canonical(value)


def number(value: Any) -> str:
    """Return a key under which a number and the text that spells it meet."""
    spelled = as_number(value)
    return canonical(value) if spelled is None else canonical(spelled)


def text(value: Any) -> str:
    """Return a key under which a value and the text that spells it meet (`30` and `"30"`)."""
    return canonical(value) if isinstance(value, str) else canonical(canonical(value))


def moment(value: Any) -> str:
    """Return a key that forgets how a date or time is written (`T` or blank, missing seconds, `Z` or `+00:00`)."""
    found = _MOMENT.match(value) if isinstance(value, str) else None
    if not found:
        return canonical(value)
    day, minute, second, fraction, zone = found.groups()
    tail = "" if not fraction or not fraction.strip("0") else "." + fraction.rstrip("0")
    zone = "Z" if zone in ("Z", "+00:00", "+0000") else zone or ""
    return canonical(f"{day}T{minute or '00:00'}:{second or '00'}{tail}{zone}")


def loose(value: Any) -> str:
    """Return a key under which values meet that read alike: numbers (`$1,200`), `true` and `True`, null and `None`.

    Members of lists and objects are compared so as well.

    Source: the comparison of arguments and facts by the SafeActBench evaluator.
    """
    if isinstance(value, str):
        amount = value.strip().removeprefix("$")
        if _THOUSANDS.match(amount):
            amount = amount.replace(",", "")
        return _real(amount) or canonical(_LOGICAL.get(value, value))
    if isinstance(value, bool) or value is None:
        return canonical(str(value))
    if isinstance(value, list):
        return "[" + ",".join(map(loose, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(name)}:{loose(value[name])}" for name in sorted(value)) + "}"
    return _real(value) or canonical(value)


def _real(value: Any) -> str | None:
    number = as_number(value)
    if number is None:
        return None
    try:
        real = float(number)
    except OverflowError:
        return None
    return canonical(real) if math.isfinite(real) else None


SCALARS: Mapping[str, Comparison] = {
    "strict": strict,
    "free": free,
    "casefold": casefold,
    "number": number,
    "text": text,
    "moment": moment,
    "loose": loose,
}


def collection(each: Comparison, *, distinct: bool) -> Comparison:
    """Return a profile for lists in which order does not count (`distinct`: nor how often an element stands)."""

    def key(value: Any) -> str:
        items = value if isinstance(value, list | tuple) else [value]
        keys = [each(item) or "" for item in items]
        return "[" + ",".join(sorted(set(keys) if distinct else keys)) + "]"

    return key


def zipped(names: Sequence[str], each: Comparison, *, unordered: bool) -> Comparison:
    """Return a profile for parallel lists: the value is the list of the lists, compared element by element together."""

    def key(value: Any) -> str:
        columns = [item if isinstance(item, list | tuple) else [item] for item in value]
        length = max((len(column) for column in columns), default=0)
        rows = [
            "(" + ",".join(each(column[i]) or "" if i < len(column) else "-" for column in columns) + ")"
            for i in range(length)
        ]
        return "[" + ",".join(sorted(rows) if unordered else rows) + "]"

    key.__doc__ = f"Compare {', '.join(names)} together."
    return key


def keyed_items(keys: Sequence[str], each: Comparison, *, unordered: bool) -> Comparison:
    """Return a profile for lists of objects that looks only at some keys of each object."""

    def key(value: Any) -> str:
        items = value if isinstance(value, list | tuple) else [value]
        rows = [
            "{" + ",".join(each(item.get(name)) or "" for name in keys) + "}"
            if isinstance(item, dict)
            else canonical(item)
            for item in items
        ]
        return "[" + ",".join(sorted(rows) if unordered else rows) + "]"

    return key
