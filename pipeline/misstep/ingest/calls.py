"""Calls of an episode → rows of calls, results, observations and writes, as the tools file says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from misstep.contracts.trace import Call, Fault, Outcome
from misstep.contracts.values import canonical
from misstep.ingest.buffers import Buffers, Record, Shown
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import Links
from misstep.specs.paths import MISSING

#: Takes down a fault of the call at an index of the episode.
Report = Callable[[int, Fault], None]

_encode = msgspec.json.Encoder(order="deterministic").encode
_EXACT = frozenset((str, int, bool, type(None)))


def text_of(arguments: dict[str, Any]) -> str:
    """Return the canonical text of arguments."""
    for value in arguments.values():
        if type(value) not in _EXACT:
            return canonical(arguments)
    return _encode(arguments).decode()


def shown_text(call: Call) -> str | None:
    """Return the text that a call showed: its error where the result is blank; None where nothing came back."""
    if not call.has_result:
        return None
    text = call.result
    if text and not text.isspace():
        return text
    if call.error:
        return call.error
    if text is None and call.structured is not None:
        return canonical(call.structured)
    return text or ""


def anything(name: str, tool: CompiledTool | None) -> tuple[Any, ...]:
    """Return the row of `writes`, without its key and actor, of a call that may have done anything.

    Whether it wrote, what, and whom it reached is unknown, so that what depends on it is unknown as well.
    """
    domain = tool.domain if tool is not None else name.partition(".")[0]
    nothing: list[Any] = []
    return (
        0,
        name,
        "unknown",
        domain,
        None,
        None,
        "touch",
        nothing,
        False,
        nothing,
        False,
        nothing,
        True,
        "unknown",
        None,
    )


class CallRows:
    """Adds the rows of calls to the buffers of a part."""

    def __init__(self, tools: CompiledTools, actor: str, buffers: Buffers) -> None:
        self._tools = tools
        self._actor = actor
        self._results = buffers.results
        self._observed = buffers.observed
        self._identities = buffers.identities
        self._calls = buffers.rows["calls"]
        self._records = buffers.records
        self._writes = buffers.rows["writes"]
        self._cut = tools.truncated if tools.file.truncated_when is not None else None
        self._redacted = tools.is_redacted if tools.file.redacted else None

    def add(self, calls: Sequence[Call], report: Report, links: Links | None) -> tuple[int, int]:
        """Add the rows of an episode's calls; return how many writes there are and how many calls of unknown tools."""
        writes = unknown = 0
        keys: set[tuple[str, str]] = set()
        in_doubt: set[tuple[str, str | None, str]] = set()
        results, own, tools = self._results, self._actor, self._tools
        for index, call in enumerate(calls):
            tool = tools.get(call.tool)
            faults: list[Fault] = []
            arguments = call.arguments
            if arguments is None:
                arguments = self._bare(call, tool, faults)
            asked = call.raw_arguments if arguments is None else text_of(arguments)
            ran = None if call.executed is None else self._rewritten(call, asked, faults)
            text = shown_text(call)
            result_id = None
            if text is not None:
                result_id = results.get(text)
                if result_id is None:
                    result_id = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
                    results[text] = result_id
            actor = "agent" if call.actor == own else call.actor if call.actor != "agent" else "other agent"
            observation: str | None = None
            outcome: Outcome
            kind: str
            if tool is None:
                name, kind = call.tool, "unknown"
                unknown += 1
                outcome = tools.unknown_outcome(call)
                faults.append(Fault("unknown-tool", f"the tools file does not know {call.tool!r}", "tool"))
            else:
                name, kind = tool.name, tool.kind
                if arguments is not None:
                    for extra in tool.undeclared(arguments):
                        message = f"{name} declares no argument {extra!r}"
                        faults.append(Fault("undeclared-argument", message, f"arguments.{extra}"))
                if call.structured is None:
                    key = (name, ran or asked, text, call.error, call.failed, call.outcome)
                    known = self._observed.get(key)
                else:
                    key, known = None, None
                changes = kind == "write" or kind == "both"
                noticed: list[Fault] | None = [] if known is None else None
                if known is None or changes:
                    result = tool.parse_result(call.result, call.structured, noticed) if call.has_result else MISSING
                if known is None:
                    known = self._shown(tool, call, ran or asked, result_id, result, noticed or [])
                    if key is not None:
                        self._observed[key] = known
                outcome, observation = known.outcome, known.observation
                if known.faults:
                    faults += known.faults
                if changes:
                    writes += self._write(call, tool, result, outcome, actor, keys, links, faults)
                    once = (name, ran or asked, actor)
                    if once in in_doubt:
                        message = "repeats a write whose outcome is unknown; both may have happened"
                        faults.append(Fault("possible-duplicate", message))
                    if outcome == "unknown":
                        in_doubt.add(once)
            if kind == "unknown" and outcome in ("applied", "unknown"):
                self._writes.append((call.step, call.position, *anything(name, tool), actor))
                writes += 1
            if self._cut is not None and text is not None and self._cut(text) and "truncated-result" not in call.flags:
                faults.append(Fault("truncated-result", "the harness cut the result", "result"))
            if self._redacted is not None and asked and self._redacted(asked) and "redacted" not in call.flags:
                faults.append(Fault("redacted", "a value was taken out of the arguments and is unknown", "arguments"))
            flags = call.flags
            if faults:
                flags = list(dict.fromkeys([*flags, *(fault.code for fault in faults)]))
                for fault in faults:
                    report(index, fault)
            self._calls.append(
                (
                    call.step,
                    call.position,
                    name,
                    kind,
                    outcome,
                    asked,
                    ran,
                    observation,
                    result_id,
                    call.call_id,
                    actor,
                    call.parent,
                    call.time,
                    flags,
                )
            )
        return writes, unknown

    def _bare(self, call: Call, tool: CompiledTool | None, faults: list[Fault]) -> dict[str, Any] | None:
        """Return, and put into the call, a bare string as the only parameter of its tool; None where it is none."""
        if call.raw_arguments is not None and "bare-string-input" in call.flags:
            call.arguments = tool.bare_string(call.raw_arguments) if tool is not None else None
            if call.arguments is None:
                call.flags = [flag for flag in call.flags if flag != "bare-string-input"]
                message = "a bare string, and the tool does not have exactly one parameter"
                faults.append(Fault("bad-arguments", message, "arguments", call.raw_arguments))
        return call.arguments

    def _rewritten(self, call: Call, asked: str | None, faults: list[Fault]) -> str | None:
        """Return the text of the arguments that were run, where they are not those that were asked for."""
        ran = text_of(call.executed or {})
        if ran == asked:
            return None
        if "arguments-rewritten" not in call.flags:
            faults.append(Fault("arguments-rewritten", "the harness ran other arguments", "executed"))
        return ran

    def _shown(
        self,
        tool: CompiledTool,
        call: Call,
        arguments: str | None,
        result_id: str | None,
        result: Any,
        faults: list[Fault],
    ) -> Shown:
        """Return what a call came to and showed, having added the rows of what it showed."""
        outcome, noticed = tool.outcome(call, result)
        faults += noticed
        if result_id is None or (outcome != "applied" and outcome != "dry_run"):
            return Shown(outcome, None, faults)
        records = tool.observations(call.arguments if call.executed is None else call.executed, result, faults)
        if not records:
            return Shown(outcome, None, faults)
        content = f"{tool.name}\0{arguments}\0{result_id}".encode()
        identity = hashlib.blake2b(content, digest_size=16).hexdigest()
        if identity not in self._identities:
            self._identities.add(identity)
            self._records += [Record(identity, number, *record) for number, record in enumerate(records)]
        return Shown(outcome, identity, faults)

    def _write(
        self,
        call: Call,
        tool: CompiledTool,
        result: Any,
        outcome: Outcome,
        actor: str,
        keys: set[tuple[str, str]],
        links: Links | None,
        faults: list[Fault],
    ) -> int:
        """Add the rows of what a call changed; return how many."""
        if outcome == "applied" and (key := tool.idempotency_key(call)) is not None:
            if (tool.name, key) in keys:
                outcome = "rejected"  # the server did nothing anew
            keys.add((tool.name, key))
        rows = tool.writes(call, result, outcome, links=links, faults=faults)
        place = (call.step, call.position)
        self._writes += [place + row[:-1] + (actor,) for row in rows]
        return len(rows)
