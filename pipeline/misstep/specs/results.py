"""Result texts, parsed as the tools file says; what cannot be parsed stays the text it is.

A parsed result is plain: object keys are text, numbers are finite, and integers are never floats (`50.0` is 50), so
that its deterministic JSON encoding is its canonical form.
"""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import yaml

from misstep.contracts.trace import Fault
from misstep.contracts.values import canonical
from misstep.specs.plain_yaml import parse_yaml

Parser = Callable[[str, list[Fault] | None], Any]


def _float(text: str) -> Any:
    number = float(text)
    if number.is_integer():
        return int(number)
    return number if math.isfinite(number) else None


#: Decodes JSON to a plain value in one pass.
decode_plain = msgspec.json.Decoder(float_hook=_float).decode
_encode_lines = msgspec.json.Encoder(order="deterministic").encode_lines


def encode_each(values: Iterable[Any]) -> list[str]:
    """Return the canonical texts of plain values (as `contracts.values.canonical` does of any), made in one go."""
    return lines_of(encode_lines(values))


def encode_lines(values: Iterable[Any]) -> bytes:
    """Return the canonical texts of plain values, each with a line end, of which JSON has none in it."""
    return _encode_lines(list(values))


def lines_of(texts: bytes) -> list[str]:
    """Return the texts that `encode_lines` put together."""
    return texts.decode().split("\n")[:-1]


def plain(value: Any) -> Any:
    """Return a decoded value as a plain one: numbers that are not finite become null."""
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value if math.isfinite(value) else None
    if kind is dict:
        return {key if type(key) is str else canonical(plain(key)): plain(item) for key, item in value.items()}
    if kind is list:
        return [plain(item) for item in value]
    if kind is tuple:
        return [plain(item) for item in value]
    if kind is set or kind is frozenset:
        return sorted((plain(item) for item in value), key=canonical)
    if value is None or kind is str or kind is int or kind is bool:
        return value
    raise ValueError(f"{kind.__name__} is no JSON value")


_JSON_STARTS = frozenset('{["-0123456789tfn \t\r\n')


def parse_json(text: str, faults: list[Fault] | None = None) -> Any:
    """Return the value of a JSON text, or the text itself; a number that is not finite is read as null and noted."""
    if text[:1] not in _JSON_STARTS:
        return text  # most results that are no JSON can be told by their first character
    try:
        return decode_plain(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _lenient_json(text, faults)


def _lenient_json(text: str, faults: list[Fault] | None) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return text
    strange: list[str] = []

    def constant(name: str) -> None:
        strange.append(name)

    def real(number: str) -> Any:
        value = _float(number)
        if value is None:
            strange.append(number)
        return value

    try:
        value = json.loads(text, parse_constant=constant, parse_float=real)
        written = json.dumps(value, ensure_ascii=False)
        whole = written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        read = decode_plain(whole)
    except (ValueError, RecursionError):
        return text
    if faults is not None and strange:
        faults.append(Fault("non-finite", f"{', '.join(sorted(set(strange)))} in a result was read as null", "result"))
    if faults is not None and whole != written:
        faults.append(Fault("lone-surrogate", "half a surrogate pair in a result was replaced", "result"))
    return read


def _yaml(text: str, faults: list[Fault] | None) -> Any:
    try:
        value = plain(parse_yaml(text))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return text
    return text if isinstance(value, str) else value


def _literal(text: str, faults: list[Fault] | None) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in other people's text
            return plain(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _text(text: str, faults: list[Fault] | None) -> Any:
    return text


#: How `result:` of a tool is parsed.
PARSERS: dict[str, Parser] = {"json": parse_json, "yaml": _yaml, "literal": _literal, "text": _text}
