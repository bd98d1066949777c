import pytest

from misstep.specs.paths import MISSING, Scope, compile_path, compile_template, is_path, is_template, state_field

RESULT = {
    "id": "e1",
    "items": [{"id": "a", "n": 1}, {"n": 2}, {"id": "c"}],
    "by": {"x": {"k": 1}, "y": {"k": 2}},
    "a.b": {"c": 5},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("result", RESULT),
        ("result.id", "e1"),
        ("result.items.0.id", "a"),
        ("result.items.7.id", MISSING),
        ("result.items.*.id", ["a", "c"]),
        ("result.by.*.k", [1, 2]),
        ("result.by.*", [{"k": 1}, {"k": 2}]),
        ('result["a.b"].c', 5),
        ("result.id.more", MISSING),
        ("result.items.id", MISSING),
        ("result.id.*", MISSING),
        ("arguments.ids.1", "T-2"),
        ("arguments.nothing", None),
        ("item", 7),
    ],
)
def test_a_path_gives_what_stands_there(path, value):
    found = compile_path(path)(Scope({"ids": ["T-1", "T-2"], "nothing": None}, RESULT, item=7))
    assert found is value if value is MISSING else found == value


@pytest.mark.parametrize("text", ["closed", "arguments are fine", "Result.id", "items", "item 5", "state", ""])
def test_other_text_is_no_path(text):
    assert not is_path(text)


@pytest.mark.parametrize(
    "path", ["result..id", "result.", "result[0]", 'result["a', "result.a[b]", "state.x", "other.x"]
)
def test_a_path_that_is_not_well_formed_is_an_error(path):
    with pytest.raises(ValueError):
        compile_path(path)


def test_a_state_path_names_one_field():
    assert state_field("state.status") == "status"
    assert state_field('state["a.b"]') == "a.b"
    assert state_field("result.status") is None
    with pytest.raises(ValueError, match="one field"):
        state_field("state.items.0")


def test_a_template_writes_text_as_it_is_and_values_in_canonical_form():
    scope = Scope({"a": "x", "n": 5.0, "t": True, "none": None})
    assert compile_template("{arguments.a}/{arguments.n}-{arguments.t}")(scope) == "x/5-true"
    assert compile_template("id={arguments.n}")(scope) == "id=5"
    assert compile_template("plain")(scope) == "plain"
    assert compile_template("{arguments.a}{arguments.gone}")(scope) is MISSING
    assert compile_template("{arguments.none}")(scope) is MISSING


def test_braces_around_anything_else_are_text():
    assert is_template("a {arguments.x}")
    assert not is_template('{"json": 1}')
