"""Calls of an episode → rows of calls, results, observations and writes, as the tools file says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from misstep.contracts.trace import Call, Fault, Outcome
from misstep.contracts.values import canonical
from misstep.ingest.buffers import Buffers, Shown
from misstep.specs.effects import CompiledTool, CompiledTools
from misstep.specs.entities import Links
from misstep.specs.paths import MISSING
from misstep.specs.writes import ArgumentRow

#: Arguments whose texts are remembered.
REMEMBERED = 4096
#: Takes down a fault of the call at an index of the episode.
Report = Callable[[int, Fault], None]


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


class Actors(dict[str, str]):
    """Names of actors as the tables have them: the one whose calls can do damage is `agent`, whatever it is called."""

    def __init__(self, own: str) -> None:
        super().__init__({own: "agent"})

    def __missing__(self, actor: str) -> str:
        """Return, and remember, the name of another actor."""
        name = self[actor] = "other agent" if actor == "agent" else actor
        return name


class Texts:
    """Canonical texts of arguments; calls that ask for the same often share theirs, whose text is then made once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[dict[str, Any], str]] = {}  # by identity; what is kept cannot change it

    def of(self, arguments: dict[str, Any]) -> str:
        """Return the text of arguments."""
        known = self._known.get(id(arguments))
        if known is not None:
            return known[1]
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        text = canonical(arguments)
        self._known[id(arguments)] = (arguments, text)
        return text


class CallRows:
    """Adds the rows of calls to the buffers of a part."""

    def __init__(self, tools: CompiledTools, actor: str, buffers: Buffers) -> None:
        self._tools = tools
        self.actors = Actors(actor)
        self._text = Texts().of
        self._results = buffers.results
        self._repeated = buffers.repeated
        self._observed = buffers.observed
        self._identities = buffers.identities
        self._calls = buffers.rows["calls"]
        self._records = buffers.records
        self._counted = buffers.counted
        self._writes = buffers.rows["writes"]
        self._leaves = buffers.leaves
        self._arguments = buffers.arguments
        self._cut = tools.truncated if tools.file.truncated_when is not None else None
        self._redacted = tools.is_redacted if tools.file.redacted else None

    def add(self, calls: Sequence[Call], report: Report, links: Links | None) -> tuple[int, int]:
        """Add the rows of an episode's calls; return how many writes there are and how many calls of unknown tools."""
        writes = unknown = 0
        keys: set[tuple[str, str]] = set()
        in_doubt: set[tuple[str, str | None, str]] = set()
        get, results, observed, actors = self._tools.get, self._results, self._observed, self.actors
        repeated = self._repeated
        for index, call in enumerate(calls):
            tool = get(call.tool)
            faults: list[Fault] = []
            arguments = call.arguments
            if arguments is None:
                arguments = self._bare(call, tool, faults)
            asked = call.raw_arguments if arguments is None else self._text(arguments)
            ran = None if call.executed is None else self._rewritten(call, asked, faults)
            text = shown_text(call)
            result_id = None
            if text is not None:
                result_id = results.get(text)
                if result_id is None:
                    result_id = results[text] = blake2b(text.encode(), digest_size=16).hexdigest()
                else:
                    repeated.add(result_id)
            actor = actors[call.actor]
            observation: str | None = None
            outcome: Outcome
            kind: str
            if tool is None:
                name, kind = call.tool, "unknown"
                unknown += 1
                outcome = self._tools.unknown_outcome(call)
                faults.append(Fault("unknown-tool", f"the tools file does not know {call.tool!r}", "tool"))
            else:
                name, kind = tool.name, tool.kind
                if arguments is not None and (extras := tool.undeclared(arguments)):
                    for extra in extras:
                        message = f"{name} declares no argument {extra!r}"
                        faults.append(Fault("undeclared-argument", message, f"arguments.{extra}"))
                told = ran or asked
                changes = kind == "write" or kind == "both"
                key = (name, told, text, call.error, call.failed, call.outcome) if call.structured is None else None
                known = observed.get(key) if key is not None else None
                result: Any = MISSING
                if known is None:
                    noticed: list[Fault] = []
                    if call.has_result:
                        result = tool.parse_result(call.result, call.structured, noticed)
                    known = self._shown(tool, call, told, result_id, result, noticed)
                    if key is not None:
                        observed[key] = known
                elif changes and call.has_result:
                    result = tool.parse_result(call.result, call.structured)
                outcome, observation = known.outcome, known.observation
                if known.faults:
                    faults += known.faults
                if changes:
                    writes += self._write(call, tool, told, result, outcome, actor, keys, links, faults)
                    once = (name, told, actor)
                    if once in in_doubt:
                        message = "repeats a write whose outcome is unknown; both may have happened"
                        faults.append(Fault("possible-duplicate", message))
                    if outcome == "unknown":
                        in_doubt.add(once)
            arguments_id = self._arguments.get((name, ran or asked))
            if arguments_id is None:
                arguments_id = self._arguments_of(name, tool, call, ran or asked)
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
                    arguments_id,
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
        ran = canonical(call.executed or {})
        if ran == asked:
            return None
        if "arguments-rewritten" not in call.flags:
            faults.append(Fault("arguments-rewritten", "the harness ran other arguments", "executed"))
        return ran

    def _arguments_of(self, name: str, tool: CompiledTool | None, call: Call, text: str | None) -> str | None:
        """Return the id of arguments that were not met before, having added their leaves; None where there are none."""
        arguments = call.arguments if call.executed is None else call.executed
        if arguments is None or text is None:
            return None
        identity = blake2b(f"{name}\0{text}".encode(), digest_size=16).hexdigest()
        self._arguments[name, text] = identity
        self._leaves += [(identity, *leaf) for leaf in self._tools.argument_leaves(tool, arguments)]
        return identity

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
        if noticed:
            faults += noticed
        if result_id is None or (outcome != "applied" and outcome != "dry_run"):
            return Shown(outcome, None, faults)
        records = tool.observations(call.arguments if call.executed is None else call.executed, result, faults)
        if not records:
            return Shown(outcome, None, faults)
        content = f"{tool.name}\0{arguments}\0{result_id}".encode()
        identity = blake2b(content, digest_size=16).hexdigest()
        if identity not in self._identities:
            self._identities.add(identity)
            self._records += [(identity, number, *record) for number, record in enumerate(records)]
        return Shown(outcome, identity, faults)

    def _count(self, call: Call, tool: CompiledTool, text: str | None) -> list[ArgumentRow] | None:
        """Return the arguments of a call that count; `text` is what they are as text (runs repeat their writes)."""
        arguments = call.arguments if call.executed is None else call.executed
        if arguments is None or text is None:
            return None
        counted = self._counted.get((tool.name, text))
        if counted is None:
            counted = self._counted[tool.name, text] = tool.counted_arguments(arguments)
        return counted

    def _write(
        self,
        call: Call,
        tool: CompiledTool,
        arguments: str | None,
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
        rows = tool.writes(
            call, result, outcome, links=links, faults=faults, counted=self._count(call, tool, arguments)
        )
        place = (call.step, call.position)
        self._writes += [place + row[:-1] + (actor,) for row in rows]
        return len(rows)
