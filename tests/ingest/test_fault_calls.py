"""Faults of calls, their arguments and results, and of which result belongs to which call."""

import json
from typing import Any

import pytest

from ingest.reading import Read, Reading, asks, chat, gives, line
from misstep.contracts.trace import Call, Episode


def only(got: Read) -> Episode:
    (episode,) = got.episodes
    return episode


def one_call(reads: Reading, arguments: Any) -> tuple[Call, list[str]]:
    got = reads(line(chat(asks(("c1", "pay", arguments)), gives("c1", "ok"))))
    (call,) = only(got).calls
    assert call.result == "ok"
    return call, got.codes


OBJECT = {"id": "T-1"}
TEXT = json.dumps(OBJECT)


@pytest.mark.parametrize(
    ("given", "arguments", "raw", "codes"),
    [
        pytest.param(json.dumps(TEXT), OBJECT, None, ["double-encoded"], id="19-twice"),
        pytest.param(json.dumps(json.dumps(TEXT)), None, "*", ["arguments-not-object"], id="19-three-times"),
        pytest.param({"body": '{"x": 1}'}, {"body": '{"x": 1}'}, None, [], id="20-value-like-json"),
        pytest.param('{"body":"{\\"x\\": 1}"}', {"body": '{"x": 1}'}, None, [], id="20-value-like-json-in-text"),
        pytest.param({"body": '"7"'}, {"body": '"7"'}, None, [], id="20-value-like-json-text"),
        pytest.param('{"account": "A7", "limit": }', None, "*", ["bad-arguments"], id="25-broken"),
        pytest.param("{'account': 'A7'}", None, "*", ["bad-arguments"], id="25-python"),
        pytest.param('{"account": "A7"', None, "*", ["bad-arguments"], id="25-cut"),
        pytest.param("T-1", None, "*", ["bad-arguments"], id="25-word"),
        pytest.param("", {}, None, ["empty-arguments"], id="27-empty"),
        pytest.param(" \n", {}, None, ["empty-arguments"], id="27-blank"),
        pytest.param(None, {}, None, ["empty-arguments"], id="27-null"),
        pytest.param("null", {}, None, ["empty-arguments"], id="28-null-in-text"),
        pytest.param("{}", {}, None, [], id="27-none-on-purpose"),
        pytest.param('["T-1","T-2"]', None, "*", ["arguments-not-object"], id="28-list"),
        pytest.param("7", None, "*", ["arguments-not-object"], id="28-number"),
        pytest.param("true", None, "*", ["arguments-not-object"], id="28-true"),
        pytest.param(["T-1"], None, '["T-1"]', ["arguments-not-object"], id="28-list-itself"),
        pytest.param(7, None, "7", ["arguments-not-object"], id="28-number-itself"),
        pytest.param(OBJECT, OBJECT, None, [], id="30-object"),
        pytest.param(TEXT, OBJECT, None, [], id="30-text"),
    ],
)
def test_arguments(reads: Reading, given: Any, arguments: Any, raw: str | None, codes: list[str]) -> None:
    call, got = one_call(reads, given)

    assert call.arguments == arguments
    assert call.raw_arguments == (given if raw == "*" else raw)
    assert (got, call.flags) == (codes, codes)


def test_27_absent_arguments(reads: Reading) -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "list_tickets"}}]}
    got = reads(line(chat(message, gives("c1", "ok"))))

    assert (only(got).calls[0].arguments, got.codes) == ({}, ["empty-arguments"])


@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"id": "c1", "name": "pay", "arguments": OBJECT}, id="30-flat"),
        pytest.param({"id": "c1", "name": "pay", "args": OBJECT}, id="30-args"),
        pytest.param({"id": "c1", "name": "pay", "input": TEXT}, id="30-input"),
        pytest.param({"id": "c1", "function": "pay", "arguments": OBJECT}, id="30-function-is-a-name"),
        pytest.param({"id": "c1", "type": "function", "function": {"name": "pay", "arguments": TEXT}}, id="30-nested"),
    ],
)
def test_shapes_of_a_call(reads: Reading, call: dict[str, Any]) -> None:
    got = reads(line(chat({"role": "assistant", "tool_calls": [call]}, gives("c1", "ok"))))

    assert [(c.tool, c.arguments, c.result) for c in only(got).calls] == [("pay", OBJECT, "ok")]
    assert got.codes == []


def test_30_legacy_function_call(reads: Reading) -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "pay", "arguments": TEXT}}
    got = reads(line(chat(asked, {"role": "function", "name": "pay", "content": "ok"})))

    assert [(c.tool, c.arguments, c.result) for c in only(got).calls] == [("pay", OBJECT, "ok")]


