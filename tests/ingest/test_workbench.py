"""What the reader of WorkBench makes of small runs, as lines and as the benchmark's own tables."""

import csv
import io
from typing import Any

import pytest

from ingest.reading import Read, Reading, line
from misstep.contracts.trace import Episode


def only(got: Read) -> Episode:
    (episode,) = got.episodes
    return episode


def bench(**fields: Any) -> dict[str, Any]:
    step = {"tool": "email.delete", "tool_input": {"id": "01"}, "log": "thinking", "observation": "Deleted."}
    base = {"query": "delete it", "domain": "email", "row": 7, "model": "m", "tool_selection": "all", "error": None}
    return {**base, "function_calls": ['email.delete.func(id="01")'], "steps": [step], "output": "done", **fields}


def test_workbench_line(reads: Reading) -> None:
    episode = only(reads(line(bench())))

    assert (episode.task_id, episode.model, episode.condition) == ("email/007", "m", "all")
    assert (episode.instruction, episode.status, episode.steps) == ("delete it", "completed", 3)
    assert [(c.step, c.tool, c.arguments, c.result) for c in episode.calls] == [
        (1, "email.delete", {"id": "01"}, "Deleted.")
    ]
    assert [(m.step, m.role, m.text) for m in episode.messages] == [
        (0, "user", "delete it"),
        (1, "assistant", "thinking"),
        (2, "assistant", "done"),
    ]


@pytest.mark.parametrize(
    ("fields", "status", "lost"),
    [
        pytest.param({"steps": None, "error": "Context window exceeded"}, "aborted", True, id="context"),
        pytest.param({"steps": None, "error": "unhashable type: 'list'"}, "aborted", True, id="tool-raised"),
        pytest.param({"steps": None, "error": "Error code: 504 - x"}, "infrastructure_failure", True, id="server"),
        pytest.param({"steps": None, "parse_error": "bad"}, "aborted", True, id="unreadable"),
        pytest.param(
            {"output": "Agent stopped due to iteration limit or time limit."}, "budget_exhausted", False, id="limit"
        ),
        pytest.param({"function_calls": ["a", "b"]}, "completed", True, id="more-calls-than-steps"),
        pytest.param({"function_calls": []}, "completed", False, id="fewer-calls-than-steps"),
    ],
)
def test_workbench_status(reads: Reading, fields: Any, status: str, lost: bool) -> None:
    got = reads(line(bench(**fields)))

    assert (only(got).status, only(got).calls_lost) == (status, lost)
    assert got.codes == (["lost-calls"] if lost else [])


def test_workbench_odd_steps(reads: Reading) -> None:
    steps = [
        {"tool": "get", "tool_input": "0042", "log": "", "observation": [{"id": "1", "n": "@"}]},
        {"tool": "get", "tool_input": {"a": 1}, "log": "", "observation": {"k": "v"}},
    ]
    got = reads(line(bench(steps=steps)).replace(b'"@"', b"NaN"))

    first, second = only(got).calls
    assert (first.arguments, first.raw_arguments, first.flags) == (None, "0042", ["bare-string-input"])
    assert first.structured == [{"id": "1", "n": None}]
    assert (second.result, second.structured) == ('{"k":"v"}', {"k": "v"})
    assert got.codes == ["non-finite"]


def table(*rows: tuple[str, str, str, str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("query", "function_calls", "full_response", "error"))
    writer.writerows(rows)
    return text.getvalue().encode()


ACTIONS = (
    "(AgentAction(tool='email.delete', tool_input={'id': '01'}, log='a\\n'), 'Deleted.')",
    "(AgentAction(tool='get', tool_input='x', log=''), [{'n': nan, 'at': Timestamp('2023-11-30 00:00:00'), "
    "'who': array(['a', 'b'], dtype=object), 'd': datetime.date(2023, 11, 3)}])",
)
RESPONSE = f"{{'input': 'q', 'output': \"it's done\", 'intermediate_steps': [{', '.join(ACTIONS)}]}}"
FOLDER = "email/gpt-9_all_2024-03-20_12-48-43.csv"


def test_workbench_table(reads: Reading) -> None:
    got = reads(table(("q", "['a', 'b']", RESPONSE, ""), ("q2", "[]", "", "Context window exceeded")), FOLDER)

    one, other = got.episodes
    assert (one.task_id, one.model, one.condition, one.status) == ("email/000", "gpt-9", "all", "completed")
    assert one.calls[0].arguments == {"id": "01"}
    assert one.calls[1].structured == [{"n": None, "at": "2023-11-30 00:00:00", "who": ["a", "b"], "d": "2023-11-03"}]
    assert (one.calls[1].raw_arguments, one.messages[-1].text) == ("x", "it's done")
    assert (other.task_id, other.status, other.calls_lost) == ("email/001", "aborted", True)
    assert got.codes == ["non-finite", "lost-calls"]


def test_02_a_damaged_row_is_set_aside_and_the_next_ones_are_read(reads: Reading) -> None:
    good = table(("q", "[]", RESPONSE, ""))
    got = reads(good + b'"q"x,[],,\n' + good.split(b"\n", 1)[1], FOLDER)

    assert [episode.task_id for episode in got.episodes] == ["email/000", "email/002"]
    assert (got.account.records, got.account.recognised) == (3, 2)
    assert got.codes.count("not-an-episode") == 1


def test_02_a_damaged_header_is_no_traceback(reads: Reading) -> None:
    got = reads(b'"query"x,function_calls,full_response,error\n' + b"q,[],,\n", FOLDER)

    assert not got.episodes


@pytest.mark.parametrize(
    "response",
    [
        pytest.param("{'output': __import__('os').abort()}", id="72-call"),
        pytest.param("{'output': open('/etc/passwd').read()}", id="72-open"),
        pytest.param("{'output': [x for x in (1, 2)]}", id="72-comprehension"),
        pytest.param("{'output': lambda: 1}", id="72-lambda"),
        pytest.param("{'output': f'{1}'}", id="72-format"),
        pytest.param("{'output': <object at 0x7f>}", id="72-object"),
        pytest.param("{'output': 'cut", id="72-cut"),
        pytest.param("{'output': " + "[" * 3000 + "]" * 3000 + "}", id="72-deep"),
    ],
)
def test_workbench_never_runs_a_repr(reads: Reading, response: str) -> None:
    got = reads(table(("q", "[]", response, "")), FOLDER)

    episode = only(got)
    assert episode.calls_lost and episode.status == "aborted"
    assert "cannot be read" in got.faults[0][1]


def test_workbench_arguments_that_are_no_numbers(reads: Reading) -> None:
    response = (
        "{'output': 'x', 'intermediate_steps': [(AgentAction(tool='t', tool_input={'n': nan, 'm': -inf}, log=''), 1)]}"
    )
    got = reads(table(("q", "[]", response, "")), FOLDER)

    assert only(got).calls[0].arguments == {"n": "nan", "m": "-inf"}
    assert set(got.codes) == {"non-finite-arg"}


def test_workbench_torn_table(reads: Reading) -> None:
    got = reads(table(("q", "[]", RESPONSE, ""))[:-30] + b'"', FOLDER)

    assert got.account.lost + len(got.episodes) == 1


def test_workbench_objects_are_the_values_they_hold(reads: Reading) -> None:
    held = {"__class__": "array", "args": [["a@b.c"]], "kwargs": {}}
    step = {"tool": "find", "tool_input": {}, "log": "", "observation": held}

    assert only(reads(line(bench(steps=[step])))).calls[0].structured == ["a@b.c"]
