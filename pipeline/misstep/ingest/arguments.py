"""What a tool was called with, from whatever shape a format has it in; no value inside it is interpreted."""

from __future__ import annotations

from typing import Any

import msgspec

from misstep.contracts.trace import Fault
from misstep.ingest.decode import Unreadable, mended

_decode = msgspec.json.decode


class Arguments(msgspec.Struct, frozen=True, gc=False):
    """The arguments of a call: the object, or None and the text that could not be read. `flags` are codes of faults."""

    value: dict[str, Any] | None
    raw: str | None = None
    flags: tuple[str, ...] = ()


def object_in(given: Any) -> Arguments | None:
    """Return the arguments where they are an object, or the JSON text of one, with nothing to be said about them."""
    if type(given) is dict:
        return Arguments(given)
    if type(given) is str:
        try:
            value = _decode(given)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return None
        if type(value) is dict:
            return Arguments(value)
    return None


def read_arguments(given: Any, faults: list[Fault], path: str, *, strict: bool = False) -> Arguments:
    """Return the arguments of a call, given as an object, JSON text, JSON text in JSON text, or nothing.

    Only the envelope is decoded: a value that looks like JSON stays text. What cannot be read becomes a fault and is
    never an empty object.
    """
    if type(given) is dict or (type(given) is str and not strict):
        found = object_in(given)
        if found is not None:
            return found
    if type(given) is str:
        return _from_text(given, faults, path, strict)
    if given is None or given is msgspec.UNSET:
        return _empty(faults, path)
    return _no_object(given, msgspec.json.encode(given).decode(), faults, path)


def _from_text(given: str, faults: list[Fault], path: str, strict: bool) -> Arguments:
    text = given
    flags: tuple[str, ...] = ()
    for again in (True, False):
        if not text.strip():
            return _empty(faults, path)
        found: list[Fault] = []
        try:
            value = mended(text.encode("utf-8", "surrogatepass"), found, arguments=True, strict=strict, path=path)
        except Unreadable as error:
            faults.append(Fault("bad-arguments", f"arguments: {error.message}", path, given[:400]))
            return Arguments(None, given, (*flags, "bad-arguments"))
        if isinstance(value, str) and again:
            text = value
            flags = (*flags, "double-encoded")
            continue
        faults.extend(found)
        flags = (*flags, *dict.fromkeys(fault.code for fault in found))
        if isinstance(value, dict):
            if "double-encoded" in flags:
                faults.append(Fault("double-encoded", "arguments were JSON text inside JSON text", path))
            return Arguments(value, None, flags)
        if value is None:
            return _empty(faults, path)
        return _no_object(value, given, faults, path)
    return _no_object(text, given, faults, path)


def _empty(faults: list[Fault], path: str) -> Arguments:
    faults.append(Fault("empty-arguments", "arguments are absent, null or blank; read as none", path))
    return Arguments({}, None, ("empty-arguments",))


def _no_object(value: Any, raw: str, faults: list[Fault], path: str) -> Arguments:
    kind = {list: "a list", bool: "true or false", str: "text"}.get(type(value), "a number")
    message = f"arguments are {kind}, not an object; which parameters they are is unknown"
    faults.append(Fault("arguments-not-object", message, path, raw[:400]))
    return Arguments(None, raw, ("arguments-not-object",))
