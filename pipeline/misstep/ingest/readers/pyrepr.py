"""Python reprs as data: parsed as syntax, never evaluated."""

from __future__ import annotations

import ast
import math
import warnings
from dataclasses import dataclass
from typing import Any

from misstep.contracts.trace import Fault
from misstep.ingest.decode import ARGUMENT_KEYS

#: Constructors that stand for their first argument: arrays, numbers of a library, dates written as text.
PLAIN = frozenset(
    {
        *("array", "Series", "Index", "list", "tuple", "set", "frozenset", "dict", "OrderedDict"),
        *("Timestamp", "Timedelta", "datetime64", "Decimal", "UUID", "str", "str_", "int", "float", "bool", "bool_"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"),
    }
)
_NOT_FINITE = frozenset({"nan", "NaN", "NAN", "inf", "Infinity", "Inf"})
_NOTHING = frozenset({"NaT", "NA", "null", "None"})
_DATES = frozenset({"datetime", "date", "time"})


class NotData(ValueError):
    """The text is no Python repr of data."""


@dataclass(frozen=True)
class Made:
    """An object's repr `Name(field=…)`."""

    kind: str
    fields: dict[str, Any]


def parsed(text: str, faults: list[Fault], path: str) -> Any:
    """Return the value of a Python repr: JSON values, tuples, and `Made` for the reprs of other objects.

    Numbers that are not finite become None, noted in `faults`; dates become ISO 8601 text.

    Raises:
        NotData: it is not a repr, or holds anything but data.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # a backslash that is no escape
            tree = ast.parse(text.strip(), mode="eval")
        return _Reading(faults, path).value(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError | MemoryError) else str(error)
        raise NotData(reason) from None


class _Reading:
    def __init__(self, faults: list[Fault], path: str) -> None:
        self.faults = faults
        self.path = path
        self._arguments = False

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=constant):
                return self._constant(constant)
            case ast.Dict(keys=keys, values=values):
                return {self._key(key): self.value(item) for key, item in zip(keys, values, strict=True)}
            case ast.List(elts=items) | ast.Set(elts=items):
                return [self.value(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                number = self.value(operand)
                if number is None:
                    return None
                if isinstance(number, str) and self._arguments:
                    return f"-{number}" if isinstance(sign, ast.USub) else number
                if isinstance(number, bool) or not isinstance(number, int | float):
                    raise NotData("a sign before what is no number")
                return -number if isinstance(sign, ast.USub) else number
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._name(_dotted(node).rpartition(".")[2])
            case ast.Call():
                return self._call(node)
        raise NotData(f"{type(node).__name__} is no data (column {node.col_offset})")

    def _constant(self, constant: Any) -> Any:
        if isinstance(constant, float) and not math.isfinite(constant):
            return self._not_finite(repr(constant))
        if isinstance(constant, bytes):
            return constant.decode("utf-8", "backslashreplace")
        if constant is ... or isinstance(constant, complex):
            raise NotData(f"{constant!r} is no data")
        return constant

    def _not_finite(self, text: str) -> str | None:
        if self._arguments:
            self.faults.append(Fault("non-finite-arg", f"the number {text} was kept as text", self.path, text))
            return text
        self.faults.append(Fault("non-finite", f"the number {text} was read as null", self.path))
        return None

    def _name(self, name: str) -> str | None:
        if name in _NOT_FINITE:
            return self._not_finite(name)
        if name in _NOTHING:
            return None
        raise NotData(f"the name {name!r} is no data")

    def _key(self, node: ast.expr | None) -> str:
        if node is None:
            raise NotData("** is no data")
        key = self.value(node)
        if isinstance(key, str):
            return key
        return "null" if key is None else str(key).lower() if isinstance(key, bool) else str(key)

    def _call(self, node: ast.Call) -> Any:
        kind = _dotted(node.func).rpartition(".")[2]
        items = [self.value(item) for item in node.args]
        # `dtype=object` names a type, not data: it is left out unread
        fields = {word.arg: self._field(word) for word in node.keywords if word.arg and word.arg != "dtype"}
        if kind in _DATES and items and all(isinstance(item, int) for item in items):
            return _moment(kind, items)
        if kind in PLAIN and items:
            first = items[0]
            return list(first) if isinstance(first, tuple) else first
        if kind in PLAIN and not fields:
            return [] if kind in ("set", "frozenset", "list", "tuple", "array") else None
        if items:
            raise NotData(f"{kind}(…) is no data that is known")
        return Made(kind, fields)

    def _field(self, word: ast.keyword) -> Any:
        outer = self._arguments
        self._arguments = outer or word.arg in ARGUMENT_KEYS
        try:
            return self.value(word.value)
        finally:
            self._arguments = outer


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    raise NotData(f"{type(node).__name__} is no name (column {node.col_offset})")


def _moment(kind: str, items: list[int]) -> str:
    if kind == "time":
        hour, minute, second, *_ = [*items, 0, 0]
        return f"{hour:02}:{minute:02}:{second:02}"
    year, month, day, *clock = items
    text = f"{year:04}-{month:02}-{day:02}"
    if kind == "date":
        return text
    hour, minute, second, *fraction = [*clock, *[0] * (3 - len(clock))]
    return f"{text} {hour:02}:{minute:02}:{second:02}" + (f".{fraction[0]:06}" if fraction else "")
