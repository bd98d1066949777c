"""Faults of JSON values: what is kept as it stands, what is mended, and what is said about it."""

import json

import pytest

from ingest.reading import Read, Reading, asks, chat, gives, line
from misstep.contracts.values import canonical


def only(got: Read):
    (episode,) = got.episodes
    return episode


def calling(arguments: str) -> bytes:
    """Return a line whose call has this JSON text for its arguments (an object)."""
    text = line(chat(asks(("c1", "pay", "@")), gives("c1", "ok")))
    return text.replace(b'"@"', arguments.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_13_not_finite_outside_of_arguments(reads: Reading, number: str) -> None:
    got = reads(line(chat(score="@")).replace(b'"@"', number.encode()))

    assert got.codes == ([] if "e" in number else ["non-finite"])  # a huge number that nobody reads does no harm


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("shape", ["object", "text", "deep"])
def test_13_not_finite_in_arguments(reads: Reading, number: str, shape: str) -> None:
    inner = f'{{"amount":{number}}}' if shape != "deep" else f'{{"rows":[{{"amount":{number}}}]}}'
    got = reads(calling(json.dumps(inner) if shape == "text" else inner))

    (call,) = only(got).calls
    assert call.arguments == ({"rows": [{"amount": number}]} if shape == "deep" else {"amount": number})
    assert got.codes == ["non-finite-arg"]


def test_13_text_that_says_nan_is_text(reads: Reading) -> None:
    got = reads(line(chat(asks(("call_8rNaNJ", "pay", '{"note":"NaN"}')), gives("call_8rNaNJ", "NaN"))))

    (call,) = only(got).calls
    assert (call.call_id, call.arguments, call.result, got.codes) == ("call_8rNaNJ", {"note": "NaN"}, "NaN", [])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(line(chat({"role": "assistant", "content": "done \ud83d"})), "lone-surrogate", id="14-in-text"),
        pytest.param(calling('{"to":"a \\ud83d"}'), "lone-surrogate-arg", id="14-in-arguments"),
        pytest.param(calling(json.dumps('{"to":"a \\ud83d"}')), "lone-surrogate-arg", id="14-in-arguments-text"),
        pytest.param(calling('{"\\udc00":"a"}'), "lone-surrogate-arg", id="14-in-a-name"),
        pytest.param(
            line({"episode_id": "e\udc00", "messages": [{"role": "user"}]}), "lone-surrogate-arg", id="14-in-an-id"
        ),
    ],
)
def test_half_a_pair(reads: Reading, data: bytes, code: str) -> None:
    got = reads(data)

    assert got.codes == [code]
    assert "\N{REPLACEMENT CHARACTER}" in repr(only(got))
    repr(only(got)).encode()


def test_14_a_whole_pair_is_fine(reads: Reading) -> None:
    got = reads(line(chat({"role": "assistant", "content": "done \U0001f600"})))

    assert got.codes == []
    assert only(got).messages[1].text == "done \U0001f600"


@pytest.mark.parametrize("strict", [pytest.param(False, id="15-last-wins"), pytest.param(True, id="15-strict")])
def test_a_key_twice(reads: Reading, strict: bool) -> None:
    data = b'{"episode_id":"e1","model":"a1","model":"a2","messages":[{"role":"user","content":"x"}]}\n'

    got = reads(data, strict_json=strict)

    assert only(got).model == "a2"
    assert got.codes == (["duplicate-key"] if strict else [])


@pytest.mark.parametrize("strict", [False, True])
def test_15_a_key_twice_in_arguments_text(reads: Reading, strict: bool) -> None:
    got = reads(calling(json.dumps('{"id":"A","id":"B"}')), strict_json=strict)

    assert only(got).calls[0].arguments == {"id": "B"}
    assert got.codes == (["duplicate-key"] if strict else [])


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param('{"a":50}', '{"a":50.0}', True, id="17-integer-and-float"),
        pytest.param('{"a":50}', '{"a":5e1}', True, id="17-exponent"),
        pytest.param('{"a":50}', '{"a":"50"}', False, id="17-text"),
        pytest.param('{"a":1}', '{"a":true}', False, id="17-true"),
        pytest.param('{"a":18446744073709551617}', '{"a":18446744073709551616}', False, id="17-past-64-bits"),
    ],
)
def test_equal_numbers(reads: Reading, one: str, other: str, equal: bool) -> None:
    first, second = (only(reads(calling(text))).calls[0].arguments for text in (one, other))

    assert (canonical(first) == canonical(second)) == equal


@pytest.mark.parametrize("depth", [2_000, 200_000])
def test_nested_too_deep(reads: Reading, depth: int) -> None:
    deep = b'{"episode_id":"e2","messages":[],"x":' + b"[" * depth + b"]" * depth + b"}\n"

    got = reads(deep + line(chat()))

    assert got.ids == ["e1"]
    assert got.codes == ["nested-too-deep"]


@pytest.mark.parametrize(
    ("time", "read", "codes"),
    [
        pytest.param("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z", [], id="22-offset"),
        pytest.param("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", [], id="22-utc"),
        pytest.param("2026-03-01T10:00:00", None, ["naive-time"], id="22-no-zone"),
        pytest.param(1772359200, None, ["naive-time"], id="22-seconds-or-what"),
        pytest.param(1772359200000, None, ["naive-time"], id="22-milliseconds-or-what"),
        pytest.param("yesterday", None, ["naive-time"], id="22-words"),
        pytest.param("0001-01-01T00:00:00+14:00", None, ["naive-time"], id="22-before-the-calendar"),
        pytest.param("9999-12-31T23:59:59-14:00", None, ["naive-time"], id="22-after-the-calendar"),
    ],
)
def test_times(reads: Reading, time: object, read: str | None, codes: list[str]) -> None:
    got = reads(line(chat(asks(("c1", "pay", "{}"), timestamp=time), gives("c1", "ok"))))

    assert (only(got).calls[0].time, got.codes) == (read, codes)


def test_23_order_is_that_of_the_record(reads: Reading) -> None:
    turns = [
        message
        for number, hour in enumerate([12, 12, 9])
        for message in (
            asks((f"c{number}", f"t{number}", "{}"), timestamp=f"2026-03-01T{hour:02}:00:00Z"),
            gives(f"c{number}", "ok"),
        )
    ]
    got = reads(line(chat(*turns)))

    assert [call.tool for call in only(got).calls] == ["t0", "t1", "t2"]
    assert got.codes == ["time-goes-back"]


def test_24_text_stays_text(reads: Reading) -> None:
    values = {"order_id": "0030", "hash": "0" * 32, "due": "2024-01-02"}
    got = reads(line(chat(asks(("c1", "pay", json.dumps(values))), gives("c1", "0030"))))

    (call,) = only(got).calls
    assert (call.arguments, call.result) == (values, "0030")
