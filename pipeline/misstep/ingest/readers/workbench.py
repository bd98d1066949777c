"""Results of WorkBench: lines of JSON, or the benchmark's own CSV with its Python reprs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from misstep.contracts.trace import Call, Episode, Fault, Message, Status
from misstep.ingest.arguments import Arguments, read_arguments
from misstep.ingest.decode import Decoder, Unreadable
from misstep.ingest.readers.pyrepr import PLAIN, Made, NotData, parsed
from misstep.ingest.readers.reader import Origin, Sample, alone, count, itself, lost_calls, name_itself, word
from misstep.ingest.readers.status import status_of_error
from misstep.ingest.records import Record
from misstep.ingest.results import encoded

#: The benchmark's own names of result files: model, choice of tools, day, time.
_FILE = re.compile(r"^(?P<model>.+)_(?P<tools>[a-z]+)_\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")
_LIMIT = "iteration limit or time limit"
_COLUMNS = ("query", "function_calls", "full_response", "error")


class Step(msgspec.Struct):
    """One action of the agent and what came back."""

    tool: Any = None
    tool_input: Any = None
    log: Any = None
    observation: Any = msgspec.UNSET


class Line(msgspec.Struct):
    """One run."""

    query: str
    steps: list[Step] | None = None
    function_calls: list[Any] | None = None
    output: Any = None
    error: Any = None
    parse_error: Any = None
    domain: Any = None
    row: Any = None
    model: Any = None
    tool_selection: Any = None


_line = Decoder(Line)


class WorkBench:
    """Runs with `query`, `function_calls` and `steps`, or rows with `full_response`."""

    name = "workbench"
    companions = staticmethod(alone)
    members = staticmethod(itself)

    def detect(self, sample: Sample) -> bool:
        """Return whether the columns, or the keys of a record, are those of a run."""
        if sample.container == "rows":
            return sample.has("query", "function_calls", "full_response")
        return sample.has("query", "steps", "function_calls")

    def read(self, record: Record, origin: Origin) -> Iterator[Episode]:
        """Yield the episode of a run."""
        faults: list[Fault] = []
        line = (
            _row(record, origin, faults)
            if origin.columns
            else _line.decode(record.data, faults, strict=origin.strict_json)
        )
        domain, row = word(line.domain), count(line.row)
        if domain is None or row is None:
            raise name_itself("the run names no domain or no row, so its task is unknown")
        episode = Episode(
            task_id=f"{domain}/{row:03}",
            model=origin.model or word(line.model),
            condition=word(line.tool_selection),
            instruction=line.query,
            faults=faults,
        )
        episode.messages.append(Message(0, "user", line.query, actor="user"))
        objects = b'"__class__"' in record.data
        for number, step in enumerate(line.steps or []):
            if objects:
                step.observation = _plain(step.observation)
            _add(episode, step, number, strict=origin.strict_json)
        episode.steps = 1 + len(line.steps or [])
        if line.output is not None and line.steps is not None:
            episode.messages.append(Message(episode.steps, "assistant", _text(line.output)))
            episode.steps += 1
        episode.status = _status(line)
        _check_losses(episode, line)
        yield episode


def _add(episode: Episode, step: Step, number: int, *, strict: bool) -> None:
    """Add an action as a turn of its own: what the agent wrote, the call, and what it got back."""
    path = f"steps[{number}]"
    turn = number + 1
    if isinstance(step.log, str) and step.log:
        episode.messages.append(Message(turn, "assistant", step.log))
    given = step.tool_input
    if isinstance(given, str):  # what a bare string stands for is for the tools file to say
        arguments = Arguments(None, given, ("bare-string-input",))
    else:
        arguments = read_arguments(given, episode.faults, f"{path}.tool_input", strict=strict)
    shown = step.observation
    there = shown is not msgspec.UNSET
    decoded = there and not isinstance(shown, str)
    call = Call(
        turn,
        0,
        word(step.tool) or "",
        arguments.value,
        raw_arguments=arguments.raw,
        result=_text(shown) if there else None,
        structured=shown if decoded else None,
        has_result=there,
        flags=list(arguments.flags),
    )
    if not there:
        call.flags.append("missing-result")
        episode.faults.append(Fault("missing-result", f"the call of {call.tool} has no observation", path))
    episode.calls.append(call)


def _plain(value: Any) -> Any:
    """Return an observation with objects written as `{"__class__": "array", "args": […]}` as the values they hold."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        args = value.get("args")
        if value.get("__class__") in PLAIN and isinstance(args, list) and args:
            return _plain(args[0])
        return {key: _plain(item) for key, item in value.items()}
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else encoded(value)


