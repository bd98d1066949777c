"""An explanation as text for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator

from misstep.report.explain.episode import Entry, Explanation
from misstep.report.explain.evidence_text import evidence_lines
from misstep.report.explain.lines import cut, wrapped

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
        yield from wrapped(f"Task: {cut(task['instruction'], longest)}", "  ")
        if task["ambiguous"]:
            yield "  The task is ambiguous: nothing is authorized until the user answers."
    yield ""
    yield "Authorized"
    for name, words in told.rules.items():
        yield from wrapped(f"{name}: {words}", "  ")
    if not told.rules:
        yield "  nothing"
    yield ""
    yield "What happened"
    for entry in told.timeline:
        yield from _entry(entry, longest)
    yield ""
    if told.evidence is not None:
        yield from evidence_lines(told.evidence, longest)
        yield ""
    yield "Goal, on the final state"
    for line in told.goal:
        mark = {True: "✓", False: "✗", None: "?"}[line.holds]
        yield from wrapped(f"{mark} {cut(line.wanted, longest)} — found {cut(line.found, longest)}", "  ")
    if not told.goal:
        yield "  no condition"
    yield ""
    yield "Labels"
    for name, words in told.labels.items():
        yield from wrapped(f"{name}: {words}", "  ")


def _entry(entry: Entry, longest: int) -> Iterator[str]:
    head = f"{entry.step:>4}  {entry.actor}: "
    outcome = f" → {entry.outcome}" if entry.outcome is not None else ""
    yield from wrapped(head + cut(entry.text, longest) + outcome, "", "      ")
    if entry.result is not None:
        yield from wrapped(f"⤷ {cut(entry.result, longest)}", "        ")
    for note in entry.notes:
        yield f"        noted: {note}"
    if entry.attempt is not None:
        yield from wrapped(f"an attempt, {entry.attempt}", "        ")
    for write in entry.writes:
        external = " (external)" if write.external else ""
        yield from wrapped(f"{_MARKS[write.verdict]} {cut(write.change, longest)}{external}", "      ", "          ")
        pattern = f" [{write.pattern}]" if write.pattern else ""
        yield from wrapped(f"{write.verdict}{pattern}: {write.rule}", "          ")
        for line in write.differs:
            yield from wrapped(f"differs in {cut(line, longest)}", "            ")
