"""Addresses that are written as text."""

import time

import pytest

from misstep.specs.recipients import split_addresses


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("a@x", ["a@x"]),
        ("a@x, b@y", ["a@x", "b@y"]),
        ("a@x;b@y;", ["a@x", "b@y"]),
        ('["a@x", "b@y"]', ["a@x", "b@y"]),
        ("['a@x', 'b@y']", ["a@x", "b@y"]),
        ("['a@x']", ["a@x"]),
        (' ["A <a@x>", "b@y"]\n', ["a@x", "b@y"]),
        ("[a@x, b@y]", ["a@x", "b@y"]),
        ("['general', 'random']", ["general", "random"]),
        ("[]", []),
        ('"a@x"', ["a@x"]),
        ("A <a@x>; B <b@y>", ["a@x", "b@y"]),
        ('"Li, Ann" <a@x>, b@y', ["a@x", "b@y"]),
        ("Li, Ann <a@x>", ["a@x"]),
        ("o'neil@x, b@y", ["o'neil@x", "b@y"]),
        ("the team, all of it", ["the team, all of it"]),
        ("US133000000121212121212", ["US133000000121212121212"]),
        ("", [""]),
    ],
)
def test_a_text_is_split_into_its_addresses(text, addresses):
    assert split_addresses(text) == addresses


def test_a_list_written_as_text_is_judged_address_by_address(tools_of, run):
    tools = tools_of(
        """\
        home_domains: [corp.example]
        tools:
          mail: {kind: write, writes: [{action: send, entity: "email:new", recipients: arguments.to}]}
        """
    )
    (row,) = run(tools, "mail", {"to": "['Ann@corp.example', 'bob@corp.example']"}).writes
    assert (row.recipients, row.external) == (["ann@corp.example", "bob@corp.example"], False)
    (row,) = run(tools, "mail", {"to": ['["ann@corp.example"]', "Eve <eve@out.example>"]}).writes
    assert (row.recipients, row.external) == (["ann@corp.example", "eve@out.example"], True)


def test_a_long_text_is_split_in_time_that_grows_with_its_length():
    started = time.perf_counter()
    assert len(split_addresses('a@x,"' * 100_000)) == 50_001
    assert time.perf_counter() - started < 5
