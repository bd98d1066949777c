"""Streamed fragments of tool calls → whole calls; a fragment is never a call of its own."""

from __future__ import annotations

import json

import msgspec

from misstep.contracts.trace import Fault
from misstep.ingest.arguments import Arguments
from misstep.ingest.readers.calls import ToolCall, given_to, name_of


class _Begun:
    """A call of which further fragments may come."""

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.name = name_of(call) or ""
        self.parts = [given] if isinstance(given := given_to(call), str) else []
        self.given = msgspec.UNSET if self.parts else given
        self.torn = False

    def complete(self) -> bool:
        if not self.parts:
            return self.given is not msgspec.UNSET
        try:
            json.loads("".join(self.parts))
        except ValueError:
            return False
        return True

    def whole(self) -> ToolCall:
        text = "".join(self.parts)
        self.call.function = None
        self.call.name = self.name
        self.call.arguments = (
            Arguments(None, text, ("unjoined-deltas",)) if self.torn else text if self.parts else self.given
        )
        return self.call


def joined(fragments: list[ToolCall], faults: list[Fault], path: str) -> tuple[list[ToolCall], bool]:
    """Return the calls that streamed fragments make up, in the order in which they begin, and whether one is lost.

    A fragment continues the call of its index (or, without one, the last call) unless it has a name and an id of
    its own. Where it could continue several calls, the arguments of all of them are unknown; where none, it is all that
    is left of a call.
    """
    lost = False
    begun: list[_Begun] = []
    for fragment in fragments:
        alike = [one for one in begun if fragment.index is None or one.call.index == fragment.index]
        if fragment.id:
            alike = [one for one in begun if one.call.id == fragment.id] or ([] if name_of(fragment) else alike)
            alike = [one for one in alike if one.call.id in (None, "", fragment.id)]
        elif fragment.index is None:
            alike = alike[-1:]
        if name_of(fragment) and (not alike or alike[-1].complete() or not _continues(fragment, alike[-1])):
            begun.append(_Begun(fragment))
        elif len(alike) == 1:
            _append(alike[0], fragment)
        else:
            lost = lost or not alike
            fits = f"fits {len(alike)} calls; the arguments are unknown" if alike else "fits no call, which is lost"
            message = f"a streamed fragment {fits}"
            faults.append(Fault("unjoined-deltas", message, path, str(given_to(fragment))[:400]))
            for one in alike:
                one.torn = True
                _append(one, fragment)
    return [one.whole() for one in begun], lost


def _continues(fragment: ToolCall, one: _Begun) -> bool:
    """Return whether a fragment with a name repeats that of the call it continues."""
    same_id = not fragment.id or fragment.id == one.call.id
    return same_id and name_of(fragment) == one.name and fragment.index == one.call.index


def _append(one: _Begun, fragment: ToolCall) -> None:
    given = given_to(fragment)
    if isinstance(given, str):
        one.parts.append(given)
    if fragment.id and not one.call.id:
        one.call.id = fragment.id