def _status(line: Line) -> Status:
    error = line.error if isinstance(line.error, str) and line.error.strip() else None
    if error is None and line.error is not None and not isinstance(line.error, str):
        error = str(line.error)
    if _LIMIT in (error or "") or (isinstance(line.output, str) and _LIMIT in line.output):
        return "budget_exhausted"
    if error is not None:
        return status_of_error(error)
    return "aborted" if line.steps is None else "completed"


def _check_losses(episode: Episode, line: Line) -> None:
    """Mark a run whose calls are not all there: those before an exception are gone, though they happened."""
    made = len(line.function_calls or [])
    if line.steps is None:
        why = word(line.parse_error) or word(line.error) or "the record has no steps"
        lost_calls(episode, f"the calls of the run are not in the record: {why[:200]}")
    elif made > len(line.steps):
        lost_calls(episode, f"{made} calls were counted, {len(line.steps)} are in the record")


def _row(record: Record, origin: Origin, faults: list[Fault]) -> Line:
    """Return a CSV row as a run; model, tools and domain are in the file's name and folder."""
    cells = msgspec.json.decode(record.data, type=list[str])
    if len(cells) != len(origin.columns):
        raise Unreadable("not-an-episode", f"the row has {len(cells)} cells, the header {len(origin.columns)} columns")
    row = dict(zip(origin.columns, cells, strict=True))
    query, listed, response, error = (row.get(name, "") for name in _COLUMNS)
    found = _FILE.match(origin.parts[-1])
    line = Line(
        query=query,
        error=error or None,
        domain=row.get("domain") or (origin.parts[-2] if len(origin.parts) > 1 else None),
        row=record.line - 1,
        model=row.get("model") or (found["model"] if found else origin.parts[-1]),
        tool_selection=row.get("tool_selection") or (found["tools"] if found else None),
    )
    try:
        calls = parsed(listed, [], "function_calls") if listed.strip() else []
        line.function_calls = list(calls) if isinstance(calls, list | tuple) else None
    except NotData:
        line.function_calls = None
    if response.strip() and response.strip() != "nan":
        try:
            _respond(line, parsed(response, faults, "full_response"))
        except NotData as problem:
            line.parse_error = f"full_response cannot be read: {problem}"
    return line


def _respond(line: Line, response: Any) -> None:
    if not isinstance(response, dict):
        return
    line.output = _data(response.get("output"))
    steps = response.get("intermediate_steps")
    if not isinstance(steps, list | tuple):
        return
    found: list[Step] = []
    for step in steps:
        pair = step if isinstance(step, tuple) else tuple(step.fields.values()) if isinstance(step, Made) else ()
        action = pair[0] if pair else None
        if not isinstance(action, Made) or "tool" not in action.fields:
            raise NotData("a step is no action with a tool")
        fields = action.fields
        observation = _data(pair[1]) if len(pair) > 1 else msgspec.UNSET
        found.append(Step(fields["tool"], _data(fields.get("tool_input")), fields.get("log"), observation))
    line.steps = found


def _data(value: Any) -> Any:
    """Return a parsed repr as JSON values: tuples are lists, objects their fields."""
    if isinstance(value, dict):
        return {key: _data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_data(item) for item in value]
    return _data(value.fields) if isinstance(value, Made) else value


READER = WorkBench()
