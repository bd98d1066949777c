"""JSON text to values: msgspec where it is valid, and what can be kept, with a fault for each loss, where it is not."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Generic, TypeVar

import msgspec

from misstep.contracts.trace import Fault

T = TypeVar("T")

#: Keys whose values are what a tool was called with: nothing in them is ever read as something else.
ARGUMENT_KEYS = frozenset({"arguments", "args", "kwargs", "tool_args", "tool_input", "executed", "placeholder_args"})
_ID_KEYS = frozenset({"id", "call_id", "run", "trial"})
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class Unreadable(Exception):
    """Text that cannot be read at all; `code` says why and `offset` where, in bytes, if it is known.

    `kinds` are the kinds of records, or of parts of it, that were met instead of those of the format.
    """

    def __init__(self, code: str, message: str, offset: int | None = None, kinds: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.offset = offset
        self.kinds = kinds


class _NotFinite:
    """A number that no JSON has: its text as it stands."""

    def __init__(self, text: str) -> None:
        self.text = text


class Decoder(Generic[T]):
    """Decodes records as one type; `decode(data, faults)` appends what had to be mended to `faults`."""

    def __init__(self, shape: type[T]) -> None:
        self._fast: msgspec.json.Decoder[T] = msgspec.json.Decoder(shape)

    def decode(self, data: bytes, faults: list[Fault], *, strict: bool = False) -> T:
        """Return the decoded record.

        Raises:
            Unreadable: it is not JSON, not UTF-8, nested too deep, or not of the type.
        """
        if not strict:
            try:
                if not data.isascii():
                    data.decode()
                return self._fast.decode(data)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                pass
        value = mended(data, faults, strict=strict)
        try:
            return self._fast.decode(msgspec.json.encode(value))
        except msgspec.MsgspecError as error:
            kind = value.get("type") if isinstance(value, dict) else None
            kinds = (kind,) if isinstance(kind, str) else ()
            what = f"the record (of the kind {kind!r})" if kinds else "the record"
            message = f"{what} is JSON but not of this format: {error}"
            raise Unreadable("not-an-episode", message, kinds=kinds) from None
        except RecursionError:
            raise Unreadable("nested-too-deep", "the record is nested deeper than can be read") from None


def mended(data: bytes, faults: list[Fault], *, arguments: bool = False, strict: bool = False, path: str = "") -> Any:
    """Return the value of JSON text that may hold NaN, huge numbers, half surrogate pairs or NUL bytes around it.

    Args:
        data: the text.
        faults: what was mended is appended here.
        arguments: the text is what a tool was called with.
        strict: look for keys that an object names twice (`duplicate-key`); the last value counts either way.
        path: path of the text in its record.

    Raises:
        Unreadable: the text is not JSON, not UTF-8 or nested too deep.
    """
    zeros = data.count(b"\0")
    if zeros:
        rest = data.strip(b"\0 \t\r\n")
        message = f"{zeros:,} NUL bytes in the record"
        if not rest or b"\0" in rest:
            raise Unreadable("nul-bytes", message, data.find(b"\0"))
        faults.append(Fault("nul-bytes", f"{message}; the rest was read", path or None))
        data = rest
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        hint = "the text is probably Latin-1 or Windows-1252; convert it with iconv"
        raise Unreadable("bad-utf8", f"byte 0x{data[error.start]:02X} is not UTF-8; {hint}", error.start) from None
    twice: list[str] = []
    try:
        value = _parse(text, twice if strict else None)
        value = _Mender(faults, path).mend(value, path, "argument" if arguments else "text")
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise Unreadable("bad-json", f"not valid JSON ({error.msg} at byte {offset})", offset) from None
    except RecursionError:
        raise Unreadable("nested-too-deep", "nested deeper than can be read") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise Unreadable("bad-json", f"a number cannot be read ({error})") from None
    faults.extend(
        Fault("duplicate-key", f"the key {key!r} is named twice; the last value counts", key) for key in twice
    )
    return value


def _parse(text: str, twice: list[str] | None) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items) and twice is not None:
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    twice.append(key)
                seen.add(key)
        return found

    hook = pairs if twice is not None else None
    return json.loads(text, parse_constant=_NotFinite, parse_float=_number, object_pairs_hook=hook)


def _number(text: str) -> float | _NotFinite:
    value = float(text)
    return value if math.isfinite(value) else _NotFinite(text)


class _Mender:
    """Replaces what canonical values cannot hold; `inside` is `text`, `id` or `argument`."""

    def __init__(self, faults: list[Fault], root: str) -> None:
        self.faults = faults
        self.root = root

    def mend(self, value: Any, path: str, inside: str) -> Any:
        if isinstance(value, str):
            return self._text(value, path, inside)
        if isinstance(value, _NotFinite):
            if inside == "argument":
                message = f"the number {value.text} was kept as text"
                self.faults.append(Fault("non-finite-arg", message, path or None, value.text))
                return value.text
            self.faults.append(Fault("non-finite", f"the number {value.text} was read as null", path or None))
            return None
        if isinstance(value, dict):
            return {
                self._text(key, path, inside): self.mend(item, f"{path}.{key}" if path else key, _inside(key, inside))
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.mend(item, f"{path}[{index}]", inside) for index, item in enumerate(value)]
        return value

    def _text(self, value: str, path: str, inside: str) -> str:
        if value.isascii() or not _HALF_PAIR.search(value):
            return value
        code = "lone-surrogate" if inside == "text" else "lone-surrogate-arg"
        where = _HALF_PAIR.sub("\N{REPLACEMENT CHARACTER}", path) or None
        self.faults.append(Fault(code, "half a surrogate pair was replaced by U+FFFD", where))
        return _HALF_PAIR.sub("\N{REPLACEMENT CHARACTER}", value)


def _inside(key: str, outer: str) -> str:
    if outer == "argument" or key in ARGUMENT_KEYS:
        return "argument"
    return "id" if key in _ID_KEYS or key.endswith("_id") else "text"
