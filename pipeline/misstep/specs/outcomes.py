"""What became of a call: the format's own word, then the rules of the tools file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from misstep.contracts.tools import Tool, ToolsFile
from misstep.contracts.trace import Call, Fault, Outcome
from misstep.specs.conditions import Test, all_hold, any_holds
from misstep.specs.paths import MISSING, Scope
from misstep.specs.places import placed
from misstep.specs.results import PARSERS

OutcomeOf = Callable[[Call, Any], tuple[Outcome, list[Fault]]]

_ERROR_LIKE = re.compile(
    r"\W*(?:[\w.-]+\s+){0,3}"
    r"(?:\w*error|\w*exception|fail(?:ed|ure)|denied|forbidden|unauthori[sz]ed|refused|cannot|could not|unable to)\b",
    re.IGNORECASE,
)


def compile_outcome(tool: Tool, file: ToolsFile) -> OutcomeOf:
    """Return the function that gives the outcome of a tool's calls.

    In this order: the outcome that the format names; a dry run; no result: unknown; an error that the format names; the
    rules of the tool, else the failure rule of the file; applied. Where a tool has a rule for success and one for
    failure and they contradict each other, or the format's own word, the outcome is unknown.

    Raises:
        SpecificationError: a condition is not well formed.
    """
    dry_run = placed("dry_run", all_hold, tool.dry_run, allow="arguments") if tool.dry_run else None
    succeeded = placed("succeeded_when", all_hold, tool.succeeded_when) if tool.succeeded_when else None
    failing = tool.failed_when
    if failing is None and succeeded is None:
        failing = file.failed_when
    failed = placed("failed_when", any_holds, failing) if failing else None

    def outcome(call: Call, result: Any) -> tuple[Outcome, list[Fault]]:
        if call.outcome is not None and not (succeeded and failed):
            return call.outcome, []
        arguments = call.arguments if call.executed is None else call.executed
        scope = Scope(MISSING if arguments is None else arguments, result, _text(call))
        if call.outcome is not None:
            return _checked(call.outcome, scope, succeeded, failed)
        if dry_run is not None and dry_run(scope):
            return "dry_run", []
        if not call.has_result:
            return "unknown", []
        if succeeded is not None and failed is not None:
            if call.failed is not None:
                stated: Outcome = "failed" if call.failed else "applied"
                return _checked(stated, scope, succeeded, failed)
            good, bad = succeeded(scope), failed(scope)
            return _conflict() if good and bad else ("applied" if good else "failed", [])
        if call.failed:
            return "failed", []
        if failed is not None:
            return "failed" if failed(scope) else "applied", []
        if succeeded is not None:
            return "applied" if succeeded(scope) else "failed", []
        return "applied", _error_like(result, call.result)

    return outcome


def _checked(stated: Outcome, scope: Scope, succeeded: Test | None, failed: Test | None) -> tuple[Outcome, list[Fault]]:
    """Return the format's own outcome, or unknown where both rules of the tool say the opposite."""
    if succeeded is None or failed is None or scope.result is MISSING:
        return stated, []
    good, bad = succeeded(scope), failed(scope)
    if (stated == "applied" and bad and not good) or (stated in ("failed", "rejected") and good and not bad):
        return _conflict()
    return stated, []


def _conflict() -> tuple[Outcome, list[Fault]]:
    message = "the status and the text of the result contradict each other; the outcome is unknown"
    return "unknown", [Fault("conflicting-outcome", message, "result")]


def _text(call: Call) -> str | None:
    """Return the text that patterns on the whole result look at: the error where the result is blank."""
    if call.error and not (call.result and call.result.strip()):
        return call.error
    return call.result


def _error_like(result: Any, text: str | None) -> list[Fault]:
    shown = result if isinstance(result, str) else None
    like = (shown is not None and _ERROR_LIKE.match(shown)) or (isinstance(result, dict) and result.get("error"))
    if not like:
        return []
    message = "the result reads like an error, but no rule of the tools file says that it is one"
    return [Fault("error-like-text", message, "result", (text or "")[:400] or None)]


def compile_unknown_outcome(file: ToolsFile) -> Callable[[Call], Outcome]:
    """Return the function that gives the outcome of calls of undeclared tools.

    Raises:
        SpecificationError: a condition is not well formed.
    """
    rejected = placed("unknown_tool_when", all_hold, file.unknown_tool_when) if file.unknown_tool_when else None
    parse = PARSERS["json"]

    def outcome(call: Call) -> Outcome:
        if call.outcome is not None:
            return call.outcome
        if not call.has_result:
            return "unknown"
        text = _text(call)
        result = call.structured if call.structured is not None else MISSING if text is None else parse(text, None)
        if rejected is not None and rejected(
            Scope(MISSING if call.arguments is None else call.arguments, result, text)
        ):
            return "rejected"
        return "failed" if call.failed else "applied"

    return outcome
