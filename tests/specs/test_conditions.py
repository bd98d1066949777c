import pytest

from misstep.specs.conditions import all_hold, any_holds
from misstep.specs.paths import MISSING, Scope


@pytest.mark.parametrize(
    ("expected", "value", "holds"),
    [
        (True, True, True),
        (True, "true", False),
        (True, 1, False),
        (1, 1.0, True),
        (1, "1", False),
        ("^true$", True, True),
        ("^true$", "true", True),
        ([True, "^true$"], "true", True),
        ([True, "^true$"], "false", False),
        (None, None, True),
        (None, 0, False),
        ("closed", None, False),
        ("closed", "was closed", True),
        ("^5$", 5, True),
        ('"a":1', {"a": 1.0}, True),
    ],
)
def test_a_value_is_tested_by_pattern_or_by_typed_value(expected, value, holds):
    assert all_hold({"arguments.x": expected})(Scope({"x": value})) is holds


def test_an_absent_value_is_null_and_matches_nothing_else():
    scope = Scope({})
    assert all_hold({"arguments.x": None})(scope)
    assert not all_hold({"arguments.x": "."})(scope)
    assert not all_hold({"arguments.x": False})(scope)


def test_all_must_hold_or_any():
    conditions = {"arguments.a": True, "arguments.b": True}
    scope = Scope({"a": True, "b": False})
    assert not all_hold(conditions)(scope)
    assert any_holds(conditions)(scope)


def test_a_pattern_on_the_whole_result_sees_the_text_that_was_shown():
    assert all_hold({"result": '"status": "ok"'})(Scope(result={"status": "ok"}, text='{"status": "ok"}'))
    assert all_hold({"result": '"status":"ok"'})(Scope(result={"status": "ok"}))
    assert not all_hold({"result": "."})(Scope(result=MISSING))


def test_what_a_missing_result_would_say_can_be_assumed():
    scope = Scope({"a": 1}, MISSING)
    assert all_hold({"result.ok": True}, assume_result=True)(scope)
    assert not all_hold({"result.ok": True, "arguments.a": 2}, assume_result=True)(scope)


@pytest.mark.parametrize("conditions", [{"arguments.x": "("}, {"argumentz.x": "a"}, {"state.x": "a"}])
def test_conditions_that_mean_nothing_are_errors(conditions):
    with pytest.raises(ValueError):
        all_hold(conditions)
