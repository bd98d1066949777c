import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misstep.contracts.values import canonical
from misstep.specs.results import PARSERS, encode_each, parse_json, plain

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
numerals = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@given(values)
def test_encoding_a_parsed_result_gives_its_canonical_form(value):
    text = json.dumps(value)
    assert encode_each([parse_json(text)]) == [canonical(value)]
    assert encode_each([plain(value)]) == [canonical(value)]


@given(numerals)
def test_every_way_to_write_a_number_has_its_canonical_form(text):
    assert encode_each([parse_json(f"[{text}]")]) == [canonical([json.loads(text)])]


@pytest.mark.parametrize(
    ("how", "text", "value"),
    [
        ("json", '{"a": 50.0, "b": 5e1}', {"a": 50, "b": 50}),
        ("json", "No emails found.", "No emails found."),
        ("json", "[truncated", "[truncated"),
        ("json", "None", "None"),
        ("json", "", ""),
        ("text", '{"a": 1}', '{"a": 1}'),
        ("literal", "{'a': (1, 2.0), 3: None}", {"a": [1, 2], "3": None}),
        ("literal", "Email deleted successfully.", "Email deleted successfully."),
        ("literal", "'\\d'", "\\d"),
        ("literal", "b'x'", "b'x'"),
        (
            "yaml",
            "- id: 1\n  due: 2024-05-15\n  at: 10:30\n  ok: true\n  on: yes\n  n: 0030\n  f: 1810.50\n",
            [{"id": 1, "due": "2024-05-15", "at": "10:30", "ok": True, "on": "yes", "n": "0030", "f": 1810.5}],
        ),
        ("yaml", "- id: '5'\n  x: null\n  y: 2.0\n", [{"id": "5", "x": None, "y": 2}]),
        ("yaml", "Event\n  cancelled", "Event\n  cancelled"),
        ("yaml", "a: [", "a: ["),
        ("yaml", "!!python/object/apply:os.system [ls]", "!!python/object/apply:os.system [ls]"),
        ("yaml", "1: a", {"1": "a"}),
    ],
)
def test_a_result_is_parsed_as_the_tools_file_says(how, text, value):
    parsed = PARSERS[how](text, None)
    assert parsed == value
    assert encode_each([parsed]) == encode_each([value])


def test_numbers_that_are_not_finite_are_null_and_noted():
    faults = []
    assert parse_json('{"a": NaN, "b": [1e999, -Infinity, 2.0]}', faults) == {"a": None, "b": [None, None, 2]}
    assert [fault.code for fault in faults] == ["non-finite"]
    assert plain({"a": math.nan, "b": math.inf}) == {"a": None, "b": None}


def test_half_an_emoji_does_not_lose_a_result():
    faults = []
    read = parse_json('{"a": "x\\ud83d", "b": 1}', faults)
    assert read == {"a": "x\ufffd", "b": 1}
    assert [fault.code for fault in faults] == ["lone-surrogate"]