def test_30_calls_and_results_as_blocks(reads: Reading) -> None:
    asked = {
        "role": "assistant",
        "content": [{"type": "text", "text": "now"}, {"type": "tool_use", "id": "t1", "name": "pay", "input": OBJECT}],
    }
    back = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}],
    }
    episode = only(reads(line(chat(asked, back))))

    assert [(c.tool, c.arguments, c.result, c.failed) for c in episode.calls] == [("pay", OBJECT, "no", True)]
    assert [message.text for message in episode.messages] == ["do it", "now"]


def run_of_dojo(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": "do it"}, *messages]
    run = {"suite_name": "bank", "user_task_id": "user_task_1", "injection_task_id": None, "attack_type": None}
    return {**run, "messages": said, "error": None, "utility": True, "security": True, **fields}


@pytest.mark.parametrize(
    ("asked", "ran", "codes"),
    [
        pytest.param({"to": "['a@b.c']"}, {"to": ["a@b.c"]}, ["arguments-rewritten"], id="31-list-in-text"),
        pytest.param({"n": 1}, {"n": True}, ["arguments-rewritten"], id="31-number-and-true"),
        pytest.param({"n": 1}, {"n": 1.0}, [], id="31-same-number"),
    ],
)
def test_rewritten_arguments(reads: Reading, asked: Any, ran: Any, codes: list[str]) -> None:
    call = {"function": "send", "args": asked, "id": None}
    back = {"role": "tool", "content": "ok", "tool_call_id": None, "tool_call": {**call, "args": ran}, "error": None}
    got = reads(line(run_of_dojo({"role": "assistant", "content": None, "tool_calls": [call]}, back)))

    (found,) = only(got).calls
    assert (found.arguments, found.executed, got.codes) == (asked, ran if codes else None, codes)


def fragment(index: int | None, call_id: str | None, name: str | None, text: str) -> dict[str, Any]:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": text}}


@pytest.mark.parametrize("shape", ["tool_calls", "deltas", "chunks"])
@pytest.mark.parametrize(
    ("fragments", "calls", "codes"),
    [
        pytest.param(
            [fragment(0, "c1", "pay", '{"amo'), fragment(0, None, None, 'unt":5}')],
            [("c1", "pay", {"amount": 5})],
            [],
            id="32-two-parts",
        ),
        pytest.param(
            [
                fragment(0, "c1", "pay", ""),
                fragment(1, "c2", "get", '{"a'),
                fragment(0, None, None, '{"b":'),
                fragment(1, None, None, '":1}'),
                fragment(0, "", "", "2}"),
            ],
            [("c1", "pay", {"b": 2}), ("c2", "get", {"a": 1})],
            [],
            id="32-interleaved",
        ),
        pytest.param(
            [fragment(0, "c1", "pay", '{"a":1}'), fragment(0, "c2", "get", '{"b":2}')],
            [("c1", "pay", {"a": 1}), ("c2", "get", {"b": 2})],
            [],
            id="32-all-of-index-0-but-whole",
        ),
        pytest.param(
            [fragment(0, "c1", "pay", '{"a'), fragment(0, "c2", "get", '{"b'), fragment(0, None, None, '":1}')],
            [("c1", "pay", None), ("c2", "get", None)],
            ["unjoined-deltas"],
            id="32-ambiguous",
        ),
        pytest.param([fragment(0, None, None, '{"a":1}')], [], ["unjoined-deltas"], id="32-no-beginning"),
    ],
)
def test_streamed_fragments(reads: Reading, shape: str, fragments: Any, calls: Any, codes: list[str]) -> None:
    streamed: list[dict[str, Any]]
    if shape == "tool_calls":
        streamed = [{"role": "assistant", "tool_calls": fragments}]
    elif shape == "deltas":
        streamed = [{"role": "assistant", "deltas": [{"tool_calls": [part]} for part in fragments]}]
    else:
        streamed = [{"role": "assistant", "delta": {"tool_calls": [part]}} for part in fragments]
    got = reads(line(chat(*streamed, *(gives(call_id, "ok") for call_id, _, _ in calls))))

    assert [(call.call_id, call.tool, call.arguments) for call in only(got).calls] == calls
    assert got.codes == codes
    assert len({call.step for call in only(got).calls}) <= 1


def test_32_flat_fragments(reads: Reading) -> None:
    parts = [{"index": 0, "id": "c1", "name": "pay", "args": '{"amo'}, {"index": 0, "id": None, "args": 'unt":5}'}]
    got = reads(line(chat({"role": "assistant", "deltas": parts}, gives("c1", "ok"))))

    assert [(c.tool, c.arguments, c.result) for c in only(got).calls] == [("pay", {"amount": 5}, "ok")]


@pytest.mark.parametrize("name", [pytest.param("delete_everything", id="34"), pytest.param("mcp__crm__pay", id="35")])
def test_names_of_tools_are_left_alone(reads: Reading, name: str) -> None:
    got = reads(line(chat(asks(("c1", name, "{}")), gives("c1", "unknown tool"))))

    assert [call.tool for call in only(got).calls] == [name]


TWO = asks(("c1", "pay", '{"a":1}'), ("c2", "read", '{"b":2}'))
SAME_ID = asks(("c1", "pay", '{"to":"A"}'), ("c1", "pay", '{"to":"B"}'))
NO_ID = asks((None, "pay", '{"a":1}'), (None, "read", '{"b":2}'))
NO_ID_SAME_TOOL = asks((None, "pay", '{"a":1}'), (None, "pay", '{"a":2}'))
EMPTY_ID = asks(("", "pay", '{"a":1}'), ("", "read", '{"b":2}'))
PAIRS = [
    pytest.param([TWO, gives("c2", "R")], [None, "R"], ["missing-result"], id="37-first-call-was-interrupted"),
    pytest.param([TWO], [None, None], ["missing-result"] * 2, id="37-nothing-came-back"),
    pytest.param(
        [asks(("c1", "pay", "{}")), {"role": "user", "content": "stop"}, asks(("c1", "pay", "{}")), gives("c1", "R")],
        [None, "R"],
        ["missing-result"],
        id="37-interrupted-then-again-with-the-id",
    ),
    pytest.param(
        [SAME_ID, gives("c1", "RA"), gives("c1", "RB")], ["RA", "RB"], ["duplicate-call-id"] * 2, id="47-in-order"
    ),
    pytest.param(
        [SAME_ID, gives("c1", "RA")],
        [None, None],
        ["duplicate-call-id", "duplicate-call-id", "ambiguous-pair", "ambiguous-pair"],
        id="47-counts-differ",
    ),
    pytest.param(
        [asks(("c1", "pay", "{}")), gives("c1", "R1"), asks(("c1", "read", "{}")), gives("c1", "R2")],
        ["R1", "R2"],
        [],
        id="47-id-used-again-later",
    ),
    pytest.param(
        [asks(("c1", "pay", "{}")), gives("c1", "R"), gives("c1", "R")], ["R"], ["orphan-result"], id="47-twice"
    ),
    pytest.param(
        [asks(("c1", "pay", "{}")), gives("c1", "R"), gives("c1", "S")], [None], ["ambiguous-pair"], id="47-two-answers"
    ),
    pytest.param([NO_ID, gives(None, "P", name="pay"), gives(None, "R", name="read")], ["P", "R"], [], id="49-by-name"),
    pytest.param([NO_ID, gives(None, "R", name="read"), gives(None, "P", name="pay")], ["P", "R"], [], id="49-crossed"),
    pytest.param([NO_ID, gives("read", "R"), gives("pay", "P")], ["P", "R"], [], id="49-id-is-the-name"),
    pytest.param(
        [EMPTY_ID, gives("", "P", name="pay"), gives("", "R", name="read")], ["P", "R"], [], id="49-empty-ids"
    ),
    pytest.param([asks((None, "pay", "{}")), gives(None, "P")], ["P"], [], id="49-only-one-call"),
    pytest.param([asks((None, "pay", "{}")), gives("x9", "P")], ["P"], [], id="49-only-the-result-has-an-id"),
    pytest.param(
        [NO_ID_SAME_TOOL, gives(None, "P", name="pay"), gives(None, "Q", name="pay")],
        [None, None],
        ["ambiguous-pair"] * 2,
        id="49-same-tool",
    ),
    pytest.param([NO_ID, gives(None, "?")], [None, None], ["ambiguous-pair"] * 2, id="49-one-result-of-two"),
    pytest.param(
        [asks(("c1", "pay", "{}")), gives("zz", "R")], [None], ["orphan-result", "missing-result"], id="49-other-id"
    ),
    pytest.param([TWO, gives("c2", "R2"), gives("c1", "R1")], ["R1", "R2"], [], id="50-completion-order"),
    pytest.param(
        [asks(("c1", "pay", "{}")), asks(("c2", "read", "{}")), gives("c2", "R2"), gives("c1", "R1")],
        ["R1", "R2"],
        [],
        id="50-split-over-messages",
    ),
    pytest.param(
        [TWO, gives("c1", "R1"), {"role": "user", "content": "and?"}, gives("c2", "R2")], ["R1", "R2"], [], id="50-late"
    ),
    pytest.param(
        [
            asks(("c1", "pay", "{}")),
            asks(("c2", "read", "{}")),
            gives("c2", "R2"),
            asks(("c3", "x", "{}")),
            gives("c1", "R1"),
        ],
        ["R1", "R2", None],
        ["missing-result"],
        id="50-rounds-late",
    ),
]


@pytest.mark.parametrize(("turns", "results", "codes"), PAIRS)
def test_pairing(reads: Reading, turns: list[Any], results: list[str | None], codes: list[str]) -> None:
    got = reads(line(chat(*turns)))

    calls = only(got).calls
    assert [call.result for call in calls] == results
    assert [call.has_result for call in calls] == [result is not None for result in results]
    assert got.codes == codes


def test_50_parallel_calls_share_a_step_and_the_next_message_comes_after(reads: Reading) -> None:
    episode = only(
        reads(line(chat(TWO, gives("c2", "R2"), gives("c1", "R1"), asks(("c3", "pay", "{}")), gives("c3", "x"))))
    )

    assert [(call.step, call.position) for call in episode.calls] == [(1, 0), (1, 1), (2, 0)]
    assert episode.steps == 3
    assert [message.step for message in episode.messages] == [0]


@pytest.mark.parametrize(
    ("turns", "places"),
    [
        pytest.param([gives("c2", "R2"), gives("c1", "R1")], [(1, 0), (1, 1)], id="answered-together"),
        pytest.param([gives("c2", "R2")], [(1, 0), (2, 0)], id="the-first-not-answered"),
        pytest.param([], [(1, 0), (2, 0)], id="no-results-recorded"),
    ],
)
def test_50_calls_in_neighbouring_messages_know_nothing_of_each_other(
    reads: Reading, turns: list[Any], places: list[tuple[int, int]]
) -> None:
    split = [asks(("c1", "pay", "{}")), asks(("c2", "read", "{}"))]
    episode = only(reads(line(chat(*split, *turns, asks(("c3", "pay", "{}")), gives("c3", "x")))))
    assert [(call.step, call.position) for call in episode.calls[:2]] == places
    assert episode.calls[2].step == 3


@pytest.mark.parametrize(
    ("content", "result", "codes"),
    [
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", [], id="39-blocks"),
        pytest.param([{"type": "text", "content": "a"}], "a", [], id="39-block-with-content"),
        pytest.param(
            ["a", {"type": "text", "text": "b"}], '["a",{"type":"text","text":"b"}]', [], id="39-a-list-of-values"
        ),
        pytest.param({"type": "text", "text": "a"}, "a", [], id="39-one-block"),
        pytest.param(
            [{"type": "text", "text": "a"}, {"type": "image", "source": {}}],
            "a",
            ["non-text-block"],
            id="39-with-an-image",
        ),
        pytest.param([{"type": "image", "source": {}}], "", ["non-text-block"], id="39-only-an-image"),
        pytest.param([], "[]", [], id="40-empty-list"),
        pytest.param(None, "", [], id="40-null"),
        pytest.param("", "", [], id="40-empty"),
        pytest.param("None", "None", [], id="40-none-as-text"),
        pytest.param("- id: T-1\n  state: open", "- id: T-1\n  state: open", [], id="40-yaml"),
        pytest.param({"id": "T-1"}, '{"id":"T-1"}', [], id="40-decoded"),
        pytest.param("2 lines: Traceback", "2 lines: Traceback", [], id="43-mentions-errors"),
        pytest.param("row 1 [truncated 9000 chars]", "row 1 [truncated 9000 chars]", [], id="44-cut-is-kept"),
        pytest.param("attachment://77ab", None, ["missing-attachment"], id="44-attachment-is-gone"),
        pytest.param("attachment://a1", "long text", [], id="44-attachment-is-there"),
        pytest.param("[redacted]", "[redacted]", [], id="45-redacted-is-kept"),
    ],
)
def test_results(reads: Reading, content: Any, result: str | None, codes: list[str]) -> None:
    got = reads(line(chat(asks(("c1", "pay", "{}")), gives("c1", content), attachments={"a1": "long text"})))

    (call,) = only(got).calls
    assert (call.result, call.has_result, got.codes) == (result, result is not None, codes)
    assert call.failed is None


@pytest.mark.parametrize(
    ("fields", "failed", "error"),
    [
        pytest.param({"is_error": False}, False, None, id="41-flag-says-fine"),
        pytest.param({"is_error": True}, True, None, id="41-flag-says-error"),
        pytest.param({"error": "not signed in"}, True, "not signed in", id="41-error-text"),
        pytest.param({"error": {"type": "timeout", "message": "late"}}, True, "late", id="41-error-object"),
        pytest.param({"error": None}, None, None, id="41-no-error"),
        pytest.param({"status": "error"}, True, None, id="38-status"),
        pytest.param({"status": "stopped after start"}, None, None, id="38-other-status"),
    ],
)
def test_words_of_the_format_on_a_result(reads: Reading, fields: Any, failed: bool | None, error: str | None) -> None:
    got = reads(line(chat(asks(("c1", "pay", "{}")), gives("c1", "denied", **fields))))

    (call,) = only(got).calls
    assert (call.failed, call.result) == (failed, "denied")
    assert error is None or call.error == error


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


FIRST = item("function_call", id="fc1", call_id="c1", name="pay", arguments='{"n": 1}')
SECOND = item("function_call", id="fc2", call_id="c2", name="read", arguments="{}")
OUTPUTS = [
    item("function_call_output", call_id="c2", output="R"),
    item("function_call_output", call_id="c1", output="P"),
]


@pytest.mark.parametrize(
    ("messages", "calls"),
    [
        pytest.param([FIRST, SECOND, *OUTPUTS], [(1, 0, "pay", "P"), (1, 1, "read", "R")], id="at-once"),
        pytest.param(
            [FIRST, OUTPUTS[1], SECOND, OUTPUTS[0]], [(1, 0, "pay", "P"), (2, 0, "read", "R")], id="one-after-the-other"
        ),
        pytest.param(
            [item("custom_tool_call", call_id="c", name="pay", input='{"n": 1}', output="P")],
            [(1, 0, "pay", "P")],
            id="with-its-output",
        ),
        pytest.param(
            [{"role": "assistant", "content": [item("mcp_tool_use", id="c", name="pay", input={})]}, gives("c", "P")],
            [(1, 0, "pay", "P")],
            id="block-of-another-provider",
        ),
        pytest.param(
            [item("ai", content="", tool_calls=[{"id": "c", "name": "pay", "args": {}}]),
             item("tool", tool_call_id="c", content="P")],
            [(1, 0, "pay", "P")],
            id="type-for-role",
        ),
    ],
)  # fmt: skip
def test_items_beside_messages_are_calls(reads: Reading, messages: Any, calls: Any) -> None:
    episode = only(reads(line(chat(*messages))))

    assert [(call.step, call.position, call.tool, call.result) for call in episode.calls] == calls
    assert not episode.calls_lost


@pytest.mark.parametrize(
    ("messages", "lost"),
    [
        pytest.param([{"role": "assistant", "content": "x", "type": ["odd"]}], False, id="type-of-no-shape"),
        pytest.param([gives("zz", "R")], True, id="result-of-no-call"),
        pytest.param([asks(("c", "pay", "{}")), gives("c", "R"), gives("c", "R")], False, id="result-told-twice"),
        pytest.param(
            [asks(("c", "pay", "{}")), gives("c", "R"), asks(("d", "pay", "{}")), gives("d", "R"), gives("c", "R")],
            False,
            id="result-told-again-later",
        ),
        pytest.param(
            [asks((None, "pay", "{}")), gives(None, "R"), gives(None, "S")], True, id="more-results-than-calls"
        ),
        pytest.param([NO_ID_SAME_TOOL, gives(None, "R"), gives(None, "S")], False, id="as-many-results-as-calls"),
        pytest.param([asks(("c", None, "{}"))], True, id="call-without-a-name"),
        pytest.param([{"role": "assistant", "function_call": {"arguments": "{}"}}], True, id="old-call-without-a-name"),
        pytest.param([{"role": "assistant", "content": [item("tool_use", id="c")]}], True, id="block-without-a-name"),
        pytest.param([item("web_search_call", id="c")], True, id="item-without-a-name"),
        pytest.param([{"role": "assistant", "deltas": [{"tool_calls": [7]}]}], True, id="fragment-of-no-shape"),
    ],
)
def test_calls_that_left_only_a_trace_are_lost(reads: Reading, messages: Any, lost: bool) -> None:
    assert only(reads(line(chat(*messages)))).calls_lost == lost
