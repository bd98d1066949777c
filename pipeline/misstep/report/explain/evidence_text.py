"""The story of the evidence as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from misstep.report.explain.evidence import Attempt, Evidence, Need, Record
from misstep.report.explain.lines import cut, wrapped

_MARKS = {"SUPPORTED": "✓", "INACTIVE": "·", "MISSING": "✗", "VIOLATED": "✗", None: "?"}
#: Values that the ledger leaves out when it is told.
_BLANK = ("null", '""', "[]", "{}")
_PROTOCOLS = {
    "Legacy": "a judgement",
    "V0": "must stop",
    "V1": "one action",
    "V2": "a chain of actions",
    "V3": "actions in any order that their dependencies allow",
    "gold-action": "reads of the reference solution, which acts",
    "gold-stop": "reads of the reference solution, which does not act",
}


def evidence_lines(told: Evidence, longest: int) -> Iterator[str]:
    """Yield the story: summary, required reads, ledger, attempts with what they lacked, the end."""
    what = f"{told.protocol}: {_PROTOCOLS[told.protocol]}" if told.protocol is not None else "standing rules"
    yield f"Evidence ({what})"
    yield from wrapped(told.summary, "  ")
    if told.reads:
        yield "  Required reads, at the end"
        for need in told.reads:
            yield from _required(need, longest)
    if told.ledger:
        yield "  Established"
        for record in told.ledger:
            yield from _record(record, longest)
    for number, attempt in enumerate(told.attempts):
        yield from _attempt(number, attempt, longest, reads_known=told.protocol is not None)
    if told.at_end:
        yield "  Not established by the end"
        for need in told.at_end:
            yield from _lack(need, longest)
    if told.stop is not None:
        yield f"  At the end: {told.stop}"
    yield "  Labels of evidence"
    for name, words in told.labels.items():
        yield from wrapped(f"{name}: {words}", "    ")


def _required(need: Need, longest: int) -> Iterator[str]:
    when = need.established or ("unknown" if need.status is None else need.near or "never")
    yield from wrapped(f"{_MARKS[need.status]} {need.name}: {cut(need.needed, longest)} — {when}", "    ")


def _record(record: Record, longest: int) -> Iterator[str]:
    when = "start" if record.step < 0 else f"step {record.step}"
    facts = ", ".join(
        f"{name} = {cut(value, longest)}" + (f" ({record.stale[name]})" if name in record.stale else "")
        for name, value in record.facts.items()
        if value not in _BLANK
    )
    sure = "" if record.certain else " (perhaps)"
    of = f"{record.entity}: " if record.entity is not None else ""
    yield from wrapped(f"{when}, by {record.source}{sure}: {of}{cut(facts, longest) or 'nothing but blanks'}", "    ")


def _attempt(number: int, attempt: Attempt, longest: int, *, reads_known: bool) -> Iterator[str]:
    taken = f", taken for {attempt.action}" if attempt.action is not None else ""
    yield from wrapped(f"Attempt {number}, step {attempt.step}{taken}: {cut(attempt.call, longest)}", "  ")
    yield from wrapped(attempt.verdict, "    ")
    many = "read" if attempt.reads == 1 else "reads"
    checks = [f"gate {attempt.gate}" if attempt.gate is not None else ""]
    for names, said in ((attempt.right, "right"), (attempt.wrong, "wrong"), (attempt.doubtful, "unknown")):
        checks.append(f"{', '.join(names)} {said}" if names else "")
    if reads_known:
        checks.append(f"after {attempt.reads} {many}, {attempt.covered} required ones covered")
    if told := "; ".join(check for check in checks if check):
        yield from wrapped(told, "    ")
    for need in attempt.lacked:
        yield from _lack(need, longest)


def _lack(need: Need, longest: int) -> Iterator[str]:
    what = {
        "coverage": "was not read",
        "requirement": "was not established",
        "rule": "is a rule that was broken",
    }[need.kind]
    if need.status == "VIOLATED":
        what = "is violated"
    if need.status is None:
        what = "may have been missing"
    of = f" (for {need.action})" if need.action else ""
    reason = f" [{need.reason}]" if need.reason else ""
    described = f": {need.described}" if need.described else ""
    yield from wrapped(f"{_MARKS[need.status]} {need.name}{of} {what}{reason}{described}", "      ")
    if need.needed:
        yield from wrapped(f"needed: {cut(need.needed, longest)}", "        ")
    if need.near is not None:
        yield from wrapped(f"near miss: {need.near}", "        ")
