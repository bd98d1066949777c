"""Leaves of arguments: paths, keys, and what counts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misstep.contracts.tools import ToolsFile
from misstep.contracts.values import canonical, loose, number
from misstep.specs.effects import CompiledTools


def leaves(tools_of, arguments, tool="{kind: none}", rest="", anything=None):
    compiled = tools_of(f"tools: {{t: {tool}}}\n{rest}").get("t")
    found = compiled.argument_leaves(arguments) if anything is None else compiled.argument_leaves(arguments, anything)
    return [tuple(leaf) for leaf in found]


def test_a_leaf_stands_where_its_value_stands(tools_of):
    given = {"b": {"x": 1, "y": {"z": "t"}}, "a": [True, [None]], "e": {}, "f": [], "n": 1.0}
    assert leaves(tools_of, given) == [
        ("a[0]", 0, "true", "true", True),
        ("a[1][0]", 0, "null", "null", True),
        ("b.x", 0, "1", "1", True),
        ("b.y.z", 0, '"t"', '"t"', True),
        ("e", 0, "{}", "{}", True),
        ("f", 0, "[]", "[]", True),
        ("n", 0, "1", "1", True),
    ]


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"a.b": 1}, ['["a.b"]']),
        ({"a": {"b.c": 1, "b": {"c": 2}}}, ["a.b.c", 'a["b.c"]']),
        ({"": 1}, ['[""]']),
        ({"a b": {"ü": 1}}, ['["a b"].ü']),
        ({"a": {'"': 1}}, ['a["\\""]']),
        ({"a[0]": 1, "a": [1]}, ['["a[0]"]', "a[0]"]),
        ({"a,b": 1}, ['["a,b"]']),
    ],
)
def test_names_that_are_no_plain_words_are_quoted(tools_of, given, paths):
    assert [path for path, *_ in leaves(tools_of, given)] == paths


@pytest.mark.parametrize(
    ("compare", "given", "expected"),
    [
        ("{x: set}", {"x": ["b", "a", "b"]}, [("x[]", 0, '"a"', '"a"'), ("x[]", 1, '"b"', '"b"')]),
        (
            "{x: {unordered: true}}",
            {"x": [2, 1, 2]},
            [("x[]", 0, "1", "1"), ("x[]", 1, "2", "2"), ("x[]", 2, "2", "2")],
        ),
        ("{x: set}", {"x": "a"}, [("x[]", 0, '"a"', '"a"')]),
        ("{x: set}", {"x": []}, [("x", 0, "[]", "[]")]),
        ("{x: set}", {"x": [{"k": 1}]}, [("x[]", 0, '{"k":1}', '{"k":1}')]),
        ("{x: {each: casefold, distinct: true}}", {"x": ["B", "b"]}, [("x[]", 0, '"B"', '"b"')]),
        ("{x: {each: number}}", {"x": ["1", 2]}, [("x[0]", 0, '"1"', "1"), ("x[1]", 0, "2", "2")]),
        ("{x: {each: number}}", {"x": "1"}, [("x[0]", 0, '"1"', "1")]),
        ("{x: number}", {"x": {"y": ["1"]}}, [("x.y[0]", 0, '"1"', "1")]),
        ("{a: {zip: [a, b]}}", {"a": [1], "b": [2]}, [("a,b", 0, "[[1],[2]]", "[(1,2)]")]),
        ("{a: {zip: [a, b]}}", {"b": [2]}, [("a,b", 0, "[[],[2]]", "[(-,2)]")]),
        ("{a: {zip: [a, b]}}", {"a": None}, []),
        ("{x: {items: [id]}}", {"x": [{"id": 1, "n": 2}]}, [("x", 0, '[{"id":1,"n":2}]', "[{1}]")]),
    ],
)
def test_lists_are_taken_apart_as_they_are_compared(tools_of, compare, given, expected):
    found = leaves(tools_of, given, f"{{kind: none, compare: {compare}}}")
    assert [leaf[:4] for leaf in found] == expected
    assert all(leaf[4] for leaf in found)


def test_nulls_defaults_and_free_ones_do_not_count(tools_of):
    tool = "{kind: none, defaults: {d: 5}, compare: {d: number, f: free}}"
    assert leaves(tools_of, {"d": "5.0", "f": {"a": 1}, "n": None, "x": 0}, tool) == [
        ("d", 0, '"5.0"', "5", False),
        ("f.a", 0, "1", None, False),
        ("n", 0, "null", "null", False),
        ("x", 0, "0", "0", True),
    ]


def test_what_was_taken_out_is_unknown_and_counts(tools_of):
    tool = "{kind: none, compare: {ids: set, a: {zip: [a, b]}}}"
    given = {"ids": ["x", "[GONE]"], "o": {"p": "[GONE]", "q": 1}, "a": ["[GONE]"], "b": [1]}
    found = leaves(tools_of, given, tool, "redacted: ['[GONE]']")
    assert [(path, compare, counted) for path, _, _, compare, counted in found] == [
        ("a,b", None, True),
        ("ids[]", None, True),
        ("ids[]", None, True),
        ("o.p", None, True),
        ("o.q", "1", True),
    ]


def test_a_specification_may_leave_values_open(tools_of):
    tool = "{kind: none, compare: {ids: set}}"
    found = leaves(tools_of, {"ids": ["*", "a"], "x": "*", "y": {"z": "*"}}, tool, anything=lambda value: value == "*")
    assert [(path, compare) for path, _, _, compare, _ in found] == [
        ("ids[]", None),
        ("ids[]", '"a"'),
        ("x", None),
        ("y.z", None),
    ]


def test_a_profile_can_hold_for_all_arguments_that_state_none(tools_of):
    tools = tools_of("compare: loose\ntools: {t: {kind: none, compare: {s: strict}}}")
    given = {"s": "5", "u": "$1,200.0", "n": None, "o": {"b": True}}
    assert [tuple(leaf) for leaf in tools.get("t").argument_leaves(given)] == [
        ("n", 0, "null", '"None"', True),
        ("o.b", 0, "true", '"True"', True),
        ("s", 0, '"5"', '"5"', True),
        ("u", 0, '"$1,200.0"', "1200", True),
    ]
    assert [leaf.compare for leaf in tools.argument_leaves(None, {"a": "7.0"})] == ["7"]
    assert tools.get("t").counted_arguments({"s": "5", "u": 5}) == [("s", '"5"'), ("u", "5")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (119, "119.00"),
        ("$1,200", 1200.0),
        (" 5 ", 5),
        (True, "True"),
        (True, "true"),
        (None, "None"),
        ([1, {"a": None}], ["1.0", {"a": "None"}]),
        (2**53, str(2**53)),
    ],
)
def test_loose_values_that_read_alike_meet(one, other):
    assert loose(one) == loose(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (False, 0),
        ("1,2", 12),
        ("a", "A"),
        ([1], 1),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"b": 1}),
        ("", None),
        ("1e999", 1),
    ],
)
def test_other_loose_values_do_not(one, other):
    assert loose(one) != loose(other)


@pytest.mark.parametrize("text", ["1e999", "-1e999", "9" * 5000])
def test_text_that_spells_no_number_of_a_size_stays_text(text):
    assert loose(text) == number(text) == canonical(text)
    assert loose("9" * 400) == canonical("9" * 400)  # whole, but no float has its size


TOOL = {
    "kind": "none",
    "defaults": {"d": 1},
    "compare": {"s": "set", "u": {"unordered": True}, "d": "number", "f": "free", "z": {"zip": ["z", "y"]}},
}
ATOMS = st.sampled_from([None, 1, "1", 2, "a", True])
VALUES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner))
GIVEN = st.dictionaries(st.sampled_from("sufzyx"), VALUES) | st.dictionaries(st.just("d"), ATOMS)


@given(GIVEN, GIVEN)
def test_equal_leaves_are_equal_arguments(one, other):
    file = ToolsFile.model_validate({"schema": "misstep.tools/1", "tools": {"t": TOOL}})
    tool = CompiledTools(file, "s").get("t")
    both = [
        [(leaf.path, leaf.number, leaf.compare) for leaf in tool.argument_leaves(a) if leaf.counted]
        for a in (one, other)
    ]
    assert (both[0] == both[1]) == (tool.counted_arguments(one) == tool.counted_arguments(other))


@given(st.dictionaries(st.text(max_size=3), VALUES))
def test_no_two_leaves_share_path_and_number(arguments):
    file = ToolsFile.model_validate({"schema": "misstep.tools/1", "tools": {"t": {"kind": "none"}}})
    found = CompiledTools(file, "s").get("t").argument_leaves(arguments)
    assert len({(leaf.path, leaf.number) for leaf in found}) == len(found)
    assert found == sorted(found, key=lambda leaf: (leaf.path, leaf.number))
    assert sorted(leaf.value for leaf in found) == sorted(atoms(json.loads(canonical(arguments))))


def atoms(value):
    """Return the canonical text of all that holds nothing, in some arguments."""
    inner = list(value.values()) if isinstance(value, dict) else value
    return [
        text for one in inner for text in (atoms(one) if isinstance(one, dict | list) and one else [canonical(one)])
    ]
