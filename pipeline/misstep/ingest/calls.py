"""Calls of an episode → rows of calls, results, observations and writes, as the tools file says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from misstep.contracts.trace import Call, Fault
from misstep.contracts.values import canonical
from misstep.ingest.buffers import Buffers
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import Links
from misstep.specs.paths import MISSING

#: Takes down a fault of the call at an index of the episode.
Report = Callable[[int, Fault], None]

_encode = msgspec.json.Encoder(order="deterministic").encode
_EXACT = frozenset((str, int, bool, type(None)))
_SHOWING = ("applied", "dry_run")


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


class CallRows:
    """Adds the rows of calls to the buffers of a part."""

    def __init__(self, tools: CompiledTools, actor: str, buffers: Buffers) -> None:
        self._tools = tools
        self._actor = actor
        self._results = buffers.results
        self._observed = buffers.observed
        calls = buffers.columns["calls"]
        names = [field.name for field in calls.schema if field.name not in ("episode", "flags")]
        self._call = tuple(calls.lists[name].append for name in names)
        self._flag_counts, self._flags = calls.lengths["flags"], calls.lists["flags"]
        self._observations = buffers.columns["observations"].lists
        self._writes = buffers.columns["writes"]
        self._cut = tools.truncated if tools.file.truncated_when is not None else None
        self._redacted = tools.is_redacted if tools.file.redacted else None

    def add(self, calls: Sequence[Call], report: Report, links: Links | None) -> tuple[int, int]:
        """Add the rows of an episode's calls; return how many writes there are and how many calls of unknown tools."""
        (
            step,
            position,
            tool_name,
            kind,
            outcome_of,
            requested,
            executed,
            shown,
            result_id,
            call_id,
            actor,
            parent,
            time,
        ) = self._call
        writes = unknown = 0
        keys: set[tuple[str, str]] = set()
        open_writes: set[tuple[str, str | None, str]] = set()
        for index, call in enumerate(calls):
            tool = self._tools.get(call.tool)
            faults: list[Fault] = []
            arguments = self._arguments(call, tool, faults)
            asked = call.raw_arguments if arguments is None else text_of(arguments)
            ran = None
            if call.executed is not None:
                ran = text_of(call.executed)
                if ran == asked:
                    ran = None
                elif "arguments-rewritten" not in call.flags:
                    faults.append(Fault("arguments-rewritten", "the harness ran other arguments", "executed"))
            text = shown_text(call)
            who = "agent" if call.actor == self._actor else call.actor if call.actor != "agent" else "other agent"
            observation: str | None = None
            if tool is None:
                name, sort = call.tool, "unknown"
                unknown += 1
                outcome: str = self._tools.unknown_outcome(call)
                faults.append(Fault("unknown-tool", f"the tools file does not know {call.tool!r}", "tool"))
            else:
                name, sort = tool.name, tool.kind
                if arguments is not None and tool.parameters is not None:
                    for extra in tool.undeclared(arguments):
                        message = f"{name} declares no argument {extra!r}"
                        faults.append(Fault("undeclared-argument", message, f"arguments.{extra}"))
                result = tool.parse_result(call.result, call.structured, faults) if call.has_result else MISSING
                outcome, noticed = tool.outcome(call, result)
                faults.extend(noticed)
                if text is not None and outcome in _SHOWING:
                    observation = self._observation(tool, call, ran or asked, text, result, faults)
                if sort == "write" or sort == "both":
                    writes += self._write(call, tool, result, outcome, who, keys, links, faults)
                    once = (name, ran or asked, who)
                    if once in open_writes:
                        message = "repeats a write whose outcome is unknown; both may have happened"
                        faults.append(Fault("possible-duplicate", message))
                    if outcome == "unknown":
                        open_writes.add(once)
            if self._cut is not None and text is not None and self._cut(text) and "truncated-result" not in call.flags:
                faults.append(Fault("truncated-result", "the harness cut the result", "result"))
            if self._redacted is not None and asked and self._redacted(asked) and "redacted" not in call.flags:
                faults.append(Fault("redacted", "a value was taken out of the arguments and is unknown", "arguments"))
            step(call.step)
            position(call.position)
            tool_name(name)
            kind(sort)
            outcome_of(outcome)
            requested(asked)
            executed(ran)
            shown(observation)
            result_id(None if text is None else self._results.get(text) or self._result(text))
            call_id(call.call_id)
            actor(who)
            parent(call.parent)
            time(call.time)
            if faults or call.flags:
                flags = list(dict.fromkeys([*call.flags, *(fault.code for fault in faults)]))
                self._flags.extend(flags)
                self._flag_counts.append(len(flags))
                for fault in faults:
                    report(index, fault)
            else:
                self._flag_counts.append(0)
        return writes, unknown

    def _arguments(self, call: Call, tool: CompiledTool | None, faults: list[Fault]) -> dict[str, Any] | None:
        """Return the arguments of a call; a bare string becomes the only parameter of its tool (and of the call)."""
        if call.arguments is None and call.raw_arguments is not None and "bare-string-input" in call.flags:
            call.arguments = tool.bare_string(call.raw_arguments) if tool is not None else None
            if call.arguments is None:
                call.flags = [flag for flag in call.flags if flag != "bare-string-input"]
                message = "a bare string, and the tool does not have exactly one parameter"
                faults.append(Fault("bad-arguments", message, "arguments", call.raw_arguments))
        return call.arguments

    def _result(self, text: str) -> str:
        identity = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        self._results[text] = identity
        return identity

    def _observation(
        self, tool: CompiledTool, call: Call, arguments: str | None, text: str, result: Any, faults: list[Fault]
    ) -> str | None:
        """Return the id of what a call showed, whose rows are added once a part; None where it shows nothing."""
        key = (tool.name, arguments, text)
        known = self._observed.get(key)
        if known is None:
            noticed: list[Fault] = []
            given = call.arguments if call.executed is None else call.executed
            rows = tool.observations(given, result, noticed)
            identity = None
            if rows:
                content = _encode([tool.name, arguments, self._results.get(text) or self._result(text)])
                identity = hashlib.blake2b(content, digest_size=16).hexdigest()
                column = self._observations
                records, names, kinds, ids, values, keys = zip(*rows, strict=True)
                column["observation_id"] += [identity] * len(rows)
                column["record"] += records
                column["field"] += names
                column["entity_type"] += kinds
                column["entity_id"] += ids
                column["value"] += values
                column["compare"] += keys
            known = self._observed[key] = (identity, noticed)
        faults.extend(known[1])
        return known[0]

    def _write(
        self,
        call: Call,
        tool: CompiledTool,
        result: Any,
        outcome: Any,
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
        lists, lengths = self._writes.lists, self._writes.lengths
        for item, row in enumerate(rows):
            lists["step"].append(call.step)
            lists["position"].append(call.position)
            lists["item"].append(item)
            lists["tool"].append(tool.name)
            lists["action"].append(row.action)
            lists["domain"].append(row.domain)
            lists["entity_type"].append(row.entity_type)
            lists["entity_id"].append(row.entity_id)
            lists["effect"].append(row.effect)
            lengths["fields"].append(len(row.fields))
            for field in row.fields:
                lists["fields.field"].append(field.field)
                lists["fields.value"].append(field.value)
                lists["fields.compare"].append(field.compare)
                lists["fields.from_state"].append(field.from_state)
                lists["fields.free"].append(field.free)
            lists["opaque"].append(row.opaque)
            lengths["arguments"].append(len(row.arguments))
            for name, compare in row.arguments:
                lists["arguments.name"].append(name)
                lists["arguments.compare"].append(compare)
            lists["arguments_known"].append(row.arguments_known)
            lengths["recipients"].append(len(row.recipients))
            lists["recipients"] += row.recipients
            lists["external"].append(row.external)
            lists["outcome"].append(row.outcome)
            lists["follows"].append(row.follows)
            lists["actor"].append(actor)
        return len(rows)
