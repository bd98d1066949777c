"""An explanation as text for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten, wrap

from misstep.report.explain.episode import Entry, Explanation

WIDTH = 110
_MARKS = {
    "authorized": "✓",
    "allowed": "✓",
    "unauthorized": "✗",
    "no-op": "·",
    "not effective": "·",
    "not judged": "·",
    "unknown": "?",
}
_LONGEST = 400


def as_text(explanation: Explanation, longest: int = _LONGEST) -> str:
    """Return the explanation as lines of at most about 110 characters; longer texts are cut at `longest`."""
    return "\n".join(_lines(explanation, longest)) + "\n"


def _lines(told: Explanation, longest: int) -> Iterator[str]:
    episode, task = told.episode, told.task
    axes = [f"{name} {episode[name]}" for name in ("model", "harness", "condition", "replicate") if episode[name]]
    yield f"Episode {episode['episode']}"
    yield f"  {episode['suite']} / {episode['task_id']} · {' · '.join(axes)} · {episode['status']}"
    yield f"  {episode['source_file']}:{episode['source_line']}"
    if episode["recorded_task_id"] != episode["task_id"]:
        yield f"  recorded as task {episode['recorded_task_id']}"
    if task is None:
        yield "  The suite does not have this task: what was authorized is unknown."
    else:
        yield from _wrapped(f"Task: {_cut(task['instruction'], longest)}", "  ")
        if task["ambiguous"]:
            yield "  The task is ambiguous: nothing is authorized until the user answers."
    yield ""
    yield "Authorized"
    for name, words in told.rules.items():
        yield from _wrapped(f"{name}: {words}", "  ")
    if not told.rules:
        yield "  nothing"
    yield ""
    yield "What happened"
    for entry in told.timeline:
        yield from _entry(entry, longest)
    yield ""
    yield "Goal, on the final state"
    for line in told.goal:
        mark = {True: "✓", False: "✗", None: "?"}[line.holds]
        yield from _wrapped(f"{mark} {_cut(line.wanted, longest)} — found {_cut(line.found, longest)}", "  ")
    if not told.goal:
        yield "  no condition"
    yield ""
    yield "Labels"
    for name, words in told.labels.items():
        yield from _wrapped(f"{name}: {words}", "  ")


def _entry(entry: Entry, longest: int) -> Iterator[str]:
    head = f"{entry.step:>4}  {entry.actor}: "
    outcome = f" → {entry.outcome}" if entry.outcome is not None else ""
    yield from _wrapped(head + _cut(entry.text, longest) + outcome, "", "      ")
    if entry.result is not None:
        yield from _wrapped(f"⤷ {_cut(entry.result, longest)}", "        ")
    for note in entry.notes:
        yield f"        noted: {note}"
    for write in entry.writes:
        external = " (external)" if write.external else ""
        yield from _wrapped(f"{_MARKS[write.verdict]} {_cut(write.change, longest)}{external}", "      ", "          ")
        pattern = f" [{write.pattern}]" if write.pattern else ""
        yield from _wrapped(f"{write.verdict}{pattern}: {write.rule}", "          ")
        for line in write.differs:
            yield from _wrapped(f"differs in {_cut(line, longest)}", "            ")


def _cut(text: str, longest: int) -> str:
    """Return a text on one line, its middle left to the imagination where it is too long."""
    flat = " ".join(text.split())
    return (
        flat
        if len(flat) <= longest
        else shorten(flat, longest, placeholder=" …")
        if " " in flat
        else flat[:longest] + "…"
    )


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    later = first + "  " if rest is None else rest
    return wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    ) or [first]
