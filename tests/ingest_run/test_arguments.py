"""The arguments of calls, leaf by leaf: stored once, and the same however the input is cut."""

import json

import pytest

from ingest_run.traces import SUITE, TOOLS, call, digests, episode, lines, run, say
from misstep.contracts.tables import TRACES

BOOK = {
    "kind": "write",
    "defaults": {"seats": 1},
    "compare": {"tags": "set", "note": "free", "names": {"zip": ["names", "ages"], "unordered": True}},
    "writes": [{"action": "create", "entity": "trip:new"}],
}
TOOLSFILE = {**TOOLS, "redacted": ["[GONE]"], "tools": {**TOOLS["tools"], "trips.book": BOOK}}
GIVEN = {
    "to": {"city": "Ö", "via": ["A", {"stop": 1.0}]},
    "tags": ["b", "a", "b"],
    "names": ["Bo", "Al"],
    "ages": [3, 4],
    "note": "x",
    "seats": 1.0,
    "phone": "+[GONE]",
    "extra": None,
    "none": {},
}


@pytest.fixture
def booking(make_suite):
    """Return the folder of a suite with a tool that compares its arguments in many ways."""
    return make_suite({**SUITE, "tools.yaml": TOOLSFILE})


def leaves(found):
    """Return the rows of `arguments` without their id, by path."""
    return sorted(row[1:] for row in found["arguments"].select(TRACES["arguments"].column_names()).iter_rows())


def test_arguments_are_stored_leaf_by_leaf(booking, put, tmp_path):
    found = run(booking, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), call("trips.book", GIVEN)))))
    TRACES["arguments"].validate(found["arguments"])
    assert leaves(found) == [
        ("extra", 0, "null", "null", False),
        ("names,ages", 0, '[["Bo","Al"],[3,4]]', '[("Al",4),("Bo",3)]', True),
        ("none", 0, "{}", "{}", True),
        ("note", 0, '"x"', None, False),
        ("phone", 0, '"+[GONE]"', None, True),
        ("seats", 0, "1", "1", False),
        ("tags[]", 0, '"a"', '"a"', True),
        ("tags[]", 1, '"b"', '"b"', True),
        ("to.city", 0, '"Ö"', '"Ö"', True),
        ("to.via[0]", 0, '"A"', '"A"', True),
        ("to.via[1].stop", 0, "1", "1", True),
    ]


def test_what_ran_counts_and_what_cannot_be_read_has_none(suite, put, tmp_path):
    events = [
        call("orders.get", {"id": "O1"}, executed={"id": "O2"}),
        call("orders.get", {"id": "O2"}),
        call("orders.get", {}),
        call("orders.burn", {"id": {"deep": True}}, "no such tool"),
        call("orders.get", [1]),
        {"type": "call", "tool": "orders.get", "arguments": "{broken", "result": "ok"},
    ]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    calls = found["calls"].sort("position")
    ids = calls["arguments_id"].to_list()
    assert ids[0] == ids[1]
    assert ids[2] is not None and ids[3] is not None
    assert ids[4:] == [None, None]
    assert leaves(found) == [("id", 0, '"O2"', '"O2"', True), ("id.deep", 0, "true", "true", True)]


def test_equal_arguments_of_two_tools_are_two(suite, put, tmp_path):
    events = [call("orders.get", {"id": "O1"}), call("orders.close", {"id": "O1"})]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    assert found["calls"]["arguments_id"].n_unique() == 2
    assert found["arguments"].height == 2


def test_arguments_of_any_pieces_are_the_same(booking, put, tmp_path):
    def told(start):
        return lines(
            *(
                episode(
                    "ab"[number % 2],
                    say("x"),
                    call("trips.book", {**GIVEN, "seats": number % 5, "tags": [f"t{number % 3}", "a"]}),
                    call("orders.close", {"id": f"O{number % 7}"}),
                    replicate=number,
                )
                for number in range(start, start + 30)
            )
        )

    inputs = [put("in/a.jsonl", told(0)), put("in/b.jsonl", told(20).replace(b'"model": "m"', b'"model": "n"'))]
    whole = run(booking, tmp_path / "whole", *inputs, workers=1)
    expected = digests(tmp_path / "whole")
    assert whole["arguments"]["arguments_id"].n_unique() == 15 + 7
    for name, given, options in (
        ("cut", inputs, {"workers": 1, "unit_bytes": 700}),
        ("turned", inputs[::-1], {"workers": 1, "unit_bytes": 3_000}),
        ("spread", inputs, {"workers": 2, "unit_bytes": 1_500}),
    ):
        found = run(booking, tmp_path / name, *given, **options)
        assert digests(tmp_path / name) == expected
        assert found["arguments"].select("arguments_id", "path", "number").is_unique().all()
    assert len(list((tmp_path / "cut" / "arguments").iterdir())) > 1
    assert (
        run(booking, tmp_path / "cut", *inputs, workers=1, unit_bytes=700)["arguments"].height
        == whole["arguments"].height
    )  # and an ingest that has nothing to do leaves them alone


def test_a_killed_run_goes_on_with_its_arguments(booking, put, tmp_path):
    source = put("a.jsonl", lines(*(episode("a", call("trips.book", GIVEN), replicate=n) for n in range(20))))
    out = tmp_path / "out"
    run(booking, out, source, workers=1, unit_bytes=600)
    expected = digests(out)
    (out / "manifest.json").unlink()
    for path in list((out / "arguments").iterdir())[:1]:
        path.unlink()
    run(booking, out, source, workers=1, unit_bytes=600)
    assert digests(out) == expected


def test_deep_and_odd_arguments_are_read(suite, put, tmp_path):
    deep: dict = {}
    for _ in range(300):
        deep = {"a": deep}
    events = [call("orders.get", {"id": deep}), call("orders.get", {"": 1, "a.b": 2, "é\u2028": [[]]})]
    found = run(suite, tmp_path / "out", put("a.jsonl", lines(episode("a", say("x"), *events))))
    paths = sorted(found["arguments"]["path"], key=len)
    assert paths[:3] == ['[""]', '["a.b"]', '["é\u2028"][0]']
    assert paths[3] == "id" + ".a" * 300
    assert json.loads(found["arguments"].filter(path='["a.b"]')["value"].item()) == 2
